package accept_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"svc.example/understudy/internal/accept"
)

// texts are JSON, and wrong are not, or not in the eyes of package jsontext.
var (
	texts = []string{
		"null", "true", "false", "0", "-0", "-12.50e+3", "1E-7", `""`, `"é"`, `"\u00e9\n\"\\"`, `"\ud83d\ude00"`,
		" [ ] ", "[1,\t[2] ,\r\n{}]", `{ "a" : { "a" : [ ] } , "b" : 1 }`, `[{"a":1},{"a":2}]`,
	}
	wrong = []string{
		"", " ", "nul", "nulls", "truefalse", "tru", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity",
		`"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\ud83d"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xc3\\n\"", `'a'`,
		"[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "[]]", "1 2", "1,", "\x00", "1\x00", "\ufeff1",
		"{", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{1:1}`, `{"a":1]`, `{"a" 1}`, `{"a",1}`,
		`{"a":1,"a":2}`, `{"a":1,"b":{},"\u0061":2}`, `{"\ud83d":1}`, "{\"\xff\":1}", `[{"a":{"b":1,"b":1}}]`,
	}
)

// anything returns the tree of a schema that allows every value.
func anything() *accept.Tree {
	return accept.Compile(&openapi3.Schema{Nullable: true}, accept.Request)
}

func TestATextIsReadAsStrictlyAsByTheDecoder(t *testing.T) {
	t.Parallel()
	for accepted, list := range map[bool][]string{true: texts, false: wrong} {
		for _, text := range list {
			if got := anything().AcceptsText([]byte(text)); got != accepted {
				t.Errorf("%q: accepted: %v", text, got)
			}
			if err := json.Unmarshal([]byte(text), new(any)); (err == nil) != accepted {
				t.Errorf("%q: the decoder says %v", text, err)
			}
		}
	}
}

func TestATextThatTakesLongIsLeftToOthers(t *testing.T) {
	t.Parallel()
	members := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"%d":%d`, i, i)
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, accepted := range map[string]bool{
		members(64): true, members(65): false, nested(100): true, nested(102): false, "1e308": true, "1e309": false,
		"[" + strings.Repeat("1,", 60<<10) + "1]": true, "[" + strings.Repeat("1,", 70<<10) + "1]": false,
	} {
		if got := anything().AcceptsText([]byte(text)); got != accepted {
			t.Errorf("%.20s, of %d bytes: accepted: %v", text, len(text), got)
		}
	}
}

// FuzzTexts holds what is accepted against the decoder, which refuses what is not JSON.
func FuzzTexts(f *testing.F) {
	for _, text := range append(texts, wrong...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var value any
		err := json.Unmarshal(text, &value)
		switch got := anything().AcceptsText(text); {
		case got && err != nil:
			t.Errorf("accepted, but the decoder says %v", err)
		case got && !anything().Accepts(value):
			t.Error("accepted as a text, but not decoded")
		}
	})
}

// The values of a body of usual size stay on the stack: what is allocated is the copy of its text.
func TestATextOfUsualSizeIsJudgedOnTheStack(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	tree, text := anything(), []byte(`{"name":"nightly","concurrencyLimit":2,"tags":["a","b"]}`)
	if got := testing.AllocsPerRun(100, func() { tree.AcceptsText(text) }); got > 1 {
		t.Errorf("%v allocations, want the one of the text", got)
	}
}
