package audience_test

import (
	"fmt"
	"strings"
	"testing"
)

// one is a rule of one comparison.
func one(column, operator string) string {
	return fmt.Sprintf(`{"type":"And","conditions":[{"type":"Value","leftValue":{"name":%q},"operator":%s}]}`, column,
		operator)
}

// of is a rule of conditions; lima, old and adult are some.
func of(kind string, conditions ...string) string {
	return fmt.Sprintf(`{"type":%q,"conditions":[%s]}`, kind, strings.Join(conditions, ","))
}

const (
	lima     = `{"type":"Value","leftValue":{"name":"city"},"operator":{"type":"Equal","rightValue":"Lima"}}`
	nowhere  = `{"type":"Value","leftValue":{"name":"city"},"operator":{"type":"IsNull"}}`
	nameless = `{"type":"Value","leftValue":{"name":"name"},"operator":{"type":"IsNull"}}`
	adult    = `{"type":"Value","leftValue":{"name":"age"},"operator":{"type":"GreaterEqual","rightValue":18}}`
	score    = `{"type":"PredictiveScoreReference","id":"9","minGrade":1}`
)

type counted struct{ name, rule, want string }

func whoFits(t *testing.T, tests []counted) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := named(newClient(t), test.rule); got != test.want {
				t.Errorf("%s takes in %q, want %q", test.rule, got, test.want)
			}
		})
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	const everybody = "Ada Ben Cy Di Eve Flo"
	whoFits(t, []counted{
		{"none takes in everybody", `null`, everybody},
		{"an empty one takes in everybody", `{}`, everybody},
		{"and without conditions takes in everybody", of("And"), everybody},
		{"and wants all conditions", of("And", lima, adult), "Flo"},
		{"or wants any", of("Or", lima, adult), "Ada Cy Di Eve Flo"},
		{
			"conditions hold others", of("And", of("Or", lima, adult), one("score", `{"type":"Greater","rightValue":7}`)),
			"Ada Cy Eve",
		},
		{
			"an expression says how conditions are combined",
			`{"type":"Composite","expr":"$2 and not ($1 or 3)","conditions":[` + lima + `,` + adult + `,` + of("And",
				one("name", `{"type":"Equal","rightValue":"Cy"}`)) + `]}`,
			"Ada Di",
		},
		{
			"a limit counts from the oldest record", `{"type":"And","conditions":[],"limit":{"type":"Count","number":2}}`,
			"Ada Ben",
		},
		{
			"a limit of more than there are keeps all",
			`{"type":"And","conditions":[` + lima + `],"limit":{"type":"Count","number":9}}`, "Eve Flo",
		},
		{"a percentage is rounded up", `{"type":"And","conditions":[],"limit":{"type":"Percent","number":20}}`, "Ada Ben"},
		{
			"a limit goes by texts, where columns are of texts",
			`{"type":"And","conditions":[],"limit":{"type":"Count","number":3,"orderColumns":[{"type":"Column","column":"city","order":"ascending"}]}}`,
			"Ben Eve Flo",
		},
		{
			"a limit by what they all lack keeps the oldest",
			`{"type":"Or","conditions":[` + nowhere + `,` + nameless +
				`],"limit":{"type":"Count","number":1,"orderColumns":[{"type":"Column","column":"city","order":"descending"}]}}`,
			"Di",
		},
		{
			"a limit goes by columns, numbers as numbers and null last",
			`{"type":"And","conditions":[],"limit":{"type":"Count","number":2,"orderColumns":[
				{"type":"Column","column":"age","order":"descending"},{"type":"Column","column":"id","order":"descending"}]}}`,
			"Cy Flo",
		},
		{
			"a condition may have a limit",
			of("Or", `{"type":"And","conditions":[`+adult+`],"limit":{"type":"Count","number":1}}`, lima), "Ada Eve Flo",
		},
		{
			"exclude takes in the others, null included", of("And", strings.Replace(adult, "{", `{"exclude":true,`, 1)),
			"Ben Eve",
		},
		{"another segment is referred to", of("And", `{"type":"Reference","id":"70"}`, adult), "Flo"},
		{"or everybody but that", of("And", `{"type":"Reference","id":"70","exclude":true}`), "Ada Ben Cy Di"},
	})
}

