package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

func consistencyTrials() map[string]trial {
	const (
		made  = "POST /pools {} => 201 {pool 7 10}\n"
		shown = "GET /pools/7 => 200 {pool 7 10}\n"
		less  = "GET /pools/7 => 200 {pool 7 9}\n"
		gone  = "DELETE /pools/7 => 200 {pool 7 10}\n"
	)
	return map[string]trial{
		violated:      says("GET /pools/7 => 200 {pool 8 10}", "fail 1"),
		held:          says(made+shown+shown, "pass ×2"),
		inconclusive:  says(made+less, "pass ×1", "inconclusive 1 2"),
		madeAnew:      says(made+gone+"POST /pools {} => 201 {pool 8 10}\nGET /pools/8 => 200 {pool 8 10}", "pass ×2"),
		idReused:      says(made+gone+made, "pass ×1"),
		deletedTwice:  says(made+gone+gone+"GET /pools/7 => 404", "pass ×2"),
		refused:       says(made + "DELETE /pools/7 => 403\nPATCH /pools/7 {} => 400"),
		unanswered:    says(made + "DELETE /pools/7 => 0\nGET /pools/7 => 404"),
		otherVerbs:    says(made+`PATCH /pools/7 {"concurrencyLimit":9} => 200 {pool 7 9}`+"\n"+less, "pass ×2"),
		unknownBefore: says("GET /pools/7 => 404\nGET /pools/8 => 404"),
		underWay: says("1-1 "+made+`2-6 PATCH /pools/7 {"concurrencyLimit":9} => 200 {pool 7 9}`+"\n3-4 "+less,
			"pass ×2"),
		partOfList: never("what a list lacks is never taken for gone"),
		hiddenKeys: says("@hidden "+made+"@hidden GET /pools/7 => 404", "inconclusive 1 2"),
	}
}

func TestConsistency(t *testing.T) {
	t.Parallel()
	const (
		base  = "POST core:/database/create/shop => 200 {}\n"
		table = "POST core:/table/create/shop/orders => 200 {}\n"
	)
	runRule(t, rule.Consistency, map[string]ruleCase{
		"a limit that was not taken": {
			`PATCH /pools/7 {"concurrencyLimit":9} => 200 {pool 7 10}`, []string{"pass ×1", "fail 1"},
		},
		"a priority that was not taken": {
			`POST /pool_rules {"priority":5} => 201 {rule 3 6 7 project_name=a}`, []string{"fail 1"},
		},
		"a name that was not taken": {
			`POST core:/access_control/policies {"policy":{"name":"Readers"}} => 200 {"id":5,"name":"Writers"}`, []string{"fail 1"},
		},
		"a name that was trimmed":   {`POST core:/access_control/policies {"policy":{"name":" Rea-ders "}} => 200 {"id":5,"name":"readers"}`, nil},
		"a name that was cut":       {`POST core:/access_control/policies {"policy":{"name":"Readers"}} => 200 {"id":5,"name":"Read"}`, nil},
		"a name that was taken out": {`POST core:/access_control/policies {"policy":{"name":"Readers"}} => 200 {"id":5,"name":"[redacted]"}`, nil},
		"a name in other letters":   {`POST core:/access_control/policies {"policy":{"name":"Müller"}} => 200 {"id":5,"name":"Mu\u0308ller"}`, nil},
		"a name of other letters":   {`POST core:/access_control/policies {"policy":{"name":"Leser Ä"}} => 200 {"id":5,"name":"Leser ä"}`, nil},
		"a query in other words": {
			`POST core:/job/issue/presto/shop {"query":"select 1"} => 200 {"job":"7","job_id":"7","database":"shop","query":"other"}`, nil,
		},
		"an attribute that was not taken": {
			`PATCH llm:/agents/5dd290e9-2766-453c-8b7f-77e8f8d2b920 {"data":{"attributes":{"temperature":0.5}}} => 200 ` +
				`{"data":{"id":"5dd290e9-2766-453c-8b7f-77e8f8d2b920","type":"agents","attributes":{"temperature":1}}}`,
			[]string{"fail 1"},
		},
		"the answer of a deletion":         {"DELETE /pools/7 => 200 {pool 8 10}", []string{"fail 1"}},
		"an attempt":                       {`GET /attempts/7 => 200 {"id":"8"}`, []string{"fail 1"}},
		"an attempt that is killed":        {`POST /attempts/7/kill => 200 {"id":"8"}`, []string{"fail 1"}},
		"a session":                        {`GET /sessions/7 => 200 {"id":"8"}`, []string{"fail 1"}},
		"a workflow":                       {`GET /workflows/7 => 200 {"id":"8"}`, []string{"fail 1"}},
		"a workflow that is the right one": {`GET /workflows/7 => 200 {"id":"7"}`, []string{"pass ×1"}},
		"a policy of a user": {
			`POST core:/access_control/users/1/policies/7 => 200 {"id":8}`,
			[]string{"fail 1"},
		},
		"a workflow whose id was taken out": {
			`GET /workflows/7 => 200 {"id":"[redacted]"}`, nil,
		},
		"a number in other digits": {`PATCH /pools/7 {"concurrencyLimit":1e1} => 200 {pool 7 10}`, []string{"pass ×1"}},
		"an id that is given twice": {
			"POST /pools {} => 201 {pool 7 10}\nPOST /pools {} => 201 {pool 7 10}", []string{"fail 1 2"},
		},
		"a database that is made twice": {base + base, []string{"fail 1 2"}},
		"a table that is made twice":    {base + table + table, []string{"fail 2 3"}},
		"a table of a database that is new": {
			base + table + "POST core:/database/delete/shop => 200 {}\n" + base + table,
			nil,
		},
		"a table that is made again with a key": {base + table +
			"POST core:/table/create/shop/orders?idempotent_key=k => 200 {}", nil},
		"a secret that is put twice": {
			`PUT /projects/1/secrets/k {"value":"v"} => 200` + "\n" + `PUT /projects/1/secrets/k {"value":"w"} => 200`, nil,
		},
		"a renamed table": {
			`POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"old"}`, nil,
		},
		"what was made is not found": {
			base + table + "GET core:/table/show/shop/orders => 404",
			[]string{"inconclusive 2 3"},
		},
	})
}

