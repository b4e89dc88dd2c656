package judge_test

import (
	"testing"

	"svc.example/understudy/specs/recording"
)

func wrongQuery(message string) []string {
	return []string{`error schema /request/query/q: query parameter "q"` + message}
}

// Parameter Object, explode: a list that is exploded, and nothing else, is there several times.
func TestAParameterIsThereAsOftenAsItsStyleWritesIt(t *testing.T) {
	t.Parallel()
	twice := wrongQuery(" is there 2 times, and its style writes it once")
	query := func(more string) string { return asks(`{name: q, in: query, ` + more + `}`) }
	testExamples(t, map[string]exampleOf{
		"a list that is exploded":       {paths: query(`schema: {type: array, items: {type: integer}}`), line: "GET /x?q=1&q=2"},
		"a list that is not":            {paths: query(`explode: false, schema: {type: array, items: {type: integer}}`), line: "GET /x?q=1&q=2", want: twice},
		"a list with bars":              {paths: query(`style: pipeDelimited, explode: false, schema: {type: array, items: {type: string}}`), line: "GET /x?q=a%7Cb&q=c", want: twice},
		"a number":                      {paths: query(`schema: {type: integer}`), line: "GET /x?q=1&q=2", want: twice},
		"a text, twice the same":        {paths: query(`schema: {type: string}`), line: "GET /x?q=a&q=a", want: twice},
		"JSON":                          {paths: query(`content: {application/json: {schema: {type: object}}}`), line: "GET /x?q=%7B%7D&q=%7B%7D", want: twice},
		"a list or a text":              {paths: query(`schema: {oneOf: [{type: string}, {type: array, items: {type: string}}]}`), line: "GET /x?q=a&q=b"},
		"3.1, without a type":           {version: "3.1.0", paths: query(`schema: {}`), line: "GET /x?q=a&q=b"},
		"a comma in a list of numbers":  {paths: query(`schema: {type: array, items: {type: integer}}`), line: "GET /x?q=1,2", want: []string{`error schema /request/query/q/0: query parameter "q": value must be an integer`}},
		"too many items, in both forms": {paths: query(`schema: {type: array, maxItems: 1, items: {type: integer}}`), line: "GET /x?q=1&q=2", want: wrongQuery(": maximum number of items is 1")},
	})
}

// Parameter Object, style: names and values by turns, or pairs.
func TestATextWithoutMembersIsNoObject(t *testing.T) {
	t.Parallel()
	const object = `schema: {type: object, properties: {a: {type: integer}}}`
	query := func(more string) string { return asks(`{name: q, in: query, ` + more + object + `}`) }
	header := func(more string) string { return asks(`{name: A, in: header, ` + more + object + `}`) }
	none := []string{`error schema /request/header/A: header parameter "A": value must be an object`}
	nested := []string{"inconclusive schema /request/body: OpenAPI does not define how members of members of an object are " +
		"written at /paths/~1x/get/parameters/0"}
	testExamples(t, map[string]exampleOf{
		"in a query":                   {paths: query("explode: false, "), line: "GET /x?q=a", want: wrongQuery(": value must be an object")},
		"a deep object":                {paths: query("style: deepObject, "), line: "GET /x?q=a", want: wrongQuery(": value must be an object")},
		"in a header":                  {paths: header(""), headers: recording.Headers{{"A", "none of it"}}, want: none},
		"in a header, exploded":        {paths: header("explode: true, "), headers: recording.Headers{{"A", "a,1"}}, want: none},
		"three items":                  {paths: header(""), headers: recording.Headers{{"A", "a,1,b"}}, want: none},
		"an empty one":                 {paths: query("explode: false, "), line: "GET /x?q="},
		"names and values":             {paths: header(""), headers: recording.Headers{{"A", "a,1"}}},
		"members of members":           {paths: query("style: deepObject, "), line: "GET /x?q[a][b]=1", want: nested},
		"3.1, members of members":      {version: "3.1.0", paths: query("style: deepObject, "), line: "GET /x?q%5Bb%5D%5Bc%5D=1", want: nested},
		"a member that is wrong there": {paths: query("style: deepObject, "), line: "GET /x?q[a]=b", want: []string{`error schema /request/query/q/a: query parameter "q": value must be an integer`}},
	})
}

