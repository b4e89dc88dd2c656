package accept_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

// keywordCase is a schema with values that requests may have, and some that they may not.
type keywordCase struct {
	name, schema      string
	accepted, refused []string
}

var cases = []keywordCase{
	{"null is allowed by nullable only", `{"nullable":true,"type":"string"}`, []string{`null`, `"a"`}, []string{`1`}},
	{"null does not fit the empty schema", `{}`, []string{`1`, `"a"`, `[null]`}, []string{`null`}},
	{"null is allowed by an alternative", `{"oneOf":[{"type":"string","nullable":true},{"type":"integer"}]}`, []string{`null`, `1`}, []string{`1.5`, `true`}},
	{"an enum has no say on null", `{"type":"string","nullable":true,"enum":["a"]}`, []string{`null`, `"a"`}, []string{`"b"`}},
	{"null in an enum allows no null", `{"type":"string","enum":["a",null]}`, []string{`"a"`}, []string{`null`}},
	{"an enum compares values", `{"enum":[1,"1",true]}`, []string{`1.0`, `"1"`, `true`}, []string{`"true"`, `2`, `false`, `[1]`}},
	{"an integer may be written as a fraction", `{"type":"integer"}`, []string{`4.0`, `4e0`, `-1`}, []string{`4.5`, `"4"`}},
	{"int32", `{"type":"integer","format":"int32"}`, []string{`2147483647`, `-2147483648`}, []string{`2147483648`, `1e300`}},
	{"int64", `{"type":"integer","format":"int64"}`, []string{`9223372036854775807`, `-9223372036854775808`}, []string{`1e19`, `-1e19`}},
	{"multipleOf", `{"type":"number","multipleOf":0.1}`, []string{`0.3`, `1`}, []string{`0.35`, `"1"`}},
	{"exclusive bounds", `{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":true}`, []string{`1.5`}, []string{`1`, `2`}},
	{"lengths count characters", `{"type":"string","minLength":2,"maxLength":2}`, []string{`"éé"`, `"😀a"`}, []string{`"é"`, `"abc"`}},
	{"a pattern finds its place anywhere", `{"type":"string","pattern":"b$"}`, []string{`"ab"`}, []string{`"ba"`}},
	{
		"date", `{"type":"string","format":"date"}`,
		[]string{`"2024-02-29"`, `"2024-12-31"`},
		[]string{`"2024-02-30"`, `"2023-02-29"`, `"2024-04-31"`, `"2024-13-01"`, `"2024-2-3"`, `"2024-02-03T"`},
	},
	{
		"date-time", `{"type":"string","format":"date-time"}`,
		[]string{
			`"2024-02-03T04:05:06Z"`, `"2024-02-03T04:05:06.7Z"`, `"2024-02-03T04:05:06-08:00"`, `"2024-02-29T04:05:06Z"`,
			`"2024-02-03t04:05:06z"`, `"2016-12-31T23:59:60Z"`, `"2016-12-31T15:59:60.5-08:00"`,
		},
		[]string{
			`"2024-02-03T24:05:06Z"`, `"2024-00-03T04:05:06Z"`, `"2024-02-30T04:05:06Z"`, `"2023-02-29T04:05:06+01:00"`,
			`"2024-02-03T04:60:06Z"`, `"2024-02-03T04:05:61Z"`, `"2024-02-03T04:05:60Z"`, `"2024-02-03T04:05:06+25:00"`,
			`"2024-02-03T04:05:06.Z"`, `"2024-02-03T04:05:06,7Z"`, `"2024-02-03T04:05:06"`, `"2024-02-03T04:05:06.7aZ"`,
			`"x024-02-03T04:05:06Z"`, `"2024-02-03 04:05:06Z"`,
		},
	},
	{"byte", `{"type":"string","format":"byte"}`, []string{`"YQ=="`, `""`}, []string{`"a b"`}},
	{"an unknown format says nothing", `{"type":"string","format":"uuid"}`, []string{`"nope"`}, []string{`1`}},
	{"items", `{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2}`, []string{`[1]`, `[1,2]`}, []string{`[]`, `[1,2,3]`, `["1"]`}},
	{"uniqueItems", `{"type":"array","items":{},"uniqueItems":true}`, []string{`[1,"1"]`}, []string{`[{"a":1},{"a":1}]`, `[1,1.0]`}},
	{"no other properties", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, []string{`{}`, `{"a":"b"}`}, []string{`{"b":1}`, `{"a":1}`}},
	{"other properties have a schema", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"integer"}}`, []string{`{"a":"b","c":1}`}, []string{`{"c":"d"}`, `{"a":null}`}},
	{"numbers of properties", `{"type":"object","minProperties":1,"maxProperties":2}`, []string{`{"a":null}`}, []string{`{}`, `{"a":1,"b":1,"c":1}`}},
	{"required", `{"type":"object","required":["a"]}`, []string{`{"a":null}`}, []string{`{"b":1}`}},
	{"a request has no readOnly properties", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","readOnly":true,"nullable":true}}}`, []string{`{}`, `{"a":null}`}, []string{`{"a":"b"}`}},
	{"writeOnly says nothing of requests", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","writeOnly":true}}}`, []string{`{"a":"b"}`}, []string{`{}`}},
	{"a readOnly property of one part is not required by another", `{"allOf":[{"required":["a"]},{"type":"object","properties":{"a":{"type":"string","readOnly":true}}}]}`, []string{`{}`}, []string{`{"a":"b"}`}},
	{"that of an alternative is", `{"required":["a"],"type":"object","anyOf":[{"properties":{"a":{"type":"string","readOnly":true}}}]}`, nil, []string{`{}`}},
	{"not", `{"not":{"type":"string"}}`, []string{`1`, `{}`}, []string{`"a"`, `null`}},
	{"one of them", `{"oneOf":[{"type":"integer"},{"type":"number","minimum":3}]}`, []string{`1`, `3.5`}, []string{`4`, `"a"`}},
	{"any of them", `{"anyOf":[{"type":"integer"},{"type":"number","minimum":3}],"maximum":9}`, []string{`1`, `3.5`, `4`}, []string{`"a"`, `1.5`, `10`}},
	{"all of them", `{"allOf":[{"type":"integer"},{"maximum":9}]}`, []string{`1`}, []string{`10`, `"a"`}},
	{"a discriminator has to be there", `{"oneOf":[{"type":"object"}],"discriminator":{"propertyName":"a","mapping":{"b":"#/components/schemas/B"}}}`, nil, []string{`{}`, `{"a":1}`, `{"a":"c"}`, `{"a":"b"}`, `null`}},
	{"a discriminator without a mapping chooses none", `{"oneOf":[{"type":"object"},{"type":"string"}],"discriminator":{"propertyName":"a"}}`, []string{`{"a":"b"}`, `"a"`}, []string{`{}`, `{"a":1}`}},
}

