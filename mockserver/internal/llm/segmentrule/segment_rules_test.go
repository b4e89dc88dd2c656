package segmentrule_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
	"svc.example/understudy/specs"
)

const convertPath = "/api/util/convert_segment_rule"

func convert(c *mocktest.Client, rule string) mocktest.Answer {
	c.Helper()
	return c.Post(convertPath, `{"name":"n","description":"d","simplifiedIonRule":`+rule+`}`)
}

func TestConvertSegmentRule(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "llm")
	value := func(column, operator string) string {
		return `{"type":"Value","exclude":false,"leftValue":{"name":"` + column + `"},"operator":` + operator +
			`,"arrayMatching":null}`
	}
	equal := func(column string) string { return value(column, `{"type":"Equal","not":false,"rightValue":1}`) }
	tests := []struct{ name, rule, want string }{
		{
			"all conditions and all base segments",
			`"logic":"ALL","conditions":[{"attribute_column":"a","operator":"=","right_value":1,"reason":"r"}],` +
				`"baseSegmentIds":{"logic":"ALL","segmentIds":["71","72"]}`,
			`{"type":"And","conditions":[{"type":"And","conditions":[` + equal("a") + `]},{"type":"And","conditions":[` +
				`{"type":"Reference","exclude":false,"id":"71"},{"type":"Reference","exclude":false,"id":"72"}]}]}`,
		},
		{
			"any condition",
			`"logic":"ANY","conditions":[{"left_value":"a","operator":"=","right_value":1},{"attribute_column":"b","operator":"=","right_value":1}]`,
			`{"type":"Or","conditions":[{"type":"Or","conditions":[` + equal("a") + `,` + equal("b") + `]}]}`,
		},
		{
			"base segments narrow any conditions",
			`"logic":"ANY","conditions":[{"left_value":"a","operator":"=","right_value":1}],"baseSegmentIds":{"logic":"ANY","segmentIds":["71"]}`,
			`{"type":"And","conditions":[{"type":"Or","conditions":[` + equal("a") + `]},` +
				`{"type":"Or","conditions":[{"type":"Reference","exclude":false,"id":"71"}]}]}`,
		},
		{
			"base segments alone", `"baseSegmentIds":{"logic":"ANY","segmentIds":["71"]}`,
			`{"type":"And","conditions":[{"type":"Or","conditions":[{"type":"Reference","exclude":false,"id":"71"}]}]}`,
		},
		{
			"groups and groups within them",
			`"conditions":[{"logic":"ANY","conditions":[{"left_value":"b","operator":"=","right_value":1},` +
				`{"logic":"ALL","conditions":[{"left_value":"c","operator":"=","right_value":1}]}]},{"left_value":"a","operator":"=","right_value":1}]`,
			`{"type":"And","conditions":[{"type":"And","conditions":[` + equal(
				"a",
			) + `]},{"type":"Or","conditions":[` + equal(
				"b",
			) +
				`,{"type":"And","exclude":false,"conditions":[` + equal(
				"c",
			) + `]}]}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := c.In(t)
			got := convert(
				c,
				`{"title":"t","summary":"s",`+test.rule+`}`,
			).Want(200).
				Wants("name", "n", "description", "d").
				Value("fullIonRule").
				Raw()
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	operators := []struct{ sign, right, want string }{
		{"=", `"x"`, `{"type":"Equal","not":false,"rightValue":"x"}`},
		{"!=", `true`, `{"type":"Equal","not":true,"rightValue":true}`},
		{">", `1.50`, `{"type":"Greater","not":false,"rightValue":1.50}`},
		{">=", `1`, `{"type":"GreaterEqual","not":false,"rightValue":1}`},
		{"<", `1e3`, `{"type":"Less","not":false,"rightValue":1e3}`},
		{"<=", `-1`, `{"type":"LessEqual","not":false,"rightValue":-1}`},
		{"IS NULL", `null`, `{"type":"IsNull","not":false,"rightValue":null}`},
		{"IS NOT NULL", `7`, `{"type":"IsNull","not":true,"rightValue":null}`},
		{"REGEX", `"^a"`, `{"type":"Regexp","not":false,"rightValue":"^a"}`},
		{"NOT REGEX", `"^a"`, `{"type":"Regexp","not":true,"rightValue":"^a"}`},
		{"IN", `["a",2]`, `{"type":"In","not":false,"rightValue":["a",2],"rightValues":["a",2]}`},
		{"BETWEEN", `[1,9]`, `{"type":"Between","not":false,"rightValue":[1,9],"minValue":1,"maxValue":9}`},
	}
	for _, test := range operators {
		t.Run(test.sign, func(t *testing.T) {
			t.Parallel()
			c := c.In(t)
			rule := `{"title":"t","summary":"s","conditions":[{"attribute_column":"a","operator":"` + test.sign +
				`","right_value":` + test.right + `}]}`
			if got := convert(c, rule).Want(200).Value("fullIonRule.conditions.0.conditions.0.operator").Raw(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	t.Run("a missing member of the body is 400", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		for _, body := range []string{
			`{}`, `{"name":"n","description":"d"}`, `{"description":"d","simplifiedIonRule":{}}`,
			`{"name":"n","description":"d","simplifiedIonRule":7}`,
		} {
			c.Post(convertPath, body).Refused(400, `"status":"400"`)
		}
		llmtest.RefusesText(c, "POST", convertPath)
	})
	t.Run("a rule that cannot be is 422", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		one := `"title":"t","summary":"s","conditions":`
		for _, test := range []struct{ rule, word string }{
			{`{"summary":"s","conditions":[]}`, "title"},
			{`{"title":"t","conditions":[]}`, "summary"},
			{`{"title":"t","summary":"s"}`, "baseSegmentIds"},
			{`{"title":"t","summary":"s","conditions":[],"baseSegmentIds":{"logic":"ALL","segmentIds":[]}}`, "baseSegmentIds"},
			{`{"title":"t","summary":"s","baseSegmentIds":{"logic":"ALL"}}`, "segmentIds"},
			{`{"title":"t","summary":"s","baseSegmentIds":{"logic":"SOME","segmentIds":["1"]}}`, "logic"},
			{`{"logic":"SOME",` + one + `[{"left_value":"a","operator":"=","right_value":1}]}`, "logic"},
			{`{` + one + `[{}]}`, "conditions.0"},
			{`{` + one + `[{"left_value":"a"}]}`, "conditions.0.operator"},
			{`{` + one + `[{"left_value":"a","operator":"LIKE","right_value":1}]}`, "operator"},
			{`{` + one + `[{"left_value":"a","operator":"="}]}`, "right_value"},
			{`{` + one + `[{"left_value":"a","operator":"=","right_value":null}]}`, "right_value"},
			{`{` + one + `[{"left_value":"a","operator":"IN","right_value":[]}]}`, "right_value"},
			{`{` + one + `[{"left_value":"a","operator":"IN","right_value":[true]}]}`, "strings and numbers"},
			{`{` + one + `[{"left_value":"a","operator":"BETWEEN","right_value":[1]}]}`, "two bounds"},
			{`{` + one + `[{"logic":"ALL","conditions":[{"left_value":"a"}]}]}`, "conditions.0.conditions.0.operator"},
		} {
			convert(c, test.rule).Refused(422, test.word, `"status":"422"`)
		}
	})
}

// TestConvertedRules tests that the audience interface accepts the conversion of every short rule.
func TestConvertedRules(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "llm")
	doc, err := specs.Load("audience", "")
	if err != nil {
		t.Fatal(err)
	}
	schema := doc.T.Components.Schemas["Rule"].Value
	for seed := range uint64(200) {
		text, err := json.Marshal(randomRule(rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			t.Fatal(err)
		}
		rule := convert(c, string(text)).Want(200).Object()["fullIonRule"]
		if err := schema.VisitJSON(rule); err != nil {
			t.Fatalf("seed %d: %s becomes %v: %v", seed, text, rule, err)
		}
	}
}

func randomRule(r *rand.Rand) map[string]any {
	rule := map[string]any{"title": "t", "summary": "s", "logic": randomLogic(r), "conditions": randomConditions(r, 3)}
	if r.IntN(2) == 0 {
		rule["baseSegmentIds"] = map[string]any{"logic": randomLogic(r), "segmentIds": []string{"1", "2"}[:1+r.IntN(2)]}
	}
	return rule
}

func randomLogic(r *rand.Rand) string { return []string{"ALL", "ANY"}[r.IntN(2)] }

func randomConditions(r *rand.Rand, depth int) []any {
	var conditions []any
	for range 1 + r.IntN(3) {
		if depth > 0 && r.IntN(3) == 0 {
			conditions = append(conditions, map[string]any{"logic": randomLogic(r), "conditions": randomConditions(r, depth-1)})
			continue
		}
		operators := strings.Split("=,!=,>,>=,<,<=,IS NULL,IS NOT NULL,REGEX,NOT REGEX,IN,BETWEEN", ",")
		one := map[string]any{"attribute_column": "a", "operator": operators[r.IntN(len(operators))]}
		one["right_value"] = []any{"x", 1.5, true, []any{"x", 2}, map[string]any{"timestamp": "2026-01-15"}}[r.IntN(5)]
		if one["operator"] == "IN" || one["operator"] == "BETWEEN" {
			one["right_value"] = []any{1, r.Float64()}
		}
		conditions = append(conditions, one)
	}
	return conditions
}