// Parameter Object, style: members of an object that is exploded have any name that no other parameter has.
func TestMembersOfAnOpenObjectAreParameters(t *testing.T) {
	t.Parallel()
	open := func(more, others string) string {
		return asks(`{name: q, in: query, ` + more + `schema: {type: object, additionalProperties: {type: integer}}}` + others)
	}
	const text = `, {name: t, in: query, schema: {type: string}}`
	testExamples(t, map[string]exampleOf{
		"any name":                       {paths: open("", ""), line: "GET /x?z=1"},
		"several":                        {paths: open("required: true, ", ""), line: "GET /x?y=1&z=2"},
		"one that is wrong":              {paths: open("", ""), line: "GET /x?z=a", want: []string{`error schema /request/query/q/z: query parameter "q": value must be an integer`}},
		"another parameter beside":       {paths: open("", text), line: "GET /x?z=1&t=a"},
		"another parameter alone":        {paths: open("required: true, ", text), line: "GET /x?t=a", want: wrongQuery(" is missing")},
		"additionalProperties are true":  {paths: asks(`{name: q, in: query, required: true, schema: {type: object, additionalProperties: true}}`), line: "GET /x?z=a"},
		"an object without members":      {paths: asks(`{name: q, in: query, required: true, schema: {type: object}}`), line: "GET /x?z=a"},
		"members that are listed":        {paths: asks(`{name: q, in: query, schema: {type: object, properties: {a: {type: integer}}}}`), line: "GET /x?a=1&z=a", want: undeclaredQuery("z")},
		"a key in the query, not of it":  {paths: `{/x: {get: {security: [{k: []}], parameters: [{name: q, in: query, schema: {type: object, additionalProperties: {type: integer}}}], responses: {'200': {description: a}}}}}`, parts: `, components: {securitySchemes: {k: {type: apiKey, in: query, name: key}}}`, line: "GET /x?z=1&key=abc"},
		"an object that is not exploded": {paths: open("explode: false, ", ""), line: "GET /x?q=z,1&y=1", want: undeclaredQuery("y")},
	})
}

