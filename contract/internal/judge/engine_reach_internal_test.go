package judge

import (
	stdcmp "cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
)

// trial is a schema, with values that fit it and others that do not, as they stand in a message: texts with a space
// between them. The wrong values break the keyword.
type trial struct{ keyword, schema, right, wrong string }

var bodyTrials = []trial{
	{"type", `{type: string}`, `"a"`, `1 true`},
	{"type", `{type: integer}`, `1 1.0`, `"1" 1.5`},
	{"type", `{type: number}`, `1 1.5`, `"1"`},
	{"type", `{type: boolean}`, `true`, `"true" 0`},
	{"type", `{type: array, items: {}}`, `[]`, `{}`},
	{"type", `{type: object}`, `{}`, `[]`},
	{"enum", `{type: string, enum: [a, b]}`, `"a"`, `"c"`},
	{"minimum", `{type: integer, minimum: 3}`, `3`, `2`},
	{"maximum", `{type: integer, maximum: 3}`, `3`, `4`},
	{"exclusiveMinimum", `{type: integer, minimum: 3, exclusiveMinimum: true}`, `4`, `3`},
	{"exclusiveMaximum", `{type: integer, maximum: 3, exclusiveMaximum: true}`, `2`, `3`},
	{"multipleOf", `{type: number, multipleOf: 0.01}`, `0.07 4.35 1.1`, `0.005`},
	{"minLength", `{type: string, minLength: 2}`, `"ab" "éé"`, `"é"`},
	{"maxLength", `{type: string, maxLength: 2}`, `"éé"`, `"abc"`},
	{"pattern", `{type: string, pattern: '^a+$'}`, `"aa"`, `"b"`},
	{"pattern", `{type: string, pattern: '^\s$'}`, `"\u00a0" "\t"`, `"a"`},
	{"minItems", `{type: array, items: {}, minItems: 1}`, `[1]`, `[]`},
	{"maxItems", `{type: array, items: {}, maxItems: 1}`, `[1]`, `[1,2]`},
	{"uniqueItems", `{type: array, items: {}, uniqueItems: true}`, `[1,2]`, `[1,1] [1,1.0] [{"a":1},{"a":1.0}]`},
	{"minProperties", `{type: object, minProperties: 1}`, `{"a":1}`, `{}`},
	{"maxProperties", `{type: object, maxProperties: 1}`, `{"a":1}`, `{"a":1,"b":2}`},
	{"required", `{type: object, required: [a]}`, `{"a":null}`, `{}`},
	{"additionalProperties", `{type: object, properties: {a: {}}, additionalProperties: false}`, `{"a":1}`, `{"b":1}`},
	{"not", `{not: {type: string}}`, `1`, `"a"`},
	{"oneOf", `{oneOf: [{type: string}, {type: integer}]}`, `"a" 1`, `true`},
	{"anyOf", `{anyOf: [{type: string}, {type: integer}]}`, `"a" 1`, `true`},
	{"discriminator", `{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], ` +
		`discriminator: {propertyName: kind}}`, `{"kind":"Cat"} {"kind":"Dog"}`, `{"kind":"Bird"}`},
	{
		"format:date-time", `{type: string, format: date-time}`, `"2020-01-01T00:00:00Z" "2020-01-01t00:00:00z"`,
		`"2023-02-30T00:00:00Z" "yesterday"`,
	},
	{"format:date", `{type: string, format: date}`, `"2024-02-29"`, `"2023-02-29" "1.1.2020"`},
	{"format:uuid", `{type: string, format: uuid}`, `"01234567-89ab-cdef-0123-456789ABCDEF"`, `"1"`},
	{"format:email", `{type: string, format: email}`, `"a@b.example" "\"a\u0020b\"@c.example"`, `"a"`},
	{"format:uri", `{type: string, format: uri}`, `"https://a.example/b?c#d" "urn:a:b"`, `"a" "https://a.example/{b}"`},
	{"format:ipv4", `{type: string, format: ipv4}`, `"10.0.0.1"`, `"10.0.0.256"`},
	{"format:ipv6", `{type: string, format: ipv6}`, `"::1"`, `"1"`},
	{"format:byte", `{type: string, format: byte}`, `"YQ=="`, `"no.base64"`},
	{"format:int32", `{type: integer, format: int32}`, `2147483647 -2147483648`, `2147483648`},
	{"format:int64", `{type: integer, format: int64}`, `9223372036854775807`, `9223372036854775808`},
	{"const", `{const: a}`, `"a"`, `"b"`},
	{"contains", `{contains: {const: 1}}`, `[2,1]`, `[2]`},
	{"propertyNames", `{propertyNames: {maxLength: 1}}`, `{"a":1}`, `{"ab":1}`},
	{"dependentRequired", `{dependentRequired: {a: [b]}}`, `{"b":1}`, `{"a":1}`},
	{"dependentRequired", `{type: object, dependentRequired: {a: [b]}}`, `{"b":1}`, `{"a":1}`},
	{"contains", `{type: array, items: {}, contains: {const: 1}}`, `[2,1]`, `[2]`},
	{"propertyNames", `{type: object, propertyNames: {maxLength: 1}}`, `{"a":1}`, `{"ab":1}`},
	{"unevaluatedProperties", `{type: object, allOf: [{properties: {a: {}}}], unevaluatedProperties: false}`, `{"a":1}`, `{"b":1}`},
	{"unevaluatedProperties", `{properties: {a: {}}, unevaluatedProperties: false}`, `{"a":1}`, `{"b":1}`},
	{"null", `{type: string, nullable: true}`, `null "a"`, ``},
	{"null", `{type: string}`, ``, `null`},
	{"null", `{}`, `null`, ``},
	{"null", `{type: string, nullable: true, enum: [a]}`, ``, `null`},
	{"null", `{nullable: true, allOf: [{type: object}]}`, ``, `null`},
}

