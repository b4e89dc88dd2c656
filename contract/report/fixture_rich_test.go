package report_test

import (
	"bytes"
	"fmt"
	"testing"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// rich returns a report with something of everything.
func rich(tb testing.TB) *report.Report {
	tb.Helper()
	b := builder{&report.Report{
		Exchanges: report.Exchanges{Read: 48210, Matched: 48011, Unmatched: 171, Ignored: 28, Broken: 1},
		Checks:    report.Checks{Pass: 412066, Fail: 341, Inconclusive: 1204, Skipped: 96},
		Shown:     map[int]report.ExchangeLine{}, Evidence: map[int]*recording.Exchange{}, Excerpts: map[report.Spec]report.Excerpt{},
		Docs: map[string]report.RuleDoc{}, Omitted: 12,
		Notes: []string{"traffic.har: the last entry is cut off; what is before it was checked"},
		Problems: []report.Problem{{
			File: "traffic.har", Line: 4711, Offset: 88121,
			Message: "entry 4710: invalid character 'x' after object key",
		}},
	}}
	richExchanges(b)
	richFindings(b)
	richCoverage(b)
	b.Baseline = &report.Baseline{
		File: "understudy.baseline.yaml", Accepted: 3,
		Entries: []report.BaselineEntry{{
			ID: b.Groups[4].ID, Rule: "undocumented-status",
			Reason: "the gateway answers 418 until May",
		}},
		Stale: []report.BaselineEntry{{
			ID: "00ff00ff00ff00ff", Rule: "schema", Operation: "core.listJobs",
			Pointer: "/response/body/jobs/*/id",
		}},
	}
	b.Thresholds = []report.Threshold{{Axis: "operations", Want: 80, Got: 62.4}, {Axis: "rules", Want: 40, Got: 57.8}}
	b.Bases = []report.Base{
		{Interface: "workflow", URL: "https://workflow.svc.example", Source: "given", Exchanges: 31002},
		{Interface: "core", URL: "https://api.example.net/core/v3", Source: "guessed", Exchanges: 17009},
	}
	b.Unmatched = []report.Unmatched{
		{Method: "GET", URL: "https://cdn.example.net/assets/*", Count: 160, Exchange: 3},
		{
			Method: "GET", URL: "https://api.example.net/api/projects", Claimants: []string{"audience", "workflow"}, Count: 11,
			Exchange: 9, Hint: "say whose it is with --base workflow=https://api.example.net",
		},
	}
	return b.Report
}

func richExchanges(b builder) {
	const pool = `{"id":"7","name":"adhoc","concurrencyLimit":10,"default":false}`
	b.exchange(2, exchange("POST", "/api/pools", `{"name":"adhoc","concurrencyLimit":10}`, 201, pool), "/api/pools")
	b.exchange(3, exchange("POST", "/api/pool_rules",
		`{"priority":5,"conditions":[{"type":"project_name","operator":"starts_with","values":["shop"]}],"poolId":"7"}`, 201,
		`{"id":"3","priority":5,"conditions":[{"type":"project_name","operator":"starts_with","values":["shop"]}],"poolId":"7"}`),
		"/api/pool_rules")
	b.exchange(4, exchange("DELETE", "/api/pools/7", "", 200, pool), "/api/pools/7")
	b.exchange(9, exchange("GET", "/api/pools", "", 200,
		`{"pools":[{"id":"1","name":"default","concurrencyLimit":100,"default":true},{"id":"7","name":7,"concurrencyLimit":10,"default":false}],"more":1}`),
		"/api/pools")
	b.exchange(12, exchange("GET", "/api/attempts?last=2", "", 418, `{"message":"short and stout"}`),
		"/api/attempts?last=2")
	evil := exchange("POST", "/api/workflows?q=%3Cscript%3E",
		`{"name":"`+"</script><script>alert(2)</script>"+`","n":1e400}`, 200, hostile)
	evil.Request.Headers = append(evil.Request.Headers,
		[2]string{"X-Evil\"><script>", "<script>alert(3)</script>" + hostile})
	b.exchange(15, evil, "/api/workflows?q=<script>alert(4)</script>")
	binary := exchange("GET", "/api/logs/1", "", 200, "")
	binary.Response.Body = &recording.Body{Bytes: []byte{0x1f, 0x8b, 0, 0xff, 0xfe}, Truncated: false}
	b.exchange(16, binary, "/api/logs/1")
	var long bytes.Buffer
	for i := range 400 {
		fmt.Fprintf(&long, `%s{"id":%d,"status":"running"}`, map[bool]string{true: ",", false: "["}[i > 0], i)
	}
	b.exchange(18, exchange("GET", "/api/attempts", "", 200, long.String()+"]"), "/api/attempts")
	b.exchange(20, exchange("GET", "/api/sessions", "", 0, ""), "/api/sessions")
}

func richFindings(b builder) {
	spec := func(line int, pointer string) report.Spec {
		return report.Spec{File: "workflow.yaml", Line: line, Pointer: pointer}
	}
	deletePool := spec(1204, "/paths/~1api~1pools~1{id}/delete")
	b.Excerpts[deletePool] = report.Excerpt{First: 1202, Lines: poolsExcerpt}
	nameType := spec(2250, "/components/schemas/Pool/properties/name/type")
	nameType.Says = "type: string, The pool's name, unique in the account"
	b.Excerpts[nameType] = report.Excerpt{First: 2248, Lines: []string{
		"        name:", "          description: The pool's name, unique in the account", "          type: string",
		"          maxLength: 255",
	}}
	b.finding(report.Finding{
		Rule: "pool-deletion", Severity: report.Error, Verdict: report.Fail, Interface: "workflow",
		Operation: "workflow.deletePool",
		Exchange:  4, Evidence: []int{2, 3, 4}, Message: "pool 7 was deleted although pool rule 3 references it",
		Pointer: "/response", Spec: deletePool, Provenance: specs.Documented,
	}, 1)
	b.finding(report.Finding{
		Rule: "schema", Severity: report.Error, Verdict: report.Fail, Interface: "workflow", Operation: "workflow.listPools",
		Exchange: 9,
		Evidence: []int{9}, Message: "want a string, got a number", Pointer: "/response/body/pools/1/name", Found: "7",
		Spec:       nameType,
		Provenance: specs.Documented,
	}, 312)
	b.finding(report.Finding{
		Rule: "schema", Severity: report.Error, Verdict: report.Fail, Interface: "workflow",
		Operation: "workflow.createWorkflow",
		Exchange:  15, Evidence: []int{15}, Message: "want a number, got " + hostile,
		Pointer:    "/request/headers/X-Evil\"><script>",
		Found:      hostile,
		Spec:       report.Spec{File: "workflow.yaml", Line: 88, Pointer: "/paths/~1api~1workflows/post", Says: hostile},
		Provenance: specs.Public,
	}, 2)
	b.finding(report.Finding{
		Rule: "schema", Severity: report.Error, Verdict: report.Fail, Disputed: true, Interface: "workflow",
		Operation: "workflow.listAttempts", Exchange: 18, Evidence: []int{18},
		Message: "the value is none of the documented ones",
		Pointer: "/response/body/311/status", Spec: spec(3002, "/components/schemas/Attempt/properties/status/enum"),
		Provenance: specs.Public,
		Engines: []report.EngineVerdict{
			{Engine: "kin-openapi", Verdict: report.Fail, Message: "not in the enumeration"},
			{Engine: "libopenapi-validator", Verdict: report.Pass},
		},
	}, 3)
	b.finding(report.Finding{
		Rule: "undocumented-status", Severity: report.Error, Verdict: report.Fail, Accepted: true, Interface: "workflow",
		Operation: "workflow.listAttempts", Exchange: 12, Evidence: []int{12}, Message: "status 418 is not documented",
		Pointer: "/response/status", Spec: spec(640, "/paths/~1api~1attempts/get/responses"), Provenance: specs.Public,
	}, 3)
	b.finding(report.Finding{
		Rule: "undeclared-field", Severity: report.Warning, Verdict: report.Fail, Interface: "workflow",
		Operation: "workflow.listPools",
		Exchange:  9, Evidence: []int{9}, Message: `the field "more" is not documented`, Pointer: "/response/body/more",
		Spec: spec(2240, "/components/schemas/PoolList"), Provenance: specs.Client,
	}, 21)
	b.finding(report.Finding{
		Rule: "auth-scheme", Severity: report.Notice, Verdict: report.Fail, Interface: "workflow",
		Operation: "workflow.getLog",
		Exchange:  16, Evidence: []int{16}, Message: "a header that an assumption asks for is not there",
		Pointer: "/request/headers/X-Trace",
		Spec:    spec(18, "/security"), Provenance: specs.Assumed,
	}, 1)
	b.finding(report.Finding{
		Rule: "schema", Severity: report.Notice, Verdict: report.Inconclusive, Interface: "workflow",
		Operation: "workflow.listSessions",
		Exchange:  20, Evidence: []int{20}, Message: "no response was recorded", Pointer: "/response",
		Spec:       spec(700, "/paths/~1api~1sessions"),
		Provenance: specs.Documented,
	}, 1204)
}

func richCoverage(b builder) {
	parts := func(seen, missed int, prefix string) report.Parts {
		var p report.Parts
		for i := range seen {
			p.Covered = append(p.Covered, fmt.Sprintf("%s%d", prefix, i))
		}
		for i := range missed {
			p.Uncovered = append(p.Uncovered, fmt.Sprintf("%s%d", prefix, seen+i))
		}
		return p
	}
	b.Coverage.Operations, b.Coverage.Untouched = map[string]report.Touched{}, map[string][]string{}
	touch := func(name string, statuses map[string]int, seen, missed []string, n int) {
		t := report.Touched{
			Statuses: statuses, Responses: report.Parts{Covered: seen, Uncovered: missed}, Parameters: parts(n%3, n%4, "query p"),
			Enums: parts(n%5, n%3, "200 /status="), Properties: parts(n*2, n%7*9, "200 /field"),
		}
		for _, count := range statuses {
			t.Exchanges += count
		}
		b.Coverage.Operations[name] = t
	}
	const j = " application/json"
	touch("workflow.listPools", map[string]int{"200": 20411, "401": 3}, []string{"200" + j, "401" + j},
		[]string{"403" + j}, 7)
	touch("workflow.createPool", map[string]int{"201": 12, "400": 4}, []string{"201" + j, "400" + j},
		[]string{"401" + j, "403" + j, "409" + j}, 5)
	touch("workflow.deletePool", map[string]int{"200": 7}, []string{"200" + j}, []string{"400" + j, "404" + j}, 3)
	touch("workflow.listAttempts", map[string]int{"200": 10512, "418": 3}, []string{"200" + j}, []string{"401" + j}, 11)
	touch("workflow.getLog", map[string]int{"200": 61, "404": 2}, []string{"200 text/plain", "4XX" + j}, nil, 4)
	touch("core.issueJob", map[string]int{"200": 8120}, []string{"200" + j}, []string{"400" + j, "default" + j}, 9)
	touch("core.listJobs", map[string]int{"200": 8889, "502": 1}, []string{"200" + j}, []string{"401" + j}, 8)
	for i, name := range []string{"createProject", "killAttempt", "updatePool", "getSchedule", "listSecrets"} {
		b.Coverage.Untouched["workflow."+name] = []string{"200" + j, []string{"400", "404", "409"}[i%3] + j}
	}
	for _, name := range []string{"createTable", "deleteTable", "swapTables"} {
		b.Coverage.Untouched["core."+name] = []string{"200" + j, "404" + j}
	}
	for i := range 14 {
		b.Coverage.Untouched[fmt.Sprintf("llm.operation%d", i)] = []string{
			"200 application/vnd.api+json",
			"422 application/vnd.api+json",
		}
	}
	b.Coverage.Covered, b.Coverage.Documented = 143, 229
	for i, axis := range report.Axes() {
		b.Coverage.Axes = append(b.Coverage.Axes,
			report.Axis{
				Name: axis, Covered: []int{143, 88, 301, 402, 77, 1903, 11}[i],
				Documented: []int{229, 120, 611, 1020, 240, 4120, 19}[i],
			})
	}
	for _, rule := range []report.Rule{
		{ID: "schema", Triggered: 90012, Pass: 88491, Fail: 317, Inconclusive: 1204},
		{ID: "undocumented-operation", Triggered: 48011, Pass: 48011},
		{ID: "undocumented-status", Triggered: 48011, Pass: 48008, Fail: 3},
		{ID: "undeclared-field", Triggered: 90012, Pass: 89991, Fail: 21},
		{ID: "auth-scheme", Triggered: 48011, Pass: 48010, Fail: 1},
		{ID: "pool-deletion", Triggered: 9, Pass: 8, Fail: 1},
		{ID: "default-pool", Triggered: 40, Pass: 40},
		{ID: "attempt-resume"},
		{ID: "token-revocation"},
	} {
		b.Rules = append(b.Rules, rule)
		b.Docs[rule.ID] = report.RuleDoc{
			ID: rule.ID, Title: "what must hold of " + rule.ID, Watches: "every exchange",
			Provenance: specs.Documented,
		}
	}
	b.Docs["pool-deletion"] = report.RuleDoc{
		ID: "pool-deletion", Title: "a pool that is default, referenced by a rule, or in use is not deleted",
		Watches: "a DELETE of a pool that succeeds", Provenance: specs.Documented,
		Evidence: "an exchange that proves a rule on the pool, or an attempt in it, before the deletion began, and " +
			"none that could have ended it",
		Inconclusive: "the history of the pool's rules before the recording is not known",
		Passes:       "the rule was deleted or moved to another pool before; the deletion was refused; both requests overlap",
	}
}
