package judge_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Schema Object, readOnly and writeOnly; JSON Schema 2020-12 Validation, 9.4. What stands beside a reference counts
// from 3.1 on.
func TestMembersOfOneSideAreFoundBehindReferences(t *testing.T) {
	t.Parallel()
	const parts = `, components: {schemas: {Id: {type: string, readOnly: true}, Secret: {type: string, writeOnly: true}, ` +
		`Plain: {type: string}, Chain: {$ref: '#/components/schemas/Id'}}}`
	create := func(id string) string {
		return takes(`{application/json: {schema: {type: object, required: [id], properties: {id: ` + id + `}}}}`)
	}
	show := func(id string) string { return answers(`{type: object, required: [id], properties: {id: ` + id + `}}`) }
	read := []string{`warning schema /request/body/id: readOnly property "id" in request`}
	write := []string{`warning schema /response/body/id: writeOnly property "id" in response`}
	missing := []string{`error schema /request/body/id: property "id" is missing`}
	const ref, chain, within = `{$ref: '#/components/schemas/Id'}`, `{$ref: '#/components/schemas/Chain'}`,
		`{allOf: [{$ref: '#/components/schemas/Id'}]}`
	const beside, secret = `{$ref: '#/components/schemas/Plain', readOnly: true}`,
		`{$ref: '#/components/schemas/Plain', writeOnly: true}`
	cases := map[string]exampleOf{
		"3.0":                           {paths: create(ref)},
		"3.0, beside a reference":       {paths: create(beside), want: missing},
		"3.1":                           {version: "3.1.0", paths: create(ref)},
		"3.1, a chain":                  {version: "3.1.0", paths: create(chain)},
		"3.1, a part":                   {version: "3.1.0", paths: create(within)},
		"3.1, beside a reference":       {version: "3.1.0", paths: create(beside)},
		"3.1, of the other side":        {version: "3.1.0", paths: create(secret), want: missing},
		"3.1, sent":                     {version: "3.1.0", paths: create(ref), request: `{"id":"a"}`, want: read},
		"3.1, sent, beside a reference": {version: "3.1.0", paths: create(beside), request: `{"id":"a"}`, want: read},
		"3.1, an answer":                {version: "3.1.0", paths: show(`{$ref: '#/components/schemas/Secret'}`), answer: `{}`},
		"3.1, an answer, beside":        {version: "3.1.0", paths: show(secret), answer: `{}`},
		"3.1, an answer that has it":    {version: "3.1.0", paths: show(secret), answer: `{"id":"a"}`, want: write},
	}
	for name, u := range cases {
		if u.parts = parts; u.answer == "" {
			u.line, u.request = "POST /x", or(u.request, `{}`)
		}
		cases[name] = u
	}
	testExamples(t, cases)
}

