package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// answered returns a recording of one exchange, with JSON bodies, and headers of the request in pairs.
func answered(method, url, request string, status int, response string, headers ...string) contract.Source {
	e := &recording.Exchange{
		Request: recording.Request{Method: method, URL: url, Headers: recording.Headers{
			{"Authorization", "SVC1 1/0123456789abcdef0123456789abcdef01234567"}, {"Content-Type", "application/json"},
		}},
		Response: &recording.Response{Status: status, Headers: recording.Headers{{"Content-Type", "application/json"}}},
	}
	for i := 0; i+1 < len(headers); i += 2 {
		e.Request.Headers = append(e.Request.Headers, [2]string{headers[i], headers[i+1]})
	}
	if request != "" {
		e.Request.Body = &recording.Body{Bytes: []byte(request)}
	}
	e.Response.Body = &recording.Body{Bytes: []byte(response)}
	return contract.Exchanges(slices.Values([]*recording.Exchange{e}))
}

// failures returns the violations of a report, one a line.
func failures(r *contract.Report) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Verdict == report.Fail {
			list = append(list, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, f.Pointer, f.Message))
		}
	}
	return list
}

// backfilled is the answer to a backfill that starts nothing.
const backfilled = `{"id":"1","project":{"id":"1","name":"shop"},"workflow":{"id":"1","name":"daily"},"attempts":[]}`

const (
	workflowBase = "https://workflow.svc.example"
	queries      = "https://audience.svc.example/audiences/61/segments/queries"
)

// task returns a list of one task, with more members.
func task(more string) string {
	return `{"tasks":[{"id":"1","fullName":"+w","state":"success","cancelRequested":false,"config":{},"upstreams":[],` +
		`"exportParams":{},"storeParams":{},"stateParams":{},"error":{},"updatedAt":"2026-01-15T09:30:00Z",` + more + `}]}`
}

// log returns a list of one log file with a time stamp.
func log(stamp string) string {
	return `{"files":[{"fileName":"+w@69f7c5640ca2dd00.agent-3.log.gz","fileSize":12,"taskName":"+w",` +
		`"agentId":"agent-3","fileTime":"2026-05-03T22:00:04Z","fileTimestamp":"` + stamp + `"}]}`
}

// query returns the answer to a query of profiles, with an id.
func query(id string) string {
	return `{"id":` + id + `,"queryId":` + id + `,"status":"success","count":3,"maxPage":1,"error":null,"jobid":"12",` +
		`"countJobid":"12"}`
}

const (
	coreBase = "https://core.svc.example/v3"

	session = `{"id":"1","project":{"id":"1","name":"shop"},"workflow":{"id":"1","name":"daily"},` +
		`"sessionUuid":"2b3e9d64-5f0c-4b7a-9a51-0c8f6e4d7b12","sessionTime":"2026-01-15T00:00:00+00:00","lastAttempt":{` +
		`"id":"1","retryAttemptName":null,"done":true,"success":true,"cancelRequested":false,"params":{},` +
		`"createdAt":"2026-01-15T09:30:00Z","finishedAt":"2026-01-15T09:31:00Z"}}`

	printed = `,"debug":{"cmdout":null,"stderr":null}`

	times = `"created_at":"2026-01-15 09:30:00 UTC","updated_at":"2026-01-15 09:30:00 UTC","duration":null,` +
		`"cpu_time":null,"result_size":null,"num_records":null`
)

// queuedTimes returns the members of a job that has not begun: the text stands for its start and its end.
func queuedTimes(none string) string { return times + `,"start_at":` + none + `,"end_at":` + none }

// job returns a job with more members.
func job(more string) string {
	return `{"job_id":"7","type":"trino","status":"queued","database":"shop","query":"SELECT 1","priority":0,` +
		`"retry_limit":0,"hive_result_schema":null,"result":"","url":"https://console.svc.example/jobs/7",` +
		`"user_name":"Ada","organization":null,` + more + `}`
}

// untyped returns a recording of a job that was issued with a body without a Content-Type.
func untyped(body string) contract.Source {
	return contract.Exchanges(slices.Values([]*recording.Exchange{{
		Request: recording.Request{
			Method: "POST", URL: coreBase + "/job/issue/trino/shop", Body: &recording.Body{Bytes: []byte(body)},
			Headers: recording.Headers{{"Authorization", "SVC1 1/0123456789abcdef0123456789abcdef01234567"}},
		},
		Response: &recording.Response{
			Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(`{"job":"7","job_id":"7","database":"shop"}`)},
		},
	}}))
}