// Parameter Object, content and name; RFC 6265, 4.1.1; Path Templating.
func TestParametersInOtherForms(t *testing.T) {
	t.Parallel()
	text := func(schema string) string {
		return asks(`{name: q, in: query, content: {text/plain: {schema: ` + schema + `}}}`)
	}
	cookie := asks(`{name: c, in: cookie, explode: false, schema: {type: array, items: {type: integer}}}`)
	sent := func(value string) recording.Headers { return recording.Headers{{"Cookie", value}} }
	path := func(template string) string {
		return `{'` + template + `': {get: {parameters: [{name: p, in: path, required: true, style: label, schema: {type: integer}}], responses: {'200': {description: a}}}}}`
	}
	format := func(in, name string) string {
		return asks(`{name: A, in: ` + in + `, schema: {type: string, format: ` + name + `}}`)
	}
	testExamples(t, map[string]exampleOf{
		"a text":                          {paths: text(`{type: string, maxLength: 3}`), line: "GET /x?q=abc"},
		"a text that is too long":         {paths: text(`{type: string, maxLength: 2}`), line: "GET /x?q=abc", want: wrongQuery(": maximum string length is 2")},
		"a text for a number":             {paths: text(`{type: integer}`), line: "GET /x?q=abc"},
		"a list in quotes":                {paths: cookie, headers: sent(`c="1,2"`)},
		"a list without":                  {paths: cookie, headers: sent(`b=x; c=1,2`)},
		"too many items with bars":        {paths: asks(`{name: q, in: query, style: pipeDelimited, explode: false, schema: {type: array, maxItems: 1, items: {type: string}}}`), line: "GET /x?q=a%7Cb", want: wrongQuery(": maximum number of items is 1")},
		"too many items of a label":       {paths: `{'/x{p}': {get: {parameters: [{name: p, in: path, required: true, style: label, schema: {type: array, maxItems: 1, items: {type: string}}}], responses: {'200': {description: a}}}}}`, line: "GET /x.a,b", want: []string{`error schema /request/path/p: path parameter "p": maximum number of items is 1`}},
		"too many items with blanks":      {paths: asks(`{name: q, in: query, style: spaceDelimited, explode: false, schema: {type: array, maxItems: 1, items: {type: string}}}`), line: "GET /x?q=a%20b", want: wrongQuery(": maximum number of items is 1")},
		"an item for each cookie":         {paths: asks(`{name: c, in: cookie, schema: {type: array, maxItems: 2, items: {type: integer}}}`), headers: sent(`c=1; b=x; c=2`)},
		"a wrong item of several cookies": {paths: asks(`{name: c, in: cookie, schema: {type: array, items: {type: integer}}}`), headers: sent(`c=1; c=b`), want: []string{`error schema /request/cookie/c/1: cookie parameter "c": value must be an integer`}},
		"too many texts in a header":      {paths: asks(`{name: A, in: header, schema: {type: array, maxItems: 1, items: {type: string}}}`), headers: recording.Headers{{"A", "a,b"}}, want: []string{`error schema /request/header/A: header parameter "A": maximum number of items is 1`}},
		"a wrong item in quotes":          {paths: cookie, headers: sent(`c="1,b"`), want: []string{`error schema /request/cookie/c/1: cookie parameter "c": value must be an integer`}},
		"a name that the path has":        {paths: path("/x{p}"), line: "GET /x.a", want: []string{`error schema /request/path/p: path parameter "p": value must be an integer`}},
		"a name with an operator":         {paths: path("/x/{.p}"), line: "GET /x/.7"},
		"another name":                    {paths: path("/x/{r}"), line: "GET /x/7"},
		"3.1, a day in a query":           {version: "3.1.0", paths: format("query", "date"), line: "GET /x?A=12.5.2026", want: []string{`error schema /request/query/A: query parameter "A": string doesn't match the format "date"`}},
		"an id in a header":               {paths: format("header", "uuid"), headers: recording.Headers{{"A", "1"}}, want: []string{`error schema /request/header/A: header parameter "A": string doesn't match the format "uuid"`}},
		"a semicolon in a value":          {paths: asks(`{name: q, in: query, schema: {type: string, maxLength: 3}}`), line: "GET /x?q=a;b"},
		"a semicolon is no separator":     {paths: asks(`{name: q, in: query, schema: {type: string, maxLength: 2}}`), line: "GET /x?q=a;b", want: wrongQuery(": maximum string length is 2")},
		"a type of which no more is said": {paths: `{/x: {post: {requestBody: {content: {application/json: }}, responses: {'200': {description: a}}}}}`, line: "POST /x", request: `{}`},
	})
}

