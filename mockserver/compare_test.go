package mockserver_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// subject returns a world as what recordings are compared with.
func subject(w *mockserver.World) contract.Subject {
	return contract.Subject{
		Handler: w,
		Clock: func(at time.Time) error {
			if by := at.Sub(w.Now()); by > 0 {
				w.Advance(by)
			}
			return nil
		},
		Fork:  func() (contract.Subject, error) { return subject(w.Fork()), nil },
		Close: func() { _ = w.Delete() },
		Key:   "1/admin",
	}
}

// session is what a client did, recorded as it stood before a mock, with the keys that it sent.
type session struct {
	recorder *contract.Recorder
	keys     []string               // of each exchange
	prepare  []func(h http.Handler) // what the control interface was asked before the first one
}

func (s *session) handler(next http.Handler) http.Handler {
	s.recorder = contract.NewRecorder(nil)
	recorded := s.recorder.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_understudy") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if r := r.Clone(context.Background()); len(s.keys) == 0 {
				s.prepare = append(s.prepare, func(h http.Handler) {
					r.Body = io.NopCloser(bytes.NewReader(body))
					h.ServeHTTP(httptest.NewRecorder(), r)
				})
			}
			next.ServeHTTP(w, r)
			return
		}
		recorded.ServeHTTP(w, r)
		s.keys = append(s.keys, keyOf(r.Header))
	})
}

func keyOf(h http.Header) string {
	key := cmp.Or(h.Get("Authorization"), h.Get("X-SVC-Write-Key"))
	return key[strings.LastIndexByte(key, ' ')+1:]
}

// compare plays the session to a world.
func (s *session) compare(t *testing.T, checker *contract.Checker, with contract.Subject) *contract.Report {
	t.Helper()
	for _, prepare := range s.prepare {
		prepare(with.Handler)
	}
	list := s.recorder.Exchanges()
	with.Keys = map[string]string{}
	for i, e := range list {
		header := http.Header{}
		for _, h := range e.Request.Headers {
			header.Add(h[0], h[1])
		}
		with.Keys[contract.KeyDigest(keyOf(header))] = s.keys[i]
	}
	r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(list)), with)
	if err != nil {
		t.Fatal(err, r.Comparison)
	}
	return r
}

// countedKinds are the kinds of things whose ids are counted.
var countedKinds = []string{
	"audience.activation", "audience.query", "audience.segment", "core.connection", "core.database", "core.job",
	"core.policy", "core.policy_group", "core.schedule", "core.table", "dwh.config", "dwh.integration", "dwh.revision",
	"dwh.session", "user", "workflow.attempt", "workflow.definition", "workflow.pool", "workflow.pool_rule",
	"workflow.project", "workflow.revision", "workflow.schedule", "workflow.session", "workflow.task",
}

// A client that sends slashes too many is one as any other: its calls are played and compared.
func TestCompareSlashesTooMany(t *testing.T) {
	t.Parallel()
	var s session
	h := s.handler(newServer(t))
	for _, address := range []string{
		"http://127.0.0.1:4010//core//v3/database/list", "http://127.0.0.1:4010/core//v3/database/list",
		"http://workflow.localhost//api/projects", "http://127.0.0.1:4010//_worlds//default//llm//api/agents",
	} {
		call(t, h, "GET", address, "").want(t, http.StatusOK)
	}
	r := s.compare(t, plainChecker(t), subject(newServer(t).World("")))
	if r.Failed() || r.Exchanges.Matched != 4 || r.Exchanges.Unmatched != 0 {
		t.Errorf("%+v\n%s", r.Exchanges, text(t, r))
	}
}

// What a mock answered in the stories is what one with another seed, and with other ids for what is new, answers.
func TestCompareStories(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				opts := []mockserver.Option{mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New())}
				first, other := newServer(t, opts...), newServer(t, append(opts, mockserver.WithSeed(2))...)
				if err := other.World("").SkipIDs(1000, countedKinds...); err != nil {
					return story.Server{}, err
				}
				var s session
				return story.Server{Handler: s.handler(first), Close: func() {
					if r := s.compare(t, plainChecker(t), subject(other.World(""))); r.Failed() {
						t.Error(text(t, r))
					}
				}}, nil
			})
		})
	}
}
