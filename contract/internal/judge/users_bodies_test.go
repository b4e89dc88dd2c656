package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/specs/recording"
)

// 3.0 and 3.1, Schema Object, format: of 32 and of 64 bits. JSON has no other numbers and truth values than its own.
func TestIntegersAndBooleansAreThoseOfTheirTypes(t *testing.T) {
	t.Parallel()
	of := func(format string) string {
		return answers(`{type: object, properties: {v: {type: integer, format: ` + format + `}}}`)
	}
	query := func(schema string) string { return asks(`{name: q, in: query, schema: ` + schema + `}`) }
	beyond := func(format string) []string {
		return []string{fmt.Sprintf("error schema /response/body/v: integer doesn't match the format %q", format)}
	}
	boolean := []string{`error schema /request/query/q: query parameter "q": value must be a boolean`}
	testExamples(t, map[string]exampleOf{
		"the last of int64":         {paths: of("int64"), answer: `{"v":9223372036854775807}`},
		"the first beyond int64":    {paths: of("int64"), answer: `{"v":9223372036854775808}`, want: beyond("int64")},
		"the first below int64":     {version: "3.1.0", paths: of("int64"), answer: `{"v":-9223372036854775809}`, want: beyond("int64")},
		"the least of int32":        {paths: of("int32"), answer: `{"v":-2147483648}`},
		"the first beyond int32":    {version: "3.1.0", paths: of("int32"), answer: `{"v":2147483648}`, want: beyond("int32")},
		"beyond int32, as 1e10":     {paths: of("int32"), answer: `{"v":1e10}`, want: beyond("int32")},
		"beyond int64 in a query":   {paths: query(`{type: integer, format: int64}`), line: "GET /x?q=9223372036854775808", want: []string{`error schema /request/query/q: query parameter "q": integer doesn't match the format "int64"`}},
		"true":                      {paths: query(`{type: boolean}`), line: "GET /x?q=true"},
		"True":                      {paths: query(`{type: boolean}`), line: "GET /x?q=True", want: boolean},
		"f":                         {paths: query(`{type: boolean}`), line: "GET /x?q=f", want: boolean},
		"0, in 3.1":                 {version: "3.1.0", paths: query(`{type: boolean}`), line: "GET /x?q=0", want: boolean},
		"FALSE":                     {paths: query(`{type: boolean}`), line: "GET /x?q=FALSE", want: boolean},
		"1 where numbers may stand": {paths: query(`{anyOf: [{type: boolean}, {type: integer}]}`), line: "GET /x?q=1"},
	})
}

// 3.0.4, Schema Object, nullable: it adds null to the type of the same object, and changes nothing else.
func TestNullableAddsNullToItsTypeAlone(t *testing.T) {
	t.Parallel()
	of := func(schema string) string { return answers(`{type: object, properties: {v: ` + schema + `}}`) }
	null := []string{"error schema /response/body/v: Value is not nullable"}
	const why = "; `nullable: true` adds null to the `type` of the same schema object alone"
	vain := []string{null[0] + why}
	later := []string{null[0] + "; OpenAPI 3.1 has no `nullable`; want null in the list of `type`"}
	const v = `{"v":null}`
	testExamples(t, map[string]exampleOf{
		"a type":                      {paths: of(`{type: integer, nullable: true}`), answer: v},
		"an enum with null":           {paths: of(`{type: string, nullable: true, enum: [a, null]}`), answer: v},
		"an enum without null":        {paths: of(`{type: integer, nullable: true, enum: [1]}`), answer: v, want: []string{"error schema /response/body/v: value is not one of the allowed values" + why}},
		"beside allOf":                {paths: of(`{type: object, nullable: true, allOf: [{$ref: '#/components/schemas/Cat'}]}`), parts: pets, answer: v, want: vain},
		"without a type":              {paths: of(`{nullable: true, allOf: [{$ref: '#/components/schemas/Cat'}]}`), parts: pets, answer: v, want: vain},
		"beside oneOf, one of which":  {paths: of(`{nullable: true, oneOf: [{type: string, nullable: true}, {type: integer}]}`), answer: v},
		"beside a reference":          {paths: of(`{nullable: true, $ref: '#/components/schemas/Cat'}`), parts: pets, answer: v, want: null},
		"no type, no nullable":        {paths: of(`{description: any}`), answer: v},
		"nullable: false, no type":    {paths: of(`{nullable: false}`), answer: v},
		"3.1, which has no nullable":  {version: "3.1.0", paths: of(`{type: string, nullable: true}`), answer: v, want: later},
		"3.1, a list of types":        {version: "3.1.0", paths: of(`{type: [string, 'null'], enum: [a, null]}`), answer: v},
		"3.1, an enum without null":   {version: "3.1.0", paths: of(`{type: [string, 'null'], enum: [a]}`), answer: v, want: []string{"error schema /response/body/v: value is not one of the allowed values"}},
		"in a list, beside allOf":     {paths: of(`{type: array, items: {nullable: true, allOf: [{type: string}]}}`), answer: `{"v":[null]}`, want: []string{"error schema /response/body/v/0: Value is not nullable" + why}},
		"behind a reference":          {paths: of(`{$ref: '#/components/schemas/N'}`), parts: `, components: {schemas: {N: {nullable: true, allOf: [{type: string}]}}}`, answer: v, want: vain},
		"no nullable anywhere":        {paths: of(`{allOf: [{type: string}]}`), answer: v, want: null},
		"a list whose items may be":   {paths: of(`{type: array, items: {type: string, nullable: true}}`), answer: `{"v":[null]}`},
		"a map whose members may not": {paths: of(`{type: object, additionalProperties: {type: string}}`), answer: `{"v":{"a":null}}`, want: []string{"error schema /response/body/v/a: Value is not nullable"}},
	})
}

