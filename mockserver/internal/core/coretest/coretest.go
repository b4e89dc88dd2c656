// Package coretest holds the tests that all packages of the core data interface share.
package coretest

import (
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/mocktest"
	"svc.example/understudy/specs"
)

// RefusesUnknownCallers calls every operation that a package, such as core/jobs, answers: without a key, with an
// unknown key, and with a key that may only import. It requires refusals, also of a body that is neither JSON nor a
// form.
func RefusesUnknownCallers(t *testing.T, part string) {
	t.Helper()
	doc, err := specs.Load(specs.Core, "")
	if err != nil {
		t.Fatal(err)
	}
	shared := mocktest.New(t, specs.Core)
	for _, operation := range doc.All() {
		open := operation.Spec.Security != nil && len(*operation.Spec.Security) == 0
		if open || !mocktest.Answers(part, operation) {
			continue
		}
		t.Run(operation.ID, func(t *testing.T) {
			t.Parallel()
			refuses(shared.In(t), operation)
		})
	}
}

func refuses(c *mocktest.Client, operation *specs.Operation) {
	c.Helper()
	path := strings.NewReplacer("{table_id}", "1", "{table_type}", "log", "{path_format}", "",
		"{format}", "msgpack.gz", "{", "", "}", "").Replace(operation.Path)
	c.As("").Call(operation.Method, path, "").Refused(401, "Authorization with the scheme SVC1")
	c.As("1/nobody").Call(operation.Method, path, "").Refused(401, "not valid")
	if !strings.HasPrefix(operation.ID, "importTable") { // which is what such keys are for
		c.As("1/write").Call(operation.Method, path, "").Refused(403, "import")
	}
	if operation.JSONBody() != nil {
		a := c.Call(operation.Method, path, "nonsense", "Content-Type", "text/plain", "Secondary-Authorization",
			"SVC1 2/0")
		a.Refused(415, "text/plain", "application/json")
	}
}
