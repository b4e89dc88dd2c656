package mockserver_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// multiplied returns schemas S0 to S9, each of which combines six others by a keyword, each of which has the next one.
func multiplied(keyword, next, last string) string {
	var b strings.Builder
	for level := range 9 {
		var parts []string
		for i := range 6 {
			parts = append(parts, strings.NewReplacer("NEXT", fmt.Sprintf(`{"$ref":"#/components/schemas/S%d"}`, level+1),
				"I", fmt.Sprint(i)).Replace(next))
		}
		fmt.Fprintf(&b, `"S%d":{%q:[%s]},`, level, keyword, strings.Join(parts, ","))
	}
	return "{" + b.String() + `"S9":` + last + "}"
}

// serveSchemas serves a document of one operation, whose body has the schema S0. What the mock takes for its own fault
// is added to the failures.
func serveSchemas(t *testing.T, schemas string, failures *[]string) *mockserver.Server {
	t.Helper()
	const content = `"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}`
	file := filepath.Join(t.TempDir(), "own.json")
	document := `{"openapi":"3.0.3","info":{"title":"own","version":"1"},"paths":{"/api/pools":{"post":{"requestBody":{"required":true,` +
		content + `},"responses":{"201":{"description":"made",` + content + `},"400":{"description":"wrong"}}}}},"components":{"schemas":` +
		schemas + `}}`
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return mocktest.NewServer(t, mockserver.WithSpec(specs.Workflow, file),
		mockserver.WithLogger(slog.New(slog.DiscardHandler)), mockserver.WithFailure(func(message string) { *failures = append(*failures, message) }))
}

// A document may combine schemas level by level. To hold a value against each as often as it is met takes a power of
// the levels: a minute and gigabytes for the bodies here.
func TestSchemasMayMultiply(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const (
		pool    = `{"name":"a","concurrencyLimit":1}`
		members = `{"type":"object","properties":{"a":NEXT,"bI":{}}}`
		same    = `{"allOf":[NEXT,{"minLength":I}]}`
	)
	nested := strings.Repeat(`{"a":`, 9) + "true" + strings.Repeat("}", 9)
	lists := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for name, test := range map[string]struct {
		schemas, body string
		status        int
		failure       string
	}{
		"oneOf of the value":      {multiplied("oneOf", same, `{"type":"integer"}`), pool, 400, ""},
		"anyOf of the value":      {multiplied("anyOf", same, `{"type":"integer"}`), pool, 400, ""},
		"anyOf that it fits":      {multiplied("anyOf", same, `{"type":"object"}`), pool, 201, ""},
		"allOf that it fits":      {multiplied("allOf", same, `{"type":"object"}`), pool, 201, ""},
		"what says nothing":       {multiplied("anyOf", `NEXT`, `{}`), pool, 201, ""},
		"oneOf of members":        {multiplied("oneOf", members, `{"type":"integer"}`), nested, 400, ""},
		"anyOf of members":        {multiplied("anyOf", members, `{"type":"integer"}`), nested, 400, ""},
		"a part of the levels":    {multiplied("oneOf", members, `{"type":"integer"}`), `{"a":{"a":1}}`, 400, ""},
		"lists of unequal lists":  {`{"S0":{"type":"array","uniqueItems":true,"items":{"$ref":"#/components/schemas/S0"}}}`, lists, 500, "schema S0"},
		"schemas around each one": {`{"S0":{"oneOf":[{"$ref":"#/components/schemas/A"}]},"A":{"allOf":[{"$ref":"#/components/schemas/S0"}]}}`, pool, 201, ""},
		"a costly pattern": {
			`{"S0":{"type":"object","additionalProperties":{"type":"string","pattern":"^(` + strings.Repeat("(a?){900}|", 20) + `b)$"}}}`,
			`{"name":"` + strings.Repeat("a", 50_000) + `b"}`, 500, "schema S0",
		},
	} {
		var failures []string
		s := serveSchemas(t, test.schemas, &failures)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", "1") // the document is loaded
		failures = nil
		before := mocktest.Allocated()
		a := mocktest.Call(t, s, "POST", "/workflow/api/pools", test.body)
		if cost := mocktest.Allocated() - before; a.Status != test.status || cost > 100<<20 {
			t.Errorf("%s: %d, want %d, and %d MiB: %.300s", name, a.Status, test.status, cost>>20, a.Body)
		}
		if got := strings.Join(failures, "\n"); (got == "") != (test.failure == "") || !strings.Contains(got, test.failure) {
			t.Errorf("%s: failures %q, want %q", name, got, test.failure)
		}
	}
}
