package table_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/table"
)

func TestForm(t *testing.T) {
	t.Parallel()
	t.Run("a table is an object, by id, in order", func(t *testing.T) {
		t.Parallel()
		var tab, again table.Table[string]
		tab.Put(30, "c")
		tab.Put(1, "a")
		text, err := json.Marshal(&tab, table.Form())
		if err != nil || string(text) != `{"1":"a","30":"c"}` {
			t.Fatalf("it is %s, %v", text, err)
		}
		again.Put(7, "gone")
		if err := json.Unmarshal(text, &again, table.Form()); err != nil {
			t.Fatal(err)
		}
		if row, ok := again.Get(30); !ok || row != "c" || table.Len(&again) != 2 || memory(&again) != memory(&tab) {
			t.Errorf("it comes back with %d rows of %d bytes, and %q", table.Len(&again), memory(&again), row)
		}
	})
	t.Run("an index is a list, sorted", func(t *testing.T) {
		t.Parallel()
		var index, again table.Index[string, int]
		for i, key := range []string{"b", "c", "a"} {
			index.Put(key, i)
		}
		text, err := json.Marshal(&index, table.Form())
		want := `[{"key":"a","value":2},{"key":"b","value":0},{"key":"c","value":1}]`
		if diff := cmp.Diff(want, string(text)); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		if err := json.Unmarshal(text, &again, table.Form()); err != nil {
			t.Fatal(err)
		}
		if value, ok := again.Get("c"); !ok || value != 1 || table.Keys(&again) != 3 {
			t.Errorf("it comes back with %d keys, and %d", table.Keys(&again), value)
		}
	})
	for text, want := range map[string]string{
		`{"2":"a","1":"b"}`:        "in ascending order",
		`{"1":"a","1":"b"}`:        "in ascending order",
		`{"-1":"a"}`:               "integers from 0",
		`{"9007199254740993":"a"}`: "integers from 0",
		`{"x":"a"}`:                `the id of a row is "x"`,
		`{"1":2}`:                  "string",
		`["a"]`:                    "want {, not [",
		`{"1":"a"`:                 "EOF",
	} {
		t.Run(text+" is no table", func(t *testing.T) {
			t.Parallel()
			var tab table.Table[string]
			options := json.JoinOptions(table.Form(), jsontext.AllowDuplicateNames(true))
			if err := json.Unmarshal([]byte(text), &tab, options); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	t.Run("an index has no key twice", func(t *testing.T) {
		t.Parallel()
		var index table.Index[string, int]
		err := json.Unmarshal([]byte(`[{"key":"a","value":1},{"key":"a","value":2}]`), &index, table.Form())
		if err == nil || !strings.Contains(err.Error(), "the same key") {
			t.Errorf("error %v", err)
		}
	})
}

// Keys with the same hash are rare, and still keys of their own.
func TestCollisions(t *testing.T) {
	t.Parallel()
	var index table.Index[string, int]
	for i, key := range []string{"a", "b", "c", "b"} {
		index.ReplaceAt(7, key, i)
	}
	fork := index
	index.RemoveAt(7, "a")
	index.RemoveAt(7, "none")
	got := maps.Collect(table.Entries(&index))
	if diff := cmp.Diff(map[string]int{"b": 3, "c": 2}, got); diff != "" || table.Keys(&index) != 2 ||
		table.Keys(&fork) != 3 {
		t.Errorf("%d keys, and %d before (-want +got):\n%s", table.Keys(&index), table.Keys(&fork), diff)
	}
	index.RemoveAt(7, "b")
	index.RemoveAt(7, "c")
	if table.Keys(&index) != 0 || memory(&index) != 0 {
		t.Errorf("%d keys of %d bytes are left", table.Keys(&index), memory(&index))
	}
}
