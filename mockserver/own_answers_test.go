package mockserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

// pooled is a document of one path, /api/pools, whose operations are given as YAML.
func pooled(t *testing.T, operations string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.yaml")
	text := "openapi: 3.1.0\ninfo: {title: own, version: '1'}\npaths:\n  /api/pools:\n" + operations
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// logged makes a server with the user's document, and returns what it says.
func logged(t *testing.T, file string, opts ...mockserver.Option) (*mockserver.Server, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	opts = append(opts, mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		mockserver.WithSpec(specs.Workflow, file))
	return mocktest.NewServer(t, opts...), &log
}

// listing returns an operation that answers with pools of a schema.
func listing(pool string) string {
	return "    get: {responses: {'200': {description: x, content: {application/json: {schema: " +
		"{type: object, properties: {pools: {type: array, items: " + pool + "}}}}}}}}\n"
}

func TestOwnDocumentIsReported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ operations, want string }{
		"a status that it lacks": {
			"    post: {responses: {'200': {description: x}}}\n", "201: the status is not documented",
		},
		"an answer without a body": {
			"    get: {responses: {'200': {description: x}}}\n", "200: no body is documented",
		},
		"another media type": {
			"    get: {responses: {'200': {description: x, content: {text/plain: {}}}}}\n",
			"200: media type application/json is not documented",
		},
		"another type": {
			listing("{type: object, properties: {id: {type: integer}}}"),
			"200: pools[].id has type string, but the document has integer",
		},
		"a member that we never answer": {
			listing("{type: object, required: [id, owner]}"), "200: pools[].owner is required, but the mock never returns it",
		},
		"a member that it does not allow": {
			listing("{type: object, additionalProperties: false, properties: {id: {}, name: {}, concurrencyLimit: {}}}"),
			"200: pools[].default is returned by the mock, but not allowed",
		},
		"what all of several schemas want": {
			listing("{allOf: [{type: object}, {required: [owner]}]}"),
			"200: pools[].owner is required, but the mock never returns it",
		},
		"what the nearest of several schemas wants": {
			listing("{oneOf: [{type: string}, {type: object, properties: {id: {type: [integer, 'null']}}}]}"),
			"200: pools[].id has type string, but the document has integer",
		},
		"several statuses at once": {
			"    get: {responses: {default: {description: x, content: {application/json: {schema: {type: array}}}}}}\n",
			"200, 401, 403, 429: the body has type object, but the document has array",
		},
		"a pattern that nobody can compile": {
			listing("{type: object, properties: {name: {type: string, pattern: '(a)\\1'}}}"),
			"pointer=/paths/~1api~1pools/get/responses/200/content/application~1json/schema/" +
				"properties/pools/items/properties/name/pattern",
		},
		"an operation of its own": {
			"    get: {responses: {'200': {description: x}}}\n  /api/ponds: {get: {responses: {'200': {description: x}}}}\n",
			`operations="[GET /api/ponds]"`,
		},
	} {
		t.Run(name+" is logged at the start", func(t *testing.T) {
			t.Parallel()
			_, log := logged(t, pooled(t, tt.operations))
			if strings.Count(log.String(), tt.want) != 1 {
				t.Errorf("the log does not say %q once:\n%s", tt.want, log)
			}
		})
	}
	for name, operations := range map[string]string{
		"an open schema":    listing("{}"),
		"a number":          listing("{type: object, required: [id], properties: {concurrencyLimit: {type: number}}}"),
		"one of several":    listing("{anyOf: [{type: string}, {type: object}]}"),
		"a range of status": "    post: {responses: {2XX: {description: x, content: {'*/*': {}}}}}\n",
	} {
		t.Run("nothing is logged of "+name+" that the answers fit", func(t *testing.T) {
			t.Parallel()
			if _, log := logged(t, pooled(t, operations)); strings.Contains(log.String(), "differences=") {
				t.Errorf("the log: %s", log)
			}
		})
	}
	t.Run("nothing is logged of a document like ours", func(t *testing.T) {
		t.Parallel()
		if _, log := logged(t, mocktest.OwnWorkflow(t)); strings.Contains(log.String(), "level=WARN") {
			t.Errorf("the log: %s", log)
		}
	})
}

