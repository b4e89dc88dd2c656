// Package checktest judges what a mock has served, in tests: with checkers that tests share, and as sessions that are
// recorded, compared and learned.
package checktest

import (
	"bytes"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Checkers that tests share, because a checker takes longer to load documents and schemas than to judge a story.
var (
	plainCheckers   = sync.OnceValues(func() (*contract.Checker, error) { return strict() })
	exampleCheckers = sync.OnceValues(func() (*contract.Checker, error) { return strict(ExampleBases()...) })
)

// strict returns a checker that judges also by what is only assumed of the platform.
func strict(opts ...contract.Option) (*contract.Checker, error) {
	return contract.NewChecker(append(append(opts, contract.WithTrust(specs.Assumed)), engines...)...)
}

// Plain returns the checker for recordings with addresses that can be guessed.
func Plain(t *testing.T) *contract.Checker {
	t.Helper()
	return must(t, plainCheckers)
}

// Example returns the checker for requests that httptest makes.
func Example(t *testing.T) *contract.Checker {
	t.Helper()
	return must(t, exampleCheckers)
}

// New returns a strict checker with options that no other test has.
func New(t *testing.T, opts ...contract.Option) *contract.Checker {
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

// ExampleBases returns the base addresses of the interfaces in requests that httptest makes.
func ExampleBases() (opts []contract.Option) {
	for name, base := range map[string]string{
		specs.Workflow: "/workflow", specs.Core: "/core/v3", specs.Ingestion: "/ingestion", specs.DWH: "/dwh",
		specs.LLM: "/llm",
	} {
		opts = append(opts, contract.WithBaseURL(specs.Interface(name), "http://example.com"+base))
	}
	return opts
}

// Journal makes a recording of the journal of a world.
func Journal(journal []recording.Exchange) contract.Source {
	return contract.Exchanges(func(yield func(*recording.Exchange) bool) {
		for i := range journal {
			if !yield(&journal[i]) {
				return
			}
		}
	})
}

// Check judges a recording.
func Check(t *testing.T, checker *contract.Checker, source contract.Source) *contract.Report {
	t.Helper()
	r, err := checker.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// CheckJournal judges the journal of a world.
func CheckJournal(t *testing.T, checker *contract.Checker, world *mockserver.World) *contract.Report {
	t.Helper()
	journal, err := world.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return Check(t, checker, Journal(journal))
}

// WantConform wants that a checker finds no error in the journal of a world.
func WantConform(t *testing.T, checker *contract.Checker, world *mockserver.World) {
	t.Helper()
	found := CheckJournal(t, checker, world)
	for _, f := range found.Findings {
		if f.Verdict == report.Fail && f.Severity == report.Error {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
	if t.Failed() {
		t.Log(Text(t, found))
	}
}

// Text returns a report as text.
func Text(t *testing.T, found *contract.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := found.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