// Schemas of parameters, and how their values stand in a query.
var parameterTrials = map[string][]trial{
	"scalar": {
		{"required", `{type: string}`, `a`, `MISSING`},
		{"type", `{type: integer}`, `5`, `a 1.5`},
		{"type", `{type: boolean}`, `true`, `1 TRUE`},
		{"type", `{type: number}`, `1.5`, `a`},
		{"enum", `{type: string, enum: [a, b]}`, `a`, `c`},
		{"minimum", `{type: integer, minimum: 3}`, `3`, `2`},
		{"maximum", `{type: integer, maximum: 3}`, `3`, `4`},
		{"maxLength", `{type: string, maxLength: 2}`, `ab`, `abc`},
		{"minLength", `{type: string, minLength: 2}`, `ab`, `a`},
		{"pattern", `{type: string, pattern: '^a+$'}`, `aa`, `b`},
		{"format:date", `{type: string, format: date}`, `2024-02-29`, `2023-02-29`},
		{"format:uuid", `{type: string, format: uuid}`, `01234567-89ab-cdef-0123-456789abcdef`, `1`},
		{"format:int32", `{type: integer, format: int32}`, `2147483647`, `2147483648`},
		{"allowReserved", `{type: string}`, `a%2Bb a%3Ab`, ``},
	},
	"combined": {
		{"required", `{oneOf: [{type: integer}, {type: boolean}]}`, `5`, `MISSING`},
		{"oneOf", `{oneOf: [{type: integer}, {type: boolean}]}`, `5 true`, `a`},
		{"type", `{allOf: [{type: integer}]}`, `5`, `a`},
		{"minimum", `{allOf: [{type: integer}, {minimum: 3}]}`, `5`, `2`},
	},
	"array": {
		{"type", `{type: array, items: {type: integer}}`, `5,6`, `a 5,a`},
		{"required", `{type: array, items: {type: integer}}`, `5`, `MISSING`},
		{"maxItems", `{type: array, items: {type: integer}, maxItems: 1}`, `5`, `5,6`},
		{"uniqueItems", `{type: array, items: {type: integer}, uniqueItems: true}`, `5,6`, `5,5`},
		{"maxItems", `{type: array, items: {type: string}, maxItems: 1}`, `a`, `a,b`},
		{"uniqueItems", `{type: array, items: {type: string}, uniqueItems: true}`, `a,b`, `a,a`},
		{"enum", `{type: array, items: {type: string, enum: [a, b]}}`, `a,b`, `a,c`},
		{"minimum", `{type: array, items: {type: integer, minimum: 3}}`, `3,4`, `3,2`},
		{"pattern", `{type: array, items: {type: string, pattern: '^a+$'}}`, `a,aa`, `a,b`},
	},
	"object": {
		{"type", `{type: object, properties: {a: {type: integer}}}`, `a,5`, `a,x 5`},
		{"required", `{type: object, required: [a], properties: {a: {type: integer}}}`, `a,5`, `b,5`},
		{"required", `{type: object, properties: {a: {type: integer}}}`, `a,5`, `MISSING`},
		{"enum", `{type: object, properties: {a: {type: string, enum: [b]}}}`, `a,b`, `a,c`},
		{"minimum", `{type: object, properties: {a: {type: integer, minimum: 3}}}`, `a,3`, `a,2`},
		{"maximum", `{type: object, properties: {a: {type: integer, maximum: 3}}}`, `a,3`, `a,4`},
		{"minLength", `{type: object, properties: {a: {type: string, minLength: 2}}}`, `a,bb`, `a,b`},
		{"maxLength", `{type: object, properties: {a: {type: string, maxLength: 1}}}`, `a,b`, `a,bb`},
		{"pattern", `{type: object, properties: {a: {type: string, pattern: '^b+$'}}}`, `a,b`, `a,c`},
		{"maxProperties", `{type: object, maxProperties: 1, properties: {a: {type: string}, b: {type: string}}}`, `a,5`, `a,5,b,6`},
		{
			"additionalProperties", `{type: object, properties: {a: {type: integer}}, additionalProperties: false}`, `a,5`, `b,5`,
		},
	},
}