// form writes parts between boundaries: NAME, CONTENT-TYPE or nothing, and CONTENT by turns.
func form(parts ...string) string {
	var text strings.Builder
	for i := 0; i < len(parts); i += 3 {
		fmt.Fprintf(&text, "--B\r\nContent-Disposition: form-data; name=\"%s\"\r\n", parts[i])
		if parts[i+1] != "" {
			fmt.Fprintf(&text, "Content-Type: %s\r\n", parts[i+1])
		}
		fmt.Fprintf(&text, "\r\n%s\r\n", parts[i+2])
	}
	return text.String() + "--B--\r\n"
}

// RFC 7578, 4.4; Media Type Object and Encoding Object.
func TestPartsOfAFormAreJudgedOneByOne(t *testing.T) {
	t.Parallel()
	const schema = `{type: object, required: [n], properties: {n: {type: integer}, file: {type: string, format: binary}, ` +
		`ids: {type: array, items: {type: integer}}, in: {type: object, required: [a]}}}`
	const bytes = "\xf0\x1b\xff\x00"
	cases := map[string]exampleOf{
		"a binary part":               {request: form("n", "", "1", "file", "application/octet-stream", bytes)},
		"a part that is missing":      {request: form("file", "application/octet-stream", bytes), want: []string{`error schema /request/body/n: property "n" is missing`}},
		"a wrong number":              {request: form("n", "", "one", "file", "image/png", bytes), want: []string{"error schema /request/body/n: value must be an integer"}},
		"several of a name":           {request: form("n", "", "1", "ids", "", "1", "ids", "", "2")},
		"one of a list":               {request: form("n", "", "1", "ids", "", "1")},
		"a wrong one of a list":       {request: form("n", "", "1", "ids", "", "1", "ids", "", "b"), want: []string{"error schema /request/body/ids/1: value must be an integer"}},
		"an object":                   {request: form("n", "", "1", "in", "application/json", `{"a":1}`)},
		"an object that lacks":        {request: form("n", "", "1", "in", "", `{}`), want: []string{`error schema /request/body/in/a: property "a" is missing`}},
		"an object that is none":      {request: form("n", "", "1", "in", "application/json", `{"a":`), want: []string{"error schema /request/body/in: the part is not JSON: the text ends too early at byte 5", "error schema /request/body/in: value must be an object"}},
		"a type that is listed":       {request: form("n", "", "1", "file", "image/gif", bytes), paths: "image/png, image/gif"},
		"a type of a range":           {request: form("n", "", "1", "file", "image/webp", bytes), paths: "image/*"},
		"a type that is not listed":   {request: form("n", "", "1", "file", "text/html", bytes), paths: "image/png, image/gif", want: []string{`error schema /request/body/file: part "file" is text/html, want image/png, image/gif`}},
		"no type where one is listed": {request: form("n", "", "1", "file", "", bytes), paths: "image/png", want: []string{`error schema /request/body/file: part "file" is text/plain, want image/png`}},
	}
	for name, u := range cases {
		encoding := ""
		if u.paths != "" {
			encoding = `, encoding: {file: {contentType: '` + u.paths + `'}}`
		}
		u.paths, u.line, u.kind = takes(`{multipart/form-data: {schema: `+schema+encoding+`}}`), "POST /x", "multipart/form-data; boundary=B"
		cases[name] = u
	}
	testExamples(t, cases)
}