// Encoding Object; 3.1, Considerations for File Uploads; RFC 9512.
func TestBodiesInOtherForms(t *testing.T) {
	t.Parallel()
	const kind = "application/x-www-form-urlencoded"
	list := func(encoding string) string {
		return takes(`{` + kind + `: {schema: {type: object, properties: {n: {type: array, items: {type: integer}}}}, encoding: {n: {` + encoding + `}}}}`)
	}
	part := func(encoding string) string {
		return takes(`{multipart/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}, encoding: {f: {` + encoding + `}}}}`)
	}
	const headers = `headers: {X-R: {required: true, schema: {type: string}}, X-O: {schema: {type: string}}}`
	const parts = "multipart/form-data; boundary=B"
	undefined := []string{"inconclusive schema /response/body: the schema is not one of a string, and how application/yaml " +
		"stands for another value is not defined"}
	testExamples(t, map[string]exampleOf{
		"a semicolon":                 {paths: list(`explode: false`), line: "POST /x", kind: kind, request: "n=1;2", want: []string{"error schema /request/body/n/0: value must be an integer"}},
		"bars":                        {paths: list(`style: pipeDelimited, explode: false`), line: "POST /x", kind: kind, request: "n=1%7C2"},
		"blanks":                      {paths: list(`style: spaceDelimited, explode: false`), line: "POST /x", kind: kind, request: "n=1+2"},
		"a wrong item between bars":   {paths: list(`style: pipeDelimited, explode: false`), line: "POST /x", kind: kind, request: "n=1%7Cb", want: []string{"error schema /request/body/n/1: value must be an integer"}},
		"a part that lacks a header":  {paths: part(headers), line: "POST /x", kind: parts, request: form("f", "image/png", "a"), want: []string{`error schema /request/body/f: part "f": header X-R is missing`}},
		"a part that has it":          {paths: part(headers), line: "POST /x", kind: parts, request: form("f", "image/png\r\nX-R: a", "a")},
		"bytes, 3.1":                  {version: "3.1.0", paths: takes(`{application/octet-stream: {}}`), line: "POST /x", kind: "application/octet-stream", request: "\xff\x00"},
		"an image, 3.1":               {version: "3.1.0", paths: takes(`{image/png: {}}`), line: "POST /x", kind: "image/png", request: "\x89PNG\xff"},
		"an object in YAML":           {paths: `{/x: {get: {responses: {'200': {description: a, content: {application/yaml: {schema: {type: object}}}}}}}}`, answered: "application/yaml", answer: "a: 1", want: undefined},
		"a text in YAML":              {paths: `{/x: {get: {responses: {'200': {description: a, content: {application/yaml: {schema: {type: string}}}}}}}}`, answered: "application/yaml", answer: "a: 1"},
		"readOnly in another part":    {paths: takes(`{application/json: {schema: {allOf: [{type: object, properties: {id: {type: integer, readOnly: true}}}, {required: [id]}]}}}`), line: "POST /x", request: `{}`},
		"readOnly by a reference":     {paths: takes(`{application/json: {schema: {type: object, required: [id], properties: {id: {$ref: '#/components/schemas/Id'}}}}}`), parts: `, components: {schemas: {Id: {type: integer, readOnly: true}}}`, line: "POST /x", request: `{}`},
		"what another part requires":  {paths: takes(`{application/json: {schema: {allOf: [{type: object, properties: {id: {type: integer}}}, {required: [id]}]}}}`), line: "POST /x", request: `{}`, want: []string{`error schema /request/body/id: property "id" is missing`}},
		"writeOnly in another part":   {paths: answers(`{allOf: [{type: object, properties: {pin: {type: string, writeOnly: true}}}, {required: [pin]}]}`), answer: `{}`},
		"white space of all scripts":  {paths: answers(`{type: string, pattern: '^\s$'}`), answer: "\"\u00a0\""},
		"white space in a class":      {paths: answers(`{type: string, pattern: '^[a\s]+$'}`), answer: "\"a\ufeff\u2003\""},
		"none of it":                  {paths: answers(`{type: string, pattern: '^\S$'}`), answer: "\"\u00a0\"", want: []string{`error schema /response/body: string doesn't match the regular expression "^\\S$"`}},
		"a control":                   {paths: answers(`{type: string, pattern: '^\cJ$'}`), answer: `"\n"`},
		"a backslash before a letter": {paths: answers(`{type: string, pattern: '^\\u0041$'}`), answer: `"\\u0041"`},
		"a character by its number":   {version: "3.1.0", paths: answers(`{type: string, pattern: '^\u{1F600}$'}`), answer: `"😀"`},
	})
}

