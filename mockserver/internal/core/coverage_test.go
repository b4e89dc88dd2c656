package core_test

import (
	"os"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/mocktest"
	"svc.example/understudy/specs"
)

// The mock knows of 204 for no error records, but never gives it: not all clients take it.
func TestMain(m *testing.M) { os.Exit(mocktest.Main(m, "core", "getBulkImportErrorRecords 204")) }

// Every operation refuses callers without a key, with one that nobody has, and with one that may only import; and
// every operation with a body refuses one that is neither JSON nor a form.
func TestStrangers(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.Core, "")
	if err != nil {
		t.Fatal(err)
	}
	shared := newClient(t)
	for _, operation := range doc.All() {
		if security := operation.Spec.Security; security != nil && len(*security) == 0 {
			continue
		}
		path := strings.NewReplacer("{table_id}", "1", "{table_type}", "log", "{path_format}", "",
			"{format}", "msgpack.gz", "{", "", "}", "").Replace(operation.Path)
		t.Run(operation.ID, func(t *testing.T) {
			t.Parallel()
			c := shared.in(t)
			c.as("").Call(operation.Method, path, "").Refused(401, "Authorization: SVC1")
			c.as("1/nobody").Call(operation.Method, path, "").Refused(401, "not valid")
			if !strings.HasPrefix(operation.ID, "importTable") { // which is what such keys are for
				c.as("1/write").Call(operation.Method, path, "").Refused(403, "import")
			}
			if operation.JSONBody() != nil {
				a := c.Call(operation.Method, path, "nonsense", "Content-Type", "text/plain", "Secondary-Authorization", "SVC1 2/0")
				a.Refused(415, "text/plain", "application/json")
			}
		})
	}
}
