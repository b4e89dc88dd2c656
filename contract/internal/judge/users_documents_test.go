package judge_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// exampleOf is an exchange with a user's own document, and what is found.
type exampleOf struct {
	version  string // of OpenAPI; 3.0.3 by default
	paths    string // of the document, in YAML
	parts    string // its components and other keys
	line     string // GET /x by default
	headers  recording.Headers
	kind     string   // Content-Type of the request; JSON by default
	request  string   // its body; empty for none
	status   int      // 200 by default
	answered string   // Content-Type of the answer; JSON by default
	answer   string   // its body; empty for none
	cookies  []string // that the answer sets
	folder   string   // of the document; a new one by default
	want     []string
}

// answers is a document of one operation whose answers have a schema.
func answers(schema string) string {
	return `{/x: {get: {responses: {'200': {description: a, content: {application/json: {schema: ` + schema + `}}}}}}}`
}

// asks is a document of one operation with parameters.
func asks(parameters string) string {
	return `{/x: {get: {parameters: [` + parameters + `], responses: {'200': {description: a}}}}}`
}

// takes is a document of one operation that takes bodies.
func takes(content string) string {
	return `{/x: {post: {requestBody: {required: true, content: ` + content + `}, responses: {'200': {description: a}}}}}`
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (u *exampleOf) item() record.Item {
	method, path, _ := strings.Cut(or(u.line, "GET /x"), " ")
	e := &recording.Exchange{
		Request:  recording.Request{Method: method, URL: "https://h.example" + path, Headers: u.headers},
		Response: &recording.Response{Status: 200, Headers: recording.Headers{{"Date", "today"}}},
	}
	if u.status != 0 {
		e.Response.Status = u.status
	}
	for _, cookie := range u.cookies {
		e.Response.Headers = append(e.Response.Headers, [2]string{"Set-Cookie", cookie})
	}
	if u.request != "" {
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", or(u.kind, "application/json")})
		e.Request.Body = &recording.Body{Bytes: []byte(u.request)}
	}
	if u.answer != "" {
		e.Response.Headers = append(e.Response.Headers, [2]string{"Content-Type", or(u.answered, "application/json")})
		e.Response.Body = &recording.Body{Bytes: []byte(u.answer)}
	}
	return record.Item{Exchange: e, Position: record.Position{File: "example", Number: 1, Line: 1}}
}

func (u *exampleOf) judge(t *testing.T, undeclared bool) *judge.Result {
	t.Helper()
	text := fmt.Sprintf("{openapi: %s, info: {title: t, version: '1'}, paths: %s%s}", or(u.version, "3.0.3"), u.paths, u.parts)
	file := filepath.Join(or(u.folder, t.TempDir()), "shop.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := specs.LoadFile("shop", file, specs.Neutral)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	j, err := judge.New(judge.Config{
		Documents: []*specs.Document{d}, Engine: libopenapi.New(), Undeclared: undeclared,
		Bases: map[specs.Interface][]string{"shop": {"https://h.example"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return j.Exchange(u.item())
}

func testExamples(t *testing.T, cases map[string]exampleOf) {
	t.Helper()
	for name, u := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(u.want, findingLines(u.judge(t, false))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func bearerOf(value string) recording.Headers { return recording.Headers{{"Authorization", value}} }

func undeclaredQuery(name string) []string {
	return []string{fmt.Sprintf("warning undeclared-field /request/query/%s: query parameter %q is not documented", name, name)}
}

// JSON Schema 2020-12 Validation, 6.3.3: patterns are those of ECMA-262.
func TestAPatternThatCannotBeCompiledIsNotJudged(t *testing.T) {
	t.Parallel()
	object := func(v string) string { return answers(`{type: object, properties: {v: ` + v + `}}`) }
	testExamples(t, map[string]exampleOf{
		"a character by its number":    {paths: object(`{type: string, pattern: '^[\u00e4-\u00fc]+$'}`), answer: `{"v":"äü"}`},
		"one that is not in the range": {paths: object(`{type: string, pattern: '^[\u00e4-\u00fc]+$'}`), answer: `{"v":"a"}`, want: []string{`error schema /response/body/v: string doesn't match the regular expression "^[\\u00e4-\\u00fc]+$"`}},
		"3.1, by its number":           {version: "3.1.0", paths: object(`{type: string, pattern: '\u0041'}`), answer: `{"v":"A"}`},
		"one with a reference back":    {version: "3.1.0", paths: object(`{type: string, pattern: '(a)\1'}`), answer: `{"v":"b"}`},
		"a pattern of names":           {version: "3.1.0", paths: answers(`{type: object, patternProperties: {'^(?!x)': {type: integer}}, additionalProperties: false}`), answer: `{"a":1}`},
		"a property that has the name": {paths: answers(`{type: object, properties: {pattern: {type: string, maxLength: 1}}}`), answer: `{"pattern":"(?!"}`, want: []string{"error schema /response/body/pattern: maximum string length is 1"}},
		"a look that is repeated":      {paths: object(`{type: string, pattern: '^(?!a)*b$'}`), answer: `{"v":"ab"}`},
		"a look in a look":             {paths: object(`{type: string, pattern: '^(?!(?=a)a)b$'}`), answer: `{"v":"a"}`},
	})
}

// ECMA-262, 22.2.1, Assertion.
func TestPatternsThatLookAround(t *testing.T) {
	t.Parallel()
	const password = `^(?=.*[a-z])(?=.*\d)(?!.*\s).{4,8}$`
	for name, tt := range map[string]struct{ pattern, fits, not string }{
		"ahead":                         {`^(?!a)`, "ba", "ab"},
		"ahead, for what is there":      {`^(?=a)`, "ab", "ba"},
		"all that a password wants":     {password, "abc1", "abcd"},
		"its length":                    {password, "abc1", "ab1"},
		"what it must not have":         {password, "abc1", "ab 1"},
		"nothing but looks":             {`^(?=.*[a-z])(?=.*\d)`, "1a", "a"},
		"looks anywhere":                {`(?=.*[a-z])(?=.*\d).{4}`, "abc1", "abcd"},
		"behind":                        {`^[a-z-]+(?<!-)$`, "a-b", "a-"},
		"behind, for what is there":     {`^\w+(?<=ed)$`, "fled", "flee"},
		"both":                          {`^(?!-)[a-z-]+(?<!-)$`, "a-b", "-b"},
		"in the middle":                 {`^a(?=b)\w+$`, "abc", "acb"},
		"a word before":                 {`(?<=a)b`, "ab", "bc"},
		"within a group, without it":    {`^(?:(?!ab)\w)+$`, "ac", "a-"},
		"in an alternative, without it": {`^(?!x)a$|^b$`, "b", "c"},
		"a class with a bracket":        {`^(?![)])[()]+$`, "()", ")("},
		"with what is escaped":          {`^(?!\()[()]+$`, ")(", "()"},
		"alternatives in a look":        {`^(?!con$|nul$)[a-z]+$`, "cons", "nul"},
		"what none fits":                {`^(?!)$|^a$`, "a", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range []string{"3.0.3", "3.1.0"} {
				for text, isWrong := range map[string]bool{tt.fits: false, tt.not: true} {
					paths := answers(`{type: object, properties: {v: {type: string, pattern: '` + tt.pattern + `'}}}`)
					u := exampleOf{version: version, paths: paths, answer: `{"v":"` + text + `"}`}
					lines := findingLines(u.judge(t, true))
					if isWrong != (len(lines) == 1 && strings.HasPrefix(lines[0], "error schema /response/body/v: ")) ||
						!isWrong && len(lines) > 0 {
						t.Errorf("%s, %s: findings %q", version, text, lines)
					}
				}
			}
		})
	}
}

// Parameter Object, name: definitions of these are ignored.
func TestHeadersThatOtherPartsOfTheDocumentDescribe(t *testing.T) {
	t.Parallel()
	needed := func(name string) string {
		return asks(`{name: ` + name + `, in: header, required: true, schema: {type: integer}}`)
	}
	testExamples(t, map[string]exampleOf{
		"Accept":                         {paths: needed("Accept")},
		"accept":                         {paths: needed("accept"), headers: recording.Headers{{"Accept", "*/*"}}},
		"Content-Type":                   {paths: needed("Content-Type")},
		"CONTENT-TYPE":                   {paths: needed("CONTENT-TYPE")},
		"Authorization":                  {paths: needed("Authorization")},
		"authorization, which is there":  {paths: needed("authorization"), headers: bearerOf("Basic a")},
		"3.1":                            {version: "3.1.0", paths: needed("Accept")},
		"another header":                 {paths: needed("Accept-Language"), want: []string{`error schema /request/header/Accept-Language: header parameter "Accept-Language" is missing`}},
		"a query parameter of that name": {paths: asks(`{name: Accept, in: query, required: true, schema: {type: integer}}`), want: []string{`error schema /request/query/Accept: query parameter "Accept" is missing`}},
	})
}

// RFC 9110, 8.3.1.
func TestMediaTypesAreComparedByTheirParts(t *testing.T) {
	t.Parallel()
	keyed := func(keys ...string) string {
		var content strings.Builder
		for i, key := range keys {
			fmt.Fprintf(&content, "'%s': {schema: {type: object, required: [k%d]}},", key, i)
		}
		return `{/x: {get: {responses: {'200': {description: a, content: {` + content.String() + `}}}}}}`
	}
	testExamples(t, map[string]exampleOf{
		"a charset in capitals":         {paths: keyed("application/json;charset=utf-8"), answered: `application/json; charset="UTF-8"`, answer: `{"k0":1}`},
		"no charset":                    {paths: keyed("application/json; charset=utf-8"), answered: "application/json", answer: `{"k0":1}`},
		"a name in capitals":            {paths: keyed("Application/JSON"), answered: "application/json", answer: `{"k0":1}`},
		"blanks":                        {paths: keyed("application/json ; charset=utf-8"), answered: "application/json;charset=utf-8", answer: `{"k0":1}`},
		"the version that is stated":    {paths: keyed("application/json;v=1", "application/json;v=2"), answered: "application/json; v=2", answer: `{"k1":1}`},
		"a type before a range":         {paths: keyed("*/*", "application/*", "application/json"), answer: `{"k2":1}`},
		"a range before all":            {paths: keyed("*/*", "application/*"), answered: "application/vnd.a+json", answer: `{"k1":1}`},
		"a range of a suffix":           {paths: keyed("application/*", "application/*+json"), answered: "application/problem+json", answer: `{"k1":1}`},
		"what is not in that":           {paths: keyed("application/*", "application/*+json"), answered: "application/json", answer: `{"k0":1}`},
		"another suffix":                {paths: keyed("application/*+json"), answered: "application/a+xml", answer: `<a/>`, want: []string{`error undocumented-media-type /response/headers/Content-Type: the response has Content-Type "application/a+xml"; documented: application/*+json`}},
		"a version that is not there":   {paths: keyed("application/json;v=1"), answered: "application/json;v=3", answer: `{"k0":1}`, want: []string{`error undocumented-media-type /response/headers/Content-Type: the response has Content-Type "application/json;v=3"; documented: application/json;v=1`}},
		"a body that is wrong under it": {paths: keyed("APPLICATION/json"), answer: `{}`, want: []string{`error schema /response/body/k0: property "k0" is missing`}},
	})
}

// Responses Object, default: it may be the only one, and then says what a success is like.
func TestADefaultOfSuccessSaysNothingOfErrors(t *testing.T) {
	t.Parallel()
	only := func(more string) string {
		return `{/x: {get: {responses: {` + more + `default: {description: a, content: {application/json: {schema: ` +
			`{type: object, required: [a]}}}}}}}}`
	}
	const wrong, ok = `error schema /response/body/a: property "a" is missing`, `'200': {description: a}, `
	testExamples(t, map[string]exampleOf{
		"an error of another type":  {paths: only(""), status: 404, answered: "application/problem+json", answer: `{"title":"gone"}`},
		"an error of the same type": {paths: only(""), status: 500, answer: `{"title":"wrong"}`},
		"a success":                 {paths: only(""), answer: `{"title":"one"}`, want: []string{wrong}},
		"an error beside a success": {paths: only(ok), status: 404, answer: `{"title":"gone"}`, want: []string{wrong}},
	})
}

const pets = `, components: {schemas: {
	Cat: {type: object, required: [kind], properties: {kind: {type: string}, claws: {type: integer}}},
	Dog: {type: object, required: [kind], properties: {kind: {type: string}, claws: {type: string}}},
	Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}}}`

// Discriminator Object.
func TestNamesOfSchemasAreValuesOfADiscriminator(t *testing.T) {
	t.Parallel()
	chosen := func(keyword, mapping string) string {
		return answers(`{` + keyword + `: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], ` +
			`discriminator: {propertyName: kind` + mapping + `}}`)
	}
	const partial = ", mapping: {dog: '#/components/schemas/Dog'}"
	none := []string{`error schema /response/body: value doesn't match any schema from "oneOf"`}
	testExamples(t, map[string]exampleOf{
		"a name without a mapping":        {paths: chosen("oneOf", ""), parts: pets, answer: `{"kind":"Cat","claws":1}`},
		"a name beside a mapping":         {paths: chosen("oneOf", partial), parts: pets, answer: `{"kind":"Cat","claws":1}`},
		"the name of one that is mapped":  {paths: chosen("anyOf", partial), parts: pets, answer: `{"kind":"Dog","claws":"a"}`},
		"a mapping to a name":             {paths: chosen("oneOf", ", mapping: {hund: Dog}"), parts: pets, answer: `{"kind":"hund","claws":"a"}`},
		"two that both fit without it":    {version: "3.1.0", paths: chosen("oneOf", ""), parts: pets, answer: `{"kind":"Cat"}`},
		"one that is neither":             {paths: chosen("oneOf", partial), parts: pets, answer: `{"kind":"Bird"}`, want: none},
		"a member of the other":           {paths: chosen("oneOf", partial), parts: pets, answer: `{"kind":"dog","claws":1}`, want: []string{"error schema /response/body/claws: value must be a string"}},
		"one of which the kind is absent": {paths: chosen("oneOf", ""), parts: pets, answer: `{"claws":1}`, want: none},
	})
}

// Discriminator Object: what an alternative says itself of the property decides, where no name is given.
func TestSchemasMaySayThemselvesWhichValuesOfADiscriminatorTheyHave(t *testing.T) {
	t.Parallel()
	const parts = `, components: {schemas: {
	Usage: {type: object, required: [kind], properties: {kind: {type: string, enum: [org.usage]}, tokens: {type: integer}}},
	Costs: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {kind: {enum: [org.costs]}, amount: {type: number}}}]},
	Base: {type: object, required: [kind], properties: {kind: {type: string}}}}}`
	alternatives := func(keyword, last string) string {
		return answers(`{` + keyword + `: [{$ref: '#/components/schemas/Usage'}, {$ref: '#/components/schemas/` + last + `'}], ` +
			`discriminator: {propertyName: kind}}`)
	}
	const fixed = `, components: {schemas: {
	Usage: {type: object, required: [kind], properties: {kind: {const: org.usage}, tokens: {type: integer}}},
	Costs: {type: object, required: [kind], properties: {kind: {const: org.costs}, amount: {type: number}}}}}`
	none := []string{`error schema /response/body: value doesn't match any schema from "oneOf"`}
	testExamples(t, map[string]exampleOf{
		"an enum":                         {paths: alternatives("oneOf", "Costs"), parts: parts, answer: `{"kind":"org.usage","tokens":1}`},
		"an enum in a part of an allOf":   {paths: alternatives("oneOf", "Costs"), parts: parts, answer: `{"kind":"org.costs","amount":1}`},
		"an enum, and any":                {paths: alternatives("anyOf", "Costs"), parts: parts, answer: `{"kind":"org.usage","tokens":1}`},
		"a const":                         {version: "3.1.0", paths: alternatives("oneOf", "Costs"), parts: fixed, answer: `{"kind":"org.costs","amount":1}`},
		"beside one that has a name":      {paths: alternatives("oneOf", "Base"), parts: parts, answer: `{"kind":"Base"}`},
		"the name, where an enum decides": {paths: alternatives("oneOf", "Costs"), parts: parts, answer: `{"kind":"Usage"}`, want: none},
		"none of them":                    {paths: alternatives("oneOf", "Base"), parts: parts, answer: `{"kind":"other"}`, want: []string{"error schema /response/body/kind: value is not one of the allowed values"}},
	})
}

// A text stands for itself, and for nothing else that OpenAPI would define.
func TestATextWhoseSchemaIsNoStringIsNotJudged(t *testing.T) {
	t.Parallel()
	typed := func(kind, schema string) string {
		return `{/x: {get: {responses: {'200': {description: a, content: {` + kind + `: {schema: ` + schema + `}}}}}}}`
	}
	undefined := func(kind string) []string {
		return []string{"inconclusive schema /response/body: the schema is not one of a string, and how " + kind +
			" stands for another value is not defined"}
	}
	const stream = "data: {\"a\":1}\n\n"
	testExamples(t, map[string]exampleOf{
		"events of an object":      {paths: typed("text/event-stream", `{type: object}`), answered: "text/event-stream", answer: stream, want: undefined("text/event-stream")},
		"events without a type":    {paths: typed("text/event-stream", `{properties: {a: {}}}`), answered: "text/event-stream", answer: stream, want: undefined("text/event-stream")},
		"events of alternatives":   {version: "3.1.0", paths: typed("text/event-stream", `{oneOf: [{type: object}, {type: array, items: {}}]}`), answered: "text/event-stream", answer: stream, want: undefined("text/event-stream")},
		"a number":                 {paths: typed("text/plain", `{type: integer}`), answered: "text/plain", answer: "5", want: undefined("text/plain")},
		"a list in CSV":            {paths: typed("text/csv", `{type: array, items: {type: object}}`), answered: "text/csv", answer: "a,b", want: undefined("text/csv")},
		"a text":                   {paths: typed("text/plain", `{type: string, maxLength: 3}`), answered: "text/plain", answer: "abc"},
		"a text that is too long":  {paths: typed("text/plain", `{type: string, maxLength: 2}`), answered: "text/plain", answer: "abc", want: []string{"error schema /response/body: maximum string length is 2"}},
		"a text or a number, 3.1":  {version: "3.1.0", paths: typed("text/plain", `{type: [string, integer]}`), answered: "text/plain", answer: "abc"},
		"a text in an alternative": {paths: typed("text/html", `{anyOf: [{type: object}, {type: string}]}`), answered: "text/html", answer: "<p>"},
	})
}

// 3.0, Schema Object, readOnly: SHOULD NOT be sent. JSON Schema 2020-12 Validation, 9.4.
func TestReadOnlyInARequestIsAWarning(t *testing.T) {
	t.Parallel()
	const id = `{type: object, required: [id], properties: {id: {type: integer, readOnly: true}, in: {$ref: '#/components/schemas/In'}}}`
	const parts = `, components: {schemas: {In: {type: object, properties: {at: {type: string, readOnly: true}, pin: {type: string, writeOnly: true}, password: {type: string, writeOnly: true}}}}}`
	sent := takes(`{application/json: {schema: ` + id + `}}`)
	shown := answers(`{$ref: '#/components/schemas/In'}`)
	testExamples(t, map[string]exampleOf{
		"a number that is sent back":  {paths: sent, parts: parts, line: "POST /x", request: `{"id":1}`, want: []string{`warning schema /request/body/id: readOnly property "id" in request`}},
		"3.1":                         {version: "3.1.0", paths: sent, parts: parts, line: "POST /x", request: `{"id":1}`, want: []string{`warning schema /request/body/id: readOnly property "id" in request`}},
		"below":                       {paths: sent, parts: parts, line: "POST /x", request: `{"in":{"at":"a"}}`, want: []string{`warning schema /request/body/in/at: readOnly property "at" in request`}},
		"required, and not sent":      {paths: sent, parts: parts, line: "POST /x", request: `{}`},
		"of a wrong type as well":     {paths: sent, parts: parts, line: "POST /x", request: `{"id":"1"}`, want: []string{"error schema /request/body/id: value must be an integer", `warning schema /request/body/id: readOnly property "id" in request`}},
		"writeOnly in an answer":      {paths: shown, parts: parts, answer: `{"pin":"1"}`, want: []string{`warning schema /response/body/pin: writeOnly property "pin" in response`}},
		"a secret in an answer":       {paths: shown, parts: parts, answer: `{"password":"1"}`, want: []string{`error schema /response/body/password: writeOnly property "password" in response`}},
		"readOnly in an answer":       {paths: shown, parts: parts, answer: `{"at":"a"}`},
		"required, and not answered":  {paths: answers(id), parts: parts, answer: `{}`, want: []string{`error schema /response/body/id: property "id" is missing`}},
		"writeOnly, which is sent":    {paths: takes(`{application/json: {schema: {$ref: '#/components/schemas/In'}}}`), parts: parts, line: "POST /x", request: `{"pin":"1"}`},
		"3.1, required, and not sent": {version: "3.1.0", paths: sent, parts: parts, line: "POST /x", request: `{}`},
	})
}

// 3.0, Schema Object, additionalProperties: true by default; JSON Schema 2020-12, 10.3.2.3.
func TestUndeclaredMembersAreNoErrorUnlessTheUserAsks(t *testing.T) {
	t.Parallel()
	const object = `{type: object, properties: {a: {type: string}}}`
	note := func(at, name string) []string {
		return []string{fmt.Sprintf("notice undeclared-field /response/body%s/%s: field %q is not documented", at, name, name)}
	}
	cases := map[string]exampleOf{
		"a member of an answer":     {paths: answers(object), answer: `{"b":1}`, want: note("", "b")},
		"3.1":                       {version: "3.1.0", paths: answers(object), answer: `{"b":1}`, want: note("", "b")},
		"below":                     {paths: answers(`{type: object, properties: {in: ` + object + `}}`), answer: `{"in":{"c":1}}`, want: note("/in", "c")},
		"in a list":                 {paths: answers(`{type: array, items: ` + object + `}`), answer: `[{"c":1}]`, want: note("/0", "c")},
		"a member of a request":     {paths: takes(`{application/json: {schema: ` + object + `}}`), line: "POST /x", request: `{"b":1}`, want: []string{`notice undeclared-field /request/body/b: field "b" is not documented`}},
		"one that a subtype has":    {paths: answers(`{$ref: '#/components/schemas/Pet'}`), parts: pets, answer: `{"kind":"Cat","claws":1}`},
		"one that then has":         {version: "3.1.0", paths: answers(`{type: object, properties: {a: {}}, if: {required: [a]}, then: {properties: {b: {}}}}`), answer: `{"a":1,"b":1}`},
		"one that else requires":    {version: "3.1.0", paths: answers(`{type: object, properties: {a: {}}, if: {required: [a]}, else: {required: [b]}}`), answer: `{"b":1}`},
		"one that depends":          {version: "3.1.0", paths: answers(`{type: object, properties: {a: {}}, dependentSchemas: {a: {properties: {b: {}}}}}`), answer: `{"a":1,"b":1}`},
		"one of a pattern":          {version: "3.1.0", paths: answers(`{type: object, properties: {a: {}}, patternProperties: {'^b': {}}}`), answer: `{"b":1}`},
		"an object without members": {paths: answers(`{type: object}`), answer: `{"b":1}`},
		"an object that is open":    {paths: answers(`{type: object, properties: {a: {}}, additionalProperties: true}`), answer: `{"b":1}`},
		"a parameter of the query":  {paths: asks(``), line: "GET /x?b=1", want: undeclaredQuery("b")},
		"an object that is closed":  {paths: answers(`{type: object, additionalProperties: false}`), answer: `{"b":1}`, want: []string{`error schema /response/body/b: property "b" is unsupported`}},
	}
	testExamples(t, cases)
	for name, u := range cases {
		t.Run(name+", which is asked for", func(t *testing.T) {
			t.Parallel()
			var loud []string
			for _, line := range u.want {
				loud = append(loud, "error"+line[strings.IndexByte(line, ' '):])
			}
			if diff := cmp.Diff(loud, findingLines(u.judge(t, true))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Parameter Object, style: how lists and objects are written in lists and objects is not defined.
func TestNestedListsInAQueryAreNotJudged(t *testing.T) {
	t.Parallel()
	undefined := []string{"inconclusive schema /request/body: OpenAPI does not define how lists and objects in a list or an " +
		"object are written at /paths/~1x/get/parameters/0"}
	of := func(style, schema string) string {
		return asks(`{name: t, in: query,` + style + ` schema: ` + schema + `}`)
	}
	testExamples(t, map[string]exampleOf{
		"objects in a list":            {paths: of("", `{type: array, items: {type: object, properties: {n: {type: string}}}}`), line: "GET /x?t=a&t=b", want: undefined},
		"objects as JSON in a list":    {paths: of(" explode: false,", `{type: array, items: {type: object}}`), line: "GET /x?t=%7B%22n%22:1%7D", want: undefined},
		"lists in a list":              {version: "3.1.0", paths: of("", `{type: array, items: {type: array, items: {type: integer}}}`), line: "GET /x?t=1,2", want: undefined},
		"a list in an object":          {paths: of(" style: deepObject,", `{type: object, properties: {a: {type: array, items: {type: integer}}}}`), line: "GET /x?t[a]=x", want: undefined},
		"an object that is referred":   {paths: of("", `{type: array, items: {$ref: '#/components/schemas/Cat'}}`), parts: pets, line: "GET /x?t=a", want: undefined},
		"a list in an object, by name": {paths: of(" style: deepObject,", `{type: object, properties: {a: {type: array, items: {type: integer}}}}`), line: "GET /x?t[a]=1&t[a]=2"},
		"texts in a list":              {paths: of("", `{type: array, items: {type: integer}}`), line: "GET /x?t=a", want: []string{`error schema /request/query/t/0: query parameter "t": value must be an integer`}},
		"none":                         {paths: of("", `{type: array, items: {type: object}}`)},
	})
}

// 3.1, Operation Object: responses may be absent. In 3.0 they must not, and what is answered is not documented.
func TestResponsesMayBeAbsent(t *testing.T) {
	t.Parallel()
	none := func(status int) []string {
		return []string{fmt.Sprintf("error undocumented-status /response/status: status %d is not documented", status)}
	}
	testExamples(t, map[string]exampleOf{
		"no responses":         {version: "3.1.0", paths: `{/x: {get: {summary: a}}}`},
		"no responses, a body": {version: "3.1.1", paths: `{/x: {get: {summary: a}}}`, answer: `{"a":1}`},
		"an error":             {version: "3.1.0", paths: `{/x: {get: {summary: a}}}`, status: 404},
		"none of any status":   {version: "3.1.0", paths: `{/x: {get: {responses: {}}}}`, status: 204},
		"3.2":                  {version: "3.2.0", paths: `{/x: {get: {summary: a}}}`},
		"another status":       {version: "3.1.0", paths: `{/x: {get: {responses: {'200': {description: a}}}}}`, status: 204, want: none(204)},
		"3.0":                  {paths: `{/x: {get: {summary: a}}}`, status: 204, want: none(204)},
	})
}

// Path Item and Operation Object, servers: they take the places of the document's.
func TestServersOfPathsAndOperationsAreBaseAddresses(t *testing.T) {
	t.Parallel()
	const paths = `{/x: {servers: [{url: 'https://other.example'}], get: {responses: {'200': {description: a}}}, ` +
		`put: {servers: [{url: 'https://third.example'}], responses: {'200': {description: a}}}}, ` +
		`/y: {get: {responses: {'200': {description: a}}}}}`
	text := `{openapi: 3.0.3, info: {title: t, version: '1'}, servers: [{url: 'https://h.example'}], paths: ` + paths + `}`
	d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	bases := append(d.ServerURLs(), "https://staging.example")
	for _, op := range d.Operations {
		bases = append(bases, op.ServerURLs()...)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}, Bases: map[specs.Interface][]string{"shop": bases}})
	if err != nil {
		t.Fatal(err)
	}
	for line, isMatched := range map[string]bool{
		"GET https://other.example/x": true, "GET https://h.example/x": false, "PUT https://third.example/x": true,
		"PUT https://other.example/x": false, "GET https://h.example/y": true, "GET https://other.example/y": false,
		"GET http://OTHER.example:80/x": true,
		// an installation that the document does not name answers everything
		"GET https://staging.example/x": true, "PUT https://staging.example/x": true, "GET https://staging.example/y": true,
	} {
		method, address, _ := strings.Cut(line, " ")
		e := &recording.Exchange{Request: recording.Request{Method: method, URL: address}}
		if got := j.Match(record.Item{Exchange: e}).Operation() != nil; got != isMatched {
			t.Errorf("%s belongs to an operation: %v", line, got)
		}
	}
}

// Server Variable Object, enum: without one, a variable may have any value.
func TestServersOfAnyTenantAreBaseAddresses(t *testing.T) {
	t.Parallel()
	const text = `{openapi: 3.0.3, info: {title: t, version: '1'}, servers: [{url: 'https://{t}.h.example/v1', ` +
		`variables: {t: {default: demo}}}], paths: {/x: {get: {responses: {'200': {description: a}}}}, ` +
		`/y: {servers: [{url: 'https://{t}.files.h.example', variables: {t: {default: demo}}}], ` +
		`get: {responses: {'200': {description: a}}}}}}`
	d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	bases := d.ServerURLs()
	for _, op := range d.Operations {
		bases = append(bases, op.ServerURLs()...)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}, Bases: map[specs.Interface][]string{"shop": bases}})
	if err != nil {
		t.Fatal(err)
	}
	sites := map[string]bool{}
	for address, isMatched := range map[string]bool{
		"https://demo.h.example/v1/x": true, "https://acme.h.example/v1/x": true, "https://ACME-2.h.example:443/v1/x": true,
		"https://h.example/v1/x": false, "https://a.b.h.example/v1/x": false, "https://acme.i.example/v1/x": false,
		"https://acme.h.example/v1/y": false, "https://acme.files.h.example/y": true, "https://acme.files.h.example/x": false,
	} {
		e := &recording.Exchange{Request: recording.Request{Method: "GET", URL: address}}
		got := j.Match(record.Item{Exchange: e})
		if (got.Operation() != nil) != isMatched {
			t.Errorf("%s belongs to an operation: %v", address, !isMatched)
		}
		if isMatched {
			sites[got.Owner.Site] = true
		}
	}
	if len(sites) != 4 {
		t.Errorf("each host is a place of its own; got %v", slices.Sorted(maps.Keys(sites)))
	}
}

// 3.2, Path Item Object.
func TestMethodsOfVersion32(t *testing.T) {
	t.Parallel()
	const paths = `{/x: {query: {parameters: [{name: q, in: query, schema: {type: integer}}], responses: {'200': {description: a}}}, ` +
		`additionalOperations: {COPY: {responses: {'204': {description: a}}}, Lock: {responses: {'200': {description: a}}}}}}`
	undocumented := func(line string) []string {
		return []string{"error undocumented-operation /request/url: " + line}
	}
	testExamples(t, map[string]exampleOf{
		"query":                     {version: "3.2.0", paths: paths, line: "QUERY /x?q=1"},
		"query with a wrong number": {version: "3.2.0", paths: paths, line: "QUERY /x?q=a", want: []string{`error schema /request/query/q: query parameter "q": value must be an integer`}},
		"copy":                      {version: "3.2.0", paths: paths, line: "COPY /x", status: 204},
		"copy with another status":  {version: "3.2.0", paths: paths, line: "COPY /x", want: []string{"error undocumented-status /response/status: status 200 is not documented"}},
		"a method in small letters": {version: "3.2.0", paths: paths, line: "Lock /x"},
		"one that is not there":     {version: "3.2.0", paths: paths, line: "MOVE /x", want: undocumented("MOVE is not documented for /x, only QUERY, COPY, Lock")},
	})
}

// Where engines differ, and one of them is known not to look or to be wrong, the other's word is certain.
func TestAVoteCountsOnlyWhereAnEngineLooks(t *testing.T) {
	t.Parallel()
	cookie := func(schema string) string {
		return asks(`{name: sid, in: cookie, required: true, schema: ` + schema + `}`)
	}
	query := func(schema string) string { return asks(`{name: q, in: query, schema: ` + schema + `}`) }
	path := func(style, schema string) string {
		return `{'/x{p}': {get: {parameters: [{name: p, in: path, required: true, style: ` + style + `, schema: ` + schema + `}], responses: {'200': {description: a}}}}}`
	}
	testExamples(t, map[string]exampleOf{
		"a cookie that is missing":       {paths: cookie(`{type: string}`), want: []string{`error schema /request/cookie/sid: cookie parameter "sid" is missing`}},
		"an object that is missing":      {paths: asks(`{name: q, in: query, required: true, schema: {type: object, properties: {a: {type: integer}}}}`), want: wrongQuery(" is missing")},
		"a cookie that is no number":     {paths: cookie(`{type: integer}`), headers: recording.Headers{{"Cookie", `sid="5"`}}, want: []string{`error schema /request/cookie/sid: cookie parameter "sid": value must be an integer`}},
		"a cookie that was taken out":    {paths: cookie(`{type: integer}`), headers: recording.Headers{{"Cookie", recording.Mark + ":1a2b]"}}},
		"allOf of a parameter":           {paths: query(`{allOf: [{type: integer}, {minimum: 3}]}`), line: "GET /x?q=5"},
		"allOf that is wrong":            {paths: query(`{allOf: [{type: integer}, {maximum: 3}]}`), line: "GET /x?q=5", want: []string{`error schema /request/query/q: query parameter "q": number must be at most 3`}},
		"oneOf of a parameter":           {paths: query(`{oneOf: [{type: boolean}, {type: integer}]}`), line: "GET /x?q=7"},
		"a day that is none":             {paths: answers(`{type: string, format: date}`), answer: `"2025-02-29"`, want: []string{`error schema /response/body: string doesn't match the format "date"`}},
		"a number in one of two schemas": {paths: answers(`{anyOf: [{type: array, items: {}}, {type: object, properties: {n: {type: integer, format: int32}}}]}`), answer: `{"n":2147483648}`, want: []string{`error schema /response/body: value doesn't match any schema from "anyOf"`}},
		"a name in one of two schemas":   {paths: answers(`{oneOf: [{type: array, items: {}}, {type: object, properties: {p: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: k}}}}]}`), parts: `, components: {schemas: {A: {type: object, required: [k, a], properties: {k: {type: string}}}, B: {type: object, required: [k, b], properties: {k: {type: string}}}}}`, answer: `{"p":{"k":"A","b":1}}`, want: []string{`error schema /response/body: value doesn't match any schema from "oneOf"`}},
		"a leap day":                     {paths: answers(`{type: string, format: date-time}`), answer: `"2024-02-29t12:00:00.5z"`},
		"numbers that are equal":         {paths: answers(`{type: array, uniqueItems: true, items: {}}`), answer: `[2,2.0]`, want: []string{"error schema /response/body: items 0 and 1 are the same"}},
		"a label":                        {paths: path("label", `{type: integer}`), line: "GET /x.7"},
		"a label that is wrong":          {paths: path("label", `{type: integer}`), line: "GET /x.a", want: []string{`error schema /request/path/p: path parameter "p": value must be an integer`}},
		"a matrix":                       {paths: path("matrix", `{type: array, items: {type: integer}}`), line: "GET /x;p=7,8"},
		"a reserved character, escaped":  {paths: query(`{type: string}`), line: "GET /x?q=a%2Fb%3Fc"},
		"a range of media types":         {paths: `{/x: {get: {responses: {'200': {description: a, content: {'application/*': {schema: {type: object}}}}}}}}`, answer: `{}`},
		"null without a type":            {paths: answers(`{type: object, properties: {a: {}}}`), answer: `{"a":null}`},
		"a parameter that is replaced":   {paths: `{/x: {parameters: [{name: q, in: query, required: true, schema: {type: integer}}], get: {parameters: [{name: q, in: query, schema: {type: string}}], responses: {'200': {description: a}}}}}`, line: "GET /x?q=a"},
		"a list in a header":             {paths: asks(`{name: A, in: header, schema: {type: array, items: {type: integer}}}`), headers: recording.Headers{{"A", "1, 2"}}},
		"a name that is required twice":  {paths: answers(`{type: object, required: [a, a]}`), answer: `{"a":1}`},
		"members of deep objects":        {paths: asks(`{name: f, in: query, style: deepObject, schema: {type: object, properties: {a: {type: integer}}, additionalProperties: false}}`), line: "GET /x?f[c]=1", want: []string{`error schema /request/query/f/c: query parameter "f": property "c" is unsupported`}},
		"what stands beside a reference": {paths: answers(`{$ref: '#/components/schemas/Name', maxLength: 1}`), parts: `, components: {schemas: {Name: {type: string}}}`, answer: `"ab"`},
		"3.1, beside a reference":        {version: "3.1.0", paths: answers(`{$ref: '#/components/schemas/Name', maxLength: 1}`), parts: `, components: {schemas: {Name: {type: string}}}`, answer: `"ab"`, want: []string{"error schema /response/body: maximum string length is 1"}},
	})
}

// An error of an engine's own does not count as an opinion on the message.
func TestAnEngineThatCannotCompileHasNotJudged(t *testing.T) {
	t.Parallel()
	for name, u := range map[string]exampleOf{
		"a name that is required twice": {paths: answers(`{type: object, required: [b, b]}`), answer: `{"b":1}`},
		"below":                         {paths: answers(`{type: object, properties: {in: {type: object, required: [b, b]}}}`), answer: `{"in":{"b":1}}`},
		"in a list":                     {paths: answers(`{type: array, items: {type: object, required: [b, b]}}`), answer: `[{"b":1}]`},
		"3.1":                           {version: "3.1.0", paths: answers(`{type: object, required: [b, b]}`), answer: `{"b":1}`},
		"in an alternative":             {paths: answers(`{anyOf: [{type: string}, {type: object, required: [b, b]}]}`), answer: `{"b":1}`},
		"of a request": {
			paths: takes(`{application/json: {schema: {type: object, required: [b, b]}}}`), line: "POST /x", request: `{"b":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := u.judge(t, false)
			if diff := cmp.Diff([]string(nil), findingLines(r)); diff != "" || r.SecondEngineLost != 1 {
				t.Errorf("messages that the engine could not judge: %d, want 1; findings (-want +got):\n%s",
					r.SecondEngineLost, diff)
			}
		})
	}
}

// An operation that the document has, and that cannot be read, is not undocumented.
func TestAnOperationThatCannotBeReadIsNotJudged(t *testing.T) {
	t.Parallel()
	const there = `/x: {get: {responses: {'200': {description: a}}}}`
	unread := func(reason string) []string {
		return []string{"inconclusive undocumented-operation /request/url: the operation of the document cannot be read: " + reason}
	}
	const nowhere = "it refers to #/components/responses/No, which is not there"
	testExamples(t, map[string]exampleOf{
		"another method of the path": {paths: `{/x: {get: {responses: {'200': {description: a}}}, post: {responses: {'200': {$ref: '#/components/responses/No'}}}}}`, line: "POST /x", want: unread(nowhere)},
		"another path":               {paths: `{` + there + `, '/y/{id}': {get: {responses: {'200': {$ref: '#/components/responses/No'}}}}}`, line: "GET /y/1", want: unread(nowhere)},
		"a path as a whole":          {paths: `{` + there + `, /y: {$ref: '#/components/pathItems/No'}}`, line: "PUT /y", want: unread("it refers to #/components/pathItems/No, which is not there")},
		"an address":                 {version: "3.1.0", paths: `{` + there + `, /y: {get: {parameters: [{$ref: 'https://a.example/p.yaml'}], responses: {'200': {description: a}}}}}`, line: "GET /y", want: unread("it refers to an address (https://a.example/p.yaml): save it beside the document, and refer to the file")},
		"one that it does not have":  {paths: `{` + there + `, /y: {get: {responses: {'200': {$ref: '#/components/responses/No'}}}}}`, line: "POST /y", want: []string{"error undocumented-operation /request/url: POST /y is not documented; the nearest is GET /x"}},
	})
}
