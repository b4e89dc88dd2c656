package learn_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
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

// unlearnedFile lists the sessions of which not all is learned: a line for each operation whose answers differ, with
// the reason, which is written by hand: what the recording does not show.
const unlearnedFile = "testdata/unlearned.txt"

// noReason stands where a reason is to be written.
const noReason = "?"

// What is learned of a random session with any scenario answers as was recorded, except for what a file lists, and says
// why. LEARN=500 UPDATE=1 writes the file anew and keeps its reasons.
func TestLearnRandomSessions(t *testing.T) {
	t.Parallel()
	checker := checktest.Example(t)
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

// The story of a long session plays with a mock of what was learned of it, also if that makes other ids and texts.
// LEARN is the number of sessions.
func TestLearnLongSessions(t *testing.T) {
	t.Parallel()
	const requests = 300
	// An answer of the first shows other jobs than were recorded, one of which is named later. In the second, a mock
	// carries out what the service refused.
	seeds := []int{22, 139}
	for seed := range min(learnSessions(t), 40) {
		if os.Getenv("LEARN") != "" {
			seeds = append(seeds, seed)
		}
	}
	names := scenarios.List()
	for _, seed := range seeds {
		name := names[seed%len(names)]
		t.Run(fmt.Sprintf("%s-%d", name, seed), func(t *testing.T) {
			t.Parallel()
			list := randomSession(t, name, seed, requests).Recorder.Exchanges()
			learned, err := checktest.Example(t).Learn(t.Context(), contract.Exchanges(slices.Values(list)), checktest.Build(t))
			if err != nil {
				t.Fatal(err)
			}
			playLearned(t, learned)
			playLearned(t, learned, mockserver.WithSeed(4711))
		})
	}
}

// sessionLength is the number of requests of most random sessions.
const sessionLength = 60

// randomSession returns what a visitor does at random with a scenario.
func randomSession(t *testing.T, scenario string, seed, requests int) *checktest.Session {
	t.Helper()
	loaded, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"1/admin"}
	for _, key := range loaded.Fixture.Account.Keys {
		keys = append(keys, key.Key)
	}
	first := mocktest.NewServer(t, mockserver.WithScenario(scenario), mockserver.WithQueryEngine(sqlite.New()))
	var s checktest.Session
	v := checktest.NewVisitor(t, uint64(seed), s.Handler(first), keys)
	for range requests {
		v.Act()
	}
	return &s
}

// unlearned returns a line for each operation whose answers differ from a random session, after it was learned from.
func unlearned(t *testing.T, checker *contract.Checker, scenario string, seed int) (lines []string) {
	t.Helper()
	s := randomSession(t, scenario, seed, sessionLength)
	server, learned := learnedOf(t, s, checker)
	if server == nil {
		return nil
	}
	with := checktest.Subject(server.World(""))
	with.Keys = checktest.RecordedKeys(learned)
	r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(s.Recorder.Exchanges())), with)
	if err != nil {
		t.Fatal(err)
	}
	playLearned(t, learned)
	t.Logf("%d of %d answers agree", r.Comparison.Agree, r.Comparison.Compared)
	for _, operation := range differing(r) {
		lines = append(lines, fmt.Sprintf("%d %s %s", seed, scenario, operation))
	}
	if len(lines) > 0 && testing.Verbose() {
		t.Logf("%s\n%s", checktest.Text(t, r), learned.Scenario)
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
	file, err := os.ReadFile(unlearnedFile)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(file)) {
		what, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		reasons[what] = reason
	}
	var got []string
	for seed := range n {
		got = append(got, found[seed]...)
	}
	if os.Getenv("UPDATE") != "" {
		writeUnlearned(t, got, reasons)
		return
	}
	for _, what := range got {
		if reason := reasons[what]; reason == "" || reason == noReason {
			t.Errorf("not learned, and %s does not say why: %s", unlearnedFile, what)
		}
	}
	for what := range reasons {
		number, _, _ := strings.Cut(what, " ")
		seed, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%s: %q does not begin with the seed of a session", unlearnedFile, what)
		}
		if seed < n && !slices.Contains(got, what) {
			t.Errorf("learned by now, so take it out of %s: %s", unlearnedFile, what)
		}
	}
}

func writeUnlearned(t *testing.T, got []string, reasons map[string]string) {
	t.Helper()
	var text strings.Builder
	for _, what := range got {
		fmt.Fprintf(&text, "%s: %s\n", what, cmp.Or(reasons[what], noReason))
	}
	if err := os.WriteFile(unlearnedFile, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
