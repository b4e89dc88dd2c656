package mockserver_test

import (
	"path/filepath"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

// What the mock answers in the stories of its scenarios is what the contract suite wants, even of what is only assumed.
func TestStoriesConform(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				s := newServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				return story.Server{Handler: s, Close: func() { wantConform(t, s) }}, nil
			})
		})
	}
}

func wantConform(t *testing.T, s *mockserver.Server, opts ...contract.Option) {
	t.Helper()
	journal, err := s.World("").Journal()
	if err != nil {
		t.Fatal(err)
	}
	checker, err := contract.NewChecker(append(opts, contract.WithTrust(specs.Assumed), contract.WithEngine(libopenapi.New()))...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := checker.Check(t.Context(), exchanges(journal))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Findings {
		if f.Verdict == report.Fail && f.Severity == report.Error {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
	if t.Failed() {
		t.Log(text(t, found))
	}
}
