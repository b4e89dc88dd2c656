package main_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	understudy "svc.example/understudy/cmd/understudy"
	"svc.example/understudy/contract/engine/libopenapi"
	child "svc.example/understudy/contract/engine/process"
	"svc.example/understudy/mockserver"
)

// TestMain makes this test binary stand in for the commands that tests run: understudy itself, and a curl that knows
// what the documentation uses of it, so that no machine needs another one.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", gorace); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"understudy": understudy.Main,
		"understudy-libopenapi": func() {
			child.Bound()
			if child.Serve(os.Stdin, os.Stdout, libopenapi.New()) != nil {
				os.Exit(1)
			}
		},
		"goget": goGet,
		"curl":  func() { os.Exit(curl(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// goGet is a client as Go programs have it: it prints what is at an address.
func goGet() {
	response, err := http.Get(os.Args[1]) //nolint:noctx // as it is called most often
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer response.Body.Close()
	_, _ = io.Copy(os.Stdout, response.Body)
}

// gorace takes away the second that a process sleeps at its end under the race detector: tests start many.
const gorace = "atexit_sleep_ms=0"

// commandsAlone leaves out, with -short, a test whose commands run alone and end: what the race detector finds in them,
// it finds in the packages that they consist of.
func commandsAlone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out commands that run alone")
	}
}

// TestScripts runs what a user types, and holds the answers and exit codes against what they should be.
func TestScripts(t *testing.T) {
	t.Parallel()
	commandsAlone(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/scripts",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			path, err := exec.LookPath("understudy")
			env.Setenv("UNDERSTUDY", path)
			env.Setenv("GORACE", gorace)
			return err
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