// 3.0 and 3.1, Encoding Object, headers: as those of answers, but for Content-Type.
func TestHeadersOfPartsAreJudged(t *testing.T) {
	t.Parallel()
	of := func(header string) string {
		return takes(`{multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {headers: ` +
			`{` + header + `}}}}}`)
	}
	wrong := func(message string) []string {
		return []string{`error schema /request/body/a: part "a": header ` + message}
	}
	const integer = `X-N: {required: true, schema: {type: integer, maximum: 9}}`
	const object = `X-O: {schema: {type: object, required: [n], properties: {n: {type: integer}}}}`
	const refers = `X-N: {$ref: '#/components/headers/N'}`
	const parts = `, components: {headers: {N: {schema: {type: integer}}}}`
	for name, u := range map[string]exampleOf{
		"a number":                  {paths: of(integer), request: "X-N: 9"},
		"a number that is too high": {paths: of(integer), request: "x-n: 10", want: wrong("X-N: number must be at most 9")},
		"a text":                    {version: "3.1.0", paths: of(integer), request: "X-N: many", want: wrong("X-N: value must be an integer")},
		"none":                      {version: "3.1.0", paths: of(integer), request: "X-M: 1", want: wrong("X-N is missing")},
		"none where none need be":   {paths: of(object), request: "X-M: 1"},
		"a list":                    {paths: of(`X-L: {schema: {type: array, items: {type: integer}}}`), request: "X-L: 1, 2"},
		"a wrong item":              {paths: of(`X-L: {schema: {type: array, items: {type: integer}}}`), request: "X-L: 1, b", want: wrong("X-L: value must be an integer")},
		"lines of a list":           {paths: of(`X-L: {schema: {type: array, maxItems: 1}}`), request: "X-L: 1\r\nX-L: 2", want: wrong("X-L: maximum number of items is 1")},
		"an object":                 {paths: of(object), request: "X-O: n,1"},
		"an object that lacks":      {version: "3.1.0", paths: of(object), request: "X-O: m,1", want: wrong(`X-O: property "n" is missing`)},
		"JSON":                      {paths: of(`X-J: {content: {application/json: {schema: {type: integer}}}}`), request: "X-J: 1.5", want: wrong("X-J: value must be an integer")},
		"by a reference":            {paths: of(refers), parts: parts, request: "X-N: b", want: wrong("X-N: value must be an integer")},
		"a schema by a reference":   {paths: of(`X-N: {schema: {$ref: '#/components/schemas/N'}}`), parts: `, components: {schemas: {N: {type: integer}}}`, request: "X-N: b", want: wrong("X-N: value must be an integer")},
		"what was taken out":        {paths: of(integer), request: "X-N: " + recording.Mark},
		"Content-Type":              {paths: of(`content-type: {required: true, schema: {type: integer}}`), request: "X-N: 1"},
	} {
		u.line, u.kind = "POST /x", "multipart/form-data; boundary=B"
		u.request = form("a", "text/plain\r\n"+u.request, "b")
		testExamples(t, map[string]exampleOf{name: u})
	}
}

