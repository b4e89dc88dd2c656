package body_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/internal/jsontree"
)

// A body that is read to be judged is the one that is decoded, however it is read: most texts in one pass, long and
// deep ones and others with care.
func TestBodiesAreReadAsTheyAreDecoded(t *testing.T) {
	t.Parallel()
	flatly := 0
	for _, text := range append(texts, "1e5", "1e999", "1e0001", "1e5000", `{"a":1e-5}`, strings.Repeat("[", 101)+strings.Repeat("]", 101),
		"["+strings.Repeat("1,", 70<<10)+"1]") {
		if compareBodies(t, text) {
			flatly++
		}
	}
	if want := 20; flatly != want {
		t.Errorf("%d texts are read in one pass, want %d", flatly, want)
	}
}

// compareBodies reads a text as JSON and as lines, in both ways. It reports whether it is read in one pass as JSON.
func compareBodies(t *testing.T, text string) (isFlat bool) {
	t.Helper()
	media := &openapi3.MediaType{}
	for _, header := range []string{"application/json", "application/json; charset=latin1", "application/x-ndjson", "text/plain"} {
		want, wantReason := body.Decode([]byte(text), header, media, false)
		got, reason := body.FormatOf(header, media, false).Read([]byte(text))
		if reason != wantReason || got.Broken != want.Broken || got.Lines != want.Lines || (got.JSON == nil) != (want.JSON == nil) {
			t.Fatalf("%.100q as %s: %q, %+v; decoded: %q, %+v", text, header, reason, got, wantReason, want)
		}
		if reason != "" {
			continue
		}
		if got.Text != "" && !json.Valid([]byte(got.Text)) {
			t.Errorf("%.100q as %s is no JSON for others", text, header)
		}
		values := []any{}
		for _, value := range got.All() {
			values = append(values, value.Decoded())
		}
		if !reflect.DeepEqual(values, plainNumbers(append([]any{}, want.Values...))) {
			t.Errorf("%.100q as %s: %#v, decoded %#v", text, header, values, want.Values)
		}
		if !reflect.DeepEqual(got.Values(), want.Values) {
			t.Errorf("%.100q as %s: values %#v, want %#v", text, header, got.Values(), want.Values)
		}
		isFlat = isFlat || header == "application/json" && got.Text != ""
		got.Free()
	}
	return isFlat
}

// plainNumbers returns a value with numbers that floats hold as such, and null for others, as a flat value has them.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		number, err := v.Float64()
		if err != nil {
			return nil
		}
		return number
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plainNumbers(item)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, member := range v {
			object[name] = plainNumbers(member)
		}
		return object
	}
	return value
}

// A body that is freed leaves nothing to the next one.
func TestBodiesAreReadInTheSameRoom(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[1,"a",{"b":null}]`, `{}`, `[[],[2]]`, `"c"`} {
		b, _ := body.ReadJSON([]byte(text))
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(b.Value.Decoded(), want) {
			t.Errorf("%s is read as %#v, %v", text, b.Value.Decoded(), err)
		}
		if n := len(jsontree.Of(want)); len(b.Value) != n {
			t.Errorf("%s has %d nodes, want %d", text, len(b.Value), n)
		}
		b.Free()
	}
}

// FuzzBodies reads bodies to be judged, and decodes them.
func FuzzBodies(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareBodies(t, text) })
}