func TestOperators(t *testing.T) {
	t.Parallel()
	whoFits(t, []counted{
		{"texts are equal as they are", one("city", `{"type":"Equal","rightValue":"Oslo"}`), "Ada"},
		{"not leaves out null, too", one("city", `{"type":"Equal","not":true,"rightValue":"Oslo"}`), "Ben Cy Eve Flo"},
		{"numbers are equal by value", one("score", `{"type":"Equal","rightValue":7.5}`), "Ada Cy"},
		{"a text is a number in a column of numbers", one("score", `{"type":"Equal","rightValue":"100"}`), "Eve"},
		{"integers are told apart to the last digit", one("id", `{"type":"Equal","rightValue":"9007199254740993"}`), "Flo"},
		{"and in a limit of them", one("id", `{"type":"Greater","rightValue":"9007199254740992"}`), "Flo"},
		{"a number compares with texts that are one", one("joined", `{"type":"Greater","rightValue":5}`), "Eve"},
		{"true is a text", one("name", `{"type":"Equal","rightValue":true}`), ""},
		{"greater compares numbers", one("age", `{"type":"Greater","rightValue":31}`), "Cy Di Flo"},
		{"greater or equal", one("age", `{"type":"GreaterEqual","rightValue":42}`), "Cy Di Flo"},
		{"less", one("score", `{"type":"Less","rightValue":3}`), "Ben"},
		{"less or equal", one("score", `{"type":"LessEqual","rightValue":3}`), "Ben Flo"},
		{"texts have an order", one("name", `{"type":"Less","rightValue":"Cy"}`), "Ada Ben"},
		{"between has both ends", one("age", `{"type":"Between","minValue":9,"maxValue":31}`), "Ada Ben"},
		{"in takes any of the values", one("age", `{"type":"In","rightValues":[9,"100"]}`), "Ben Cy"},
		{"null is what a profile lacks", one("age", `{"type":"IsNull"}`), "Eve"},
		{"and not null what it has", one("age", `{"type":"IsNull","not":true}`), "Ada Ben Cy Di Flo"},
		{"a text contains another", one("city", `{"type":"Contain","rightValues":["sl","im"]}`), "Ada Cy Eve Flo"},
		{"or just one", one("city", `{"type":"Contain","rightValue":"ak"}`), "Ben"},
		{"it begins with another", one("city", `{"type":"StartWith","rightValues":["Os"]}`), "Ada Ben"},
		{"and ends with another", one("city", `{"type":"EndWith","rightValues":["a"]}`), "Ben Eve Flo"},
		{
			"a regular expression fits anywhere", one("city", `{"type":"Regexp","rightValue":"^[oO]s|m"}`),
			"Ada Ben Cy Eve Flo",
		},
	})
}

func TestArrays(t *testing.T) {
	t.Parallel()
	tags := func(matching, operator string) string {
		return fmt.Sprintf(`{"type":"And","conditions":[{"type":"Value","leftValue":{"name":"tags"},"arrayMatching":%s,"operator":%s}]}`,
			matching, operator)
	}
	const red = `{"type":"Equal","rightValue":"red"}`
	whoFits(t, []counted{
		{"any element may match", tags(`"any"`, red), "Ada Ben"},
		{"which is so without a word", one("tags", red), "Ada Ben"},
		{"all may have to, which those of an empty array do", tags(`"all"`, red), "Ben Cy"},
		{"not is for each element", tags(`"any"`, `{"type":"Equal","not":true,"rightValue":"red"}`), "Ada Di Eve"},
		{"at least so many", tags(`{"atLeast":2}`, red), "Ben"},
		{"at most so many", tags(`{"atMost":1}`, red), "Ada Cy Di Eve"},
		{"just so many", tags(`{"exactly":1}`, red), "Ada"},
		{"what is no array is one value", one("tags", `{"type":"In","rightValues":["blue","green"]}`), "Ada Di Eve"},
	})
}

