// Package inprocess_test calls every exported function of packages mockserver and contract as a test of a user's does,
// while contexts and servers end before, during and after the call. Nothing may panic in a goroutine of ours, nothing
// may wait for ever, and no goroutine may be left.
package inprocess_test

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/routine"
)

// moment is when the context or the server of a call ends.
type moment string

const (
	before moment = "before"
	during moment = "during"
	after  moment = "after"
)

var moments = []moment{before, during, after}

// The longest times that a call may take, by the clock of its bubble, which stands while anything computes: by itself,
// and once its server has ended.
const (
	patience = time.Hour
	promptly = 10 * time.Second
)

// whileEnding makes a call, and has something end at a moment. It reports a call that panics, or that does not return
// within a limit once that has ended. Release is called then, to let go of what may hold up the call.
func whileEnding(t *testing.T, at moment, call func() error, end, release func(), limit time.Duration) {
	t.Helper()
	if at == after {
		limit = patience
	}
	if at == before {
		end()
	}
	ended := make(chan error, 1)
	new(routine.Group).GoThen(call, func(err error) { ended <- err })
	synctest.Wait() // until the call has returned, or waits for something
	if at == during {
		end()
		synctest.Wait()
	}
	release()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Errorf("the call does not return within %v; these wait:\n%s", limit, stacks())
		return
	}
	if at == after {
		end()
	}
}

// stacks returns the stacks of all goroutines of bubbles, such as that of the test.
func stacks() string {
	all := make([]byte, 4<<20)
	var list []string
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.Contains(strings.SplitN(stack, "\n", 2)[0], "synctest") {
			list = append(list, stack)
		}
	}
	return strings.Join(list, "\n\n")
}

var declaration = regexp.MustCompile(`(?m)^func (?:\(\w+ \*?(\w+)\) )?(\w+)`)

// exported returns the names of the exported functions of a package, and of the methods of its types. TestPublicAPI of
// the command keeps the file.
func exported(t *testing.T, name string) (functions []string) {
	t.Helper()
	text, err := os.ReadFile("../../cmd/understudy/testdata/api/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
		function := m[2]
		if m[1] != "" {
			function = m[1] + "." + function
		}
		functions = append(functions, function)
	}
	if len(functions) < 50 {
		t.Fatalf("only %d functions were found", len(functions))
	}
	return functions
}

// wantRows wants a row for each exported function, and no others.
func wantRows[T any](t *testing.T, name string, rows map[string]T) {
	t.Helper()
	functions := exported(t, name)
	for _, function := range functions {
		if _, ok := rows[function]; !ok {
			t.Errorf("%s.%s has no row: say how it is called while its context ends", name, function)
		}
	}
	for function := range rows {
		if !slices.Contains(functions, function) {
			t.Errorf("%s.%s has a row, but does not exist", name, function)
		}
	}
}
