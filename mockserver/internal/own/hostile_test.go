package own_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver"
)

// looks holds how often each text was held against the format "counted", by its beginning up to a comma: by engines and
// by compiled schemas. What is held against it more than maxLooks times never ends, or nearly.
var looks = func() *sync.Map {
	known := &sync.Map{}
	openapi3.DefineStringFormatValidator("counted", openapi3.NewCallbackValidator(func(text string) error {
		name, rest, _ := strings.Cut(text, ",")
		count, _ := known.LoadOrStore(name, new(atomic.Int64))
		if n := count.(*atomic.Int64).Add(1); n > maxLooks {
			panic(fmt.Sprintf("%s was looked at %d times", text, n))
		}
		if rest == "wrong" {
			return errors.New("it is wrong")
		}
		return nil
	}))
	return known
}()

const maxLooks = 400_000 // which take less than a second

// Each level combines schemas, in such a way that an engine may look twice as often as on the next one. The body is
// answered with the document's example, or refused, as each schema says.
func TestSchemasMayHaveManyLevels(t *testing.T) {
	t.Parallel()
	const next = "{$ref: '#/components/schemas/S%[2]d'}"
	for word, level := range map[string]string{
		"all of":           "{allOf: [" + next + ", " + next + "]}",
		"any of":           "{anyOf: [" + next + ", " + next + "]}",
		"one of two":       "{oneOf: [" + next + ", {type: string}]}",
		"one, and another": "{oneOf: [{type: string}, " + next + "], anyOf: [" + next + "]}",
		"not its opposite": "{not: {not: " + next + "}, allOf: [" + next + "]}",
	} {
		for _, levels := range []int{10, 14, 15, 16, 17, 18, 20, 100} {
			name := fmt.Sprintf("%s, %d levels", word, levels)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var schemas strings.Builder
				for i := range levels {
					fmt.Fprintf(&schemas, "    S%d: "+level+"\n", i, i+1)
				}
				fmt.Fprintf(&schemas, "    S%d: {type: object, properties: {x: {type: string, format: counted}}}\n", levels)
				key := strings.ReplaceAll(name, ",", "")
				s := hostile(t, "3.0.3", schemas.String(), `{"x":"`+key+`"}`)
				for _, body := range []struct {
					text   string
					status int
				}{{"", http.StatusOK}, {",wrong", http.StatusBadRequest}} {
					if code, text := post(t, s, `{"x":"`+key+body.text+`"}`); code != body.status {
						t.Errorf("%q: %d %s, want %d", body.text, code, text, body.status)
					}
				}
				if count, ok := looks.Load(key); !ok || count.(*atomic.Int64).Load() == 0 {
					t.Error("no text was looked at")
				}
			})
		}
	}
}

// Schemas that consist of themselves have no end of parts: one who asks each for its parts never returns, or ends the
// process. A member that is null is asked about before the body is.
func TestSchemasMayConsistOfThemselves(t *testing.T) {
	t.Parallel()
	const self = "{$ref: '#/components/schemas/S0'}"
	for name, test := range map[string][2]string{
		"a list of itself":        {"    S0: {oneOf: [{type: string}, {type: array, items: " + self + "}]}\n", `["a",["b"]]`},
		"an optional member":      {"    S0: {type: object, properties: {a: " + self + "}}\n", `{"a":{"a":{}}}`},
		"typeless members":        {"    S0: {properties: {a: " + self + ", b: " + self + "}}\n", `{"a":{"b":{}}}`},
		"typeless items":          {"    S0: {items: " + self + "}\n", `[[],[[]]]`},
		"typeless further":        {"    S0: {additionalProperties: " + self + "}\n", `{"a":{"b":{}}}`},
		"null for a member":       {"    S0: {properties: {a: " + self + ", b: {type: string}}}\n", `{"a":null,"b":""}`},
		"a text of itself":        {"    S0: {properties: {a: {anyOf: [{$ref: '#/components/schemas/S1'}, {}]}}}\n    S1: {anyOf: [{$ref: '#/components/schemas/S1'}, {type: object}]}\n", `{"a":"b"}`},
		"typeless, by two others": {"    S0: {properties: {a: {$ref: '#/components/schemas/S1'}}}\n    S1: {items: " + self + "}\n", `{"a":[{}]}`},
	} {
		for _, version := range []string{"3.0.3", "3.1.0"} {
			t.Run(name+", "+version, func(t *testing.T) {
				t.Parallel()
				s := hostile(t, version, test[0], test[1])
				if code, text := post(t, s, test[1]); code != http.StatusOK {
					t.Errorf("a valid body: %d %s", code, text)
				}
			})
		}
	}
}

// hostile serves a document of one operation, whose body and answer have the schema S0.
func hostile(t *testing.T, version, schemas, example string) *mockserver.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	const content = "content: {application/json: {schema: {$ref: '#/components/schemas/S0'}"
	text := "openapi: " + version + "\nx-lenient: [bodies]\ninfo: {title: Shop, version: '1'}\npaths:\n  /a:\n    post:\n      operationId: a\n" +
		"      requestBody: {" + content + "}}}\n      responses: {'200': {description: x, " + content + ", example: " + example +
		"}}}}\ncomponents:\n  schemas:\n" + schemas
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := mockserver.New(mockserver.WithSpec("shop", file), mockserver.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// post sends a body to the operation of hostile, and returns the status and the text of the answer.
func post(t *testing.T, s *mockserver.Server, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/shop/a", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}
