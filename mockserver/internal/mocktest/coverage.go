package mocktest

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/specs"
)

// seenAnswers holds the answers that the tests of this process received: operation and status.
var seenAnswers sync.Map

func noteAnswer(doc *specs.Document, method, path string, status int) {
	path, _, _ = strings.Cut(path, "?")
	operation := doc.Find(method, path).Operation
	if operation == nil {
		return
	}
	documented := operation.Spec.Responses
	for _, key := range []string{fmt.Sprint(status), fmt.Sprint(status/100, "XX")} {
		if documented.Value(key) != nil {
			seenAnswers.Store(operation.ID+" "+key, true)
			return
		}
	}
}

// Main runs the tests of a package and fails if they have not seen every answer that a document promises: each
// operation's success and each of its refusals, except those that only faults give and the listed exceptions, such as
// "getJob 204". Only a run of all tests can show this.
func Main(m *testing.M, iface specs.Interface, except ...string) int {
	return runTests(m, func() []string {
		doc, err := specs.Load(iface, "")
		if err != nil {
			return []string{err.Error()}
		}
		return unseenAnswers(doc, except, func(*specs.Operation) bool { return true })
	})
}

// runTests runs the tests of a package, and fails if they have not seen all answers.
func runTests(m *testing.M, look func() []string) int {
	flag.Parse()
	code := m.Run()
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	if missing := look(); code == 0 && len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "no test has seen these documented responses:\n%s\n", strings.Join(missing, "\n"))
		return 1
	}
	return code
}

// unseenAnswers returns the documented answers of some operations that no test has seen.
func unseenAnswers(doc *specs.Document, except []string, of func(*specs.Operation) bool) []string {
	faults := []string{"429", "500", "4XX", "5XX"} // only faults give these, or they stand for others
	var missing []string
	for _, operation := range doc.All() {
		if !of(operation) {
			continue
		}
		for _, status := range slices.Sorted(maps.Keys(operation.Spec.Responses.Map())) {
			answer := operation.ID + " " + status
			if _, ok := seenAnswers.Load(answer); !ok && !slices.Contains(faults, status) && !slices.Contains(except, answer) {
				missing = append(missing, answer)
			}
		}
	}
	return missing
}

// RefusesUnknownCallers calls every operation of an interface without a key, with an unknown key, and with a key that
// may only import, and requires 401, 401 and 403 in the interface's own form.
func RefusesUnknownCallers(t *testing.T, iface specs.Interface) {
	t.Helper()
	requireRefusals(t, iface, func(*specs.Operation) bool { return true })
}

// RefusesUnknownCallersOf does the same as RefusesUnknownCallers for the operations that a package, such as llm/chat,
// answers for.
func RefusesUnknownCallersOf(t *testing.T, iface, part string) {
	t.Helper()
	requireRefusals(t, specs.Interface(iface),
		func(operation *specs.Operation) bool { return Answers(part, operation) })
}

func requireRefusals(t *testing.T, iface specs.Interface, of func(*specs.Operation) bool) {
	t.Helper()
	c := New(t, iface)
	for _, operation := range document(t, iface).Operations {
		if !of(operation) {
			continue
		}
		if security := operation.Spec.Security; security != nil && len(*security) == 0 {
			continue // the operation requires something other than a key
		}
		t.Run(operation.ID, func(t *testing.T) {
			one := *c
			one.TB = t
			body := ""
			if operation.Method != http.MethodGet && operation.Method != http.MethodDelete {
				body = "{}"
			}
			path := placeholder.Replace(operation.Path)
			one.As("").Call(operation.Method, path, body).Refused(http.StatusUnauthorized, "no API key")
			one.As("1/nobody").Call(operation.Method, path, body).Refused(http.StatusUnauthorized, "not valid")
			one.As("1/write").Call(operation.Method, path, body).Refused(http.StatusForbidden, "write-only")
		})
	}
}

var placeholder = strings.NewReplacer("{", "", "}", "")