func TestWhatThePlatformAnswersIsNoViolation(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]contract.Source{
		"a task with isGroup beside group": answered("GET", workflowBase+"/api/attempts/1/tasks", "", 200,
			task(`"group":true,"isGroup":true`)),
		"a backfill that says no more than dryRun": answered("POST", workflowBase+"/api/schedules/1/backfill",
			`{"dryRun":false}`, 200, backfilled),
		"a log file's time stamp to the second": answered("GET", workflowBase+"/api/logs/1/files", "", 200,
			log("2026-05-03T22:00:04Z")),
		"a log file's time stamp to the millisecond": answered("GET", workflowBase+"/api/logs/1/files", "", 200,
			log("2026-05-03T22:00:04.212Z")),
		"a log file's time stamp to the nanosecond": answered("GET", workflowBase+"/api/logs/1/files", "", 200,
			log("2026-05-03T22:00:04.212000001Z")),
		"a query of profiles with a UUID": answered("POST", queries, `{}`, 200,
			query(`"2b3e9d64-5f0c-4b7a-9a51-0c8f6e4d7b12"`)),
		"a query of profiles with the id of a job": answered("POST", queries, `{}`, 200,
			query(`"81723645"`)),
		"a query of profiles with a statement handle": answered("POST", queries, `{}`, 200,
			query(`"01b2c3d4-0000-9e8f-0000-1a2b_0007"`)),
		"a task with group alone": answered("GET", workflowBase+"/api/attempts/1/tasks", "", 200, task(`"group":true`)),
		"a task with isGroup alone": answered("GET", workflowBase+"/api/attempts/1/tasks", "", 200,
			task(`"isGroup":true`)),
		"a last attempt without a status": answered("GET", workflowBase+"/api/sessions/1", "", 200, session),
		"a queued job whose times are null": answered("GET", coreBase+"/job/status/7", "", 200,
			`{"job_id":"7","status":"queued",`+queuedTimes("null")+`}`),
		"a running job whose end is null": answered("GET", coreBase+"/job/status/7", "", 200,
			`{"job_id":"7","status":"running",`+times+`,"start_at":"2026-01-15 09:30:00 UTC","end_at":null}`),
		"a job without the jobs of exports": answered("GET", coreBase+"/job/show/7", "", 200,
			job(queuedTimes(`""`)+printed)),
		"a job whose times and engine are null": answered("GET", coreBase+"/job/show/7", "", 200,
			job(queuedTimes("null")+`,"engine_version":null`+printed)),
		"jobs without the jobs of exports": answered("GET", coreBase+"/job/list", "", 200,
			`{"count":1,"from":null,"to":null,"jobs":[`+job(queuedTimes(`""`))+`]}`),
		"a history without the jobs of exports": answered("GET", coreBase+"/schedule/history/daily", "", 200,
			`{"count":1,"from":0,"to":20,"history":[`+job(queuedTimes("null")+`,"scheduled_at":""`)+`]}`),
		"a bulk import without a database and a table": answered("GET", coreBase+"/bulk_import/show/january", "", 200,
			`{"name":"january","database":null,"table":null,"status":"uploading"}`),
		"a form without a media type": untyped("query=SELECT+1&priority=1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string(nil), failures(checked(t, source))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatThePlatformNeverAnswersIsAViolation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source contract.Source
		want   []string
	}{
		"a backfill without dryRun": {
			answered("POST", workflowBase+"/api/schedules/1/backfill", `{}`, 200, backfilled),
			[]string{`error schema /request/body/dryRun: property "dryRun" is missing`},
		},
		"a log file's time stamp with an offset": {
			answered("GET", workflowBase+"/api/logs/1/files", "", 200, log("2026-05-03T22:00:04.212+00:00")),
			[]string{
				"error schema /response/body/files/0/fileTimestamp: string doesn't match the regular expression " +
					`"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$"`,
			},
		},
		"a query of profiles with a number": {
			answered("POST", queries, `{}`, 200, query(`81723645`)),
			[]string{
				"error schema /response/body/id: value must be a string",
				"error schema /response/body/queryId: value must be a string",
			},
		},
		"a wrong form without a media type": {
			untyped("query=SELECT+1&priority=high"),
			[]string{`error schema /request/body/priority: value must be an integer`},
		},
		"JSON without a media type": {
			untyped(`{"query":"SELECT 1","priority":1}`),
			[]string{"error undocumented-media-type /request/headers/Content-Type: the request has no Content-Type; " +
				"documented: application/json, application/x-www-form-urlencoded"},
		},
		"isGroup of another type": {
			answered("GET", workflowBase+"/api/attempts/1/tasks", "", 200, task(`"group":true,"isGroup":"yes"`)),
			[]string{"warning schema /response/body/tasks/0/isGroup: value must be a boolean"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, failures(checked(t, test.source))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// A body that a recorder has replaced by a stand-in may have been a form.
func TestWithheldBodiesWithoutAMediaTypeAreInconclusive(t *testing.T) {
	t.Parallel()
	r := checked(t, untyped(recording.Mark+":0a1b2c3d]"))
	if diff := cmp.Diff([]string(nil), failures(r)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
		return f.Verdict == report.Inconclusive && f.Pointer == "/request/body"
	}) {
		t.Errorf("nothing says that the body cannot be judged: %+v", r.Findings)
	}
}

// A browser asks before it sends an event; its recordings have both.
func TestARecordingOfABrowserHasPreflights(t *testing.T) {
	t.Parallel()
	const event = "https://us01.ingestion.svc.example/postback/v3/event/shop/orders"
	origin := [2]string{"Origin", "https://shop.example"}
	allowed := [2]string{"Access-Control-Allow-Origin", "*"}
	json := [2]string{"Content-Type", "application/json"}
	preflight := &recording.Exchange{
		Request: recording.Request{Method: "OPTIONS", URL: event, Headers: recording.Headers{
			origin,
			{"Access-Control-Request-Method", "POST"},
			{"Access-Control-Request-Headers", "content-type,x-svc-write-key"},
		}},
		Response: &recording.Response{Status: 204, Headers: recording.Headers{allowed}},
	}
	sent := &recording.Exchange{
		Request: recording.Request{
			Method: "POST", URL: event, Body: &recording.Body{Bytes: []byte(`{"path":"/"}`)},
			Headers: recording.Headers{origin, json, {"X-SVC-Write-Key", "1/0123456789abcdef"}},
		},
		Response: &recording.Response{Status: 200, Body: &recording.Body{Bytes: []byte(`{}`)}, Headers: recording.Headers{
			allowed, json,
			{"Date", "Thu, 15 Jan 2026 09:30:00 GMT"},
			{"Strict-Transport-Security", "max-age=31536000"},
			{"Content-Length", "2"},
			{"Connection", "keep-alive"},
			{"Vary", "Origin"},
		}},
	}
	elsewhere := *preflight
	elsewhere.Request.URL = "https://us01.ingestion.svc.example/shop/orders"
	r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{preflight, sent, &elsewhere})))
	if diff := cmp.Diff([]string(nil), failures(r)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if r.Exchanges.Matched != 1 || r.Exchanges.Ignored != 2 {
		t.Errorf("exchanges are %+v, want one that matches and two that are ignored", r.Exchanges)
	}
}

// What one public document requires and the clients of another leave out is told, and fails nothing.
func TestExpectedMembersAreNotices(t *testing.T) {
	t.Parallel()
	const (
		dwh  = "https://dwh.svc.example/v1/dwh"
		body = `{"name":"n","basic_configs":{"type":"databricks","svc_authentication_id":42,"catalog":"main"},` +
			`"advanced_configs":[{"target_table":"orders"}]`
		missing = `notice schema /request/body/output_config: property "output_config" is missing: one public document ` +
			"requires it, and clients leave it out"
	)
	for more, want := range map[string][]string{
		`}`: {missing}, `,"output_config":{"database":"shop"}}`: nil,
		`,"output_config":7}`: {"error schema /request/body/output_config: value must be an object"},
	} {
		var got []string
		for _, line := range failures(checked(t, answered("POST", dwh, body+more, 200, `{}`))) {
			if strings.Contains(line, " /request/") {
				got = append(got, line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", more, diff)
		}
	}
}
