package source_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/specs/source"
)

// What looks at all keys of a mapping by their paths takes a number of steps in proportion to them, however the mapping
// was made.
func TestAKeyIsFoundAmongManyWithoutComparingAll(t *testing.T) {
	t.Parallel()
	const many = 5_000
	var asJSON, asYAML strings.Builder
	for i := range many {
		fmt.Fprintf(&asJSON, `,"k%d":1`, i)
		fmt.Fprintf(&asYAML, "  k%d: 1\n", i)
	}
	for name, text := range map[string]string{
		"JSON": `{"all":{` + asJSON.String()[1:] + `}}`,
		"YAML": "all:\n" + asYAML.String(),
	} {
		read, err := source.Read("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		renamed := read.Rename(map[string]string{"k7": "seven"}, "all")
		for how, text := range map[string]*source.Text{name: read, name + ", renamed": renamed} {
			if n := text.Compared("all"); n > 16 {
				t.Errorf("%s: a name is compared with %d keys", how, n)
			}
			if text.Has("all", "k") || !text.Has("all", "k0") || !text.Has("all", fmt.Sprint("k", many-1)) {
				t.Errorf("%s: keys are not found, or one that is not there is", how)
			}
		}
		if renamed.Has("all", "k7") || !renamed.Has("all", "seven") || !read.Has("all", "k7") || read.Has("all", "seven") {
			t.Errorf("%s: a renamed key is not found by its new name alone", name)
		}
	}
}

// Of a mapping with many unknown keys, only the first are reported.
func TestUnknownKeysAreReportedUpToABound(t *testing.T) {
	t.Parallel()
	schema, err := source.Compile("s.json", map[string][]byte{
		"s.json": []byte(`{"type": "object", "properties": {"name": {}}, "additionalProperties": false}`),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[int]int{0: 0, 3: 3, 100: 100, 5_000: 100} {
		text := strings.Builder{}
		for i := range given {
			fmt.Fprintf(&text, `,"k%d":1`, i)
		}
		read, err := source.Read("f", []byte(`{"name":"n"`+text.String()+"}"))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(read.Check(schema)); got != want {
			t.Errorf("%d unknown keys: %d problems, want %d", given, got, want)
		}
	}
}

// A walk looks a rule up once for all values that it describes, however deep it stands.
//
//nolint:paralleltest // others would allocate as well
func TestAWalkAllocatesNothingForAValue(t *testing.T) {
	schema, err := source.Compile("s.json", map[string][]byte{
		"s.json": []byte(`{"properties": {"all": {"items": {"$ref": "#/$defs/row"}}},
			"$defs": {"row": {"properties": {"a~b/c": {"type": "integer"}}}}}`),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const many = 1_000
	read, err := source.Read("f", []byte(`{"all":[`+strings.Repeat(`{"a~b/c":1},`, many-1)+`{"a~b/c":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	visited := 0
	allocated := testing.AllocsPerRun(1, func() {
		visited = 0
		read.Walk(schema, func(_ []any, rules map[string]any) {
			if rules["type"] == "integer" {
				visited++
			}
		})
	})
	if visited != many {
		t.Errorf("the walk visits %d integers, want %d", visited, many)
	}
	if allocated > 3*many { // an index and a name in a path
		t.Errorf("%.0f allocations for %d values", allocated, many)
	}
}
