package mockserver_test

import (
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Checkers that tests share, because a checker takes longer to load documents and schemas than to judge a story.
var (
	plainCheckers   = sync.OnceValues(func() (*contract.Checker, error) { return strict() })
	exampleCheckers = sync.OnceValues(func() (*contract.Checker, error) { return strict(exampleBases()...) })
)

// strict returns a checker with both engines, which judges also by what is only assumed of the platform.
func strict(opts ...contract.Option) (*contract.Checker, error) {
	return contract.NewChecker(append(opts, contract.WithTrust(specs.Assumed), contract.WithEngine(libopenapi.New()))...)
}

// plainChecker returns the checker for recordings with addresses that can be guessed.
func plainChecker(t *testing.T) *contract.Checker {
	t.Helper()
	return must(t, plainCheckers)
}

// exampleChecker returns the checker for requests that httptest makes.
func exampleChecker(t *testing.T) *contract.Checker {
	t.Helper()
	return must(t, exampleCheckers)
}

// newChecker returns a strict checker with options that no other test has.
func newChecker(t *testing.T, opts ...contract.Option) *contract.Checker {
	t.Helper()
	return must(t, func() (*contract.Checker, error) { return strict(opts...) })
}

func must(t *testing.T, get func() (*contract.Checker, error)) *contract.Checker {
	t.Helper()
	checker, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

// exampleBases returns the base addresses of the interfaces in requests that httptest makes.
func exampleBases() (opts []contract.Option) {
	for name, base := range map[string]string{
		specs.Workflow: "/workflow", specs.Core: "/core/v3", specs.Ingestion: "/ingestion", specs.DWH: "/dwh",
		specs.LLM: "/llm",
	} {
		opts = append(opts, contract.WithBaseURL(specs.Interface(name), "http://example.com"+base))
	}
	return opts
}

func exchanges(journal []recording.Exchange) contract.Source {
	return contract.Exchanges(func(yield func(*recording.Exchange) bool) {
		for i := range journal {
			if !yield(&journal[i]) {
				return
			}
		}
	})
}

func check(t *testing.T, checker *contract.Checker, source contract.Source) *contract.Report {
	t.Helper()
	r, err := checker.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkJournal(t *testing.T, checker *contract.Checker, world *mockserver.World) *contract.Report {
	t.Helper()
	journal, err := world.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return check(t, checker, exchanges(journal))
}

// wantConform wants that a checker finds no error in the journal of a world.
func wantConform(t *testing.T, checker *contract.Checker, world *mockserver.World) {
	t.Helper()
	found := checkJournal(t, checker, world)
	for _, f := range found.Findings {
		if f.Verdict == report.Fail && f.Severity == report.Error {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
	if t.Failed() {
		t.Log(text(t, found))
	}
}
