package main_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	understudy "svc.example/understudy/cmd/understudy"
	"svc.example/understudy/contract/engine/libopenapi"
	child "svc.example/understudy/contract/engine/process"
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
			child.LimitMemory()
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
