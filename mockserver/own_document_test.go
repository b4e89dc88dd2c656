package mockserver_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// own writes our document of the workflow interface, changed, to a file.
func own(t *testing.T, replace ...string) string {
	t.Helper()
	source, err := specs.Source(specs.Workflow, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !bytes.Contains(source, []byte(replace[i])) {
			t.Fatalf("the document has no %q", replace[i])
		}
	}
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replace...).Replace(string(source))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// modern is a document in OpenAPI 3.1, one of whose examples is wrong, as they often are.
const modern = `openapi: 3.1.0
info: {title: Pools, version: "1"}
paths:
  /api/pools:
    get:
      operationId: listPools
      responses:
        "200":
          description: all pools
          content: {application/json: {schema: {type: object}, example: 7}}
    post:
      operationId: createPool
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, concurrencyLimit]
              properties:
                name: {type: string}
                concurrencyLimit: {type: integer, exclusiveMinimum: 0}
                note: {type: [string, "null"]}
      responses:
        "201": {description: the pool, content: {application/json: {schema: {type: object}}}}
        "400": {description: a refusal, content: {application/json: {schema: {type: object}}}}
`

func TestOwnDocument(t *testing.T) {
	t.Parallel()
	t.Run("takes the place of ours, and how they differ is told at the start", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		s := newServer(t, mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
			mockserver.WithSpec(specs.Workflow, own(t, "\n  /api/sessions:\n", "\n  /api/meetings:\n")))
		for _, want := range []string{"missing=\"[GET /api/sessions]\"", "extra=\"[GET /api/meetings]\""} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %s: %s", want, log.String())
			}
		}
		call(t, s, "GET", "/workflow/api/pools", "").want(t, 200)
		call(t, s, "GET", "/workflow/api/sessions", "").want(t, 404)
		a := call(t, s, "GET", "/workflow/api/meetings", "").want(t, 501)
		if m := decode[message](t, a); m.Status != 501 || !strings.Contains(m.Message, "own.yaml") {
			t.Errorf("the message does not say why: %s", a.body)
		}
	})
	t.Run("decides what is valid", func(t *testing.T) {
		t.Parallel()
		s := newServer(t, mockserver.WithSpec(specs.Workflow, own(t, "maximum: 10000", "maximum: 5")))
		rule := `{"priority":6,"poolId":"2","conditions":[{"type":"invocation_type","values":["scheduled"]}]}`
		call(t, s, "POST", "/workflow/api/pool_rules", rule).want(t, 400)
	})
	t.Run("may be OpenAPI 3.1", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(file, []byte(modern), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newServer(t, mockserver.WithSpec(specs.Workflow, file))
		call(t, s, "GET", "/workflow/api/pools", "").want(t, 200)
		call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":1}`).want(t, 201)
		call(t, s, "POST", "/workflow/api/pools", `{"name":null,"concurrencyLimit":1}`).want(t, 400)
		call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":0}`).want(t, 400)
	})
	for name, text := range map[string]string{
		"that is no YAML":        "a: [",
		"that refers to nothing": "openapi: 3.0.3\npaths: {/a: {get: {responses: {'200': {$ref: '#/nowhere'}}}}}\n",
	} {
		t.Run(name+" is refused at the start, by its name", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "broken.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := mockserver.New(mockserver.WithSpec(specs.Workflow, file))
			if err == nil || !strings.Contains(err.Error(), "broken.yaml") {
				t.Errorf("error %v", err)
			}
		})
	}
}