// An engine that reports something else, which does not count, has not been silent.
func TestWhatDoesNotCountIsNoSilence(t *testing.T) {
	t.Parallel()
	depends := func(at string) []string {
		return []string{"error schema /response/body" + at + `: does not satisfy "dependentRequired a"`}
	}
	const schema = `{type: object, dependentRequired: {a: [b]}}`
	const version = "3.1.0"
	testExamples(t, map[string]exampleOf{
		"of a body":         {version: version, paths: answers(schema), answer: `{"a":1}`, want: depends("")},
		"without a type":    {version: version, paths: answers(`{dependentRequired: {a: [b]}}`), answer: `{"a":1}`, want: depends("")},
		"of a member":       {version: version, paths: answers(`{type: object, properties: {v: ` + schema + `}}`), answer: `{"v":{"a":1}}`, want: depends("/v")},
		"of an item":        {version: version, paths: answers(`{type: array, items: ` + schema + `}`), answer: `[{"a":1}]`, want: depends("/0")},
		"of a request":      {version: version, paths: takes(`{application/json: {schema: ` + schema + `}}`), line: "POST /x", request: `{"a":1}`, want: []string{`error schema /request/body: does not satisfy "dependentRequired a"`}},
		"what is not wrong": {version: version, paths: answers(schema), answer: `{"a":1,"b":2}`},
	})
}

// Where a document has null in the place of an object, it is read as if nothing were there.
func TestWhatADocumentLeavesNullSaysNothing(t *testing.T) {
	t.Parallel()
	form := func(encoding string) exampleOf {
		return exampleOf{
			paths: takes(`{multipart/form-data: {schema: {type: object, required: [f], properties: {f: {type: string}}}, ` +
				`encoding: ` + encoding + `}}`),
			line: "POST /x", kind: "multipart/form-data; boundary=B",
			request: "--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\na\r\n--B--\r\n",
		}
	}
	plain := answers(`{type: string}`)
	testExamples(t, map[string]exampleOf{
		"a server":                 {paths: plain, parts: `, servers: [null, {url: 'https://h.example'}]`, answer: `"a"`},
		"a server of a path":       {paths: `{/x: {servers: [null], get: {responses: {'200': {description: a}}}}}`},
		"a server of an operation": {paths: `{/x: {get: {servers: [null], responses: {'200': {description: a}}}}}`},
		"a variable":               {paths: plain, parts: `, servers: [{url: 'https://{h}.example', variables: {h: null}}]`, answer: `"a"`},
		"an encoding":              form(`{f: null}`),
		"a header of a part":       form(`{f: {contentType: text/plain, headers: {X-Kind: null}}}`),
		"a media type":             {paths: `{/x: {get: {responses: {'200': {description: a, content: {application/json: null}}}}}}`, answer: `"a"`},
		"a body's media type":      {paths: takes(`{application/json: null}`), line: "POST /x", request: `"a"`},
		"the operations":           {paths: `{/x: {get: {responses: {'200': {description: a}}}}, /y: null, /z: {get: null}}`},
	})
}