func TestOwnDocumentAndAnswers(t *testing.T) {
	t.Parallel()
	t.Run("an answer that does not fit is sent, noted each time, and logged once", func(t *testing.T) {
		t.Parallel()
		s, log := logged(t, pooled(t, listing("{type: object, properties: {id: {type: integer}}}")))
		const said = "pools.0.id: type integer"
		before := strings.Count(log.String(), said)
		for range 3 {
			if list := mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)); len(list.Pools) == 0 {
				t.Error("no pools")
			}
		}
		if n := strings.Count(log.String(), said) - before; n != 1 {
			t.Errorf("said %d times:\n%s", n, log)
		}
		journal := mocktest.Call(t, s, "GET", "/_understudy/journal.ndjson", "").Want(200).Body
		if n := strings.Count(journal, said); n != 3 {
			t.Errorf("noted %d times:\n%s", n, journal)
		}
	})
	t.Run("no value is in the log, and none in a note", func(t *testing.T) {
		t.Parallel()
		s, log := logged(t, pooled(t, listing("{type: object, properties: {name: {type: string, maxLength: 1}}}")))
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		if text := log.String(); !strings.Contains(text, "pools.0.name: maxLength") || strings.Contains(text, "adhoc") {
			t.Errorf("the log: %s", text)
		}
	})
	t.Run("an error status that the document lacks goes through", func(t *testing.T) {
		t.Parallel()
		s, log := logged(t, pooled(t, "    post: {responses: {'201': {description: x, content: {'*/*': {}}}}}\n"))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":1}`).Want(201)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":1}`).Want(409)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", "", "Authorization", "SVC1 1/nobody").Want(401)
		if strings.Contains(log.String(), "sent all the same") {
			t.Errorf("the log: %s", log)
		}
	})
	t.Run("optional members that are null are left out where null is not allowed", func(t *testing.T) {
		t.Parallel()
		attempt := "{type: object, required: [finishedAt], properties: {finishedAt: {type: string}, retryAttemptName: " +
			"{type: string}, done: {type: boolean}}}"
		file := pooled(t, "    get: {}\n  /api/attempts: {get: {responses: {'200': {description: x, content: "+
			"{application/json: {schema: {allOf: [{type: object, properties: {attempts: {type: array, items: "+attempt+
			"}}}]}}}}}}}\n")
		s, _ := logged(t, file)
		ours := mocktest.Call(t, mocktest.NewServer(t), "GET", "/workflow/api/attempts", "").Want(200)
		theirs := mocktest.Call(t, s, "GET", "/workflow/api/attempts", "").Want(200)
		if !strings.Contains(ours.Body, `"retryAttemptName":null,`) || !strings.Contains(ours.Body, `"finishedAt":null`) {
			t.Fatalf("the answer has no such nulls: %s", ours.Body)
		}
		want := strings.ReplaceAll(ours.Body, `"retryAttemptName":null,`, "")
		if diff := cmp.Diff(want, theirs.Body); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
		if got := theirs.Header.Get("Content-Length"); got != fmt.Sprint(len(theirs.Body)) {
			t.Errorf("Content-Length %s, want %d", got, len(theirs.Body))
		}
	})
	t.Run("handlers are given requests as ours describes them", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "core.yaml")
		text := "openapi: 3.0.3\ninfo: {title: own, version: '1'}\nservers: [{url: /v3}]\npaths:\n  " +
			"/job/issue/{type}/{db}:\n    post:\n      parameters:\n      - {name: type, in: path, required: true, schema: " +
			"{type: string}}\n      - {name: db, in: path, required: true, schema: {type: string}}\n      - {name: query, in: " +
			"query, required: true, schema: {type: string}}\n      responses: {'200': {description: x, content: " +
			"{application/json: {}}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mocktest.NewServer(t, mockserver.WithSpec(specs.Core, file))
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop?query=SELECT+1", "").Want(200)
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", "").Want(400)
	})
	t.Run("secrets that the document does not mark stay out of the journal", func(t *testing.T) {
		t.Parallel()
		file := pooled(t, "    get: {}\n  /api/projects/{project}/secrets/{name}: {put: {}}\n")
		s, _ := logged(t, file)
		mocktest.Call(t, s, "PUT", "/workflow/api/projects/1/secrets/a", `{"value":"hunter2"}`).Want(204)
		journal := mocktest.Call(t, s, "GET", "/_understudy/journal.ndjson", "").Want(200).Body
		if !strings.Contains(journal, "secrets/a") || strings.Contains(journal, "hunter2") {
			t.Errorf("the journal: %s", journal)
		}
	})
}

// Whatever a user's own documents want of answers, the mock gives those that it gives by ours: none is 500.
func TestOwnDocumentsThatNoAnswerFits(t *testing.T) {
	t.Parallel()
	files := ownDocuments(t, func(t *testing.T, source string) string {
		t.Helper()
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(source), &doc); err != nil {
			t.Fatal(err)
		}
		spoil(doc)
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	})
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				opts := append(servedBy(files), mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				return story.Server{Handler: mocktest.NewServer(t, opts...), Close: func() {}}, nil
			})
		})
	}
}

// spoil takes the error statuses away, with what answers show of resources, and gives all other bodies of answers a
// schema that they cannot fit.
func spoil(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			spoil(item)
		}
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(node)) {
			switch {
			case len(key) == 3 && (key[0] == '4' || key[0] == '5'), key == "x-resource":
				delete(node, key)
			case len(key) == 3 && key[0] == '2':
				node[key] = map[string]any{"description": "x", "content": map[string]any{"application/json": map[string]any{
					"schema": map[string]any{
						"type": "object", "required": []any{"nonesuch"},
						"properties": map[string]any{"nonesuch": map[string]any{"type": "integer"}},
					},
				}}}
			default:
				spoil(node[key])
			}
		}
	}
}