// What was made is there, and what was changed reads back, if the recording is said to be complete.
func TestConsistencyOfACompleteRecording(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not found": "POST /pools {} => 201 {pool 7 10}\nGET /pools/7 => 404",
		"the old value": "GET /pools/7 => 200 {pool 7 10}\nPATCH /pools/7 {} => 200 {pool 7 9}\nGET /pools/7 => 200 " +
			"{pool 7 10}",
		"another pool now": "POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}\nGET /pool_rules/3 => 200 {rule 3 5 8 " +
			"project_name=a}",
	} {
		for complete, want := range map[contract.Completeness]report.Verdict{
			contract.CompleteAlways: report.Fail, contract.CompleteAuto: report.Inconclusive,
		} {
			if f := foundBy(t, rule.Consistency, script(t, text), contract.WithComplete(complete)); f == nil ||
				f.Verdict != want {
				t.Errorf("%s, complete %s: finding %+v, want %s", name, complete, f, want)
			}
		}
	}
}

// What a request has set reads the same until another one changes it: inconclusive, unless the recording is complete.
func TestWhatIsSetStays(t *testing.T) {
	t.Parallel()
	const (
		agent  = "/agents/5dd290e9-2766-453c-8b7f-77e8f8d2b920"
		get    = "GET llm:" + agent + " => 200 "
		made   = `POST llm:/agents {"data":{"type":"agents","attributes":{"name":"a","temperature":1}}} => 201 `
		mary   = `{"id":"5","name":"m","description":"d","userCount":0}`
		maryIs = "GET core:/access_control/policies/5 => 200 "
	)
	shows := func(attributes string) string {
		return `{"data":{"id":"5dd290e9-2766-453c-8b7f-77e8f8d2b920","type":"agents","attributes":{` + attributes + "}}}\n"
	}
	patch := func(set, shown string) string {
		return "PATCH llm:" + agent + ` {"data":{"attributes":{` + set + "}}} => 200 " + shows(shown)
	}
	a, b := shows(`"name":"a","temperature":1`), shows(`"name":"b","temperature":1`)
	for name, tt := range map[string]struct {
		text string
		want report.Verdict
	}{
		"a name":                           {made + a + get + b, report.Fail},
		"a name that is gone":              {made + a + get + shows(`"name":null`), report.Fail},
		"a number":                         {made + a + get + shows(`"name":"a","temperature":0.5`), report.Fail},
		"a name in a list":                 {made + a + "GET llm:/agents => 200 " + strings.Replace(strings.Replace(b, `{"data":{`, `{"data":[{`, 1), "}}}", "}}]}", 1), report.Fail},
		"the old name":                     {made + a + patch(`"name":"b"`, `"name":"b"`) + get + a, report.Fail},
		"the old number, beside its name":  {made + a + patch(`"name":"b"`, `"name":"b"`) + get + shows(`"name":"b","temperature":0`), ""},
		"the time of its creation":         {get + shows(`"createdAt":"2026-01-02T00:00:00.000Z"`) + get + shows(`"createdAt":"2026-01-03T00:00:00.000Z"`), report.Fail},
		"the time of its last change":      {get + shows(`"updatedAt":"2026-01-02T00:00:00.000Z"`) + get + shows(`"updatedAt":"2026-01-03T00:00:00.000Z"`), ""},
		"a policy's description":           {maryIs + mary + "\n" + maryIs + strings.Replace(mary, `"d"`, `"e"`, 1), report.Fail},
		"a policy's users":                 {maryIs + mary + "\n" + maryIs + strings.Replace(mary, ":0", ":1", 1), ""},
		"a name that is written otherwise": {made + a + get + shows(`"name":"\u0061","temperature":1.0`), ""},
		"a name that was taken out":        {made + a + get + shows(`"name":"[redacted]"`), ""},
		"a change whose answer shows what was there before": {made + a + patch(`"starterMessage":"b"`, `"starterMessage":"a"`) + get + shows(`"starterMessage":"b"`), ""},
		"a change that shows nothing":                       {made + a + "PATCH llm:" + agent + ` {"data":{"attributes":{"name":"b"}}} => 204` + "\n" + get + b, ""},
		"a change that may have been made":                  {made + a + "PATCH llm:" + agent + ` {"data":{"attributes":{"name":"b"}}} => 0` + "\n" + get + b, ""},
		"a change that is under way":                        {"1-1 " + made + a + "2-6 " + patch(`"name":"b"`, `"name":"b"`) + "3-4 " + get + b, ""},
		"another caller's change":                           {made + a + "@other " + patch(`"name":"b"`, `"name":"b"`) + get + b, ""},
	} {
		for complete, want := range map[contract.Completeness]report.Verdict{
			contract.CompleteAlways: tt.want, contract.CompleteAuto: tt.want,
		} {
			if complete == contract.CompleteAuto && want == report.Fail {
				want = report.Inconclusive
			}
			f := foundBy(t, rule.Consistency, script(t, tt.text), contract.WithComplete(complete))
			if got := verdictOf(f); got != want {
				t.Errorf("%s, complete %s: finding %+v, want %q", name, complete, f, want)
			}
		}
	}
}

func verdictOf(f *report.Finding) report.Verdict {
	if f == nil {
		return ""
	}
	return f.Verdict
}