// The world's time is 2026-01-15 09:30, a Thursday.
func TestTimes(t *testing.T) {
	t.Parallel()
	joined := func(operator string) string { return one("joined", operator) }
	whoFits(t, []counted{
		{"today is the day in UTC", joined(`{"type":"TimeToday"}`), "Ada"},
		{"this week began on Monday", joined(`{"type":"TimeThis","unit":"week"}`), "Ada Ben Eve"},
		{"this month began on the first", joined(`{"type":"TimeThis","unit":"month"}`), "Ada Ben Cy Eve"},
		{"this quarter and the one before", joined(`{"type":"TimeThis","not":true,"unit":"quarter"}`), "Di Flo"},
		{"this hour", joined(`{"type":"TimeThis","unit":"hour"}`), ""},
		{"this quarter began with its first month", joined(`{"type":"TimeThis","unit":"quarter"}`), "Ada Ben Cy Eve"},
		{"this minute", joined(`{"type":"TimeThis","unit":"minute"}`), ""},
		{"this second", joined(`{"type":"TimeThis","not":true,"unit":"second"}`), "Ada Ben Cy Di Eve Flo"},
		{"the past quarters", joined(`{"type":"TimeWithinPast","value":"2","unit":"quarter"}`), "Ada Ben Cy Di"},
		{"the past minutes", joined(`{"type":"TimeWithinPast","value":"90","unit":"minute"}`), "Ada"},
		{"the past seconds", joined(`{"type":"TimeWithinPast","value":"5400","unit":"second"}`), "Ada"},
		{"what will be, as seen from now", joined(`{"type":"Greater","rightValue":{"next":1,"unit":"hour"}}`), "Eve"},
		{"this year", joined(`{"type":"TimeThis","unit":"year"}`), "Ada Ben Cy Eve"},
		{"tomorrow is the next day", joined(`{"type":"TimeNext","unit":"day"}`), "Eve"},
		{"the past days end now", joined(`{"type":"TimeWithinPast","value":"4","unit":"day"}`), "Ada Ben"},
		{"a past month is one of the calendar", joined(`{"type":"TimeWithinPast","value":"1","unit":"month"}`), "Ada Ben Cy"},
		{"the next days begin now", joined(`{"type":"TimeWithinNext","value":"36","unit":"hour"}`), "Eve"},
		{
			"between two times that come",
			joined(`{"type":"TimeInBetweenNext","from":{"value":1,"unit":"minute"},"to":{"value":1,"unit":"week"}}`), "Eve",
		},
		{
			"a span begins at a time", joined(`{"type":"TimeRange","from":{"timestamp":"2026-01-05"},"duration":{"day":7}}`),
			"Ben Cy",
		},
		{"or ends there", joined(
			`{"type":"TimeRange","from":{"last":1,"unit":"hour"},"duration":{"day":1,"hour":12},"reverse":true}`), "Ada"},
		{"a time compares with times", joined(`{"type":"Less","rightValue":{"timestamp":"2026-01-05T10:00:01Z"}}`), "Cy Di"},
		{"as one that has passed", joined(`{"type":"GreaterEqual","rightValue":{"last":2,"unit":"hour"}}`), "Ada Eve"},
		{"the time of a record is a column", one("time", `{"type":"TimeWithinPast","value":"3","unit":"day"}`), "Ada Ben Cy"},
	})
}

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
		got := named(c, of("And", `{"type":"Reference","id":"`+made.Value("id").String()+`"}`, adult))
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