// RFC 6570, 3.2.5, 3.2.7 and 2.1; 3.0.4 and 3.1.1, Style Examples; RFC 9110, 5.3.
func TestTextsAreTakenApartAsTheirStylesWriteThem(t *testing.T) {
	t.Parallel()
	const list, object = `{type: array, items: {type: integer}}`, `{type: object, properties: {a: {type: integer}}}`
	path := func(more string) string {
		return `{'/x/{p}': {get: {parameters: [{name: p, in: path, required: true, ` + more + `}], responses: {'200': {description: a}}}}}`
	}
	mark := func(style string) []string {
		return []string{`error schema /request/path/p: path parameter "p" does not begin as its style ` + style + ` does`}
	}
	cookie := func(more string) string { return asks(`{name: c, in: cookie, ` + more + `}`) }
	sent := func(value string) recording.Headers { return recording.Headers{{"Cookie", value}} }
	undefined := []string{"inconclusive schema /request/body: OpenAPI does not define how objects that are exploded " +
		"are written in cookies at /paths/~1x/get/parameters/0"}
	text := func(schema string) string {
		return takes(`{application/x-www-form-urlencoded: {schema: {type: object, ` + schema + `}}}`)
	}
	const form = "application/x-www-form-urlencoded"
	v := func(schema string) string { return text(`properties: {v: ` + schema + `}`) }
	wrong := func(message string) []string { return []string{"error schema /request/body/v: " + message} }
	set := `{/x: {get: {responses: {'200': {description: a, headers: {Set-Cookie: {schema: {type: string, pattern: '^[a-z]=[0-9]$'}}}}}}}}`
	testExamples(t, map[string]exampleOf{
		"a label without a dot":               {paths: path(`style: label, schema: {type: integer}`), line: "GET /x/5", want: mark("label")},
		"a label of a list without a dot":     {paths: path(`style: label, explode: true, schema: ` + list), line: "GET /x/5.6", want: mark("label")},
		"a matrix without its name":           {paths: path(`style: matrix, schema: {type: integer}`), line: "GET /x/5", want: mark("matrix")},
		"a matrix of another name":            {version: "3.1.0", paths: path(`style: matrix, schema: {type: integer}`), line: "GET /x/;q=5", want: mark("matrix")},
		"a matrix of an object without marks": {paths: path(`style: matrix, explode: true, schema: ` + object), line: "GET /x/a=1", want: mark("matrix")},
		"an empty matrix":                     {paths: path(`style: matrix, schema: {type: string, maxLength: 0}`), line: "GET /x/;p"},
		"an escaped comma in an item":         {paths: path(`schema: {type: array, items: {enum: ['a,b', c]}}`), line: "GET /x/a%2Cb,c"},
		"escaped commas between items":        {paths: path(`schema: ` + list), line: "GET /x/1%2C2"},
		"a list of cookies":                   {paths: cookie(`schema: ` + list), headers: sent("c=1; c=2")},
		"a list as in a query":                {paths: cookie(`schema: ` + list), headers: sent("c=1&c=2")},
		"a list that fits in no way":          {paths: cookie(`schema: ` + list), headers: sent("c=1|2"), want: []string{`error schema /request/cookie/c/0: cookie parameter "c": value must be an integer`}},
		"an object of cookies":                {paths: cookie(`required: true, schema: ` + object), headers: sent("a=1; b=2")},
		"an object that fits in no way":       {paths: cookie(`schema: ` + object), headers: sent("a=x"), want: undefined},
		"JSON that is escaped":                {paths: cookie(`content: {application/json: {schema: ` + object + `}}`), headers: sent("c=%7B%22a%22:1%7D")},
		"JSON that is wrong":                  {paths: cookie(`content: {application/json: {schema: ` + object + `}}`), headers: sent("c=%7B%22a%22:%22b%22%7D"), want: []string{`error schema /request/cookie/c/a: cookie parameter "c": value must be an integer`}},
		"an empty header":                     {paths: asks(`{name: X-A, in: header, required: true, schema: {type: string}}`), headers: recording.Headers{{"X-A", ""}}},
		"cookies of two lines":                {paths: set, cookies: []string{"a=1", "b=2"}},
		"one of them wrong":                   {paths: set, want: []string{`error schema /response/headers/Set-Cookie: header "Set-Cookie": string doesn't match the regular expression "^[a-z]=[0-9]$"`}, cookies: []string{"a=1", "b=x"}},
		"a boolean as a digit in a form":      {paths: v(`{type: boolean}`), line: "POST /x", kind: form, request: "v=1", want: wrong("value must be a boolean")},
		"a boolean in capitals in a form":     {paths: v(`{type: boolean}`), line: "POST /x", kind: form, request: "v=TRUE", want: wrong("value must be a boolean")},
		"a number with a plus in a form":      {paths: v(`{type: integer}`), line: "POST /x", kind: form, request: "v=%2B1", want: wrong("value must be an integer")},
		"a number beyond int64 in a form":     {paths: v(`{type: integer, format: int64}`), line: "POST /x", kind: form, request: "v=9223372036854775808", want: wrong(`integer doesn't match the format "int64"`)},
		"one value twice in a form":           {paths: v(`{type: integer}`), line: "POST /x", kind: form, request: "v=1&v=2", want: wrong("value must be an integer")},
		"members without names in a form":     {paths: text(`additionalProperties: {type: integer}`), line: "POST /x", kind: form, request: "v=1"},
		"a wrong one of them":                 {paths: text(`additionalProperties: {type: integer}`), line: "POST /x", kind: form, request: "v=a", want: wrong("value must be an integer")},
		"a form whose key has a charset":      {paths: takes(`{application/x-www-form-urlencoded; charset=utf-8: {schema: {type: object, properties: {v: {type: integer}}}}}`), line: "POST /x", kind: form, request: "v=a", want: wrong("value must be an integer")},
	})
}

