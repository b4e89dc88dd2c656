package specs_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestFormObject(t *testing.T) {
	t.Parallel()
	doc, err := specs.Parse("core", "own.yaml", []byte(`openapi: 3.0.3
info: {title: own, version: '1'}
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/json:
            schema:
              allOf:
              - type: object
                properties:
                  count: {type: integer}
                  ratio: {type: number}
                  flag: {type: boolean}
                  limit: {type: integer, nullable: true}
                  name: {type: string, nullable: true}
              - type: object
                properties:
                  ids: {type: array, items: {type: integer}}
                  key: {oneOf: [{type: integer}, {type: string}]}
                  columns: {oneOf: [{type: array, items: {type: array}}, {type: string}]}
                  settings: {type: object}
                  policy: {type: object, properties: {name: {type: string}, level: {type: integer}, tags: {type: array, items: {type: string}}}}
      responses: {'200': {description: fine}}
`), "")
	if err != nil {
		t.Fatal(err)
	}
	schema := doc.Operation("a").JSONBody()
	for _, test := range []struct {
		name, form string
		want       map[string]any
	}{
		{"texts become what the schema wants", "count=3&ratio=0.5&flag=true", map[string]any{"count": int64(3), "ratio": 0.5, "flag": true}},
		{"what a text cannot become it stays", "count=many&flag=maybe", map[string]any{"count": "many", "flag": "maybe"}},
		{"an empty text is null where that is allowed, and no text", "limit=&name=", map[string]any{"limit": nil, "name": ""}},
		{"a list by brackets", "ids[]=1&ids[]=2", map[string]any{"ids": []any{int64(1), int64(2)}}},
		{"a list by repetition", "ids=1&ids=2", map[string]any{"ids": []any{int64(1), int64(2)}}},
		{"a list with commas", "ids=1,2", map[string]any{"ids": []any{int64(1), int64(2)}}},
		{"a list as JSON", "ids=[1,2]", map[string]any{"ids": []any{1.0, 2.0}}},
		{"where text is allowed it stays text", "key=7&columns=[[\"a\",\"int\"]]", map[string]any{"key": "7", "columns": `[["a","int"]]`}},
		{"an object as JSON", `settings={"a":1}`, map[string]any{"settings": map[string]any{"a": 1.0}}},
		{"an object by brackets", "policy[name]=a&policy[level]=2", map[string]any{"policy": map[string]any{"name": "a", "level": int64(2)}}},
		{"a list in an object", "policy[tags][]=a&policy[tags][]=b", map[string]any{"policy": map[string]any{"tags": []any{"a", "b"}}}},
		{"deeper than the schema knows", "settings[a][b]=1", map[string]any{"settings": map[string]any{"a": map[string]any{"b": "1"}}}},
		{"what the schema does not know is text", "more=1", map[string]any{"more": "1"}},
		{"the last of several wins", "count=1&count=2", map[string]any{"count": int64(2)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fields, err := url.ParseQuery(test.form)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, specs.FormObject(schema, fields)); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzFormObject(f *testing.F) {
	f.Add("policy[name]=a&ids[]=1&settings[a][b][]=1&[x]=&a[=1")
	schema := load(f, specs.Core).Operation("createPolicy").JSONBody()
	f.Fuzz(func(_ *testing.T, form string) {
		if fields, err := url.ParseQuery(form); err == nil {
			specs.FormObject(schema, fields)
		}
	})
}
