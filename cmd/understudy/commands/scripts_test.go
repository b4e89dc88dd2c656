// Package commands_test holds tests that need nothing of the command but its file, as a user has it.
package commands_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"svc.example/understudy/contract/engine/libopenapi"
	child "svc.example/understudy/contract/engine/process"
	"svc.example/understudy/mockserver"
)

// TestMain makes this test binary stand in for the second engine.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", gorace); err != nil {
		panic(err)
	}
	testscript.Main(removing{m}, map[string]func(){
		"understudy-libopenapi": func() {
			child.LimitMemory()
			if child.Serve(os.Stdin, os.Stdout, libopenapi.New()) != nil {
				os.Exit(1)
			}
		},
	})
}

// built is the folder of the command, made by the first test that needs it, and its error. Only linking is left to do.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "understudy")
	if builtIn = dir; err != nil {
		return "", err
	}
	build := exec.CommandContext(context.Background(), "go", "build", "-ldflags=-s -w", "-o", dir, "..")
	out, err := build.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return dir, err
})

var builtIn string // "" until then

// understudy returns the path of the command.
func understudy(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "understudy")
}

// removing runs the tests, and removes the command.
type removing struct{ *testing.M }

func (r removing) Run() int {
	code := r.M.Run()
	_ = os.RemoveAll(builtIn)
	return code
}

// gorace takes away the second that a process sleeps at its end under the race detector: tests start many.
const gorace = "atexit_sleep_ms=0"

// TestScripts runs what a user types, and holds the answers and exit codes against what they should be.
func TestScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out commands that run alone: what the race detector finds in them, it finds in their packages")
	}
	program := understudy(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "scripts",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("UNDERSTUDY", program)
			env.Setenv("GORACE", gorace)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "mock": serveMock},
	})
}

// serveMock is the command "mock SCENARIO", which serves a mock with a scenario at the address $MOCK until the script
// ends.
func serveMock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mock SCENARIO")
	}
	scenario := args[0]
	if strings.HasPrefix(scenario, ".") {
		scenario = ts.MkAbs(scenario)
	}
	mock, err := mockserver.New(mockserver.WithScenario(scenario), mockserver.WithClock(mockserver.ClockFrozen))
	ts.Check(err)
	server := httptest.NewServer(mock)
	ts.Setenv("MOCK", server.URL)
	ts.Defer(func() {
		server.Close()
		_ = mock.Close()
	})
}

// exits returns the command "exits CODE PROGRAM ARGUMENT...", which wants one exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
