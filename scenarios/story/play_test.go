package story_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

const realKey = "77/0123456789abcdef0123456789abcdef01234567"

// service is a stand-in for the real service that has nothing to do with the mock: it has two interfaces at their own
// addresses, and no control interface.
func service(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_understudy/health" {
			if r.Header.Get("Authorization") != "" {
				t.Error("the search for a mock shows a key")
			}
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Authorization") != "SVC1 "+realKey {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.URL.Path {
		case "/wf/api/pools":
			fmt.Fprint(w, `{"pools":[{"id":"71","name":"etl","note":"`+realKey+`"}]}`)
		case "/v3/result/list":
			fmt.Fprint(w, `{"results":[{"name":"s3","url":"s3://me:hunter2@bucket/path","organization":null}]}`)
		case "/v3/slow":
			time.Sleep(time.Second)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func playAt(t *testing.T, text string, server story.Server) (story.Result, error) {
	t.Helper()
	return story.Play{File: "s.txtar", Text: []byte(text), Server: server}.Run(t.Context())
}

func TestPlay(t *testing.T) {
	t.Parallel()
	at := service(t)
	server := story.Server{
		Targets: map[specs.Interface]string{"workflow": at.URL + "/wf/", "core": at.URL + "/v3"},
		Keys:    map[string]string{"1/admin": realKey},
	}
	t.Run("steps of one line are steps of their own", func(t *testing.T) {
		t.Parallel()
		const line = `each GET /{workflow/api/pools,core/v3/result/list} then match '{"pools": ["..."]}'`
		got, err := playAt(t, line+"\n", server)
		if got.Difference != nil {
			got.Difference.Reason, got.Difference.Request, got.Difference.Answer = "", "", ""
		}
		want := story.Result{
			File: "s.txtar", Played: 3, Steps: 4,
			Difference: &story.Difference{Line: 1, Step: `match {"pools": ["..."]}`, Status: http.StatusOK},
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%v (-want +got)\n%s", err, d)
		}
	})
	t.Run("steps for mocks are left out elsewhere", func(t *testing.T) {
		t.Parallel()
		got, err := playAt(t, "# Pools.\nGET /workflow/api/pools\nmatch '{\"pools\": [{\"id\": \"*\"}]}'\nclock idle\n"+
			"[mock] GET /core/v3/database/list\nGET /core/v3/result/list\ncapture NAME results.0.name\nsays s3\n"+
			"[!mock] stop\nGET /workflow/api/projects\n", server)
		want := story.Result{
			File: "s.txtar", Passed: true, Played: 5, Steps: 5,
			Skipped: []story.Skipped{
				{Line: 4, Step: "clock idle", Reason: "only a mock has a clock that can be moved"},
				{Line: 5, Step: "GET /core/v3/database/list", Reason: "only a mock can do it"},
			},
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%v (-want +got)\n%s", err, d)
		}
	})
	for name, test := range map[string]struct {
		text string
		want story.Difference
	}{
		"another value": {
			"GET /core/v3/result/list\nmatch '{\"results\": [{\"name\": \"gcs\"}]}'\n",
			story.Difference{Line: 2, Step: `match '{"results": [{"name": "gcs"}]}'`, Reason: `+{"results": [{"name": "s3"}]}`, Status: 200},
		},
		"another status": {
			"\nGET /workflow/api/projects\n",
			story.Difference{Line: 2, Step: "GET /workflow/api/projects", Reason: "status 404, want 2xx", Status: 404},
		},
		"a secret": {
			"GET /core/v3/result/list\nmatch '{\"results\": [{\"url\": \"s3://\"}]}'\n",
			story.Difference{Line: 2, Step: `match '{"results": [{"url": "s3://"}]}'`, Reason: "redacted", Status: 200},
		},
		"the key in an answer": {
			"GET /workflow/api/pools\nsays nothing\n",
			story.Difference{Line: 2, Step: "says nothing", Reason: `does not contain "nothing"`, Status: 200},
		},
	} {
		t.Run(name+" is the difference", func(t *testing.T) {
			t.Parallel()
			got, err := playAt(t, test.text, server)
			if err != nil || got.Difference == nil {
				t.Fatalf("got %+v, %v", got, err)
			}
			d := *got.Difference
			if d.Line != test.want.Line || d.Step != test.want.Step || d.Status != test.want.Status ||
				!strings.Contains(d.Reason, test.want.Reason) || !strings.HasPrefix(d.Request, "GET "+at.URL) {
				t.Errorf("got %+v, want %+v", d, test.want)
			}
			whole, _ := json.Marshal(got)
			if text := string(whole); strings.Contains(text, "hunter2") || strings.Contains(text, realKey) {
				t.Errorf("a secret is shown: %s", text)
			}
		})
	}
}

func TestPlay_says_why_it_cannot_play(t *testing.T) {
	t.Parallel()
	at := service(t)
	core := map[specs.Interface]string{"core": at.URL}
	keys := map[string]string{"1/admin": realKey}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nil
	t.Cleanup(tls.Close)
	for name, test := range map[string]struct {
		text   string
		server story.Server
		want   string
	}{
		"no address":     {"GET /workflow/api/pools\n", story.Server{Targets: core, Keys: keys}, "calls the interface workflow"},
		"no server":      {"GET /core/v3/result/list\n", story.Server{}, "no address to play the story against"},
		"no key":         {"GET /core/v3/result/list\n", story.Server{Targets: core}, "shows the key 1/admin"},
		"no second key":  {"as 1/write\nGET /core/v3/result/list\n", story.Server{Targets: core, Keys: keys}, "shows the key 1/write"},
		"nobody listens": {"GET /core/v3/result/list\n", story.Server{URL: "http://127.0.0.1:1"}, "connection refused"},
		"no such host":   {"GET /core/v3/result/list\n", story.Server{URL: "http://none.invalid"}, "none.invalid"},
		"unknown certificates": {
			"GET /core/v3/result/list\n", story.Server{URL: tls.URL}, "certificate signed by unknown authority",
		},
		"a wrong story": {"GOT /core/v3/result/list\n", story.Server{URL: at.URL}, `s.txtar:1: unknown step "GOT"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := playAt(t, test.text, test.server)
			if err == nil || !strings.Contains(err.Error(), test.want) || got.Difference != nil {
				t.Errorf("got %+v, %v, want %s", got, err, test.want)
			}
		})
	}
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		client := &http.Client{Timeout: 50 * time.Millisecond}
		_, err := playAt(t, "GET /core/v3/slow?k=hunter2 404\n", story.Server{Targets: core, Keys: keys, Client: client})
		if err == nil || !strings.Contains(err.Error(), "/v3/slow: no answer within 50ms") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an end", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := story.Play{File: "s", Text: []byte("GET /core/v3/result/list\n"), Server: story.Server{Targets: core}}.Run(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
