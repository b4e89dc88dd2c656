package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
)

// checkers are shared by all tests, since it takes time to load the documents: one with a single engine, and one with
// two, which takes several times as long for an exchange.
var (
	quickChecker    = sync.OnceValues(func() (*contract.Checker, error) { return contract.NewChecker(limited()) })
	thoroughChecker = sync.OnceValues(func() (*contract.Checker, error) {
		return contract.NewChecker(limited(), contract.WithEngine(libopenapi.New()))
	})
)

func limited() contract.Option {
	return contract.WithLatency(map[string]time.Duration{"core.getJobStatus": time.Minute})
}

// check returns the report on a recording.
func check(
	t *testing.T, load func() (*contract.Checker, error), c Config,
) (*contract.Report, *Manifest, []*bytes.Buffer) {
	t.Helper()
	checker, err := load()
	if err != nil {
		t.Fatal(err)
	}
	files, m := generate(t, c)
	dir, paths := t.TempDir(), []string(nil)
	for i, f := range files {
		path := filepath.Join(dir, fmt.Sprintf("%d.%s", i, c.Format))
		if err := os.WriteFile(path, f.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	r, err := checker.Check(t.Context(), contract.Files(paths...))
	if err != nil {
		t.Fatal(err)
	}
	if r.Exchanges.Matched != c.Exchanges {
		t.Errorf("%d of %d exchanges belong to an interface, want all", r.Exchanges.Matched, c.Exchanges)
	}
	return r, m, files
}

func TestEveryRuleCanBeViolated(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(slices.Sorted(slices.Values(contract.Rules())), Rules()); diff != "" {
		t.Errorf("rules (-of the checker +that can be violated):\n%s", diff)
	}
}

// TestTrafficConforms holds recordings without a planted violation against the checker, which finds nothing in them.
func TestTrafficConforms(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{Accounts: 1, Exchanges: 2000, Seed: 1, Format: NDJSON},
		{Accounts: 30, Exchanges: 3000, Seed: 2, Format: HAR},
		{Accounts: 2000, Exchanges: 6000, Seed: 3, Format: NDJSON, Shuffle: true, Files: 2},
	} {
		t.Run(fmt.Sprintf("%d accounts", c.Accounts), func(t *testing.T) {
			t.Parallel()
			r, _, _ := check(t, thoroughChecker, c)
			for _, f := range r.Findings {
				if isOfAnotherLife(&f) {
					continue
				}
				t.Errorf("%s of %s at %d, %s: %s (disputed %t), want no finding", f.Verdict, f.Rule, f.Exchange, f.Operation,
					f.Message, f.Disputed)
			}
		})
	}
}

// TestPlantedViolationsAreFoundAndNothingElse compares the violations that the checker finds with those that were
// planted, by rule and place, in all ways in which a recording can be written.
func TestPlantedViolationsAreFoundAndNothingElse(t *testing.T) {
	t.Parallel()
	alone := each(4, Config{Accounts: 1, Exchanges: 3000, Seed: 5, Format: NDJSON})
	alone.Plant["table-recovery"] = 1
	several := each(4, Config{Accounts: 50, Exchanges: 3000, Seed: 1, Format: NDJSON})
	alone.Plant["consistency"], several.Plant["consistency"] = 8, 8 // each kind
	inHAR := each(2, Config{Accounts: 1000, Exchanges: 6000, Seed: 4, Format: HAR})
	shuffled, split, all := several, several, inHAR
	shuffled.Shuffle, split.Files, all.Shuffle, all.Files = true, 5, true, 3
	for name, c := range map[string]Config{
		"one account": alone, "several accounts": several, "shuffled": shuffled, "split": split, "HAR": inHAR,
		"HAR shuffled and split": all,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, m, files := check(t, quickChecker, c)
			first := firstOfFiles(t, files, c.Format)
			var want []string
			evidence := map[string][]int{}
			for _, p := range m.Planted {
				at := first(p.At)
				want = append(want, place(p.Rule, at))
				for _, other := range p.Evidence {
					evidence[place(p.Rule, at)] = append(evidence[place(p.Rule, at)], first(other))
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, found(t, r, evidence)); diff != "" {
				t.Errorf("violations (-planted +found):\n%s", diff)
			}
			asUnsureAsExpected(t, r, m)
		})
	}
}

// isOfAnotherLife reports whether a list lacks a thing that another life of the account has made: the lists of a life
// show its own things only, which leaves the checker in doubt.
func isOfAnotherLife(f *report.Finding) bool {
	return f.Verdict == report.Inconclusive && strings.Contains(f.Message, "was created, but the list lacks it")
}

func place(rule string, exchange int) string { return fmt.Sprintf("%s at %d", rule, exchange) }

// firstOfFiles returns a function that gives an exchange its number in all files together.
func firstOfFiles(t *testing.T, files []*bytes.Buffer, format string) func(Place) int {
	t.Helper()
	first := []int{0}
	for _, f := range files {
		n := 0
		for _, err := range contract.Read("traffic."+format, bytes.NewReader(f.Bytes())).Items() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		first = append(first, first[len(first)-1]+n)
	}
	return func(p Place) int { return first[p.File] + p.Line }
}

// found lists the violations of a report. Each has to be shown by exchanges of the life in which it was planted; that
// an event has no key is also shown by another one that has.
func found(t *testing.T, r *contract.Report, evidence map[string][]int) (list []string) {
	t.Helper()
	for _, f := range r.Findings {
		if f.Verdict != report.Fail {
			continue
		}
		at := place(f.Rule, f.Exchange)
		list = append(list, at)
		for _, n := range f.Evidence {
			if n != f.Exchange && !slices.Contains(evidence[at], n) && f.Rule != "ingestion-auth" {
				t.Errorf("%s: exchange %d is no part of the life in which it was planted", at, n)
			}
		}
		if f.Disputed {
			t.Errorf("%s is disputed", at)
		}
	}
	slices.Sort(list)
	return list
}

// asUnsureAsExpected counts what is inconclusive. A refused caller who succeeds may have been granted the role; a
// database that is missing after its recovery may have been deleted by somebody else; limits of pools that are wrong
// once contradict the next list, if there is one, when they are right again.
func asUnsureAsExpected(t *testing.T, r *contract.Report, m *Manifest) {
	t.Helper()
	most := map[string]int{}
	for _, p := range m.Planted {
		most[map[string]string{"role": "role", "table-recovery": "consistency", "default-pool": "default-pool"}[p.Rule]]++
	}
	delete(most, "")
	for _, f := range r.Findings {
		if f.Verdict != report.Inconclusive || isOfAnotherLife(&f) {
			continue
		}
		if most[f.Rule]--; most[f.Rule] < 0 {
			t.Errorf("%s at %d is inconclusive: %s", f.Rule, f.Exchange, f.Message)
		}
	}
}