// 3.0.4 and 3.1.1, Encoding Object, contentType, which is by the type of the property, and style; RFC 7578, 4.4.
func TestPartsWithoutATypeHaveThatOfTheirProperty(t *testing.T) {
	t.Parallel()
	wrong := func(message string) []string { return []string{"error schema /request/body/a" + message} }
	const object = `{type: object, properties: {n: {type: integer}}}`
	const isObject = `, encoding: {a: {contentType: application/json}}`
	const styled = `, encoding: {a: {style: pipeDelimited, explode: false}}`
	type fields = []string
	for name, u := range map[string]struct {
		version, schema, encoding string
		parts                     fields
		want                      []string
	}{
		"an object":                      {"", object, "", fields{"a", "", `{"n":1}`}, nil},
		"an object, which is wrong":      {"", object, "", fields{"a", "", `{"n":"b"}`}, wrong("/n: value must be an integer")},
		"objects":                        {"", `{type: array, items: ` + object + `}`, "", fields{"a", "", `{"n":1}`, "a", "", `{"n":2}`}, nil},
		"a wrong one of them":            {"3.1.0", `{type: array, items: ` + object + `}`, "", fields{"a", "", `{"n":1}`, "a", "", `{"n":"b"}`}, wrong("/1/n: value must be an integer")},
		"an object of parts":             {"", `{allOf: [` + object + `, {required: [n]}]}`, "", fields{"a", "", `{}`}, wrong(`/n: property "n" is missing`)},
		"a text of parts":                {"", `{allOf: [{type: string, maxLength: 3}]}`, "", fields{"a", "", `abcd`}, wrong(": maximum string length is 3")},
		"an object or a text":            {"", `{oneOf: [` + object + `, {type: string}]}`, "", fields{"a", "", `{"n":1}`}, nil},
		"the text":                       {"", `{oneOf: [` + object + `, {type: string}]}`, "", fields{"a", "", `b`}, nil},
		"an object or null":              {"3.1.0", `{type: [object, 'null'], properties: {n: {type: integer}}}`, "", fields{"a", "", `{"n":1}`}, nil},
		"an object that is none":         {"3.1.0", `{type: [object, 'null']}`, "", fields{"a", "", `b`}, wrong(": the part is not JSON: a syntax error at byte 0\n" + "error schema /request/body/a: value must be one of null, object")},
		"a text that looks like JSON":    {"", `{type: string}`, "", fields{"a", "", `{"n":1}`}, nil},
		"a type that is plain":           {"", object, "", fields{"a", "text/plain", `{"n":1}`}, wrong(": value must be an object")},
		"none where JSON is listed":      {"", object, isObject, fields{"a", "", `{"n":1}`}, wrong(`: part "a" is text/plain, want application/json`)},
		"a text without types that fits": {"", `{enum: ['1', b]}`, "", fields{"a", "", `1`}, nil},
		"a number without types":         {"", `{enum: [1, 2]}`, "", fields{"a", "", `1`}, nil},
		"neither":                        {"", `{enum: ['1', 2]}`, "", fields{"a", "", `3`}, wrong(": value is not one of the allowed values")},
		"a JSON number is no text":       {"", `{type: string}`, "", fields{"a", "application/json", `1`}, wrong(": value must be a string")},
		"bars, 3.1":                      {"3.1.0", `{type: array, items: {type: integer}}`, styled, fields{"a", "", `1|2`}, nil},
		"a wrong one between bars, 3.1":  {"3.1.0", `{type: array, items: {type: integer}}`, styled, fields{"a", "", `1|b`}, wrong("/1: value must be an integer")},
		"bars, 3.0":                      {"", `{type: array, items: {type: integer}}`, styled, fields{"a", "", `1|2`}, wrong("/0: value must be an integer")},
	} {
		want := u.want
		if len(want) == 1 {
			want = strings.Split(want[0], "\n")
		}
		testExamples(t, map[string]exampleOf{name: {
			version: u.version, line: "POST /x", kind: "multipart/form-data; boundary=B", request: form(u.parts...), want: want,
			paths: takes(`{multipart/form-data: {schema: {type: object, properties: {a: ` + u.schema + `}}` + u.encoding + `}}`),
		}})
	}
}

// RFC 8259: what a type says is JSON is JSON.
func TestABodyThatIsNotTheJSONThatItsTypeSaysIsAnError(t *testing.T) {
	t.Parallel()
	wrong := func(reason string) []string {
		return []string{"error schema /response/body: the body is not JSON: " + reason}
	}
	unclear := func(reason string) []string {
		return []string{"inconclusive schema /response/body: the body is not JSON: " + reason}
	}
	object := answers(`{type: object}`)
	testExamples(t, map[string]exampleOf{
		"a page":                 {paths: object, answer: "<!DOCTYPE html>\n<html><p>Bad gateway", want: wrong("a syntax error at byte 0")},
		"a page in capitals":     {paths: object, answer: "<HTML><BODY>502</BODY></HTML>", want: wrong("a syntax error at byte 0")},
		"XML":                    {version: "3.1.0", paths: object, answer: "<?xml version='1.0'?><Error/>", want: wrong("a syntax error at byte 0")},
		"a text":                 {paths: object, answer: "upstream connect error", want: wrong("a syntax error at byte 0")},
		"two values":             {paths: object, answer: `{}{}`, want: unclear("data after the value")},
		"single quotes":          {paths: object, answer: `{'a':1}`, want: wrong("a syntax error at byte 1")},
		"a text that was cut":    {paths: object, answer: `{"a":"b`, want: unclear("the text ends too early at byte 7")},
		"a text with a stand-in": {paths: object, answer: `{"a":<REDACTED>}`, want: unclear("a syntax error at byte 5")},
		"a note that it was cut": {paths: object, answer: `{"a":1,[truncated]`, want: unclear("a syntax error at byte 7")},
		"a stand-in for all":     {paths: object, answer: `[FILTERED]`, want: unclear("a syntax error at byte 1")},
	})
}

