package contract_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// shifted is a document whose paths begin after its server's base path, and which names parameters in its own way.
const shifted = `openapi: 3.1.0
info: {title: Pools, version: "1"}
servers: [{url: https://flow.acme.io/api}]
paths:
  /pools/{number}:
    get:
      parameters: [{name: number, in: path, required: true, schema: {type: integer, minimum: 5}}]
      responses:
        "200": {description: a pool, content: {application/json: {schema: {type: object}}}}
        "404": {description: no pool}
  /ponds:
    get:
      responses: {"200": {description: ponds}}
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Base addresses may be given as a document's own server has them, or as ours. Either way operations are ours by their
// whole path, and what is found stands in the user's document.
func TestOwnDocumentBeginsElsewhere(t *testing.T) {
	t.Parallel()
	own := contract.WithSpec("workflow", write(t, "own.yaml", shifted))
	for name, opts := range map[string][]contract.Option{
		"the base of its server":        {contract.WithBaseURL("workflow", "https://flow.acme.io/api")},
		"the base without its path":     {contract.WithBaseURL("workflow", "https://flow.acme.io")},
		"a base that is guessed":        {contract.WithGuess(true)},
		"a proxy takes the path away":   {contract.WithBaseURL("workflow", "http://localhost:9/proxied")},
		"a proxy puts another before":   {contract.WithBaseURL("workflow", "http://localhost:9/x")},
		"the addresses of a mock's own": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := map[string]string{
				"a proxy takes the path away":   "http://localhost:9/proxied",
				"a proxy puts another before":   "http://localhost:9/x/api",
				"the addresses of a mock's own": "http://localhost:4010/workflow/api",
			}[name]
			if at == "" {
				at = "https://flow.acme.io/api"
			}
			r := checked(t, asked("GET "+at+"/pools/7", "GET "+at+"/pools/3 404", "GET "+at+"/ponds"), append(opts, own)...)
			touched := map[string]int{}
			for operation, one := range r.Coverage.Operations {
				touched[operation] = one.Exchanges
			}
			if diff := cmp.Diff(map[string]int{"workflow.getPool": 2, "workflow.getPonds": 1}, touched); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			i := slices.IndexFunc(r.Findings, func(f contract.Finding) bool { return f.Rule == "schema" && f.Verdict == "fail" })
			if i < 0 {
				t.Fatal("the number 3 was not found to be too small")
			}
			f := r.Findings[i]
			got := fmt.Sprintf("%d %v %s:%d %s", f.Exchange, f.Disputed, filepath.Base(f.Spec.File), f.Spec.Line, f.Spec.Pointer)
			if want := "2 false own.yaml:7 /paths/~1pools~1{number}/get/parameters/0/schema/minimum"; got != want {
				t.Errorf("finding %s, want %s", got, want)
			}
		})
	}
}

// A document that marks no secrets does not show them.
func TestOwnDocumentMarksNoSecrets(t *testing.T) {
	t.Parallel()
	file := write(t, "own.yaml",
		strings.ReplaceAll(shifted, "/ponds:\n    get:", "/projects/{id}/secrets/{key}:\n    put:"))
	e := &recording.Exchange{
		Request: recording.Request{
			Method: "PUT", URL: "https://workflow.svc.example/api/projects/1/secrets/k",
			Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body:    &recording.Body{Bytes: []byte(`{"value":"hunter2"}`)},
		},
		Response: &recording.Response{Status: 418},
	}
	source := contract.Exchanges(slices.Values([]*recording.Exchange{e}))
	c := checker(t, contract.WithSpec("workflow", file))
	r, err := c.Check(t.Context(), source) // nothing of it can be judged
	if !errors.Is(err, contract.ErrNothingJudged) || len(r.Findings) == 0 {
		t.Fatal(r.Findings, err)
	}
	if err := c.Evidence(t.Context(), source, r); err != nil {
		t.Fatal(err)
	}
	for _, shown := range r.Evidence {
		if strings.Contains(string(shown.Request.Body.Bytes), "hunter2") {
			t.Errorf("the evidence holds the secret: %s", shown.Request.Body.Bytes)
		}
	}
	if len(r.Evidence) == 0 {
		t.Error("there is no evidence")
	}
}

// What no engine can compile is not checked, and the report says so.
func TestOwnDocumentHasAPatternThatRefersBack(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shifted, "{type: object}",
		"{type: object, properties: {name: {type: string, pattern: '(a)\\1'}}}", 1)
	file := write(t, "own.yaml", text)
	e := &recording.Exchange{
		Request: recording.Request{Method: "GET", URL: "https://workflow.svc.example/api/pools/7"},
		Response: &recording.Response{
			Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(`{"name":"a"}`)},
		},
	}
	r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})), contract.WithSpec("workflow", file))
	for _, f := range r.Findings {
		t.Errorf("found: %s", f.Message)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "own.yaml:9: is not judged as it is written") {
		t.Errorf("notes %q", r.Notes)
	}
}

// The size of a page may be a parameter that has content instead of a schema.
func TestOwnDocumentHasAParameterWithContent(t *testing.T) {
	t.Parallel()
	const pet = "{type: object, properties: {id: {type: integer}}}"
	answer := func(schema string) string {
		return "responses: {'200': {description: x, content: {application/json: {schema: " + schema + "}}}}}\n"
	}
	const number = "content: {application/json: {schema: {type: integer}}}"
	file := write(t, "own.yaml", "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'https://h.example'}]\n"+
		"paths:\n  /pets:\n    get: {parameters: [{name: limit, in: query, "+number+"}], "+answer("{type: array, items: "+pet+"}")+
		"    post: {requestBody: {content: {application/json: {schema: "+pet+"}}}, "+
		strings.Replace(answer(pet), "200", "201", 1)+"  /pets/{id}:\n    get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}], "+answer(pet))
	e := func(url, body string) *recording.Exchange {
		return &recording.Exchange{
			Request: recording.Request{Method: "GET", URL: url},
			Response: &recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: []byte(body)},
			},
		}
	}
	list := []*recording.Exchange{
		e("https://h.example/pets?limit=2", `[{"id":7}]`), e("https://h.example/pets/7", `{"id":7}`),
		e("https://h.example/pets?limit=two", `[{"id":7}]`),
	}
	r := checked(t, contract.Exchanges(slices.Values(list)), contract.WithSpec("own", file))
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, `"limit" is not application/json`) {
		t.Errorf("found %+v, want that one limit is not JSON", r.Findings)
	}
}

// A client may send back what it read. When something was made or changed, and how often, the service says then.
func TestOwnDocumentKeepsItsTimes(t *testing.T) {
	t.Parallel()
	const pet = "{type: object, properties: {id: {type: integer}}}"
	file := write(t, "own.yaml", "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'https://h.example'}]\n"+
		"paths:\n  /pets/{id}:\n    put: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}], "+
		"requestBody: {content: {application/json: {schema: "+pet+"}}}, "+
		"responses: {'200': {description: x, content: {application/json: {schema: "+pet+"}}}}}\n")
	json := recording.Headers{{"Content-Type", "application/json"}}
	put := &recording.Exchange{
		Request: recording.Request{
			Method: "PUT", URL: "https://h.example/pets/7", Headers: json,
			Body: &recording.Body{Bytes: []byte(`{"id":7,"created_at":1,"updatedAt":2,"lastModified":3,"version":4,"updates":5}`)},
		},
		Response: &recording.Response{
			Status: 200, Headers: json,
			Body: &recording.Body{Bytes: []byte(`{"id":7,"created_at":2,"updatedAt":3,"lastModified":4,"version":5,"updates":6}`)},
		},
	}
	r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{put})), contract.WithSpec("own", file))
	r.Findings = slices.DeleteFunc(r.Findings, func(f report.Finding) bool { return f.Rule != "consistency" })
	if len(r.Findings) != 1 || r.Findings[0].Message != "updates was set to 5, but the response shows 6" {
		t.Errorf("found %+v", r.Findings)
	}
}

// A finding about what an overlay says names the overlay's line, also where the document refers to it.
func TestFindingsNameOverlays(t *testing.T) {
	t.Parallel()
	file := write(t, "own.yaml", strings.NewReplacer("openapi: 3.1.0", "openapi: 3.0.3",
		"{type: object}", "{type: object, properties: {name: {type: string}}}").Replace(shifted))
	overlay := write(t, "more.yaml", `overlay: 1.0.0
