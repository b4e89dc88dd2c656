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
