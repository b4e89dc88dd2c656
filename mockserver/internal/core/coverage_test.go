package core_test

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

// seen is what the tests of this package have been answered: operation and status.
var seen sync.Map

func note(method, path string, status int) {
	doc, err := specs.Load(specs.Core, "")
	if err != nil {
		panic(err)
	}
	path, _, _ = strings.Cut(path, "?")
	if operation := doc.Find(method, path).Operation; operation != nil {
		seen.Store(fmt.Sprint(operation.ID, " ", status), true)
	}
}

// TestMain fails when no test has seen an answer that the document promises: each operation's success and each of its
// refusals. Only a run of all tests can tell.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	whole := true
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		whole = whole && flag.Lookup(name).Value.String() == ""
	}
	if missing := unseen(); code == 0 && whole && len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "no test has seen these documented answers:\n%s\n", strings.Join(missing, "\n"))
		code = 1
	}
	os.Exit(code)
}

// foreign are answers that the mock knows of others and never gives itself: not all clients take them.
var foreign = []string{"getBulkImportErrorRecords 204"}

func unseen() []string {
	doc, err := specs.Load(specs.Core, "")
	if err != nil {
		return []string{err.Error()}
	}
	others := []string{"429", "4XX", "5XX"} // which only faults give, or which stand for others
	var missing []string
	for _, operation := range doc.All() {
		for _, status := range slices.Sorted(maps.Keys(operation.Spec.Responses.Map())) {
			answer := operation.ID + " " + status
			if _, ok := seen.Load(answer); !ok && !slices.Contains(others, status) && !slices.Contains(foreign, answer) {
				missing = append(missing, answer)
			}
		}
	}
	return missing
}

// Every operation refuses callers without a key, with one that nobody has, and with one that may only import; and
// every operation with a body refuses one that is neither JSON nor a form.
func TestStrangers(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.Core, "")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t).load("")
	for _, operation := range doc.All() {
		if security := operation.Spec.Security; security != nil && len(*security) == 0 {
			continue
		}
		path := strings.NewReplacer("{table_id}", "1", "{table_type}", "log", "{path_format}", "",
			"{format}", "msgpack.gz", "{", "", "}", "").Replace(operation.Path)
		t.Run(operation.ID, func(t *testing.T) {
			t.Parallel()
			c := &client{T: t, server: c.server}
			c.call(operation.Method, path, "").refused(http.StatusUnauthorized, "Authorization: SVC1")
			c.as("1/nobody").call(operation.Method, path, "").refused(http.StatusUnauthorized, "not valid")
			if !strings.HasPrefix(operation.ID, "importTable") { // which is what such keys are for
				c.as("1/write").call(operation.Method, path, "").refused(http.StatusForbidden, "import")
			}
			if operation.JSONBody() != nil {
				a := c.as("1/admin").call(operation.Method, path, "nonsense", "Content-Type", "text/plain",
					"Secondary-Authorization", "SVC1 2/0")
				a.refused(http.StatusUnsupportedMediaType, "text/plain", "application/json")
			}
		})
	}
}
