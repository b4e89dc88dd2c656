package mockserver_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
)

// learnSessions is how many random sessions are learned from: few, unless LEARN says how many.
func learnSessions(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("LEARN"))
	if err != nil {
		return 20
	}
	return n
}

// unlearnedFile lists the sessions of which not all is learned, with each operation whose answers differ.
const unlearnedFile = "testdata/unlearned.txt"

// unlearnable says why the answers of operations may differ from a recording, although all that it shows is learned.
var unlearnable = []struct{ operation, reason string }{
	{"workflow.", "no answer shows the definition of a workflow: when its schedule starts it, and what its attempts do"},
	{"core.listJobs", "no answer shows the schedules that issue jobs while time goes on, or what those run into"},
	{"core.getJob", "no answer shows what issues a job while time goes on, or what it runs into"},
	{"core.listDatabases", "a database that something must be in is guessed"},
	{"core.listDeletedTables", "no answer shows the tables of a database that is deleted"},
	{"core.listTables", "no answer shows the tables of a database that is guessed"},
	{"core.listPolicyGroups", "no answer shows which policies are in a group"},
	{"core.getPolicyGroup", "no answer shows which policies are in a group"},
	{"core.", "no answer shows all that a caller may do"},
	{"audience.", "no answer shows the profiles of an audience"},
	{"llm.", "no answer shows all that a caller may do, or what an agent is made of"},
	{"dwh.", "no answer shows the configurations of an integration"},
}

func reasonFor(operation string) string {
	for _, u := range unlearnable {
		if strings.HasPrefix(operation, u.operation) {
			return u.reason
		}
	}
	return "unknown"
}

// What is learned of a random session with any scenario answers as was recorded, except for what a file lists. UPDATE=1
// writes the file anew; LEARN=500 is how many sessions it is about.
func TestLearnRandomSessions(t *testing.T) {
	t.Parallel()
	checker := exampleChecker(t)
	names, n := scenarios.List(), learnSessions(t)
	var mu sync.Mutex
	found := map[int][]string{}
	t.Run("sessions", func(t *testing.T) {
		for seed := range n {
			name := names[seed%len(names)]
			t.Run(fmt.Sprintf("%s-%d", name, seed), func(t *testing.T) {
				t.Parallel()
				lines := unlearned(t, checker, name, seed)
				mu.Lock()
				defer mu.Unlock()
				found[seed] = lines
			})
		}
	})
	wantUnlearned(t, found, n)
}

// unlearned returns a line for each operation whose answers differ from a random session, after it was learned from.
func unlearned(t *testing.T, checker *contract.Checker, scenario string, seed int) (lines []string) {
	t.Helper()
	loaded, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"1/admin"}
	for _, key := range loaded.Fixture.Account.Keys {
		keys = append(keys, key.Key)
	}
	first := newServer(t, mockserver.WithScenario(scenario), mockserver.WithQueryEngine(sqlite.New()))
	var s session
	const requests = 60
	v := newVisitor(t, uint64(seed), s.handler(first), keys)
	for range requests {
		v.act()
	}
	server, learned := s.learned(t, checker)
	if server == nil {
		return nil
	}
	with := subject(server.World(""))
	with.Keys = map[string]string{}
	for _, key := range learned.Keys {
		for _, digest := range key.Recorded {
			with.Keys[digest] = key.Key
		}
	}
	r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(s.recorder.Exchanges())), with)
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range differing(r) {
		lines = append(lines, fmt.Sprintf("%d %s %s: %s", seed, scenario, operation, reasonFor(operation)))
	}
	if len(lines) > 0 && testing.Verbose() {
		t.Logf("%s\n%s", text(t, r), learned.Scenario)
	}
	return lines
}

// differing lists the operations of which not all answers agree.
func differing(r *contract.Report) (operations []string) {
	for _, a := range r.Comparison.Operations {
		if a.Agree < a.Compared {
			operations = append(operations, a.Operation)
		}
	}
	slices.Sort(operations)
	return operations
}

// wantUnlearned holds what was found against the file.
func wantUnlearned(t *testing.T, found map[int][]string, n int) {
	t.Helper()
	var got []string
	for seed := range n {
		got = append(got, found[seed]...)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(unlearnedFile, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(unlearnedFile)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(file)) {
		seed, _, _ := strings.Cut(line, " ")
		if number, err := strconv.Atoi(seed); err == nil && number < n {
			want = append(want, strings.TrimSpace(line))
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not learned: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("learned by now, so take it out of %s: %s", unlearnedFile, line)
		}
	}
}
