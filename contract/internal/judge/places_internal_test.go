package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// placed is an exchange with an operation of its own, and what is said of it: pass, fail, disputed or inconclusive.
type placed struct {
	name, operation string
	exchange        recording.Exchange // whose URL stands behind the path of the operation
	path            string             // of the operation, behind its number
	want            string
}

// checkPlaced judges exchanges by one document that has all of their operations.
func checkPlaced(t *testing.T, version string, list []placed) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "openapi: %s\ninfo: {title: Places, version: '1'}\ncomponents: {schemas: {Cat: {type: object, "+
		"required: [kind], properties: {kind: {type: string}}}, Dog: {type: object, required: [kind], "+
		"properties: {kind: {type: string}}}}}\npaths:\n", version)
	paths := map[string]string{} // by operations, of which each is loaded once
	for _, p := range list {
		if paths[p.operation] == "" {
			paths[p.operation] = "/" + strconv.Itoa(len(paths))
			fmt.Fprintf(&text, "  '%s%s': %s\n", paths[p.operation], p.path, p.operation)
		}
	}
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := specs.LoadFile("shop", file, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(Config{
		Documents: []*specs.Document{d}, Engine: libopenapi.New(), Bases: map[specs.Interface][]string{"shop": {"https://h.example"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		e := &list[i].exchange
		e.Request.URL = "https://h.example" + paths[list[i].operation] + e.Request.URL
		r := j.Exchange(record.Item{Exchange: e, Position: record.Position{File: "places", Number: i + 1, Line: i + 1}})
		if got, why := saidOf(r); got != list[i].want {
			t.Errorf("%s, %s: %s, want %s: %s", version, list[i].name, got, list[i].want, why)
		}
	}
}

func saidOf(r *Result) (verdict, why string) {
	verdict = "pass"
	for _, f := range r.Findings {
		switch why = f.Message; {
		case f.Disputed:
			return "disputed", why
		case f.Verdict == report.Inconclusive:
			return "inconclusive", why
		case f.Severity == report.Error:
			verdict = "fail"
		}
	}
	return verdict, why
}

// What breaks a keyword is found wherever its schema stands, and no engine disputes it because it does not look there.
func TestKeywordsInEveryPlace(t *testing.T) {
	t.Parallel()
	places := [][2]string{ // of a schema, and of a value in a body
		{`%s`, `%s`},
		{`{type: object, properties: {v: %s}}`, `{"v":%s}`},
		{`{type: object, required: [v], properties: {v: %s}}`, `{"v":%s}`},
		{`{type: array, items: %s}`, `[%s]`},
		{`{type: object, properties: {l: {type: array, items: {type: object, properties: {v: %s}}}}}`, `{"l":[{},{"v":%s}]}`},
		{`{type: object, additionalProperties: %s}`, `{"q":%s}`},
		{`{allOf: [{type: object}, {type: object, properties: {v: %s}}]}`, `{"v":%s}`},
		{`{anyOf: [{type: object, properties: {v: %s}}]}`, `{"v":%s}`},
		{`{oneOf: [{type: array, items: {}}, {type: object, required: [v], properties: {v: %s}}]}`, `{"v":%s}`},
	}
	json := recording.Headers{{"Content-Type", "application/json"}}
	none := recording.Headers{{"Content-Length", "0"}}
	for _, version := range []string{"3.0.3", "3.1.0"} {
		var list []placed
		for _, trial := range bodyTrials {
			is30 := strings.Contains(trial.schema, "nullable") || strings.Contains(trial.schema, "exclusive")
			if specs.IsNewer(trial.keyword) && version == "3.0.3" || is30 && version != "3.0.3" {
				continue
			}
			for _, place := range places {
				content := fmt.Sprintf(`content: {application/json: {schema: `+place[0]+`}}`, trial.schema)
				add := func(value, want string) {
					body := &recording.Body{Bytes: fmt.Appendf(nil, place[1], value)}
					name := fmt.Sprintf("%s %s in %s", trial.keyword, value, place[0])
					list = append(list, placed{
						name: "answer: " + name, want: want,
						operation: `{get: {responses: {'200': {description: a, ` + content + `}}}}`,
						exchange: recording.Exchange{
							Request:  recording.Request{Method: "GET"},
							Response: &recording.Response{Status: 200, Headers: json, Body: body},
						},
					}, placed{
						name: "request: " + name, want: want,
						operation: `{post: {requestBody: {required: true, ` + content + `}, responses: {'200': {description: a}}}}`,
						exchange: recording.Exchange{
							Request:  recording.Request{Method: "POST", Headers: json, Body: body},
							Response: &recording.Response{Status: 200, Headers: none},
						},
					})
				}
				for value := range strings.FieldsSeq(trial.right) {
					add(value, "pass")
				}
				for value := range strings.FieldsSeq(trial.wrong) {
					add(value, "fail")
				}
			}
		}
		checkPlaced(t, version, list)
	}
}

// styled is a value of a parameter: one text, or the items of a list, or the names and values of members by turns.
type styled struct {
	schema       string
	right, wrong []string
}

var (
	styledTexts = []styled{
		{`{type: integer}`, []string{"5"}, []string{"x"}},
		{`{type: boolean}`, []string{"true"}, []string{"x"}},
		{`{type: string, enum: [a, b]}`, []string{"a"}, []string{"c"}},
		{`{type: string, format: date}`, []string{"2020-01-02"}, []string{"2020-02-30"}},
		{`{type: string, pattern: '^[a-z]+$'}`, []string{"abc"}, []string{"A1"}},
		{`{type: string, maxLength: 3}`, []string{"abc"}, []string{"abcd"}},
		{`{type: number, minimum: 2}`, []string{"2.5"}, []string{"1"}},
		{`{allOf: [{type: integer}, {minimum: 3}]}`, []string{"5"}, []string{"2"}},
		{`{oneOf: [{type: integer}, {type: boolean}]}`, []string{"true"}, []string{"x"}},
	}
	styledLists = []styled{
		{`{type: array, items: {type: integer}}`, []string{"1", "2"}, []string{"1", "x"}},
		{`{type: array, items: {type: string}, maxItems: 2}`, []string{"a", "b"}, []string{"a", "b", "c"}},
		{`{type: array, items: {type: string}, uniqueItems: true}`, []string{"a", "b"}, []string{"a", "a"}},
		{`{type: array, items: {type: string, enum: [a, b]}}`, []string{"a", "b"}, []string{"a", "z"}},
	}
	styledObjects = []styled{
		{`{type: object, properties: {a: {type: integer}, b: {type: string}}}`, []string{"a", "1", "b", "q"}, []string{"a", "z", "b", "q"}},
		{`{type: object, required: [a], properties: {a: {type: integer}, b: {type: string}}}`, []string{"a", "1"}, []string{"b", "q"}},
		{`{type: object, properties: {a: {type: integer}}, additionalProperties: false}`, []string{"a", "1"}, []string{"z", "q"}},
	}
)

// written returns a value as a style writes it, without what stands before all of it.
func written(values []string, isObject, explode bool, separator, exploded string) string {
	switch {
	case !isObject && explode:
		return strings.Join(values, exploded)
	case !isObject || !explode:
		return strings.Join(values, separator)
	}
	var pairs []string
	for pair := range slices.Chunk(values, 2) {
		pairs = append(pairs, strings.Join(pair, "="))
	}
	return strings.Join(pairs, exploded)
}

// A parameter is right, wrong or missing in whatever place and style it has (RFC 6570; Parameter Object, style).
func TestParametersOfEveryStyle(t *testing.T) {
	t.Parallel()
	type style struct {
		in, name                                string
		explode                                 bool
		begin, beginOfObject, separator, others string // of one value; others stands between those that are exploded
		objectOthers                            string
	}
	styles := []style{
		{"query", "form", true, "?p=", "?", ",", "&p=", "&"},
		{"query", "form", false, "?p=", "?p=", ",", "", ""},
		{"query", "spaceDelimited", false, "?p=", "", "%20", "", ""},
		{"query", "pipeDelimited", false, "?p=", "", "%7C", "", ""},
		{"path", "simple", false, "/", "/", ",", "", ""},
		{"path", "simple", true, "/", "/", ",", ",", ","},
		{"path", "label", false, "/.", "/.", ",", "", ""},
		{"path", "label", true, "/.", "/.", ",", ".", "."},
		{"path", "matrix", false, "/;p=", "/;p=", ",", "", ""},
		{"path", "matrix", true, "/;p=", "/;", ",", ";p=", ";"},
		{"header", "simple", false, "", "", ",", "", ""},
		{"header", "simple", true, "", "", ",", ",", ","},
		{"cookie", "form", false, "p=", "p=", ",", "", ""},
		{"cookie", "form", true, "p=", "", ",", "; p=", ""},
	}
	for _, version := range []string{"3.0.3", "3.1.0"} {
		var list []placed
		for _, s := range styles {
			add := func(schema, text, want string) {
				p := placed{
					name: fmt.Sprintf("%s %s %t %s %q", s.in, s.name, s.explode, schema, text), want: want,
					operation: fmt.Sprintf(`{get: {parameters: [{name: p, in: %s, required: true, style: %s, explode: %t, schema: %s}], `+
						`responses: {'200': {description: a}}}}`, s.in, s.name, s.explode, schema),
					exchange: recording.Exchange{
						Request:  recording.Request{Method: "GET", Headers: recording.Headers{{"Accept", "*/*"}}},
						Response: &recording.Response{Status: 200, Headers: recording.Headers{{"Content-Length", "0"}}},
					},
				}
				request := &p.exchange.Request
				switch {
				case s.in == "path":
					p.path, request.URL = "/{p}", text
				case s.in == "query":
					request.URL = text
				case s.in == "cookie":
					request.Headers = append(request.Headers, [2]string{"Cookie", "s=1; " + text})
				case text != "":
					request.Headers = append(request.Headers, [2]string{"P", text})
				}
				list = append(list, p)
			}
			each := func(values []styled, begin, others string, isObject bool) {
				for _, v := range values {
					add(v.schema, begin+written(v.right, isObject, s.explode, s.separator, others), "pass")
					add(v.schema, begin+written(v.wrong, isObject, s.explode, s.separator, others), "fail")
					if s.in != "path" {
						add(v.schema, "", "fail")
					}
				}
			}
			if !strings.HasSuffix(s.name, "Delimited") {
				each(styledTexts, s.begin, "", false)
			}
			each(styledLists, s.begin, s.others, false)
			if !strings.HasSuffix(s.name, "Delimited") && (s.in != "cookie" || !s.explode) { // which is not defined
				each(styledObjects, s.beginOfObject, s.objectOthers, true)
			}
		}
		checkPlaced(t, version, list)
	}
}
