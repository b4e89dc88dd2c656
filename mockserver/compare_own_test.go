package mockserver_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

const basicWithLinks = `{openapi: 3.0.3, info: {title: t, version: '1'}, security: [{pair: []}],
  components: {securitySchemes: {pair: {type: http, scheme: basic}}}, paths: {/books: {
    get: {parameters: [{name: page, in: query, schema: {type: integer}}, {name: per_page, in: query, schema: {type: integer}}],
      responses: {'200': {description: d, headers: {Link: {schema: {type: string}}}, content: {application/json: {schema: {
        type: array, items: {type: object, properties: {id: {type: integer}}}}}}}, '401': {description: d}}},
    post: {requestBody: {content: {application/json: {schema: {type: object}}}},
      responses: {'201': {description: d, content: {application/json: {schema: {type: object, properties: {id: {type: integer}}}}}}}}},
  '/books/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}],
    responses: {'200': {description: d, content: {application/json: {schema: {type: object, properties: {id: {type: integer}}}}}}}}}}}`

// Answers agree whatever stands for a user and a password in a recording, and whatever host the links of a page lead
// to.
func TestCompareOwnSessions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(basicWithLinks), 0o600); err != nil {
		t.Fatal(err)
	}
	checker, err := contract.NewChecker(contract.WithMockOnAllHosts(), contract.WithSpec("shop", file))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		pair, link, is string // a part of the recorded link, and what stands in its place
		want           string
	}{
		"as recorded":     {pair: "Basic YW5hOnB3"},
		"a mark":          {pair: "Basic [redacted:1a2b3c4d]"},
		"a shared mark":   {pair: "basic [redacted]"},
		"another host":    {pair: "Basic YW5hOnB3", link: "example.com", is: "shop.example:8080"},
		"another page":    {pair: "Basic YW5hOnB3", link: "page=2", is: "page=3", want: "different-value /response/headers/Link"},
		"another rel":     {pair: "Basic YW5hOnB3", link: "next", is: "last", want: "different-value /response/headers/Link"},
		"no angle at all": {pair: "Basic YW5hOnB3", link: "<", is: "", want: "different-value /response/headers/Link"},
	} {
		server, err := mockserver.New(mockserver.WithSpec("shop", file))
		if err != nil {
			t.Fatal(err)
		}
		recorder := contract.NewRecorder(nil)
		for _, call := range []string{"POST /books", "POST /books", "GET /books?page=1&per_page=1"} {
			method, path, _ := strings.Cut(call, " ")
			r := httptest.NewRequestWithContext(t.Context(), method, "/shop"+path, strings.NewReader("{}"))
			r.SetBasicAuth("ana", "pw")
			r.Header.Set("Content-Type", "application/json")
			recorder.Handler(server).ServeHTTP(httptest.NewRecorder(), r)
		}
		_ = server.Close()
		list := recorder.Exchanges()
		for _, e := range list {
			for i, h := range e.Request.Headers {
				if http.CanonicalHeaderKey(h[0]) == "Authorization" {
					e.Request.Headers[i][1] = tt.pair
				}
			}
			for i, h := range e.Response.Headers {
				if h[0] == "Link" {
					e.Response.Headers[i][1] = strings.Replace(h[1], tt.link, tt.is, 1)
				}
			}
		}
		other, err := mockserver.New(mockserver.WithSpec("shop", file))
		if err != nil {
			t.Fatal(err)
		}
		report, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(list)), contract.Subject{Handler: other})
		if err != nil {
			t.Fatal(err)
		}
		_ = other.Close()
		got := ""
		for _, f := range report.Findings {
			got += f.Rule + " " + f.Pointer
		}
		if got != tt.want || report.Exchanges.Matched != len(list) {
			t.Errorf("%s: %q of %d exchanges, want %q", name, got, report.Exchanges.Matched, tt.want)
		}
	}
}
