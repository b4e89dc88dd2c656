package judge_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// showing returns a judge whose findings show what was found.
func showing(tb testing.TB, documents ...*specs.Document) *judge.Judge {
	tb.Helper()
	j, err := judge.New(judge.Config{
		Documents: documents, Engine: libopenapi.New(), Redactor: &recording.Redactor{Salt: []byte("salt")},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

func probeDocument(tb testing.TB) *specs.Document {
	tb.Helper()
	text, err := os.ReadFile("testdata/probe.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	d, err := specs.Parse(specs.Workflow, "testdata/probe.yaml", text, specs.Neutral)
	if err != nil {
		tb.Fatal(err)
	}
	for _, op := range d.Operations { // as in a document of the platform
		op.Embedded = op
	}
	return d
}

// page asks for a page, or with a path for a resource of one.
func page(query, body string) talk {
	if !strings.HasPrefix(query, "/") {
		query = "?" + query
	}
	return talk{"GET /pages" + query, "", 200, "", envelope(body)}
}

// A finding carries the value that was found, unless that is secret, may be, or was taken out.
func TestFound(t *testing.T) {
	t.Parallel()
	j := showing(t, probeDocument(t))
	long := strings.Repeat("ä", 500)
	for name, tt := range map[string]struct {
		talk
		at, want string
	}{
		"a number": {talk{"POST /things", `{"name":7}`, 201, `{"name":"a"}`, nil}, "/request/body/name", `7`},
		"a text": {
			talk{"POST /things", `{"name":"<toolong>"}`, 201, `{"name":"a"}`, nil},
			"/request/body/name",
			`"<toolong>"`,
		},
		"null": {talk{"GET /things/1", "", 200, `{"name":null}`, nil}, "/response/body/name", `null`},
		"an object": {
			talk{"GET /things/1", "", 200, `{"name":{"b":[1,true],"a":"x"}}`, nil},
			"/response/body/name",
			`{"a":"x","b":[1,true]}`,
		},
		"a long text is cut": {
			talk{"GET /things/1", "", 200, `{"name":"` + long + `"}`, nil},
			"/response/body/name",
			`"` + long[:2*118] + "…",
		},
		"what is missing": {talk{"GET /things/1", "", 200, `{}`, nil}, "/response/body/name", ""},
		"a parameter": {
			talk{"GET /things?limit=99", "", 200, `[]`, header(total, "3")},
			"/request/query/limit",
			`"99"`,
		},
		"a list of a query": {
			talk{"GET /things?ids=1,b", "", 200, `[]`, header(total, "3")},
			"/request/query/ids",
			`["1","b"]`,
		},
		"a header": {
			talk{"GET /things", "", 200, `[]`, header(total, "many")},
			"/response/headers/X-Total",
			`"many"`,
		},
		"a status": {talk{"GET /things/1", "", 418, "", nil}, "/response/status", `418`},
		"a media type": {
			talk{"GET /things/1", "", 200, "x", contentType("text/html")},
			"/response/headers/Content-Type", `"text/html"`,
		},
		"an undeclared field": {talk{"GET /things/1", "", 200, `{"name":"a","more":"b"}`, nil}, "/response/body/more", ""},
		"a line": {
			talk{"GET /stream", "", 200, "data: {\"at\":1}\n\ndata: {\"at\":\"noon\"}\n\n", contentType("text/event-stream")},
			"/response/body/1/at", `"noon"`,
		},

		"a page's link": {
			page("page[limit]=2", collection(2, 2, "first https://h/api/pages?page[limit]=2&page[offset]=2")),
			"/response/body/links/first", `"https://h/api/pages?page[limit]=2&page[offset]=2"`,
		},
		"links without one that has to be there": {page("", collection(1, 2)), "/response/body/links", `{}`},
		"too many resources": {
			page("page[limit]=1", `{"data":[{"id":"r"},{"id":"s"}],"meta":{"total":2},"links":{}}`),
			"/response/body/data", `[{"id":"r"},{"id":"s"}]`,
		},
		"a long page is cut": {
			page("page[limit]=1", `{"data":[{"id":"`+long+`"},{"id":"s"}],"meta":{"total":2},"links":{}}`),
			"/response/body/data", `[{"id":"` + long[:2*111] + "…",
		},
		"another id than that of the path": {page("/r", `{"data":{"id":"s"}}`), "/response/body/data/id", `"s"`},
		"another resource's address": {
			page("/r", `{"data":{"id":"r","type":"pageParts","links":{"self":"/api/page_parts/s"}}}`),
			"/response/body/data/links/self", `"/api/page_parts/s"`,
		},
		"what nothing refers to": {
			page("/r", `{"data":{"id":"r"},"included":[{"id":"s","type":"pageParts"}]}`), "/response/body/included/0",
			`{"id":"s","type":"pageParts"}`,
		},
		"a secret in a page's link": {
			page("page[limit]=2", collection(2, 2, "first https://u:hunter2@h/api/pages?page[offset]=2")),
			"/response/body/links/first", "",
		},
		"what was taken out of another resource": {
			page("/r", `{"data":{"id":"r"},"included":[{"id":"[redacted:1a2b3c4d]","type":"pageParts"}]}`),
			"/response/body/included/0", `{"id":"…","type":"pageParts"}`,
		},
		"a password of another resource": {
			page("/r", `{"data":{"id":"r"},"included":[{"id":"s","type":"pageParts","attributes":{"password":"hunter2"}}]}`),
			"/response/body/included/0", `{"attributes":{"password":"…"},"id":"s","type":"pageParts"}`,
		},

		"a secret by the document": {
			talk{"POST /jobs/presto", `{"query":"q","secret":"hunter2"}`, 200, "", nil},
			"/request/body/secret", "",
		},
		"a secret by its name": {
			talk{"POST /things", `{"name":{"password":"hunter2","a":1}}`, 201, `{"name":"a"}`, nil},
			"/request/body/name", `{"a":1,"password":"…"}`,
		},
		"a secret in an address": {
			talk{"GET /things/1", "", 200, `{"name":"https://u:hunter2@h/"}`, nil},
			"/response/body/name", "",
		},
		"a secret in JSON in text": {
			talk{"GET /things/1", "", 200, `{"name":"{\"api_key\":\"hunter2\"}"}`, nil},
			"/response/body/name", "",
		},
		"a secret header": {
			talk{"POST /jobs/presto", `{"query":"q"}`, 200, "", requestHeader("X-Second-Key", "hunter2")},
			"/request/header/X-Second-Key", "",
		},
		"what was taken out": {
			talk{"GET /things/1", "", 200, `{"name":["[redacted:1a2b3c4d]"]}`, nil},
			"/response/body/name",
			`["…"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.Exchange(tt.item())
			var got []string
			for i := range r.Findings {
				f := &r.Findings[i]
				if f.Pointer == tt.at {
					got = append(got, f.Found)
				}
				bare := *f
				bare.Found = ""
				if f.Rule != judge.UndocumentedStatus && report.Fingerprint(&bare) != f.ID {
					t.Errorf("the fingerprint depends on what was found: %+v", f)
				}
			}
			if len(got) == 0 {
				t.Fatalf("nothing was found at %s, but %v", tt.at, findingLines(r))
			}
			if diff := cmp.Diff(tt.want, got[0]); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}

// A judge without a redactor shows no values.
func TestFoundNeedsARedactor(t *testing.T) {
	t.Parallel()
	for _, f := range probe(t).Exchange(talk{"POST /things", `{"name":7}`, 201, `{"name":"a"}`, nil}.item()).Findings {
		if f.Found != "" {
			t.Errorf("found %s", f.Found)
		}
	}
}

// Whatever the redactor takes out of an exchange, no finding shows: of no operation of any interface.
func TestFoundShowsNoMoreThanTheRedactor(t *testing.T) {
	t.Parallel()
	redactor := &recording.Redactor{Salt: []byte("salt")}
	shown := 0
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		j := showing(t, d)
		for _, op := range d.Operations {
			item := plantedIn(op, "hunter2")
			r := j.Exchange(item)
			clean := redactor.Redact(item.Exchange, op)
			for _, f := range r.Findings {
				if utf8.RuneCountInString(f.Found) > 120 {
					t.Errorf("%s: %d runes at %s", op.Name(), utf8.RuneCountInString(f.Found), f.Pointer)
				}
				if f.Found == "" {
					continue
				}
				shown++
				if n := strings.Count(f.Found, "hunter2"); n > strings.Count(textAt(t, clean, f.Pointer), "hunter2") {
					t.Errorf("%s at %s: found %s, but without secrets it is %s", op.Name(), f.Pointer, f.Found,
						textAt(t, clean, f.Pointer))
				}
			}
		}
	}
	if shown < 300 {
		t.Errorf("only %d findings show a value", shown)
	}
}

// textAt returns the value of an exchange at a pointer, as JSON.
func textAt(t *testing.T, e *recording.Exchange, pointer string) string {
	t.Helper()
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if len(tokens) < 2 || tokens[1] != "body" {
		return "hunter2 hunter2"
	}
	body := e.Request.Body
	if tokens[0] == "response" {
		body = e.Response.Body
	}
	var value any
	if err := json.Unmarshal(body.Bytes, &value); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens[2:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			at, _ := strconv.Atoi(token)
			value = v[at]
		}
	}
	text, _ := json.Marshal(value)
	return string(text)
}