func TestKeywords(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema := &openapi3.Schema{}
			if err := schema.UnmarshalJSON([]byte(c.schema)); err != nil {
				t.Fatal(err)
			}
			for i, list := range [][]string{c.refused, c.accepted} {
				for _, text := range list {
					checkVerdict(t, schema, text, i == 1)
				}
			}
		})
	}
}

func checkVerdict(t *testing.T, schema *openapi3.Schema, text string, want bool) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	for _, d := range directions {
		tree := accept.Compile(schema, d)
		if tree == nil {
			t.Fatal("the schema is not compiled")
		}
		got, err := tree.Accepts(value), schema.VisitJSON(value, d.Options()...)
		if got != (err == nil) {
			t.Errorf("%s, direction %d: accepted: %v, but kin-openapi says %v", text, d, got, err)
		}
		if d == accept.Request && got != want {
			t.Errorf("%s: accepted: %v, want %v", text, got, want)
		}
		compareText(t, schema, d, tree, []byte(text))
	}
}

func TestNumbersThatJSONHasNotAreRefused(t *testing.T) {
	t.Parallel()
	for _, schema := range []*openapi3.Schema{{}, openapi3.NewFloat64Schema()} {
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if accept.Compile(schema, accept.Request).Accepts(value) || schema.VisitJSON(value) == nil {
				t.Errorf("%v is accepted", value)
			}
		}
	}
}

func TestSchemasThatSayMoreHaveNoTree(t *testing.T) {
	t.Parallel()
	itself := &openapi3.Schema{}
	itself.AllOf = openapi3.SchemaRefs{{Value: itself}}
	endless := &openapi3.Schema{}
	endless.Properties = openapi3.Schemas{"next": {Value: endless}}
	never := false
	for name, schema := range map[string]*openapi3.Schema{
		"that combines itself":   itself,
		"that only has itself":   endless,
		"false":                  {Always: &never},
		"with an enum of lists":  {Enum: []any{[]any{}}},
		"with prefixItems":       {PrefixItems: openapi3.SchemaRefs{{Value: &openapi3.Schema{}}}},
		"with a \\u pattern":     {Pattern: `\u0041`},
		"with a wrong pattern":   {Pattern: `(`},
		"that refers to nothing": {Items: &openapi3.SchemaRef{Ref: "#/nothing"}},
		"with a part of these":   {Properties: openapi3.Schemas{"a": {Value: &openapi3.Schema{Pattern: `(`}}}},
	} {
		if accept.Compile(schema, accept.Request) != nil {
			t.Errorf("a schema %s has a tree", name)
		}
	}
}

func TestASchemaMayContainItself(t *testing.T) {
	t.Parallel()
	schema := openapi3.NewObjectSchema()
	schema.Required = []string{"name"}
	schema.Properties = openapi3.Schemas{"name": {Value: openapi3.NewStringSchema()}, "next": {Value: schema}}
	checkVerdict(t, schema, `{"name":"a","next":{"name":"b","next":{"name":"c"}}}`, true)
	checkVerdict(t, schema, `{"name":"a","next":{"name":"b","next":{"name":1}}}`, false)
}
