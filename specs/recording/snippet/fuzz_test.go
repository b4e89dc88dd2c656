package snippet_test

import (
	"bytes"
	"go/format"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// FuzzSnippets makes snippets of any exchange: one in Go is formatted Go, one in Python is printable ASCII, and a story
// has no mistake but a request that no operation is for.
func FuzzSnippets(f *testing.F) {
	for _, body := range hostile() {
		f.Add("POST", "http://127.0.0.1:4010/workflow/api/pools?a="+body[:min(len(body), 100)], "X-A", body, `{"a":"`+body+`"}`)
	}
	f.Add("GET", "https://core.svc.example/v3/%5Bredacted%3A0badcafe%5D?[redacted:1a2b3c4d]", "Authorization",
		"SVC1 [redacted:1a2b3c4d]", `[[[[[[[1]]]]]], -0, 1e400, {"*": "*", "": "..."}, "\ud800", "\u202e"]`)
	f.Fuzz(func(t *testing.T, method, url, header, text, answer string) {
		e := &recording.Exchange{
			Operation: text, Fault: text,
			Request: recording.Request{
				Method: method, URL: url, Headers: recording.Headers{{header, text}},
				Body: &recording.Body{Bytes: []byte(text)},
			},
			Response: &recording.Response{Status: len(answer) % 600, Body: &recording.Body{Bytes: []byte(answer)}},
		}
		for _, operation := range []string{"", "workflow.createPool"} {
			e.Operation = operation
			checkSnippets(t, e)
		}
		e.Request.Body.Bytes = []byte(answer)
		checkSnippets(t, e)
	})
}

func checkSnippets(t *testing.T, e *recording.Exchange) {
	t.Helper()
	if text, err := snippet.GoTest(e); err == nil {
		formatted, err := format.Source([]byte(text))
		if diff := cmp.Diff(string(formatted), text); diff != "" || err != nil {
			t.Errorf("%v, (-formatted +got):\n%s", err, diff)
		}
	}
	if text, err := snippet.Python(e); err == nil {
		if bytes.ContainsFunc([]byte(text), func(c rune) bool { return c != '\n' && (c < ' ' || c > '~') }) {
			t.Errorf("the script has hidden characters: %q", text)
		}
	}
	text, err := snippet.StoryStep(e)
	if err != nil {
		return
	}
	if err := story.Check("step", []byte(text), new(specs.Set)); err != nil && !strings.Contains(err.Error(), ": unknown operation") {
		t.Errorf("%v:\n%s", err, text)
	}
}
