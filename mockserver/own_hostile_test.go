package mockserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// hostileSchemas are schemas S0 that say little with many words, or refer to themselves, with a valid body. The body is
// answered with the document's example, unless it takes too many steps to hold that against the schema.
func hostileSchemas() map[string][2]string {
	levels := func(word string) string {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, "    S%d: {%s: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%[3]d'}]}\n", i, word, i+1)
		}
		return b.String() + "    S100: {type: object, properties: {x: {type: string}}}\n"
	}
	const self = "{$ref: '#/components/schemas/S0'}"
	return map[string][2]string{
		"all of, 100 levels":      {levels("allOf"), `{"x":"a"}`},
		"a list of itself":        {"    S0: {oneOf: [{type: string}, {type: array, items: " + self + "}]}\n", `["a",["b"]]`},
		"an optional member":      {"    S0: {type: object, properties: {a: " + self + "}}\n", `{"a":{"a":{}}}`},
		"typeless members":        {"    S0: {properties: {a: " + self + ", b: " + self + "}}\n", `{"a":{"b":{}}}`},
		"typeless items":          {"    S0: {items: " + self + "}\n", `[[],[[]]]`},
		"typeless further":        {"    S0: {additionalProperties: " + self + "}\n", `{"a":{"b":{}}}`},
		"typeless, by two others": {"    S0: {properties: {a: {$ref: '#/components/schemas/S1'}}}\n    S1: {items: " + self + "}\n", `{"a":[{}]}`},
	}
}

// Without bounds, these take a power of the levels, or for ever, so that the test ends with that of go test.
func TestHostileSchemasAreAnsweredWithinBounds(t *testing.T) {
	t.Parallel()
	for name, test := range hostileSchemas() {
		for _, version := range []string{"3.0.3", "3.1.0"} {
			t.Run(name+", "+version, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "shop.yaml")
				text := "openapi: " + version + "\ninfo: {title: Shop, version: '1'}\npaths:\n  /a:\n    post:\n      operationId: a\n" +
					"      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}\n" +
					"      responses: {'200': {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/S0'}, " +
					"example: " + test[1] + "}}}}\ncomponents:\n  schemas:\n" + test[0]
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				server, err := mockserver.New(mockserver.WithSpec("shop", file), mockserver.WithInterfaces("shop"))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = server.Close() }()
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/shop/a", strings.NewReader(test[1]))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				server.ServeHTTP(w, r)
				isTooLarge := w.Code == http.StatusNotImplemented && strings.Contains(w.Body.String(), "the schema is too large")
				if w.Code != http.StatusOK && !(isTooLarge && strings.HasPrefix(name, "all of")) {
					t.Errorf("a valid body: %d %s", w.Code, w.Body)
				}
			})
		}
	}
}
