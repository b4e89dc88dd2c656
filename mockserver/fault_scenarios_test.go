package mockserver_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
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
	s := mocktest.NewServer(t, mockserver.WithScenario(file))
	if got := mocktest.Statuses(t, s, 2, "GET", mocktest.OnePool, ""); !slices.Equal(got, []int{503, 200}) {
		t.Errorf("the calls are answered with %v", got)
	}
	s.World("").Reset()
	if got := mocktest.Statuses(t, s, 2, "GET", mocktest.OnePool, ""); !slices.Equal(got, []int{503, 200}) {
		t.Errorf("after a reset the calls are answered with %v", got)
	}
	write("uses: [shop]\nfaults:\n- {first: 1, status: 503}\n- first: 1\n  operation: core.isueJob\n  status: 503\n")
	err := mockserver.CheckScenario(mockserver.WithScenario(file))
	if err == nil || !strings.Contains(err.Error(), "scenario.yaml:5: faults[1].operation: ") ||
		!strings.Contains(err.Error(), "want perhaps core.issueJob") {
		t.Errorf("got %v", err)
	}
}

// A dump whose faults do not fit the documents of the server that is to load it is refused, and changes nothing.
func TestFaultsOfADump(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	saved, state := filepath.Join(folder, "state.json"), filepath.Join(folder, "scenario.json")
	first := keptServer(t, saved)
	mocktest.Plan(t, first.World(""), "core.getAccount id=slow delay=1ms")
	if _, err := first.World("").Stub(fixtures.Fault{ID: "gone", Calls: fixtures.Calls{Path: "/api/pools/1"}}); err != nil {
		t.Fatal(err)
	}
	dump, err := first.World("").State()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, dump, 0o600); err != nil {
		t.Fatal(err)
	}
	stop(t, first)
	kept, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}

	other := []mockserver.Option{
		mockserver.WithExtras(false), mockserver.WithSpec(specs.Workflow, mocktest.OwnWorkflow(t, "\n  /api/pools/{poolId}:\n", "\n  /api/basins/{poolId}:\n")),
	}
	check := func(how string, err error, where string) {
		t.Helper()
		for _, want := range []string{
			where, `fault slow: operation: unknown operation "core.getAccount"`, "stub gone: path: no operation fits /api/pools/1",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", how, err, want)
			}
		}
	}
	s := mocktest.NewServer(t, other...)
	mocktest.Plan(t, s.World(""), "workflow.listPools status=503")
	before, _ := s.World("").State()
	check("World.Load", s.World("").Load(dump), "fixture")
	refused := mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", string(dump)).Want(400).Body
	check("PUT", errors.New(jsontree.Find(refused, "error.message").Text()), "request body")
	if after, _ := s.World("").State(); !bytes.Equal(before, after) {
		t.Error("what is refused changes the world")
	}
	_, err = mockserver.New(append(other, mockserver.WithScenario(state))...)
	check("a scenario", err, "scenario.json:1")
	_, err = mockserver.New(append(other, mockserver.WithStateFile(saved))...)
	check("a state file", err, saved+": faults do not fit the documents: start the server with those that it had")
	if now, _ := os.ReadFile(saved); !bytes.Equal(kept, now) {
		t.Error("the state file was changed")
	}
	if err := mocktest.NewServer(t).World("").Load(dump); err != nil {
		t.Errorf("a server with the same documents: %v", err)
	}
}
