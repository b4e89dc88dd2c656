package own_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver"
)

func newNotes(t *testing.T) *shopClient {
	t.Helper()
	return &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", "../../testdata/own/notes.yaml"),
		mockserver.WithClock(mockserver.ClockFrozen))}
}

const asForm = "Content-Type: application/x-www-form-urlencoded"

// What a client sends as a form is kept as the JSON that answers show.
func TestOwnForms(t *testing.T) {
	t.Parallel()
	const note, shown = `{"id":1,"count":3,"isOpen":true,"tags":["a","b"],"title":"milk"}`,
		`{"id":1,"count":3,"isOpen":true,"picture":"a.png","tags":["a","b"],"title":"milk"}`
	t.Run("a form makes an object with the types of the schema", func(t *testing.T) {
		t.Parallel()
		c := newNotes(t)
		status, answer, header := c.call("POST /notes", "title=milk&count=3&isOpen=true&tags=a&tags=b", asForm)
		if status != 201 || answer != note || header.Get("Location") != "https://api.shop.example/v1/notes/1" {
			t.Errorf("%d %s, Location %s", status, answer, header.Get("Location"))
		}
		c.story("GET /notes/1 -> 200 " + note)
		if status, answer, _ := c.call("POST /notes", "count=3", asForm); status != 400 {
			t.Errorf("without the title: %d %s", status, answer)
		}
	})
	t.Run("a semicolon stands for itself, in a query as well", func(t *testing.T) {
		t.Parallel()
		const note = `{"id":1,"title":"milk;tea"}`
		c := newNotes(t)
		if status, answer, _ := c.call("POST /notes", "title=milk;tea", asForm); status != 201 || answer != note {
			t.Errorf("%d %s", status, answer)
		}
		c.story("GET /notes?per_page=2;3 -> 400…")
	})
	t.Run("so does one of several parts, of which a file is shown by its name", func(t *testing.T) {
		t.Parallel()
		c := newNotes(t)
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, field := range [][2]string{{"title", "milk"}, {"count", "3"}, {"isOpen", "true"}, {"tags", "a"}, {"tags", "b"}} {
			_ = form.WriteField(field[0], field[1])
		}
		file, _ := form.CreateFormFile("picture", "a.png")
		_, _ = file.Write([]byte("\x89PNG\x00"))
		_ = form.Close()
		status, answer, _ := c.call("POST /notes", body.String(), "Content-Type: "+form.FormDataContentType())
		if status != 201 || answer != shown {
			t.Errorf("%d %s", status, answer)
		}
		c.story("GET /notes/1 -> 200 " + shown)
	})
}

// Where a document names no media type for a body, it may have any, and a form whose schema is that of a string is its
// text. The checker takes both, too.
func TestOwnTexts(t *testing.T) {
	t.Parallel()
	const texts = "../../testdata/own/texts.yaml"
	checker, err := contract.NewChecker(contract.WithSpec("shop", texts), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ request, body, kind, status, answer string }{
		{"POST /notes", "milk", "text/plain", "200", "noted"},
		{"POST /notes", "milk", "text/csv; charset=utf-8", "200", "noted"},
		{"POST /notes", "milk=2&tea", "application/x-www-form-urlencoded", "200", "noted"},
		{"POST /notes", `"milk"`, "application/json", "200", "noted"},
		{"POST /notes", "", "text/plain", "400", ""},
		{"POST /lookups", "milk=2&tea", "application/x-www-form-urlencoded", "200", `{"n":1}`},
		{"POST /lookups", "milk", "application/x-www-form-urlencoded", "200", `{"n":1}`},
		{"POST /lookups", `{"milk":2}`, "application/json", "415", ""},
		{"POST /patches", `{"n":2}`, "application/merge-patch+json", "200", `{"n":1}`},
		{"POST /patches", `{"m":2}`, "application/vnd.a+json; charset=utf-8", "400", ""},
		{"POST /patches", `<n/>`, "application/a+xml", "415", ""},
	} {
		var recording bytes.Buffer
		c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", texts), mockserver.WithRecording(&recording))}
		status, answer, header := c.call(test.request, test.body, "Content-Type: "+test.kind)
		if strconv.Itoa(status) != test.status || test.answer != "" && strings.TrimSpace(answer) != test.answer {
			t.Errorf("%s with %s: %d %s", test.request, test.kind, status, answer)
		}
		kind, isPatch := header.Get("Content-Type"), strings.HasSuffix(test.request, "patches")
		if test.answer == "noted" && kind != "text/plain" || status == 200 && isPatch && kind != "application/vnd.sample+json" {
			t.Errorf("%s with %s: an answer of %q", test.request, test.kind, kind)
		}
		if status != 200 {
			continue
		}
		report, err := checker.Check(t.Context(), contract.Read("texts.ndjson", &recording))
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Findings) > 0 {
			t.Errorf("%s with %s: %s", test.request, test.kind, report.Findings[0].Message)
		}
	}
}