// Reference Object; JSON Schema 2020-12, 8.2.4: references of another file are relative to that file, whatever keyword
// they stand below.
func TestReferencesOfOtherFilesAreFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"item.yaml": `{type: object, properties: {a: {$ref: '#/$defs/N'}, more: {$ref: '#'}}, ` +
			`$defs: {N: {$anchor: nn, type: integer}, P: {type: object, properties: {n: {$ref: '#/$defs/N'}}}}}`,
		"rules.yaml": `{type: object, if: {$ref: 'item.yaml#/$defs/P'}, then: {$ref: '#/$defs/Q'}, ` +
			`patternProperties: {'^p': {$ref: 'item.yaml#/$defs/N'}}, ` +
			`$defs: {Q: {required: [q], properties: {q: {$ref: '#/$defs/R'}}}, R: {$ref: 'item.yaml#/$defs/N', minimum: 3}}}`,
		"anchored.yaml": `{type: object, properties: {a: {$ref: '#nn'}}, $defs: {N: {$anchor: nn, type: integer}}}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wrong := func(at, message string) []string {
		return []string{"error schema /response/body" + at + ": " + message}
	}
	two := func(ref string) string {
		return `{/x: {get: {responses: {'200': {description: a}}}}, /y: {get: {responses: {'200': {description: a, ` +
			`content: {application/json: {schema: {$ref: '` + ref + `'}}}}}}}}`
	}
	anchored := func(ref string) []string {
		return []string{"inconclusive undocumented-operation /request/url: the operation of the document cannot be read: " +
			"it refers to an anchor of another file (" + ref + "): refer to it by its pointer"}
	}
	for name, u := range map[string]exampleOf{ //nolint:paralleltest // they write one file
		"a file":                      {paths: answers(`{$ref: 'item.yaml'}`), answer: `{"a":"x"}`, want: wrong("/a", "value must be an integer")},
		"a file, right":               {paths: answers(`{$ref: 'item.yaml'}`), answer: `{"a":1,"more":{"a":2}}`},
		"a file in itself":            {paths: answers(`{$ref: 'item.yaml'}`), answer: `{"more":{"a":"x"}}`, want: wrong("/more/a", "value must be an integer")},
		"a definition":                {paths: answers(`{$ref: 'item.yaml#/$defs/N'}`), answer: `"x"`, want: wrong("", "value must be an integer")},
		"a definition in another one": {paths: answers(`{$ref: 'item.yaml#/$defs/P'}`), answer: `{"n":"x"}`, want: wrong("/n", "value must be an integer")},
		"if and then":                 {paths: answers(`{$ref: 'rules.yaml'}`), answer: `{"n":1}`, want: wrong("/q", `property "q" is missing`)},
		"beside a reference":          {paths: answers(`{$ref: 'rules.yaml'}`), answer: `{"q":2}`, want: wrong("/q", "number must be at least 3")},
		"names of a pattern":          {paths: answers(`{$ref: 'rules.yaml'}`), answer: `{"q":3,"p":"x"}`, want: wrong("/p", "value must be an integer")},
		"below a pattern":             {paths: answers(`{type: object, patternProperties: {a: {$ref: 'item.yaml'}}}`), answer: `{"a":{"a":"x"}}`, want: wrong("/a/a", "value must be an integer")},
		"an anchor":                   {paths: two("item.yaml#nn"), line: "GET /y", answer: `1`, want: anchored("item.yaml#nn")},
		"an anchor of its own":        {paths: two("anchored.yaml"), line: "GET /y", answer: `{}`, want: anchored("#nn")},
		"beside an anchor":            {paths: two("anchored.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			u.version, u.folder = "3.1.0", folder
			if got := findingLines(u.judge(t, false)); !slices.Equal(got, u.want) {
				t.Errorf("findings %q, want %q", got, u.want)
			}
		})
	}
}

// Media Type Object, Special Considerations for multipart Content: a part of an object has the name of a property.
func TestPartsWithNamesAreMembers(t *testing.T) {
	t.Parallel()
	const named = "--b\r\nContent-Disposition: attachment; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n" +
		"{\"a\":\"x\"}\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhello\r\n--b--\r\n"
	const unnamed = "--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n"
	of := func(required, a string) exampleOf {
		return exampleOf{
			paths: takes(`{multipart/mixed: {schema: {type: object, required: [` + required + `], properties: ` +
				`{meta: {type: object, properties: {a: {type: ` + a + `}}}, file: {type: string}}}}}`),
			line: "POST /x", kind: "multipart/mixed; boundary=b", request: named,
		}
	}
	right, wrong := of("meta, file", "string"), of("meta", "integer")
	missing, other := of("meta, z", "string"), of("", "string")
	wrong.want = []string{"error schema /request/body/meta/a: value must be an integer"}
	missing.want = []string{`error schema /request/body/z: property "z" is missing`}
	other.request = unnamed
	other.want = []string{"inconclusive schema /request/body: a part of the form has no name, and stands for no member of an object"}
	later := wrong
	later.version = "3.1.0"
	testExamples(t, map[string]exampleOf{
		"right": right, "wrong": wrong, "missing": missing, "without a name": other, "wrong, 3.1": later,
	})
}