// RFC 9110, 8.6; Request Body Object, required.
func TestAContentLengthOfZeroShowsThatThereWasNoBody(t *testing.T) {
	t.Parallel()
	needed := takes(`{application/json: {schema: {type: object}}}`)
	optional := strings.Replace(needed, "required: true", "required: false", 1)
	empty := recording.Headers{{"Content-Length", "0"}}
	missing := []string{"error schema /request/body: the request body is empty, but one is documented"}
	typed := recording.Headers{{"content-length", "0"}, {"Content-Type", "application/json"}}
	testExamples(t, map[string]exampleOf{
		"a body that is required":      {paths: needed, line: "POST /x", headers: empty, want: missing},
		"3.1":                          {version: "3.1.0", paths: needed, line: "POST /x", headers: empty, want: missing},
		"with a type":                  {paths: needed, line: "POST /x", headers: typed, want: missing},
		"of any type":                  {paths: takes(`{'*/*': {}}`), line: "POST /x", headers: empty, want: []string{"error schema /request/body: the body is not JSON: the text ends too early"}},
		"of several types":             {paths: takes(`{application/json: {}, text/plain: {}}`), line: "POST /x", headers: empty, want: missing},
		"a body that is optional":      {paths: optional, line: "POST /x", headers: empty},
		"an operation without a body":  {paths: `{/x: {post: {responses: {'200': {description: a}}}}}`, line: "POST /x", headers: empty},
		"no length, so it is not said": {paths: needed, line: "POST /x", want: []string{"inconclusive schema /request/body: the recording does not contain the body, and one is documented"}},
	})
}

// 3.0 and 3.1, Encoding Object: style, explode and contentType of the fields of a form.
func TestFieldsOfAFormThatAnswersAreJudged(t *testing.T) {
	t.Parallel()
	const schema = `{type: object, required: [n], properties: {n: {type: integer}, ids: {type: array, items: {type: integer}}, ` +
		`in: {type: object, required: [a]}}}`
	of := func(encoding string) string {
		return `{/x: {get: {responses: {'200': {description: a, content: {application/x-www-form-urlencoded: ` +
			`{schema: ` + schema + `, encoding: {` + encoding + `}}}}}}}}`
	}
	cases := map[string]exampleOf{
		"a field":                     {answer: "n=1"},
		"a wrong number":              {answer: "n=one", want: []string{"error schema /response/body/n: value must be an integer"}},
		"a field that is missing":     {answer: "ids=1", want: []string{`error schema /response/body/n: property "n" is missing`}},
		"several of a name":           {answer: "n=1&ids=1&ids=2"},
		"a wrong one of a list":       {answer: "n=1&ids=1&ids=b", want: []string{"error schema /response/body/ids/1: value must be an integer"}},
		"a list with commas":          {answer: "n=1&ids=1,2", paths: "ids: {explode: false}"},
		"a wrong one behind a comma":  {answer: "n=1&ids=1,b", paths: "ids: {explode: false}", want: []string{"error schema /response/body/ids/1: value must be an integer"}},
		"a list with spaces":          {answer: "n=1&ids=1+2", paths: "ids: {style: spaceDelimited}"},
		"an object":                   {answer: "n=1&in=%7B%22a%22:1%7D"},
		"an object that lacks":        {answer: "n=1&in=%7B%7D", want: []string{`error schema /response/body/in/a: property "a" is missing`}},
		"a style that is not defined": {answer: "n=1&in[a]=1", paths: "in: {style: deepObject}", want: []string{`inconclusive schema /response/body: no decoder for the field "in[a]" of the form`}},
		"no form":                     {answer: "n=%zz", want: []string{"inconclusive schema /response/body: the form cannot be parsed"}},
	}
	for name, u := range cases {
		u.paths, u.answered = of(u.paths), "application/x-www-form-urlencoded"
		cases[name] = u
	}
	testExamples(t, cases)
}

