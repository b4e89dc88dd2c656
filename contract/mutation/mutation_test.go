package mutation_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// mutants draws so many mutants with a fault, and a tenth as many without one, each kind as often as any other.
func mutants(list []*valid, seed uint64, count int) []mutant {
	kinds := map[string][]mutant{}
	for _, v := range list {
		for _, operator := range operators {
			for _, m := range operator(v) {
				key := m.kind
				if m.allowed != "" {
					key = "allowed"
				}
				kinds[key] = append(kinds[key], m)
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		shuffled := kinds[name]
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	}
	drawn := slices.Clone(kinds["allowed"][:min(count/10, len(kinds["allowed"]))])
	delete(kinds, "allowed")
	names := slices.Sorted(maps.Keys(kinds))
	for round := 0; count > 0; round++ {
		before := count
		for _, name := range names {
			if round < len(kinds[name]) && count > 0 {
				drawn = append(drawn, kinds[name][round])
				count--
			}
		}
		if before == count {
			break // no more are left
		}
	}
	return drawn
}

// levels are the levels at which the checker may notice a fault.
var levels = []string{"error", "warning", "notice", "disputed", "inconclusive", "nothing"}

// judge checks one exchange, and lists its findings.
func judge(t *testing.T, c *contract.Checker, e *recording.Exchange) []contract.Finding {
	t.Helper()
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{e})))
	if err != nil && !errors.Is(err, contract.ErrNothingJudged) {
		t.Errorf("%s %s: %v", e.Request.Method, e.Request.URL, err)
	}
	return r.Findings
}

func identity(f contract.Finding) string { return fmt.Sprint(f.Rule, f.Verdict, f.Pointer, f.Message) }

// noticed returns the highest level of the findings that the exchange without the fault does not have.
func noticed(findings []contract.Finding, before map[string]bool) string {
	level := len(levels) - 1
	for _, f := range findings {
		now := string(f.Severity)
		switch {
		case before[identity(f)]:
			continue
		case f.Verdict != report.Fail:
			now = "inconclusive"
		case f.Disputed:
			now = "disputed"
		}
		level = min(level, slices.Index(levels, now))
	}
	return levels[level]
}

// outcome is a mutant and what the checker said.
type outcome struct {
	*mutant
	level    string
	findings []contract.Finding
}

// judged holds the checker against mutants.
func judged(t *testing.T, list []*valid, mutants []mutant) []outcome {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	before := map[*valid]map[string]bool{}
	for _, v := range list {
		before[v] = map[string]bool{}
		for _, f := range judge(t, checker, v.clone()) {
			before[v][identity(f)] = true
			if f.Verdict == report.Fail {
				t.Errorf("#%d %s has a fault itself: %s %s: %s", v.Seq, v.op.Name(), f.Rule, f.Pointer, f.Message)
			}
		}
	}
	outcomes := make([]outcome, len(mutants))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(mutants); i = next.Add(1) - 1 {
				m := &mutants[i]
				findings := judge(t, checker, m.exchange())
				outcomes[i] = outcome{m, noticed(findings, before[m.of]), findings}
			}
		})
	}
	workers.Wait()
	return outcomes
}

func setting(t *testing.T, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// whole is the number of mutants of the table in testdata.
const whole = 10_000

// TestMutations holds the checker against 200 mutants, or as many as MUTATE says, drawn with the seed MUTATE_SEED. What
// it does not notice, or notices although the document allows it, must have its reason in the table, which
// MUTATE=10000 UPDATE=1 writes anew.
func TestMutations(t *testing.T) {
	t.Parallel()
	list := corpus(t)
	count, seed := setting(t, "MUTATE", 200), setting(t, "MUTATE_SEED", 1)
	table := newTable()
	for _, o := range judged(t, list, mutants(list, seed, int(count))) {
		if err := table.add(o); err != nil {
			t.Error(err)
		}
	}
	got := table.String()
	t.Log("\n" + got)
	if count != whole || seed != 1 {
		return
	}
	const file = "testdata/mutants.txt"
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, UPDATE=1 writes it anew):\n%s", file, diff)
	}
}

// TestCorpus wants an exchange of every operation of the platform.
func TestCorpus(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range corpus(t) {
		seen[v.op.Name()] = true
	}
	for _, entry := range specs.Catalogue() {
		if !seen[entry.Name()] {
			t.Errorf("there is no exchange of %s: RECORD=1 go test ./cmd/understudy -run RecordForMutations records the "+
				"examples of all operations anew, and UPDATE=1 task mutate what is noticed of their faults", entry.Name())
		}
	}
}