// What the second engine does with each keyword in each place: it looks if it accepts what is right and refuses what is
// wrong; it is blind if it accepts what is wrong, too; it errs if it refuses what is right. UPDATE=1 writes the table.
func TestEngineReach(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	note := func(place string, right, wrong []bool) { // whether each was refused
		was, verdict := found[place], "looks"
		switch {
		case slices.Contains(right, true) || was == "errs":
			verdict = "errs"
		case slices.Contains(wrong, false) || was == "blind" || was == "" && len(wrong) == 0:
			verdict = "blind"
		}
		found[place] = verdict
	}
	for _, tr := range bodyTrials {
		refuses := func(text string) bool {
			return secondRefuses(t, "", fmt.Sprintf(`{responses: {'200': {description: a, content: {application/json: {schema: `+
				`{type: object, properties: {v: %s}}}}}}}`, tr.schema), func(s engine.Schemas) ([]engine.Fault, error) {
				return s.ResponseBody(http.StatusOK, body.JSONType, []byte(`{"v":`+text+`}`))
			})
		}
		refusesAll := func(text string) bool {
			return secondRefuses(t, "", `{responses: {'200': {description: a, content: {application/json: {schema: `+tr.schema+`}}}}}`,
				func(s engine.Schemas) ([]engine.Fault, error) {
					return s.ResponseBody(http.StatusOK, body.JSONType, []byte(text))
				})
		}
		note("body "+tr.keyword, each(tr.right, refuses), each(tr.wrong, refuses))
		if tr.keyword != "null" { // there is a known case of it
			note("body "+tr.keyword, each(tr.right, refusesAll), each(tr.wrong, refusesAll))
		}
	}
	for _, in := range []string{"query", "path", "header", "cookie"} {
		for _, style := range stylesOf(in) {
			for shape, trials := range parameterTrials {
				for _, tr := range trials {
					if isPointless(in, style, shape, &tr) {
						continue
					}
					operation := fmt.Sprintf(`{parameters: [{name: p, in: %s, required: true, %s schema: %s}], `+
						`responses: {'204': {description: a}}}`, in, style, tr.schema)
					for _, version := range []string{"3.0.3", "3.1.0"} {
						refuses := func(text string) bool {
							return secondRefuses(t, version, operation, func(s engine.Schemas) ([]engine.Fault, error) {
								return s.Parameters(requestWith(in, style, shape, text))
							})
						}
						place := strings.Join(strings.Fields(in+" "+shape+" "+nameOfStyle(style)+" "+tr.keyword), " ")
						wrong := tr.wrong
						if place == "query array type" && style == "" { // a comma is a part of an item there
							wrong += " 5%2C6"
						}
						if place == "query array enum" && style == "" {
							wrong += " a%2Cb"
						}
						note(place, each(tr.right, refuses), each(wrong, refuses))
					}
				}
			}
		}
	}
	var text strings.Builder
	text.WriteString("# What libopenapi-validator does with keywords, by place: " +
		"TestEngineReach tries it, and UPDATE=1 writes it.\n")
	for _, place := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&text, "%-36s %s\n", place, found[place])
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("engine_reach.txt", []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(reachText, text.String()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

// The first engine of a user's own document looks everywhere: what it says of the trials is right.
func TestFirstEngineLooksEverywhere(t *testing.T) {
	t.Parallel()
	for _, tr := range bodyTrials {
		d := trialDocument(t, "", `{responses: {'200': {description: a, content: {application/json: {schema: `+tr.schema+`}}}}}`)
		schema := compiled(d, "/paths/~1x~1{p}/get/responses/200/content/application~1json/schema", response)
		if schema == nil {
			t.Fatalf("%s cannot be compiled", tr.schema)
		}
		refuses := func(text string) bool {
			value, err := body.DecodeJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			var f faultList
			f.jsonSchema(schema, value, nil)
			return len(f.list) > 0
		}
		if slices.Contains(each(tr.right, refuses), true) || slices.Contains(each(tr.wrong, refuses), false) {
			t.Errorf("%s: %s refused %v, %s refused %v", tr.schema, tr.right, each(tr.right, refuses), tr.wrong,
				each(tr.wrong, refuses))
		}
	}
	for _, in := range []string{"query", "path", "header", "cookie"} {
		for _, style := range stylesOf(in) {
			for shape, trials := range parameterTrials {
				for _, tr := range trials {
					if isPointless(in, style, shape, &tr) {
						continue
					}
					d := trialDocument(t, "", fmt.Sprintf(`{parameters: [{name: p, in: %s, required: true, %s schema: %s}], `+
						`responses: {'204': {description: a}}}`, in, style, tr.schema))
					refuses := func(text string) bool { return firstRefuses(d, requestWith(in, style, shape, text)) }
					if slices.Contains(each(tr.right, refuses), true) || slices.Contains(each(tr.wrong, refuses), false) {
						t.Errorf("%s %s %s: %s refused %v, %s refused %v", in, style, tr.schema, tr.right, each(tr.right, refuses),
							tr.wrong, each(tr.wrong, refuses))
					}
				}
			}
		}
	}
}

// isPointless reports whether a trial makes no sense in a place.
func isPointless(in, style, shape string, tr *trial) bool {
	return shape == "object" && (in == "cookie" || strings.Contains(style, "pipe")) ||
		tr.wrong == `MISSING` && in == "path" || tr.keyword == "allowReserved" && in != "query" ||
		in == "query" && shape != "array" && strings.Contains(style, "pipe") ||
		in == "cookie" && strings.Contains(tr.schema, "items: {type: string}, ") // a comma is a part of an item there
}

func each(texts string, refuses func(string) bool) (list []bool) {
	for text := range strings.FieldsSeq(texts) {
		list = append(list, refuses(text))
	}
	return list
}

func stylesOf(in string) []string {
	switch in {
	case "path":
		return []string{"", "style: label,", "style: matrix,"}
	case "query":
		return []string{"", "explode: false,", "style: pipeDelimited, explode: false,"}
	}
	return []string{""}
}

// nameOfStyle returns the style as the table has it.
func nameOfStyle(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "style: "), ",")
	return strings.TrimPrefix(name, "explode: false")
}