// 3.2, Special Considerations for text/event-stream Content, and Sequential Media Types.
func TestItemsOfAStreamAreHeldAgainstTheirItemSchema(t *testing.T) {
	t.Parallel()
	const event = `{type: object, required: [event], properties: {event: {enum: [a, b]}, data: {type: string, maxLength: 3}, ` +
		`retry: {type: integer, maximum: 9}}}`
	stream := func(kind, schema string) string {
		return `{/x: {get: {responses: {'200': {description: a, content: {` + kind + `: {itemSchema: ` + schema + `}}}}}}}`
	}
	events, sequence := "text/event-stream", "application/json-seq"
	ofEvents, ofSequence := stream(events, event), stream(sequence, `{type: object, required: [n]}`)
	for name, u := range map[string]exampleOf{
		"events":                        {answer: "event: a\ndata: x\n\nevent: b\ndata: y\n\n"},
		"an event of another name":      {answer: "event: c\ndata: x\n\n", want: []string{"error schema /response/body/0/event: value is not one of the allowed values"}},
		"a second one without a name":   {answer: "event: a\ndata: x\n\ndata: y\n\n", want: []string{`error schema /response/body/1/event: property "event" is missing`}},
		"data that are too long":        {answer: "event: a\ndata: x\ndata: yz\n\n", want: []string{"error schema /response/body/0/data: maximum string length is 3"}},
		"a time that is a number":       {answer: "event: a\ndata: x\nretry: 10\n\n", want: []string{"error schema /response/body/0/retry: number must be at most 9"}},
		"a time that is none":           {answer: "event: a\ndata: x\nretry: soon\n\n"},
		"comments, and unknown fields":  {answer: ": c\n\nevent: a\nmore: x\ndata: x\n\n"},
		"no data, which is no event":    {answer: "event: c\n\nevent: a\ndata\n\n"},
		"a stream that is cut":          {answer: "event: a\ndata: x\n\nevent: b", want: []string{"inconclusive schema /response/body: the stream ends unexpectedly after 1 events"}},
		"a sequence":                    {paths: ofSequence, answer: "\x1e{\"n\":1}\n\x1e{\"n\":2}\n"},
		"a record that lacks something": {paths: ofSequence, answer: "\x1e{\"n\":1}\n\x1e{}\n", want: []string{`error schema /response/body/1/n: property "n" is missing`}},
		"a record over several lines":   {paths: ofSequence, answer: "\x1e{\n\"n\":1}\n"},
		"a record that is not JSON":     {paths: ofSequence, answer: "\x1e{\"n\":1}\n\x1enone\n", want: []string{"error schema /response/body: record 2 of the body is not JSON: a syntax error at byte 1"}},
	} {
		u.version, u.answered = "3.2.0", sequence
		if u.paths == "" {
			u.paths, u.answered = ofEvents, events
		}
		testExamples(t, map[string]exampleOf{name: u})
	}
}

// RFC 9110, 6.4.1: whatever the document says.
func TestSomeResponsesNeverHaveABody(t *testing.T) {
	t.Parallel()
	of := func(method, status string) string {
		return `{/x: {` + method + `: {responses: {'` + status + `': {description: a, content: {application/json: {}}}}}}}`
	}
	wrong := func(message string) []string { return []string{"error schema /response/body: the response " + message} }
	testExamples(t, map[string]exampleOf{
		"204":                    {paths: of("delete", "204"), line: "DELETE /x", status: 204, answer: `{}`, want: wrong("with status 204 has a body, which HTTP does not allow")},
		"204, as the class says": {paths: of("delete", "2XX"), line: "DELETE /x", status: 204, answer: `{}`, want: wrong("with status 204 has a body, which HTTP does not allow")},
		"204, which has none":    {paths: of("delete", "204"), line: "DELETE /x", status: 204},
		"304":                    {paths: of("get", "304"), status: 304, answer: `{}`, want: wrong("with status 304 has a body, which HTTP does not allow")},
		"304, which has none":    {paths: of("get", "304"), status: 304},
		"HEAD":                   {paths: of("head", "200"), line: "HEAD /x", answer: `{}`, want: wrong("to a HEAD request has a body")},
		"HEAD, which has none":   {paths: of("head", "200"), line: "HEAD /x"},
		"200":                    {paths: of("get", "200"), answer: `{}`},
	})
}
