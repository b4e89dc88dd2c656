package audience_test

import (
	"strings"
	"testing"
)

// What the mock cannot evaluate counts as if it were not there, and the journal says so.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	orders := `{"type":"Value","leftValue":{"aggregation":{"type":"Count"},"source":{"name":"orders"}},"operator":{"type":"Greater","rightValue":1}}`
	grouped := `{"type":"Value","leftValue":{"name":"size","customerGroup":"family"},"operator":{"type":"IsNull"}}`
	for _, test := range []struct{ name, rule, want, note string }{
		{"predictive scores", of("And", score, lima), "Eve Flo", "rule.conditions.0 was left out of the count: the mock " +
			"does not support references of the type PredictiveScoreReference"},
		{"they add nobody, either", of("Or", score, lima), "Eve Flo", "PredictiveScoreReference"},
		{
			"nor does their exclusion", of("And", strings.Replace(score, "{", `{"exclude":true,`, 1), lima), "Eve Flo",
			"PredictiveScoreReference",
		},
		{"alone they take in everybody", of("Or", of("And", score)), "Ada Ben Cy Di Eve Flo", "PredictiveScoreReference"},
		{"stages of funnels", of("And", `{"type":"FunnelStageReference","id":"4"}`, lima), "Eve Flo", "FunnelStageReference"},
		{
			"variants of tests", of("And", `{"type":"AbTestVariantReference","id":"4"}`, lima), "Eve Flo",
			"AbTestVariantReference",
		},
		{
			"attributes of models",
			of("And", `{"type":"MlAttributeReference","solutionType":"rfm","leftValue":{"attribute":"r"},"operator":{"type":"Equal","rightValue":3}}`, lima), "Eve Flo", "not support models",
		},
		{
			"aggregations of behavior tables", of("And", orders, lima), "Eve Flo",
			"not support aggregations of behavior tables",
		},
		{"attributes of customer groups", of("And", grouped, lima), "Eve Flo", "not support customer groups"},
		{
			"regular expressions of other dialects",
			of("And", strings.Replace(one("name", `{"type":"Regexp","rightValue":"(?=A)"}`), "name\":\"name", "name\":\"city",
				1), lima), "Eve Flo", "not support regular expressions such as (?=",
		},
		{
			"expressions of another form", `{"type":"Composite","expr":"A+B","conditions":[` + lima + `]}`,
			"Ada Ben Cy Di Eve Flo", `does not understand the expression "A+B"`,
		},
		{
			"expressions about conditions that are not there",
			`{"type":"Composite","expr":"$1 or $2","conditions":[` + lima + `]}`, "Ada Ben Cy Di Eve Flo",
			"does not understand",
		},
		{
			"parts of expressions", `{"type":"Composite","expr":"$1 and not $2","conditions":[` + lima + `,` + score + `]}`,
			"Eve Flo", "PredictiveScoreReference",
		},
		{
			"orders by aggregations",
			`{"type":"And","conditions":[` + lima +
				`],"limit":{"type":"Count","number":1,"orderColumns":[{"type":"Aggregation","order":"ascending"}]}}`, "Eve",
			"orderColumns.0 was left out",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			if got := named(c, test.rule); got != test.want {
				t.Errorf("takes in %q, want %q", got, test.want)
			}
			if got := notes(c); !strings.Contains(got, test.note) {
				t.Errorf("the journal says %q, want %q in it", got, test.note)
			}
		})
	}
	t.Run("what a segment leaves out shows where it is referred to", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		made := c.Post(segments, `{"name":"scored","rule":`+of("And", score, lima)+`}`).Want(200)
		if got := notes(c); got != "" {
			t.Errorf("nothing was counted, but the journal says %q", got)
		}
		got := named(c, of("And", `{"type":"Reference","id":"`+made.Value("id").Text()+`"}`, adult))
		if got != "Flo" || !strings.Contains(notes(c), "segment 81: rule.conditions.0 was left out") {
			t.Errorf("takes in %q and says %q", got, notes(c))
		}
	})
	t.Run("the funnel stage of a segment shows where that is referred to", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(segments, `{"name":"stage","kind":2,"funnel_stage":{"funnel_id":1,"stage_id":2},"rule":`+of("And", lima)+
			`}`).Want(200)
		if got := named(c, of("And", `{"type":"Reference","id":"81"}`)); got != "Eve Flo" {
			t.Errorf("takes in %q", got)
		}
		if got := notes(c); !strings.Contains(got, "the funnel stage of segment 81 was left out") {
			t.Errorf("the journal says %q", got)
		}
	})
	t.Run("funnels are said to be missing for kind 2", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(queries, `{"kind":2,"funnel_stage":{"funnel_id":1,"stage_id":2}}`).Want(200).Wants("count", "6")
		if got := notes(c); !strings.Contains(got, "the mock does not support funnels") {
			t.Errorf("the journal says %q", got)
		}
	})
}

