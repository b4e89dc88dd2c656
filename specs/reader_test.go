package specs_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

const readDocument = `openapi: 3.0.3
x-lenient: LENIENT
info: {title: own, version: '1'}
paths:
  /a:
    post:
      operationId: a
      parameters:
      - {name: dry, in: query, schema: {type: boolean}}
      - {name: from, in: query, schema: {type: integer}}
      - {name: status, in: query, schema: {type: string, enum: [queued]}}
      - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      requestBody:
        content:
          CONTENT:
            schema:
              allOf:
              - type: object
                properties:
                  count: {type: integer}
                  ratio: {type: number}
                  flag: {type: boolean}
                  kind: {type: string, enum: [x]}
                  zone: {type: string, minLength: 1}
                  limit: {type: integer, nullable: true}
                  name: {type: string, nullable: true}
              - type: object
                properties:
                  ids: {type: array, items: {type: integer}}
                  key: {oneOf: [{type: integer}, {type: string}]}
                  columns: {oneOf: [{type: array, items: {type: array}}, {type: string}]}
                  settings: {type: object, additionalProperties: {type: integer}}
                  policy: {type: object, properties: {name: {type: string}, level: {type: integer}, tags: {type: array, items: {type: string}}}}
      responses: {'200': {description: fine}}
    put:
      operationId: b
      parameters:
      - {name: dry, in: query, schema: {type: boolean}}
      responses: {'200': {description: fine}}
`

func reader(tb testing.TB, id, lenient, content string) *specs.Reader {
	tb.Helper()
	source := strings.NewReplacer("LENIENT", lenient, "CONTENT", content).Replace(readDocument)
	doc, err := specs.Parse("core", "own.yaml", []byte(source), "")
	if err != nil {
		tb.Fatal(err)
	}
	return doc.Operation(id).Reader
}

// formReader returns the reader of an operation of a document of a user's own, which takes a form.
func formReader(tb testing.TB, schema string) *specs.Reader {
	tb.Helper()
	doc, err := specs.Parse("shop", "own.yaml", []byte("openapi: 3.0.3\ninfo: {title: x, version: '1'}\npaths: {/a: {post: "+
		"{operationId: a, requestBody: {content: {"+typeForm+": {schema: "+schema+"}}}, responses: {'200': {description: x}}}}}\n"),
		specs.Neutral)
	if err != nil {
		tb.Fatal(err)
	}
	return doc.Operation("a").Reader
}

const (
	typeJSON      = "application/json"
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data; boundary=b"
)

func query(tb testing.TB, text string) url.Values {
	tb.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		tb.Fatal(err)
	}
	return values
}

// multipartOf writes a form as multipart/form-data.
func multipartOf(form url.Values) string {
	var body strings.Builder
	for name, values := range form {
		for _, value := range values {
			body.WriteString("--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n")
		}
	}
	return body.String() + "--b--\r\n"
}

func TestReaderReadsForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, form, want string }{
		{"texts become what the schema wants", "count=3&ratio=0.5&flag=true", `{"count":3,"flag":true,"ratio":0.5}`},
		{"booleans in any case, and as digits", "flag=TrUe", `{"flag":true}`},
		{"zero is false", "flag=0", `{"flag":false}`},
		{"what a text cannot become it stays", "count=many&flag=maybe", `{"count":"many","flag":"maybe"}`},
		{
			"an empty value is absent where an empty text makes no sense", "count=&kind=&zone=&limit=&flag=&ids=&key=&name=",
			`{"key":"","name":""}`,
		},
		{"a list by brackets", "ids[]=1&ids[]=2", `{"ids":[1,2]}`},
		{"an empty list by brackets", "ids[]=", `{"ids":[]}`},
		{"a list by repetition", "ids=1&ids=2", `{"ids":[1,2]}`},
		{"a list with commas", "ids=1,2", `{"ids":[1,2]}`},
		{"a list as JSON", "ids=[1,2]", `{"ids":[1,2]}`},
		{"where text is allowed it stays text", `key=7&columns=[["a","int"]]`, `{"columns":"[[\"a\",\"int\"]]","key":"7"}`},
		{"an object as JSON", `settings={"a":1}`, `{"settings":{"a":1}}`},
		{"texts in JSON in a form", `settings={"a":"1"}&ids=["1",""]`, `{"ids":[1,""],"settings":{"a":1}}`},
		{"an object by brackets", "policy[name]=a&policy[level]=2", `{"policy":{"level":2,"name":"a"}}`},
		{"a list in an object", "policy[tags][]=a&policy[tags][]=b", `{"policy":{"tags":["a","b"]}}`},
		{"two members of a member", "settings[a][b]=1&settings[a][c]=2", `{"settings":{"a":{"b":"1","c":"2"}}}`},
		{"deeper than the schema knows", "settings[a][b]=1", `{"settings":{"a":{"b":"1"}}}`},
		{"what the schema does not know is text", "more=1", `{"more":"1"}`},
		{"the last of several wins", "count=1&count=2", `{"count":2}`},
	} {
		for kind, body := range map[string]string{typeForm: test.form, typeMultipart: multipartOf(query(t, test.form))} {
			t.Run(test.name+" in "+kind, func(t *testing.T) {
				t.Parallel()
				read, err := reader(t, "a", "[query, bodies]", typeJSON).Read(specs.Sent{ContentType: kind, Body: []byte(body)})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, string(read.Body)); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
			})
		}
	}
	t.Run("a form that a strict document lists has empty values as they are", func(t *testing.T) {
		t.Parallel()
		read, err := reader(t, "a", "[]",
			typeForm).Read(specs.Sent{ContentType: typeForm, Body: []byte("limit=&name=&count=")})
		if diff := cmp.Diff(`{"count":"","limit":null,"name":""}`, string(read.Body)); diff != "" || err != nil {
			t.Errorf("error %v, body (-want +got):\n%s", err, diff)
		}
	})
	t.Run("a strict document has numbered fields for a list, and takes an alternative that fits", func(t *testing.T) {
		t.Parallel()
		schema := "{type: object, properties: {lines: {type: array, items: {type: object, " +
			"properties: {price: {type: integer}, tags: {type: array, items: {type: string}}}}}, " +
			"end: {anyOf: [{type: integer}, {type: string, enum: [now]}]}, other: {type: object}}}"
		for form, want := range map[string]string{
			"lines[10][price]=3&lines[2][price]=2&lines[2][tags][0]=a": `{"lines":[{"price":2,"tags":["a"]},{"price":3}]}`,
			"lines[x][price]=1":                    `{"lines":{"x":{"price":"1"}}}`,
			`lines={"price":1,"tags":["a","b"]}`:   `{"lines":[{"price":1,"tags":["a","b"]}]}`, // one item
			`lines={"price":1}&lines={"price":2}`:  `{"lines":[{"price":1},{"price":2}]}`,
			`lines=[{"price":1,"tags":["a","b"]}]`: `{"lines":[{"price":1,"tags":["a","b"]}]}`,
			"other[0][a]=1":                        `{"other":{"0":{"a":"1"}}}`,
			"end=5":                                `{"end":5}`,
			"end=now":                              `{"end":"now"}`,
			"end=later":                            `{"end":"later"}`,
		} {
			read, err := formReader(t, schema).Read(specs.Sent{ContentType: typeForm, Body: []byte(form)})
			if diff := cmp.Diff(want, string(read.Body)); diff != "" || err != nil {
				t.Errorf("%s: error %v, body (-want +got):\n%s", form, err, diff)
			}
		}
	})
	t.Run("a form that a strict document does not list is not read", func(t *testing.T) {
		t.Parallel()
		for kind, body := range map[string]string{typeForm: "count=1", typeMultipart: multipartOf(query(t, "count=1"))} {
			read, err := reader(t, "a", "[]", typeJSON).Read(specs.Sent{ContentType: kind, Body: []byte(body)})
			if err != nil || read.Changed.Body || string(read.Body) != body {
				t.Errorf("%s: error %v, body %s", kind, err, read.Body)
			}
		}
	})
	for name, sent := range map[string]specs.Sent{
		"a broken escape":              {ContentType: typeForm, Body: []byte("count=%zz")},
		"a value that is not UTF-8":    {ContentType: typeForm, Body: []byte("name=%FF")},
		"multipart without a boundary": {ContentType: "multipart/form-data", Body: []byte("--b--\r\n")},
		"multipart that is cut": {
			ContentType: typeMultipart,
			Body:        []byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1"),
		},
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			t.Parallel()
			if read, err := reader(t, "a", "[bodies]", typeJSON).Read(sent); err == nil {
				t.Errorf("read as %s", read.Body)
			}
		})
	}
}

func TestReaderReadsJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, json, want string }{
		{"what is exact stays as it is written", ` {"count": 3, "ids": [1.0, 2], "more": 12345678901234567890}`, ""},
		{
			"texts become what the schema wants", `{"count":"3","flag":"1","ids":"1,2","settings":"{\"a\":1}"}`,
			`{"count":3,"flag":true,"ids":[1,2],"settings":{"a":1}}`,
		},
		{"in JSON in a text", `{"settings":"{\"a\":\"1\",\"b\":null}"}`, `{"settings":{"a":1}}`},
		{
			"in lists and objects as well", `{"ids":["1"],"policy":{"level":"2"},"settings":{"a":"1"}}`,
			`{"ids":[1],"policy":{"level":2},"settings":{"a":1}}`,
		},
		{
			"null is absent where it is not allowed", `{"count":null,"limit":null,"kind":null,"more":null}`,
			`{"limit":null,"more":null}`,
		},
		{
			"an empty text is absent where it makes no sense", `{"count":"","zone":"","name":"","key":""}`,
			`{"name":"","key":""}`,
		},
		{"where text is allowed it stays text", `{"key":"7","name":"1","columns":"[[\"a\",\"int\"]]"}`, ""},
		{"a number is not made a text", `{"name":5}`, ""},
		{
			"what a text cannot become it stays", `{"count":"many","ids":["x"],"flag":"maybe"}`,
			`{"count":"many","ids":["x"],"flag":"maybe"}`,
		},
		{
			"the rest of what is changed stays as it is written", `{"count":"3","more":12345678901234567890.50,"name":"\u00e9"}`,
			`{"count":3,"more":12345678901234567890.50,"name":"\u00e9"}`,
		},
		{"what is not JSON is left to the validator", `{"count":"3"`, ""},
		{"a list is left to the validator", `["3"]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			read, err := reader(t, "a", "[bodies]", typeJSON).Read(specs.Sent{ContentType: typeJSON, Body: []byte(test.json)})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				test.want = test.json
			}
			if diff := cmp.Diff(test.want, string(read.Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a strict interface reads nothing into it", func(t *testing.T) {
		t.Parallel()
		body := `{"count":"3","kind":null}`
		read, err := reader(t, "a", "[query]", typeJSON).Read(specs.Sent{ContentType: typeJSON, Body: []byte(body)})
		if err != nil || read.Changed.Body || string(read.Body) != body {
			t.Errorf("error %v, body %s", err, read.Body)
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add("from=&dry=1", typeForm, "policy[name]=a&ids[]=1&settings[a][b][]=1&[x]=&a[=1")
	f.Add("count=1", typeJSON, `{"count":"1","ids":[null,"2"],"policy":{"level":""}}`)
	f.Add("", typeMultipart, multipartOf(url.Values{"count": {"1"}}))
	r := reader(f, "a", "[query, bodies]", typeJSON)
	f.Fuzz(func(t *testing.T, text, kind, body string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		read, err := r.Read(specs.Sent{Query: values, ContentType: kind, Body: []byte(body)})
		if err != nil || !read.Changed.Body {
			return
		}
		again, err := r.Read(specs.Sent{Query: url.Values{}, ContentType: typeJSON, Body: read.Body})
		if err != nil || (again.Changed.Body && string(again.Body) != string(read.Body)) {
			t.Errorf("%s is read again as %s, error %v", read.Body, again.Body, err)
		}
	})
}
