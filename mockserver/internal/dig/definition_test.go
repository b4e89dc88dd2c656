package dig_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/dig"
)

func read(tb testing.TB, source string) dig.Workflow {
	tb.Helper()
	w, err := dig.ReadDefinition("w.dig", []byte(source))
	check(tb, err)
	return w
}

func TestDefinitionConfig(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, want string }{
		{
			"keys keep the order of the file", "z: 1\n+b: {echo>: x}\na: 2\n+a: {}\n",
			`{"z":1,"+b":{"echo>":"x"},"a":2,"+a":{}}`,
		},
		{"unknown keys are kept", "one: 1\ntwo: [x, {y: z}]\n", `{"one":1,"two":["x",{"y":"z"}]}`},
		{"times and dates stay text", "at: 07:00:00\nday: 2024-01-31\n", `{"at":"07:00:00","day":"2024-01-31"}`},
		{
			"scalars are what they are",
			"a: true\nb: null\nc: ~\nd: 0x10\ne: 1.50\nf: '1'\ng: .inf\nh: yes\n",
			`{"a":true,"b":null,"c":null,"d":16,"e":1.5,"f":"1","g":".inf","h":"yes"}`,
		},
		{"expressions are text", "if>: ${a < 1}\n", `{"if>":"${a < 1}"}`},
		{"an include is kept as it is written", "!include : 'a.dig'\n", `{"!include":"a.dig"}`},
		{
			"several includes become a list", "!include : a\nx: 1\n!include : b\n!include : c\n",
			`{"!include":["a","b","c"],"x":1}`,
		},
		{"an include can be a value", "_export: !include 'a.yml'\n", `{"_export":{"!include":"a.yml"}}`},
		{"aliases are resolved", "a: &a {x: 1}\nb: *a\n", `{"a":{"x":1},"b":{"x":1}}`},
		{
			"merges give way to own keys and earlier sources",
			"a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], z: 3}\nd:\n  <<: *a\n",
			`{"a":{"x":1,"y":1},"b":{"y":2,"z":2},"c":{"z":3,"x":1,"y":1},"d":{"x":1,"y":1}}`,
		},
		{"a byte order mark is passed over", "\ufeffa: 1\n", `{"a":1}`},
		{"an empty mapping", "{}", `{}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, string(read(t, test.source).Config)); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefinitionTimezone(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"+a: {}\n":               "UTC",
		"timezone: Asia/Tokyo\n": "Asia/Tokyo",
		"timezone: UTC\n":        "UTC",
		"timezone: '+09:00'\n":   "+09:00",
	} {
		if got := read(t, source); got.Timezone != want || got.Zone.String() != want {
			t.Errorf("%q: got %s and %s, want %s", source, got.Timezone, got.Zone, want)
		}
	}
	_, offset := time.Unix(0, 0).In(read(t, "timezone: '+09:00'\n").Zone).Zone()
	if offset != 9*3600 {
		t.Errorf("+09:00 has the offset %d", offset)
	}
}

func TestDefinitionErrorsSayTheLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, says string }{
		{"empty", "", "w.dig:1: the definition is empty"},
		{"only a comment", "# nothing\n", "w.dig:1: the definition is empty"},
		{"a list", "# x\n- a\n", "w.dig:2: the definition must be a mapping"},
		{"text", "hello", "w.dig:1: the definition must be a mapping"},
		{"null", "~", "w.dig:1: the definition must be a mapping"},
		{"two documents", "a: 1\n---\nb: 2\n", "w.dig:2: a second YAML document"},
		{"damage in a second document", "a: 1\n---\nb: [\n", "w.dig:4: not valid YAML"},
		{"a flow that does not end", "a: 1\nb: [1,\n", "w.dig:3: not valid YAML"},
		{"a tab", "a:\n\tb: 1\n", "w.dig:2: not valid YAML"},
		{"an unknown anchor", "a: 1\nb: *c\n", "w.dig:2: not valid YAML: unknown anchor"},
		{"NUL", "a: 1\nb: \x00\n", "w.dig:2: a NUL byte"},
		{"not UTF-8", "a: 1\n\nb: \xff\n", "w.dig:3: not valid UTF-8"},
		{"a key twice", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", `w.dig:5: the key "c" is given twice, first in line 3`},
		{"a key that is a list", "a: 1\n? [b]\n: c\n", "w.dig:2: a key must be text"},
		{"a key that is empty", "a: 1\n~: c\n", "w.dig:2: a key must be text"},
		{"an anchor in itself", "a: 1\nb: &b\n  c: *b\n", "w.dig:3: the anchor"},
		{"a merge of text", "a: 1\nb:\n  <<: x\n", "w.dig:3: << merges"},
		{"a number that is none", "a: 1\nb: !!int x\n", `w.dig:2: "x" is not a int`},
		{
			"an unknown zone", "+a: {}\ntimezone: Mars/Olympus\n",
			`w.dig:2: timezone must be the name of a time zone like Asia/Tokyo, not "Mars/Olympus"`,
		},
		{"the machine's zone", "timezone: Local\n", "w.dig:1: timezone"},
		{"an empty zone", "timezone: ''\n", "w.dig:1: timezone"},
		{"a zone that is a list", "timezone: [UTC]\n", "w.dig:1: timezone"},
		{"a task that is text", "+a: {}\n+b: echo\n", `w.dig:2: the task "+b" must be a mapping`},
		{"a task that is empty", "+a: {}\n+b:\n", `w.dig:2: the task "+b" must be a mapping`},
		{"a task without a name", "+a: {}\n+: {}\n", "w.dig:2: a task needs a name"},
		{"a task name with a reserved character", "+a:\n  +b^c: {}\n", "w.dig:2: a task name must not contain"},
		{
			"two operators", "+a:\n  sh>: x\n  echo>: y\n",
			"w.dig:3: a task runs one operator, but this one has sh> and echo>",
		},
		{"an operator with tasks in it", "+a:\n  sh>: x\n  +b: {}\n", "w.dig:3: the task runs the operator sh>"},
		{"a body that is text", "+a:\n  loop>: 2\n  _do: echo\n", "w.dig:3: the body of loop> must be a mapping"},
		{
			"two operators in a body", "+a:\n  loop>: 2\n  _do:\n    sh>: x\n    echo>: y\n",
			"w.dig:5: a task runs one operator",
		},
		{"a wrong _parallel", "+a:\n  _parallel: maybe\n", "w.dig:2: _parallel must be true or false"},
		{"a wrong limit of _parallel", "+a:\n  _parallel: {limit: 0}\n", "w.dig:2: the limit of _parallel"},
		{"a wrong _background", "+a:\n  _background: 1\n", "w.dig:2: _background must be"},
		{"a wrong _retry", "+a:\n  _retry: often\n", "w.dig:2: the limit of _retry"},
		{"a negative _retry", "+a:\n  _retry: -1\n", "w.dig:2: the limit of _retry"},
		{"a wrong interval", "+a:\n  _retry: {limit: 1, interval: x}\n", "w.dig:2: the interval of _retry"},
		{"a wrong interval type", "+a:\n  _retry: {limit: 1, interval_type: odd}\n", "w.dig:2: the interval_type"},
		{
			"_after of a task below", "_parallel: true\n+a: {_after: +b}\n+b: {}\n",
			`w.dig:2: "+a" cannot run after "+b"`,
		},
		{"_after of a list of lists", "_parallel: true\n+a: {_after: [[x]]}\n", "w.dig:2: _after must list tasks"},
		{
			"a full name that is too long", "+a:\n  +" + strings.Repeat("x", 640) + ": {}\n",
			"w.dig:2: a full task name has at most 640 bytes",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.ReadDefinition("w.dig", []byte(test.source))
			refused(t, err, test.says)
		})
	}
}

func TestFullTaskNameMayHave640Bytes(t *testing.T) {
	t.Parallel()
	w := read(t, "+"+strings.Repeat("x", 640-len("+w+"))+": {}\n")
	if n := len(w.Tasks[1].Name); n != 640 {
		t.Errorf("the name has %d bytes", n)
	}
}

//nolint:paralleltest // it measures the memory of the whole process
func TestDefinitionBombsAreReadInBoundedMemory(t *testing.T) {
	var aliases, merges, deep strings.Builder
	aliases.WriteString("a0: &a0 [x, x]\n")
	merges.WriteString("big: &big {")
	for i := range 60 {
		fmt.Fprintf(&aliases, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&merges, "k%d: 1, ", i)
	}
	merges.WriteString("}\n")
	for i := range 20_000 {
		fmt.Fprintf(&merges, "m%d: {<<: *big}\n", i)
	}
	deep.WriteString("a0: &a0 []\n")
	for i := range 20_000 {
		fmt.Fprintf(&deep, "a%d: &a%d [*a%d]\n", i+1, i+1, i)
	}
	tests := []struct{ name, source, says string }{
		{"aliases of aliases", aliases.String(), "once their aliases are resolved"},
		{"merges of a long mapping", merges.String(), "merges too many keys"},
		{"depth through aliases", deep.String(), "nested more than 100 levels"},
		{"depth in flow", "a: " + strings.Repeat("[", 150_000), "nested more than 100 levels"},
		{"depth in block", strings.Repeat("- ", 1<<20), "nested more than 100 levels"},
		{"nodes", "a: [" + strings.Repeat("a,", 4<<20-10) + "]", "the definition is too long"},
		{"quotes", strings.Repeat("'", 8<<20), "the definition is too long"},
		{"anchors", strings.Repeat("&a ", 2<<20), "the definition is too long"},
		{"lines", strings.Repeat("a\n", 4<<20), "the definition is too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var err error
			used := allocated(func() { _, err = dig.ReadDefinition("w.dig", []byte(test.source)) })
			refused(t, err, test.says)
			if used > 512<<20 {
				t.Errorf("allocated %d MiB", used>>20)
			}
		})
	}
}

func TestProjectsHaveABoundedLength(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 11 {
		files[fmt.Sprintf("w%d.dig", i)] = "a: 1" + strings.Repeat("\n", 100_000)
	}
	archive, err := dig.WriteArchive(files)
	check(t, err)
	_, err = dig.ReadArchive(archive, dig.DefaultLimits())
	refused(t, err, "too long together")
}

func TestProjectsAreBoundedOnceTheirAliasesAreResolved(t *testing.T) {
	t.Parallel()
	source := "a: &a " + strings.Repeat("x", 1000) + "\nb: [" + strings.Repeat("*a,", 20) + "]\n"
	limits := dig.DefaultLimits()
	limits.Expanded = 64 << 10
	for n, fits := range map[int]bool{1: true, 3: false} {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("w%d.dig", i)] = source
		}
		archive, err := dig.WriteArchive(files)
		check(t, err)
		if _, err = dig.ReadArchive(archive, limits); fits {
			check(t, err)
		} else {
			refused(t, err, "once their aliases are resolved")
		}
	}
}

//nolint:paralleltest // it measures the memory of the whole process
func TestTasksThatAliasesRepeatAreReadOnce(t *testing.T) {
	var source strings.Builder
	source.WriteString("t0: &t0 {}\n")
	for i := range 18 {
		fmt.Fprintf(&source, "t%d: &t%d {+a: *t%d, +b: *t%d}\n", i+1, i+1, i, i)
	}
	source.WriteString("+all: *t18\n")
	var w dig.Workflow
	used := allocated(func() { w = read(t, source.String()) })
	if want := 1 << 19; w.TaskCount != want {
		t.Errorf("counted %d tasks, want %d", w.TaskCount, want)
	}
	if used > 160<<20 {
		t.Errorf("allocated %d MiB", used>>20)
	}
}

func TestConfigIsJSON(t *testing.T) {
	t.Parallel()
	w := read(t, "a: \"quote \\\" <b> & \\u2028 \\x01\"\n\"k\\n\": 'ü'\n")
	var got map[string]string
	check(t, json.Unmarshal(w.Config, &got))
	want := map[string]string{"a": "quote \" <b> & \u2028 \x01", "k\n": "ü"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}
