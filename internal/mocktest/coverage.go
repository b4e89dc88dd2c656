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

// Main runs the tests of a package, such as audience or core/jobs, and fails if they have not seen every answer that
// the document promises of the operations that the package answers for: the success and each of the refusals, except
// those that only faults give and the listed exceptions, such as "getJob 204". It also fails if the interface has an
// operation that no package answers for. Only a run of all tests can show this.
func Main(m *testing.M, part string, except ...string) int {
	flag.Parse()
	code := m.Run()
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	if missing := unseenAnswers(part, except); code == 0 && len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "no test of the package has seen these documented responses; "+
			"make each answer in a test, or except it in TestMain:\n%s\n", strings.Join(missing, "\n"))
		return 1
	}
	return code
}

// unseenAnswers returns the documented answers that no test of a package has seen.
func unseenAnswers(part string, except []string) (missing []string) {
	doc, err := specs.Load(interfaceOf(part), "")
	if err != nil {
		return []string{err.Error()}
	}
	faults := []string{"429", "500", "4XX", "5XX"} // only faults give these, or they stand for others
	for _, operation := range doc.All() {
		if ownerOf(operation) == "" {
			missing = append(missing, fmt.Sprintf("%s: no package covers its tags %q", operation.ID, operation.Spec.Tags))
		}
		if !Answers(part, operation) {
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

// RefusesUnknownCallers calls every operation that a package, such as audience or core/jobs, answers for without a key,
// with an unknown key, and with a key that may only import, and requires 401, 401 and 403 in the interface's own form.
// The core data interface has to refuse a body that is neither JSON nor a form, too.
func RefusesUnknownCallers(t *testing.T, part string) {
	t.Helper()
	shared := New(t, interfaceOf(part))
	noKey, onlyImports := "no API key", "write-only"
	if shared.Iface == specs.Core {
		noKey, onlyImports = "Authorization with the scheme SVC1", "import"
	}
	for _, operation := range document(t, shared.Iface).All() {
		isOpen := operation.Spec.Security != nil && len(*operation.Spec.Security) == 0
		if isOpen || !Answers(part, operation) {
			continue
		}
		t.Run(operation.ID, func(t *testing.T) {
			t.Parallel()
			c, method, path, body := shared.In(t), operation.Method, placeholder.Replace(operation.Path), ""
			if method != http.MethodGet && method != http.MethodDelete {
				body = "{}"
			}
			c.As("").Call(method, path, body).Refused(http.StatusUnauthorized, noKey)
			c.As("1/nobody").Call(method, path, body).Refused(http.StatusUnauthorized, "not valid")
			if !strings.HasPrefix(operation.ID, "importTable") { // which is what such keys are for
				c.As("1/write").Call(method, path, body).Refused(http.StatusForbidden, onlyImports)
			}
			if c.Iface == specs.Core && operation.JSONBody() != nil {
				c.Call(method, path, "nonsense", "Content-Type", "text/plain", "Secondary-Authorization", "SVC1 2/0").
					Refused(http.StatusUnsupportedMediaType, "text/plain", "application/json")
			}
		})
	}
}

// placeholder replaces the parameters of paths by their names, or by values that their operations take.
var placeholder = strings.NewReplacer("{table_id}", "1", "{table_type}", "log", "{path_format}", "", "{format}",
	"msgpack.gz", "{", "", "}", "")