// An answer of 204 has no body, whatever a document shows for it.
func TestOwnAnswerOf204(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/own/notes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "notes.yaml")
	shown := bytes.Replace(text, []byte("{description: It is gone.}"),
		[]byte("{description: It is gone., content: {application/json: {schema: {type: object}}}}"), 1)
	if err := os.WriteFile(file, shown, 0o600); err != nil || bytes.Equal(text, shown) {
		t.Fatal(err)
	}
	c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", file))}
	c.call("POST /notes", "title=a", asForm)
	c.story("DELETE /notes/1 -> 204")
}

// A new key fits the parameter that names it in a path, where its member says nothing.
func TestNewKeysFitTheirParameter(t *testing.T) {
	t.Parallel()
	const either = "{anyOf: [{type: string, pattern: '^B[0-9]{3}$'}, {type: string, pattern: '^C-'}]}"
	for schema, want := range map[string]struct{ member, key string }{
		"{type: string, format: uuid}":           {"{type: string}", `^[0-9a-f]{8}-[0-9a-f-]{27}$`},
		"{type: string, pattern: '^A[0-9]{3}$'}": {"{type: string}", `^A[0-9]{3}$`},
		either:                                   {"{type: string}", `^B[0-9]{3}$`},
		"{type: string, maxLength: 9}":           {either, `^B[0-9]{3}$`},
		"{type: string}":                         {"{type: string}", `^1$`},
		"{type: integer}":                        {"{type: string}", `^1$`},
		"{oneOf: [{type: integer, enum: [1]}, {type: string, enum: [one]}]}": {"{type: string}", `^1$`},
	} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shop.yaml")
			object := "{type: object, properties: {id: " + want.member + ", name: {type: string}}}"
			text := "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\nservers: [{url: https://api.shop.example/v1}]\npaths:\n" +
				"  /charts: {post: {requestBody: {content: {application/json: {schema: " + object + "}}}, responses: {'201': " +
				"{description: x, content: {application/json: {schema: " + object + "}}}}}}\n  /charts/{id}: {get: {parameters: " +
				"[{name: id, in: path, required: true, schema: " + schema + "}], responses: {'200': {description: x, content: " +
				"{application/json: {schema: " + object + "}}}}}}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", file))}
			_, made, _ := c.call("POST /charts", `{"name":"a"}`)
			id := jsontree.Find(made, "id").Text()
			if status, shown, _ := c.call("GET /charts/"+id, ""); !regexp.MustCompile(want.key).MatchString(id) || status != 200 {
				t.Errorf("made %s; shown: %d %s", made, status, shown)
			}
		})
	}
}

// A parameter of which the schema does not give one type is read as any that fits.
func TestParametersOfSeveralTypes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	const either = "{oneOf: [{type: integer, enum: [1, 2]}, {type: string, enum: [one]}]}"
	text := "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\nservers: [{url: https://api.shop.example/v1}]\npaths:\n" +
		"  /charts: {get: {parameters: [{name: one, in: query, schema: " + either + "}, " +
		"{name: many, in: query, schema: {type: array, items: " + either + "}}, " +
		"{name: most, in: query, schema: {type: [integer, 'null'], maximum: 9}}, " +
		"{name: word, in: query, schema: {pattern: ^a}}], responses: {'204': {description: x}}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", file))}
	for query, want := range map[string]int{
		"one=1": 204, "one=one": 204, "one=3": 400, "one=two": 400, "many=1&many=one": 204, "many=1&many=3": 400,
		"most=9": 204, "most=10": 400, "most=x": 400, "word=a": 204, "word=5": 400,
	} {
		if status, answer, _ := c.call("GET /charts?"+query, ""); status != want {
			t.Errorf("%s: %d %s, want %d", query, status, answer, want)
		}
	}
}