// requestWith returns a request that has a value of the parameter p, or none if the text is MISSING.
func requestWith(in, style, shape, text string) engine.Request {
	r := engine.Request{Path: "/x/a", Header: http.Header{}, Template: "/x/{p}"}
	plain, _ := url.QueryUnescape(text)
	switch {
	case text == "MISSING":
	case in == "query" && shape == "object" && style == "" && strings.Contains(text, ","):
		r.RawQuery = regexp.MustCompile(`([^,]+),([^,]+),?`).ReplaceAllString(text, "$1=$2&")
	case in == "query":
		if strings.Contains(style, "pipe") {
			text = strings.ReplaceAll(text, ",", "|")
		}
		if style == "" {
			text = strings.ReplaceAll(text, ",", "&p=")
		}
		r.RawQuery = "p=" + text
	case in == "header":
		r.Header.Set("P", strings.ReplaceAll(plain, ",", ", "))
	case in == "cookie":
		r.Header.Set("Cookie", "p="+plain)
	case strings.Contains(style, "label"):
		r.Path = "/x/." + plain
	case strings.Contains(style, "matrix"):
		r.Path = "/x/;p=" + plain
	default:
		r.Path = "/x/" + plain
	}
	r.RawPath = r.Path
	return r
}

// trialDocument returns a user's own document with one operation; of the version that it needs if that is empty.
func trialDocument(t *testing.T, version, operation string) *specs.Document {
	t.Helper()
	version = stdcmp.Or(version, "3.0.3")
	for _, newer := range []string{"const", "contains", "propertyNames", "dependent", "unevaluated"} {
		if strings.Contains(operation, newer) {
			version = "3.1.0"
		}
	}
	text := `{openapi: ` + version + `, info: {title: t, version: '1'}, paths: {'/x/{p}': {get: ` + operation + `}}, components: {schemas: {` +
		`Cat: {type: object, properties: {kind: {type: string}}}, Dog: {type: object, properties: {kind: {type: string}}}}}}`
	d, err := specs.Parse("trial", "trial.yaml", []byte(text), specs.Neutral)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func secondRefuses(
	t *testing.T, version, operation string, ask func(engine.Schemas) ([]engine.Fault, error),
) bool {
	t.Helper()
	d := trialDocument(t, version, operation)
	schemas, err := schemasOf(libopenapi.New(), d.Operations[0])
	if err != nil {
		t.Fatal(err)
	}
	faults, err := ask(schemas)
	if err != nil {
		t.Fatal(err)
	}
	return len(faults) > 0
}

func firstRefuses(d *specs.Document, r engine.Request) bool {
	op := d.Operations[0]
	m := message{op: op, side: request, documentedBody: &documentedBody{}}
	for name, values := range r.Header {
		m.headers = append(m.headers, [2]string{name, values[0]})
	}
	owner := &ownership.Owner{Match: d.Find(http.MethodGet, r.RawPath), Path: r.RawPath, Query: r.RawQuery}
	query, _ := url.ParseQuery(r.RawQuery)
	p := &parameters{message: m, owner: owner, query: query, ignores: func(string) bool { return false }}
	f := kinOnParameters(p)
	return len(f.list) > 0
}
