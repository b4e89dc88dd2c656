package snippet_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// A story plays what was recorded: the same request arrives, and it is answered in the same way.
func TestStoriesPlayWhatWasRecorded(t *testing.T) {
	t.Parallel()
	for name, r := range requests(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := served(t, r)[0]
			text, err := snippet.StoryStep(want)
			if err != nil {
				t.Fatal(err)
			}
			got := played(t, text)
			if cmp.Diff(pathOf(t, want), pathOf(t, got)) != "" || want.Request.Method != got.Request.Method ||
				want.Operation != got.Operation || want.Response.Status != got.Response.Status {
				t.Errorf("%s %s %d, want %s %s %d:\n%s", got.Request.Method, got.Request.URL, got.Response.Status,
					want.Request.Method, want.Request.URL, want.Response.Status, text)
			}
			if diff := cmp.Diff(jsonOf(t, want), jsonOf(t, got)); diff != "" && !strings.Contains(name, "secret") {
				t.Errorf("body (-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}

// played plays a story against a mock, and returns its last exchange.
func played(t *testing.T, text string) *recording.Exchange {
	t.Helper()
	mock, err := mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Close() })
	result, err := story.Play{
		File: "step", Text: []byte(text), Server: story.Server{Handler: mock, Brand: specs.Neutral},
	}.Run(t.Context())
	if err != nil || !result.Passed {
		t.Fatalf("%v, %+v %+v\n%s", err, result, result.Difference, text)
	}
	all := journal(t, mock)
	return all[len(all)-1]
}

// pathOf returns the path and the query below the interface, without the marks of secrets.
func pathOf(t *testing.T, e *recording.Exchange) []string {
	t.Helper()
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		t.Fatal(err)
	}
	iface, _, _ := strings.Cut(u.Hostname()+u.Path, ".")
	path := strings.TrimPrefix(u.EscapedPath(), "/"+iface)
	path = strings.TrimPrefix(path, "/workflow")
	if strings.Contains(u.RawQuery, "redacted") {
		return []string{path}
	}
	return []string{path, u.RawQuery}
}

func jsonOf(t *testing.T, e *recording.Exchange) (value any) {
	t.Helper()
	if e.Request.Body == nil || len(e.Request.Body.Bytes) == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Request.Body.Bytes, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestStoryStep(t *testing.T) {
	t.Parallel()
	body := func(text string) *recording.Body { return &recording.Body{Bytes: []byte(text)} }
	answer := &recording.Response{Status: 400, Body: body(`{"message":"it's in use","status":400,"at":"2026-01-15 09:30:00 UTC"}`)}
	for name, tt := range map[string]struct {
		e    recording.Exchange
		want string
	}{
		"a refusal": {
			recording.Exchange{
				Seq: 3, Operation: "workflow.deletePool", Response: answer, Request: recording.Request{
					Method: "DELETE", URL: "https://api.acme.example/wf/api/pools/2",
					Headers: recording.Headers{{"Authorization", "SVC1 1/write"}, {"User-Agent", "x"}},
				},
			},
			"# The request of exchange 3.\nas 1/write\nDELETE /workflow/api/pools/2 400\n" +
				"match '{\"message\": \"it''s in use\", \"status\": 400, \"at\": \"*\"}'\n",
		},
		"a hidden key": {
			recording.Exchange{
				Seq: 3, Request: recording.Request{
					Method: "GET", URL: "https://core.svc.example/v3/job/list?api_key=%5Bredacted%3A0badcafe%5D&x=a'b",
					Headers: recording.Headers{{"Authorization", "SVC1 [redacted:1a2b3c4d]"}, {"X-A", "1"}},
				},
				Response: &recording.Response{Status: 200, Body: body("text")},
			},
			"# The request of exchange 3.\n# The recording hides its key; put the one that you mean after as.\n" +
				"# KEY stands for a secret that the recording hides.\n# A story does not send its headers: X-A.\nas 1/admin\n" +
				"GET '/core/v3/job/list?api_key=KEY&x=a''b' 200\n",
		},
		"a body in a file": {
			recording.Exchange{Request: recording.Request{
				Method: "POST", URL: "http://workflow.localhost:4010/api/pools", Body: body("{\n\"a\": 1\n}"),
			}},
			"# The request of exchange 0.\nas nobody\nPOST /workflow/api/pools request.json\n\n-- request.json --\n{\n\"a\": 1\n}\n",
		},
		"a body in another file": {
			recording.Exchange{Request: recording.Request{
				Method: "POST", URL: "http://workflow.localhost:4010/api/pools", Body: body("{" + strings.Repeat(" ", 100) + "}"),
			}},
			"# The request of exchange 0.\n# Its body has 102 bytes: put it below a line -- body.json --.\nas nobody\n" +
				"POST /workflow/api/pools body.json\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := snippet.StoryStep(&tt.e, snippet.WithBodyFile("body.json", 100))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v, (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestStoriesCannotSendEverything(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]recording.Request{
		`cannot send a request with the method "TRACE"`: {Method: "TRACE", URL: "http://x/workflow/api/pools"},
		"sends JSON": {
			Method: "POST", URL: "http://x/workflow/api/pools", Body: &recording.Body{Bytes: []byte("a=b")},
		},
		"does not belong to an interface": {Method: "GET", URL: "http://x/y"},
		"want an absolute address":        {Method: "GET", URL: "/workflow/api/pools"},
	} {
		got, err := snippet.StoryStep(&recording.Exchange{Request: r})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %s, %v, want an error with %q", r.Method, r.URL, got, err, want)
		}
	}
}