// RFC 9110, 8.3; RFC 7578, 4.7; 3.1 and 3.2, Media Type Object; RFC 5321, 4.1.2; RFC 3986, 2; ECMA-262, 22.2.1.
func TestWhatBodiesHoldDependsOnTheirTypes(t *testing.T) {
	t.Parallel()
	of := func(content string) string {
		return `{/x: {get: {responses: {'200': {description: a, content: {` + content + `}}}}}}`
	}
	const object = `{type: object, required: [n], properties: {n: {type: integer}}}`
	const mixed, lines = "multipart/mixed; boundary=B", "application/x-ndjson"
	text := func(pattern string) string { return answers(`{type: string, pattern: '` + pattern + `'}`) }
	format := func(name string) string { return answers(`{type: string, format: ` + name + `}`) }
	no := func(pattern string) []string {
		return []string{`error schema /response/body: string doesn't match the regular expression "` + pattern + `"`}
	}
	wrong := []string{"error schema /response/body/n: value must be an integer"}
	testExamples(t, map[string]exampleOf{
		"a text where any type may be":          {paths: of(`'*/*': {schema: {type: string}}`), answered: "text/plain", answer: "abc"},
		"a text that is JSON of any type":       {paths: of(`'*/*': {schema: ` + object + `}`), answered: "text/plain", answer: `{"n":"a"}`, want: wrong},
		"XML where any type may be":             {paths: of(`'*/*': {schema: ` + object + `}`), answered: "application/xml", answer: "<a/>", want: []string{"inconclusive schema /response/body: the body is not JSON: a syntax error at byte 0"}},
		"HTML called JSON where any may be":     {paths: of(`'*/*': {schema: ` + object + `}`), answer: "<p>a</p>", want: []string{"error schema /response/body: the body is not JSON: a syntax error at byte 0"}},
		"parts that are mixed":                  {paths: takes(`{multipart/mixed: {schema: ` + object + `}}`), line: "POST /x", kind: mixed, request: form("n", "", "1")},
		"a wrong one of them":                   {paths: takes(`{multipart/mixed: {schema: ` + object + `}}`), line: "POST /x", kind: mixed, request: form("n", "", "a"), want: []string{"error schema /request/body/n: value must be an integer"}},
		"a part in base64":                      {paths: takes(`{multipart/form-data: {schema: ` + object + `}}`), line: "POST /x", kind: "multipart/form-data; boundary=B", request: form("n", "text/plain\r\nContent-Transfer-Encoding: base64", "MQ==")},
		"lines of a list":                       {paths: of(lines + `: {schema: {type: array, items: ` + object + `}}`), answered: lines, answer: "{\"n\":1}\n{\"n\":\"a\"}\n", want: []string{"error schema /response/body/1/n: value must be an integer"}},
		"lines as a text":                       {paths: of(lines + `: {schema: {type: string}}`), answered: lines, answer: "{\"n\":1}\n"},
		"items of lines":                        {version: "3.2.0", paths: of(`application/jsonl: {itemSchema: ` + object + `}`), answered: "application/jsonl", answer: "{\"n\":1}\n{\"n\":\"a\"}\n", want: []string{"error schema /response/body/1/n: value must be an integer"}},
		"items of events":                       {version: "3.2.0", paths: of(`text/event-stream: {itemSchema: {type: object}}`), answered: "text/event-stream", answer: "data: a\n\n"},
		"a discriminator by default":            {version: "3.2.0", paths: answers(`{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Open'}], discriminator: {propertyName: kind, defaultMapping: Open}}`), parts: `, components: {schemas: {Cat: {type: object, required: [kind], properties: {kind: {type: string}}}, Open: {type: object, required: [n], properties: {n: {type: integer}}}}}`, answer: `{"n":1}`},
		"a constant in 3.0, which has none":     {paths: answers(`{const: 1}`), answer: `2`},
		"a number that has no double":           {paths: answers(`{type: number}`), answer: `1e400`},
		"a neighbour that has the same double":  {paths: answers(`{type: integer, enum: [9007199254740993]}`), answer: `9007199254740992`, want: []string{"error schema /response/body: value is not one of the allowed values"}},
		"a member that depends on another":      {version: "3.1.0", paths: answers(`{type: object, properties: {a: {}}, dependentRequired: {a: [b]}}`), answer: `{"a":1,"b":1}`},
		"a member that is not evaluated":        {version: "3.1.0", paths: answers(`{allOf: [{properties: {a: {}}}], unevaluatedProperties: {type: integer}}`), answer: `{"a":1,"b":1}`},
		"an address in quotes":                  {paths: format("email"), answer: `"\"a b\"@c.example"`},
		"a URI with a blank":                    {paths: format("uri"), answer: `"http://a.example/ b"`, want: []string{`error schema /response/body: string doesn't match the format "uri"`}},
		"an expression that looks ahead":        {paths: format("regex"), answer: `"^(?!a)"`},
		"an expression that is none":            {paths: format("regex"), answer: `"("`, want: []string{`error schema /response/body: string doesn't match the format "regex"`}},
		"a dot, and the end of a line":          {paths: text(`^a.b$`), answer: `"a\u2028b"`, want: no(`^a.b$`)},
		"a class without characters":            {paths: text(`^[]$`), answer: `"a"`, want: no(`^[]$`)},
		"a class of all":                        {paths: text(`^[^]$`), answer: `"\n"`},
		"a bracket in a class":                  {paths: text(`^[[:a]$`), answer: `"["`},
		"what Go takes for a class of letters":  {version: "3.1.0", paths: text(`^[[:alpha:]]$`), answer: `":]"`},
		"two halves of a character":             {paths: text(`^\ud83d\ude00$`), answer: `"😀"`},
		"a script":                              {version: "3.1.0", paths: text(`^\p{Script=Greek}$`), answer: `"a"`, want: no(`^\\p{Script=Greek}$`)},
		"an anchor that is not of ECMAScript's": {paths: text(`^\Aa$`), answer: `"b"`},
	})
}