info: {title: More, version: "1"}
actions:
  - target: $.paths['/pools/{number}'].get.responses['200'].content['application/json'].schema.properties
    update:
      size:
        type: integer
        maximum: 3
`)
	e := &recording.Exchange{
		Request: recording.Request{Method: "GET", URL: "https://workflow.svc.example/api/pools/7"},
		Response: &recording.Response{
			Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(`{"name":"a","size":9}`)},
		},
	}
	source := contract.Exchanges(slices.Values([]*recording.Exchange{e}))
	c := checker(t, contract.WithSpec("workflow", file), contract.WithOverlay("workflow", overlay))
	r, err := c.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Evidence(t.Context(), source, r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		if f.Rule == "schema" {
			got = append(got, fmt.Sprintf("%s:%d %s", filepath.Base(f.Spec.File), f.Spec.Line, f.Spec.Says))
			if len(r.Excerpts[f.Spec].Lines) == 0 {
				t.Errorf("no lines of %s are shown", f.Spec.File)
			}
		}
	}
	if diff := cmp.Diff([]string{"more.yaml:8 maximum: 3"}, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// Security Requirement Object: all schemes of an alternative are wanted together. What a request shows of them is there
// to be seen; tools remove Authorization and cookies alone.
func TestAPartOfCredentialsIsNotEnough(t *testing.T) {
	t.Parallel()
	const document = `{openapi: 3.1.0, info: {title: t, version: '1'}, servers: [{url: 'https://h.example'}], paths: {/x: {get: {
		security: %s, responses: {'200': {description: a}}}}}, components: {securitySchemes: {bearer: {type: http, scheme: bearer},
		key: {type: apiKey, in: header, name: X-Key}, id: {type: apiKey, in: query, name: id}, sid: {type: apiKey, in: cookie, name: sid},
		tls: {type: mutualTLS}}}}`
	const some = "a request with only a part of the credentials succeeded"
	const removed = "the request carries a part of the credentials: the others may have been removed from the recording"
	bearer, key := [2]string{"Authorization", "Bearer a"}, [2]string{"X-Key", "b"}
	for name, tt := range map[string]struct {
		security, path string
		headers        recording.Headers
		want           string
	}{
		"a key lacks beside a bearer":  {"[{bearer: [], key: []}]", "/x", recording.Headers{bearer}, "fail /request/headers/X-Key " + some},
		"a query lacks beside a key":   {"[{key: [], id: []}]", "/x", recording.Headers{key}, "fail /request/query/id " + some},
		"a key lacks beside a query":   {"[{key: [], id: []}]", "/x?id=1", nil, "fail /request/headers/X-Key " + some},
		"a key lacks beside two":       {"[{bearer: [], key: [], sid: []}]", "/x", recording.Headers{bearer, {"Cookie", "sid=1"}}, "fail /request/headers/X-Key " + some},
		"a bearer lacks beside a key":  {"[{bearer: [], key: []}]", "/x", recording.Headers{key}, "inconclusive /request/headers/Authorization " + removed},
		"a cookie lacks beside a key":  {"[{key: [], sid: []}]", "/x", recording.Headers{key}, "inconclusive /request/cookie/sid " + removed},
		"all are there":                {"[{bearer: [], key: []}]", "/x", recording.Headers{bearer, key}, ""},
		"another alternative is there": {"[{bearer: [], key: []}, {id: []}]", "/x?id=1", recording.Headers{bearer}, ""},
		"none is there":                {"[{bearer: [], key: []}, {id: []}]", "/x", nil, "inconclusive /request/headers/Authorization no request to this interface carries credentials: they may have been removed from the recording"},
		"a certificate is no key":      {"[{tls: [], key: []}]", "/x", nil, "inconclusive /request/headers/X-Key no request to this interface carries credentials: they may have been removed from the recording"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &recording.Exchange{
				Request:  recording.Request{Method: "GET", URL: "https://h.example" + tt.path, Headers: tt.headers},
				Response: &recording.Response{Status: 200},
			}
			own := contract.WithSpec("shop", write(t, "shop.yaml", fmt.Sprintf(document, tt.security)))
			got := ""
			for _, f := range checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})), own).Findings {
				if f.Rule == "auth-scheme" {
					got += fmt.Sprint(f.Verdict, " ", f.Pointer, " ", f.Message)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