func TestOwnConditionsAndMethods(t *testing.T) {
	t.Parallel()
	c := newNotes(t)
	for _, title := range []string{"a", "b", "c"} {
		c.call("POST /notes", "title="+title, asForm)
	}
	tag := func() string {
		_, _, header := c.call("GET /notes/1", "")
		return header.Get("ETag")
	}
	before := tag()
	for _, test := range []struct {
		request, body string
		headers       []string
		status        int
		answer        string
	}{
		{"HEAD /notes/1", "", nil, 405, ""}, // as of the platform's interfaces
		{"OPTIONS /notes/1", "", nil, 405, ""},
		{"GET /notes/1", "", []string{"If-None-Match: " + before}, 304, ""},
		{"GET /notes/1", "", []string{`If-None-Match: "other"`}, 200, `{"id":1,"title":"a"}`},
		{
			"PATCH /notes/1", `{"count":1}`,
			[]string{"Content-Type: application/json-patch+json", `If-Match: "other"`},
			412,
			"",
		},
		{
			"PATCH /notes/1", `{"count":1}`,
			[]string{"Content-Type: application/json-patch+json", "If-Match: " + before},
			200,
			`{"id":1,"title":"a","count":1}`,
		},
		{
			"PUT /notes/1", `{"title":"d"}`,
			[]string{"Content-Type: application/merge-patch+json"},
			202,
			`{"id":1,"title":"d","count":1}`,
		},
		{"DELETE /notes/3", "", nil, 204, ""},
	} {
		status, answer, header := c.call(test.request, test.body, test.headers...)
		if status != test.status || test.answer != answer && status != 412 && status != 405 {
			t.Errorf("%s: %d %s", test.request, status, answer)
		}
		if strings.HasPrefix(test.request, "OPTIONS") && !strings.Contains(header.Get("Allow"), http.MethodPatch) {
			t.Errorf("%s: Allow %q", test.request, header.Get("Allow"))
		}
	}
	if tag() == before {
		t.Error("the entity tag is that of before the changes")
	}
	c.call("POST /notes", "title=e", asForm)
	_, answer, header := c.call("GET /notes", "")
	if want := `<https://api.shop.example/v1/notes?page=2&per_page=2>; rel="next"`; header.Get("Link") != want {
		t.Errorf("Link %s, want %s; %s", header.Get("Link"), want, answer)
	}
}

// An error is of RFC 9457 where that fits what the document shows for it, under the media type that the document has.
func TestOwnErrorsFitTheDocument(t *testing.T) {
	t.Parallel()
	const details = `{"type":"about:blank","title":"Bad Request","status":400,"detail":"name: property \"name\" is missing"}`
	for content, want := range map[string]string{
		"application/json: {schema: {type: object}}": "application/json " + details,
		"application/json: {}":                       "application/json " + details,
		"application/vnd.shop+json: {schema: {type: object, additionalProperties: true}}":   "application/vnd.shop+json " + details,
		"application/json: {schema: {type: object, additionalProperties: false}}":           "application/json {}",
		"application/json: {schema: {type: object, additionalProperties: {type: integer}}}": `application/json {"key1":522}`,
		"'text/*': {schema: {type: string}}":                                                `text/plain name: property "name" is missing`,
		"'*/*': {}":                                                                         "application/problem+json " + details,
	} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shop.yaml")
			text := "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\nservers: [{url: https://api.shop.example/v1}]\n" +
				"paths:\n  /things:\n    post:\n      requestBody: {required: true, " +
				"content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}\n" +
				"      responses:\n        '201': {description: x}\n        '400': {description: x, content: {" + content + "}}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", file))}
			status, answer, header := c.call("POST /things", `{}`)
			if got := header.Get("Content-Type") + " " + answer; status != 400 || got != want {
				t.Errorf("%d %s\nwant 400 %s", status, got, want)
			}
		})
	}
}