// Security Scheme Object; RFC 9449, 7.1.
func TestTokensThatAreBoundAndCertificates(t *testing.T) {
	t.Parallel()
	const schemes = `, components: {securitySchemes: {oauth: {type: oauth2, flows: {}}, basic: {type: http, scheme: basic},
		bearer: {type: http, scheme: bearer}, tls: {type: mutualTLS}}}`
	secured := func(security string) string {
		return `{/x: {get: {security: ` + security + `, responses: {'200': {description: a}}}}}`
	}
	wrong := func(word, documented string) []string {
		return []string{`error auth-scheme /request/headers/Authorization: credentials of scheme "` + word + `" were accepted; documented: ` + documented}
	}
	testExamples(t, map[string]exampleOf{
		"an access token that is bound":    {paths: secured(`[{oauth: []}]`), parts: schemes, headers: bearerOf("DPoP abc")},
		"for a bearer":                     {paths: secured(`[{bearer: []}]`), parts: schemes, headers: bearerOf("DPoP abc"), want: wrong("DPoP", "bearer")},
		"a certificate, and another word":  {version: "3.1.0", paths: secured(`[{tls: [], basic: []}]`), parts: schemes, headers: bearerOf("Bearer abc"), want: wrong("Bearer", "basic")},
		"a certificate, and the right one": {version: "3.1.0", paths: secured(`[{tls: [], basic: []}]`), parts: schemes, headers: bearerOf("Basic YTpi")},
	})
}