func TestWrongRules(t *testing.T) {
	t.Parallel()
	limited := func(limit string) string { return `{"type":"And","conditions":[],"limit":` + limit + `}` }
	deep := strings.Repeat(`{"type":"And","conditions":[`, 60) + strings.Repeat(`]}`, 60)
	for _, test := range []struct{ name, rule, want string }{
		{"a rule of another type", `{"type":"Value","conditions":[]}`, "rule.type"},
		{"a condition without a type", of("And", `{}`), "type"},
		{
			"a value without an attribute", of("And", `{"type":"Value","operator":{"type":"IsNull"}}`),
			"rule.conditions.0.leftValue: is missing",
		},
		{
			"an attribute that profiles lack", one("size", `{"type":"IsNull"}`),
			`rule.conditions.0.leftValue.name: unknown column \"size\" of the profiles; want one of age, city, id, joined, name, score, tags, time`,
		},
		{
			"a value without an operator", of("And", `{"type":"Value","leftValue":{"name":"age"}}`),
			"rule.conditions.0.operator: is missing",
		},
		{"an operator of another type", one("age", `{"type":"Near"}`), "operator.type"},
		{"Equal without a value", one("age", `{"type":"Equal"}`), "rule.conditions.0.operator.rightValue: is missing"},
		{"Equal with null", one("age", `{"type":"Equal","rightValue":null}`), "operator.rightValue"},
		{"Between with one end", one("age", `{"type":"Between","minValue":1}`), "operator.maxValue: is missing"},
		{"In without values", one("age", `{"type":"In","rightValues":[]}`), "operator.rightValues: is missing"},
		{"Contain without texts", one("age", `{"type":"Contain"}`), "operator.rightValues: is missing"},
		{
			"a broken regular expression", one("name", `{"type":"Regexp","rightValue":"("}`),
			"rightValue: want a regular expression: error parsing",
		},
		{
			"a regular expression that is none", one("name", `{"type":"Regexp","rightValue":5}`),
			"rightValue: want a regular expression",
		},
		{"TimeThis without a unit", one("joined", `{"type":"TimeThis"}`), "unit: want one of year, quarter, month"},
		{
			"TimeWithinPast without a number", one("joined", `{"type":"TimeWithinPast","unit":"day","value":"few"}`),
			"value: want a number of units",
		},
		{
			"TimeRange without a length", one("joined", `{"type":"TimeRange","from":{"last":1,"unit":"day"}}`),
			"duration: want a duration",
		},
		{
			"TimeRange of ages", one("joined", `{"type":"TimeRange","from":{"last":1,"unit":"day"},"duration":{"year":101}}`),
			"up to a hundred years",
		},
		{
			"TimeRange in other units",
			one("joined", `{"type":"TimeRange","from":{"last":1,"unit":"day"},"duration":{"moon":1}}`),
			"duration: want one of year",
		},
		{
			"TimeInBetweenNext without an end", one("joined", `{"type":"TimeInBetweenNext","from":{"value":1,"unit":"day"}}`),
			"operator.to: want a time",
		},
		{
			"a time that is none", one("joined", `{"type":"Less","rightValue":{"timestamp":"soon"}}`),
			"rightValue.timestamp: want Unix seconds or ISO 8601",
		},
		{"a time of no unit", one("joined", `{"type":"Less","rightValue":{"last":3,"unit":"moons"}}`), "rightValue.unit"},
		{"half an array", of("And",
			`{"type":"Value","leftValue":{"name":"tags"},"operator":{"type":"IsNull"},"arrayMatching":{"atLeast":1,"atMost":2}}`), "arrayMatching: want any, all"},
		{
			"a reference to nothing", of("And", `{"type":"Reference","id":"99"}`),
			`rule.conditions.0.id: segment \"99\" not found in audience 61`,
		},
		{"a reference to another audience's", of("And", `{"type":"Reference","id":"80"}`), "not found in audience 61"},
		{"a reference without an id", of("And", `{"type":"AbTestVariantReference"}`), "rule.conditions.0.id: is missing"},
		{
			"a model's attribute without a name", of("And", `{"type":"MlAttributeReference","operator":{"type":"IsNull"}}`),
			"leftValue: want the attribute",
		},
		{"a composite without an expression", `{"type":"Composite","conditions":[]}`, "rule.expr: is missing"},
		{"a limit below nothing", limited(`{"type":"Count","number":-1}`), "rule.limit.number: want 0 or more"},
		{"more than all", limited(`{"type":"Percent","number":101}`), "at most 100"},
		{"half a profile", limited(`{"type":"Count","number":1.5}`), "want an integer number"},
		{
			"a limit by a column that profiles lack",
			limited(`{"type":"Count","number":1,"orderColumns":[{"type":"Column","column":"size","order":"ascending"}]}`),
			"rule.limit.orderColumns.0.column: unknown column",
		},
		{"In with null", one("age", `{"type":"In","rightValues":[null]}`), "rightValues"},
		{"Contain with true", one("name", `{"type":"Contain","rightValue":true}`), "rightValues: want strings, not true"},
		{
			"a time in the year 9000", one("joined", `{"type":"Less","rightValue":{"timestamp":221845392000}}`),
			"rightValue.timestamp",
		},
		{"conditions too deep", deep, "at most 50 deep"},
		{"too many conditions", of("And", strings.Repeat(lima+",", 1000)+lima), "at most 1000 conditions"},
		{"much at once", of("And", strings.Repeat(`{"type":"AbTestVariantReference"},`, 9)+lima), "and 4 more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.Post(queries, `{"rule":`+test.rule+`}`).Refused(400, test.want)
			c.Post(segments, `{"name":"wrong","rule":`+test.rule+`}`).Refused(400, test.want)
			c.Get(segments).Wants("#", "2")
			c.At("core").Get("/job/list").Wants("count", "0")
		})
	}
}

// A rule that was right when its segment was made may name a column that has gone since.
func TestStaleRules(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.At("core").Post("/table/update-schema/crm/people", `{"schema":"[[\"name\",\"string\"]]"}`).Want(200)
	c.Post(queries, `{"rule":`+of("And", `{"type":"Reference","id":"70"}`)+`}`).
		Refused(400, `rule: segment 70: rule.conditions.0.leftValue.name: unknown column \"city\" of the profiles`)
	c.Get(segments).Want(200).Wants("#", "2")
}
