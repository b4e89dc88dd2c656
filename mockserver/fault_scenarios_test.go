package mockserver_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// The faults of a scenario are in each world that is made of it, and what is wrong with one is an error with its line.
func TestFaultsOfAScenario(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("uses: [shop]\nfaults:\n- {operation: workflow.getPool, first: 1, status: 503}\n")
	s := newServer(t, mockserver.WithScenario(file))
	if got := statuses(t, s, 2, "GET", onePool, ""); !slices.Equal(got, []int{503, 200}) {
		t.Errorf("the calls are answered with %v", got)
	}
	s.World("").Reset()
	if got := statuses(t, s, 2, "GET", onePool, ""); !slices.Equal(got, []int{503, 200}) {
		t.Errorf("after a reset the calls are answered with %v", got)
	}
	write("uses: [shop]\nfaults:\n- {first: 1, status: 503}\n- first: 1\n  operation: core.isueJob\n  status: 503\n")
	err := mockserver.CheckScenario(mockserver.WithScenario(file))
	if err == nil || !strings.Contains(err.Error(), "scenario.yaml:5: faults[1].operation: ") ||
		!strings.Contains(err.Error(), "want perhaps core.issueJob") {
		t.Errorf("got %v", err)
	}
}
