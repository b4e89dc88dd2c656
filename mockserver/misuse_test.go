package mockserver_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/source"
)

// A call that cannot be right fails the test at its own line. In a process of its own, the test fails there.
func TestMisuseFailsAtItsLine(t *testing.T) {
	t.Parallel()
	const inner = "UNDERSTUDY_TEST_MISUSE"
	if os.Getenv(inner) != "" {
		w := mockserver.NewTransport(t, mockserver.WithScenario("empty")).World()
		w.Calls("workflow.createPol") // want: unknown operation "workflow.createPol"; want perhaps workflow.createPool;
		w.Calls("worklow.createPool") // want: want the name of an interface, workflow, or one of ingestion,
		if err := w.SetClock(mockserver.ClockFrozen, time.Date(9990, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
		w.Advance(20 * 365 * 24 * time.Hour)       // want: move the clock
		mockserver.Start(t).World("").Calls("nil") // want: unknown operation "nil"
		return
	}
	source, err := os.ReadFile("misuse_test.go")
	if err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMisuseFailsAtItsLine$")
	again.Env = append(os.Environ(), inner+"=1")
	out, err := again.CombinedOutput()
	if err == nil {
		t.Fatalf("the test does not fail:\n%s", out)
	}
	told := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\w+\.go:\d+): (.*)$`).FindAllStringSubmatch(string(out), -1) {
		told[m[1]] = m[2]
	}
	for i, line := range strings.Split(string(source), "\n") {
		_, want, misuse := strings.Cut(line, "/"+"/ want: ")
		at := "misuse_test.go:" + strconv.Itoa(i+1)
		if misuse && !strings.Contains(told[at], want) {
			t.Errorf("%s: told %q, want %s", at, told[at], want)
		}
		delete(told, at)
	}
	if len(told) > 0 {
		t.Errorf("other failures: %v", told)
	}
}

// wraps reports whether an error is, or wraps, one with a text.
func wraps(err error, text string) bool {
	return err != nil && (err.Error() == text || wraps(errors.Unwrap(err), text))
}

func TestAScenarioWithoutAdministratorHasOneError(t *testing.T) {
	t.Parallel()
	const databases = "core:\n  databases: [{name: stock, tables: [{name: shelves}, {name: racks}]}, {name: sales}]\n"
	const missing = "scenario.yaml:2: account.users[0].role: no user is an owner or an administrator: want one, "
	for text, want := range map[string][]string{
		"account:\n  users: [{id: 5, name: Joe, email: joe@shop.example, role: restricted}]\n" + databases: {missing},
		"account:\n  users: [{id: 5, name: Joe, email: joe@shop.example, role: restricted}]\n":             nil, // nothing belongs to anybody
		"account:\n  users: [{id: 5, name: Joe, email: joe@shop.example, role: restricted, policies: [a]}]\n" + databases: {
			missing, `scenario.yaml:2: account.users[0].policies`,
		},
		"account:\n  users: [{id: 5, name: Olga, email: olga@shop.example, role: owner}]\n" + databases: nil,
		databases: nil, // whose account is made
	} {
		file := filepath.Join(t.TempDir(), "scenario.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkErr := mockserver.CheckScenario(mockserver.WithScenario(file))
		if _, newErr := mockserver.New(mockserver.WithScenario(file)); checkErr != nil && !wraps(newErr, checkErr.Error()) {
			t.Errorf("%s: New returns %v, want it to wrap what CheckScenario returns: %v", text, newErr, checkErr)
		}
		problems, err := source.Problems(checkErr)
		if err != nil || len(problems) != len(want) {
			t.Errorf("%s: %v, %v, want %d problems", text, problems, err, len(want))
			continue
		}
		for i, p := range problems {
			if !strings.Contains(p.Error(), want[i]) {
				t.Errorf("%s: %v, want %s", text, p, want[i])
			}
		}
	}
}
