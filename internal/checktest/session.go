package checktest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

// Subject returns a world as what recordings are compared with.
func Subject(w *mockserver.World) contract.Subject {
	return contract.Subject{
		Handler: w,
		Clock: func(at time.Time) error {
			if by := at.Sub(w.Now()); by > 0 {
				w.Advance(by)
			}
			return nil
		},
		Fork:  func() (contract.Subject, error) { return Subject(w.Fork()), nil },
		Close: func() { _ = w.Delete() },
		Key:   "1/admin",
	}
}

// Session holds what a client did, recorded as it stood before a mock, with the keys that it sent.
type Session struct {
	Recorder *contract.Recorder
	keys     []string               // of each exchange
	prepare  []func(h http.Handler) // what the control interface was asked before the first one
}

// Handler records what goes through to another handler.
func (s *Session) Handler(next http.Handler) http.Handler {
	s.Recorder = contract.NewRecorder(nil)
	recorded := s.Recorder.Handler(next)
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

// keyOf returns the key that a request sends, without its scheme.
func keyOf(h http.Header) string {
	key := cmp.Or(h.Get("Authorization"), h.Get("X-SVC-Write-Key"))
	return key[strings.LastIndexByte(key, ' ')+1:]
}

// Compare plays the session to a world.
func (s *Session) Compare(t *testing.T, checker *contract.Checker, with contract.Subject) *contract.Report {
	t.Helper()
	for _, prepare := range s.prepare {
		prepare(with.Handler)
	}
	list := s.Recorder.Exchanges()
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

// RecordedKeys returns the keys of a scenario that was learned, by the digests of those that were recorded.
func RecordedKeys(learned *contract.Learned) map[string]string {
	keys := map[string]string{}
	for _, key := range learned.Keys {
		for _, digest := range key.Recorded {
			keys[digest] = key.Key
		}
	}
	return keys
}

// Build returns a mock of what was learned, as learn has it tried.
func Build(t *testing.T, more ...mockserver.Option) contract.BuildLearned {
	t.Helper()
	return func(learned *contract.Learned) (none contract.Subject, _ error) {
		folder, err := Write(t, learned)
		if err != nil {
			return none, err
		}
		server, err := mockserver.New(append([]mockserver.Option{
			mockserver.WithScenario(folder), mockserver.WithClock(mockserver.ClockFrozen),
			mockserver.WithQueryEngine(sqlite.New()),
		}, more...)...)
		if err != nil {
			return none, err
		}
		with := Subject(server.World(""))
		with.Close = func() { _ = server.Close() }
		return with, nil
	}
}

// Write writes the files of a scenario that was learned into a folder of its own.
func Write(t *testing.T, learned *contract.Learned) (folder string, err error) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range learned.Files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return folder, errors.Join(err, os.WriteFile(filepath.Join(folder, "scenario.yaml"), learned.Scenario, 0o600))
}
