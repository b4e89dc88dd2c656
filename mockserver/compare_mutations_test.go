package mockserver_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// A recording of a mock with a broken rule differs from the mock, in the operation that is broken or in what shows its
// effect; a recording of the mock itself does not. A table lists what was found, UPDATE=1 writes it anew.
func TestCompareMutations(t *testing.T) {
	t.Parallel()
	all := slices.Concat(mutants, coreMutants, dwhMutants, llmMutants)
	table := &mutationTable{}
	t.Run("mutants", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				table.add(t, m)
			})
		}
	})
	table.compare(t, len(all))
}

// mutationTable lists the mutations that a comparison found, and by which finding.
type mutationTable struct {
	mu    sync.Mutex
	rows  []string
	found int
	wrong int // differences of the mock from itself
}

func (x *mutationTable) add(t *testing.T, m mutant) {
	t.Helper()
	same := compareStory(t, m)
	if same.Failed() {
		t.Errorf("the mock differs from itself:\n%s", checktest.Text(t, same))
	}
	r := compareStory(t, m, mockserver.WithMutation(m.name))
	pattern := mockserver.MutatedOperations(m.name)
	first := naming(t, r, pattern)
	if !r.Failed() || first == nil {
		t.Errorf("no difference names %s:\n%s", pattern, checktest.Text(t, r))
	}
	row := "MISSED"
	if first != nil {
		row = first.Operation + "\t" + first.Rule
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows = append(x.rows, fmt.Sprintf("%s\t%s\t%s\t%d", m.name, pattern, row, len(r.Groups)))
	x.wrong += len(same.Findings)
	if first != nil {
		x.found++
	}
}

// naming returns the first finding that is in an operation, or whose evidence has an exchange of it.
func naming(t *testing.T, r *contract.Report, pattern string) *contract.Finding {
	t.Helper()
	for i := range r.Findings {
		f := &r.Findings[i]
		if slices.ContainsFunc(append(slices.Clone(f.Evidence), f.Exchange), func(n int) bool {
			fits, _ := path.Match(pattern, operationOf(t, r, n))
			return fits
		}) {
			return f
		}
	}
	return nil
}

// compare compares the table with the one that is kept.
func (x *mutationTable) compare(t *testing.T, all int) {
	t.Helper()
	const file = "testdata/compared-mutations.tsv"
	slices.Sort(x.rows)
	got := fmt.Sprintf("# %d mutations: %d found, %d missed; %d differences without a mutation\n", all, x.found,
		all-x.found, x.wrong) +
		"mutation\tmutated operations\toperation of the finding that names them\tits kind\tkinds of findings in all\n" +
		strings.Join(x.rows, "\n") + "\n"
	if len(x.rows) < all { // -run chose some of them
		return
	}
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

// compareStory plays the story of a mutant to a mock, and compares it with one that is whole.
func compareStory(t *testing.T, m mutant, opts ...mockserver.Option) *contract.Report {
	t.Helper()
	first := mocktest.NewServer(t, append(opts, mockserver.WithScenario(m.scenario))...)
	var s checktest.Session
	m.story(t, s.Handler(first))
	return s.Compare(t, checktest.Example(t),
		checktest.Subject(mocktest.NewServer(t, mockserver.WithScenario(m.scenario)).World("")))
}

// operationOf returns the operation of an exchange that a report shows.
func operationOf(t *testing.T, r *contract.Report, number int) string {
	t.Helper()
	line, extra := r.Shown[number], ""
	for _, iface := range specs.Interfaces() {
		d, err := specs.Load(iface, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		address, _, _ := strings.Cut(line.URL, "?")
		switch match := d.Find(line.Method, address); {
		case match.Operation == nil:
		case !match.Operation.IsExtra():
			return match.Operation.Name()
		case extra == "":
			extra = match.Operation.Name()
		}
	}
	return extra
}
