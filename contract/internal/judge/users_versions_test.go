package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
)

// A user's own version of an interface of the platform is judged by what it says, as documents of other interfaces are:
// its schemas with all rules of their version, its credentials, nothing read leniently.
func TestAUsersVersionOfAnInterfaceIsJudgedAsItSays(t *testing.T) {
	t.Parallel()
	const named = `SVC1: {type: apiKey, in: header, name: Authorization}`
	list := func(more, schema string) string {
		return `{/pools: {get: {` + more + `responses: {'200': {description: a, content: {application/json: {schema: ` + schema + `}}}}}}}`
	}
	object := func(v string) string { return list("", `{type: object, properties: {v: `+v+`}}`) }
	create := func(content string) string {
		return `{/pools: {post: {requestBody: {required: true, content: ` + content + `}, responses: {'200': {description: a}}}}}`
	}
	secured := func(name string) string { return list(`security: [{`+name+`: []}], `, `{type: object}`) }
	schemes := func(list string) string { return `, components: {securitySchemes: {` + list + `}}` }
	wrong := func(at, message string) []string { return []string{"error schema " + at + ": " + message} }
	const form = "application/x-www-form-urlencoded"
	const vain = "; `nullable: true` adds null to the `type` of the same schema object alone"
	for name, u := range map[string]exampleOf{
		"null by allOf alone":      {paths: object(`{nullable: true, allOf: [{type: object}]}`), answer: `{"v":null}`, want: wrong("/response/body/v", "Value is not nullable"+vain)},
		"null beside an enum":      {paths: object(`{type: string, nullable: true, enum: [a]}`), answer: `{"v":null}`, want: wrong("/response/body/v", "value is not one of the allowed values"+vain)},
		"null without a type":      {paths: object(`{}`), answer: `{"v":null}`},
		"a name beside a mapping":  {paths: list("", `{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind, mapping: {dog: '#/components/schemas/Dog'}}}`), parts: pets, answer: `{"kind":"Cat","claws":1}`},
		"3.1, a constant":          {version: "3.1.0", paths: object(`{const: a}`), answer: `{"v":"b"}`, want: wrong("/response/body/v", "value is not the only allowed one")},
		"beyond int64":             {paths: object(`{type: integer, format: int64}`), answer: `{"v":9223372036854775808}`, want: wrong("/response/body/v", `integer doesn't match the format "int64"`)},
		"equal numbers":            {paths: object(`{type: array, uniqueItems: true, items: {}}`), answer: `{"v":[1,1.0]}`, want: wrong("/response/body/v", "items 0 and 1 are the same")},
		"a member that is open":    {paths: object(`{}`), answer: `{"w":1}`, want: []string{`notice undeclared-field /response/body/w: field "w" is not documented`}},
		"a boolean as a digit":     {paths: list(`parameters: [{name: q, in: query, schema: {type: boolean}}], `, `{}`), line: "GET /pools?q=1", answer: `{}`, want: wrong("/request/query/q", `query parameter "q": value must be a boolean`)},
		"a form that is not there": {paths: create(`{application/json: {schema: {type: object}}}`), line: "POST /pools", kind: form, request: "a=1", want: []string{`error undocumented-media-type /request/headers/Content-Type: the request has Content-Type "` + form + `"; documented: application/json`}},
		"a number as a text":       {paths: create(`{application/json: {schema: {type: object, properties: {n: {type: integer}}}}}`), line: "POST /pools", request: `{"n":"1"}`, want: wrong("/request/body/n", "value must be an integer")},
		"leniency of its own":      {paths: list(`parameters: [{name: q, in: query, schema: {type: boolean}}], `, `{}`), parts: `, x-lenient: [query]`, line: "GET /pools?q=1", answer: `{}`},
		"a key of another scheme":  {paths: secured("key"), parts: schemes(`key: {type: apiKey, in: header, name: Authorization}`), headers: bearerOf("abc"), answer: `{}`},
		"a bearer":                 {paths: secured("b"), parts: schemes(`b: {type: http, scheme: bearer}`), headers: bearerOf("Bearer abc"), answer: `{}`},
		"the platform's scheme":    {paths: secured("SVC1"), parts: schemes(named), headers: bearerOf("Bearer abc"), answer: `{}`, want: []string{`error auth-scheme /request/headers/Authorization: credentials of scheme "Bearer" were accepted; documented: SVC1`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(u.want, findingLines(u.judgeVersion(t))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// judgeVersion judges the exchange by the document as a user's version of the workflow interface.
func (u *exampleOf) judgeVersion(t *testing.T) *judge.Result {
	t.Helper()
	text := fmt.Sprintf("{openapi: %s, info: {title: t, version: '1'}, servers: [{url: 'https://h.example/api'}], paths: %s%s}",
		or(u.version, "3.0.3"), u.paths, u.parts)
	file := filepath.Join(t.TempDir(), "workflow.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := specs.LoadFile(specs.Workflow, file, specs.Neutral)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if op := d.Operations[0]; op.Embedded == nil {
		t.Fatalf("%s is not an operation of the platform", op.Name())
	}
	j, err := judge.New(judge.Config{
		Documents: []*specs.Document{d}, Engine: libopenapi.New(),
		Bases: map[specs.Interface][]string{specs.Workflow: {"https://h.example/api"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	item := u.item()
	e := *item.Exchange
	e.Request.URL = "https://h.example/api" + e.Request.URL[len("https://h.example"):]
	if u.line == "" {
		e.Request.URL = "https://h.example/api/pools"
	}
	return j.Exchange(record.Item{Exchange: &e, Position: item.Position})
}

// Reference Object; JSON Schema 2020-12, 8.2; Discriminator Object.
func TestReferencesAreFollowedHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	const code = `type: object, required: [code], properties: {kind: {type: string}, code: {type: integer}}`
	components := func(schemas string) string { return `, components: {schemas: {` + schemas + `}}` }
	for name, u := range map[string]struct {
		version, schema, parts string
		files                  map[string]string
		answer                 string // {"code":"a"} by default, which is wrong
	}{
		"the file's own name":                  {schema: `{$ref: 'shop.yaml#/components/schemas/A'}`, parts: components(`A: {` + code + `}`)},
		"a file that refers back":              {schema: `{$ref: 'd/a.yaml#/X'}`, parts: components(`A: {` + code + `}`), files: map[string]string{"d/a.yaml": `{X: {$ref: '../shop.yaml#/components/schemas/A'}}`}},
		"an $id":                               {version: "3.1.0", schema: `{$ref: 'https://s.example/a'}`, parts: components(`A: {$id: 'https://s.example/a', ` + code + `}`)},
		"an $id that is relative":              {version: "3.1.0", schema: `{$ref: '#/components/schemas/A'}`, parts: components(`A: {$id: 'https://s.example/d/a', allOf: [{$ref: b}]}, B: {$id: 'https://s.example/d/b', ` + code + `}`)},
		"a pointer below an $id":               {version: "3.1.0", schema: `{$ref: '#/components/schemas/A'}`, parts: components(`A: {$id: 'https://s.example/a', $defs: {c: {type: integer}}, properties: {code: {$ref: '#/$defs/c'}}}`)},
		"a component below an $id":             {version: "3.1.0", schema: `{$ref: '#/components/schemas/A'}`, parts: components(`A: {$id: 'https://s.example/a', properties: {code: {$ref: '#/components/schemas/C'}}}, C: {type: integer}`)},
		"an anchor":                            {version: "3.1.0", schema: `{$ref: '#x'}`, parts: components(`A: {$anchor: x, ` + code + `}`)},
		"an anchor below an $id":               {version: "3.1.0", schema: `{$ref: 'https://s.example/a#x'}`, parts: components(`A: {$id: 'https://s.example/a', $defs: {c: {$anchor: x, ` + code + `}}}`)},
		"a dynamic anchor":                     {version: "3.1.0", schema: `{$dynamicRef: '#x'}`, parts: components(`A: {$dynamicAnchor: x, ` + code + `}`)},
		"$self":                                {version: "3.2.0", schema: `{$ref: 'https://s.example/d#/components/schemas/A'}`, parts: components(`A: {`+code+`}`) + `, $self: 'https://s.example/d'`},
		"a mapping to the file":                {schema: `{oneOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: kind, mapping: {a: './shop.yaml#/components/schemas/A'}}}`, parts: components(`A: {` + code + `}`), answer: `{"kind":"a","code":"a"}`},
		"names of schemas of other files":      {schema: `{oneOf: [{$ref: 's.yaml#/A'}], discriminator: {propertyName: kind}}`, files: map[string]string{"s.yaml": `{A: {` + code + `}}`}, answer: `{"kind":"A","code":"a"}`},
		"names of other files":                 {schema: `{oneOf: [{$ref: 'A.yaml'}], discriminator: {propertyName: kind}}`, files: map[string]string{"A.yaml": `{` + code + `}`}, answer: `{"kind":"A","code":"a"}`},
		"required: true below":                 {schema: `{type: object, properties: {code: {type: integer, required: true}}}`},
		"items that are a list":                {schema: `{` + code[:len(code)-1] + `, z: {type: array, items: [{type: integer}]}}}`},
		"a property that is called properties": {schema: `{type: object, properties: {properties: {properties: {required: {type: string}}}, code: {type: integer}}}`},
		"a length below zero":                  {version: "3.1.0", schema: `{` + code[:len(code)-1] + `, z: {minLength: -1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for file, text := range u.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wrong := exampleOf{version: u.version, paths: answers(u.schema), parts: u.parts, answer: or(u.answer, `{"code":"a"}`), folder: folder}
			want := []string{"error schema /response/body/code: value must be an integer"}
			if diff := cmp.Diff(want, findingLines(wrong.judge(t, false))); diff != "" {
				t.Errorf("a wrong answer (-want +got):\n%s", diff)
			}
			right := wrong
			right.answer = strings.Replace(right.answer, `"code":"a"`, `"code":1`, 1)
			for _, line := range findingLines(right.judge(t, false)) {
				if !strings.HasPrefix(line, "notice undeclared-field") {
					t.Errorf("a right answer: %s", line)
				}
			}
		})
	}
}

// Media Type Object and components of 3.2.
func TestMediaTypesMayBeComponents(t *testing.T) {
	t.Parallel()
	testExamples(t, map[string]exampleOf{
		"one that is wrong": {
			version: "3.2.0", paths: `{/x: {get: {responses: {'200': {description: a, content: {application/json: {$ref: '#/components/mediaTypes/M'}}}}}}}`,
			parts: `, components: {mediaTypes: {M: {schema: {type: integer}}}}`, answer: `"a"`, want: []string{"error schema /response/body: value must be an integer"},
		},
	})
}
