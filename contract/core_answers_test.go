package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// coreTalk is an exchange with the core data interface, in short: "POST /job/issue/trino/shop", the bodies as text.
type coreTalk struct {
	line, request string
	status        int
	answer        string
}

func (c coreTalk) source() contract.Source {
	method, path, _ := strings.Cut(c.line, " ")
	kind := "application/json"
	if !strings.HasPrefix(c.request, "{") {
		kind = "application/x-www-form-urlencoded"
	}
	e := &recording.Exchange{
		Request: recording.Request{Method: method, URL: "https://core.svc.example/v3" + path, Headers: recording.Headers{
			{"Authorization", "SVC1 1/0123456789abcdef0123456789abcdef01234567"},
		}},
		Response: &recording.Response{
			Status: c.status, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(c.answer)},
		},
	}
	if c.request != "" {
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", kind})
		e.Request.Body = &recording.Body{Bytes: []byte(c.request)}
	}
	return contract.Exchanges(slices.Values([]*recording.Exchange{e}))
}

// violations returns what is wrong with a recording, of whatever severity, without what is inconclusive.
func violations(t *testing.T, source contract.Source) (list []string) {
	t.Helper()
	for _, f := range checked(t, source).Findings {
		if f.Verdict == report.Fail {
			list = append(list, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, f.Pointer, f.Message))
		}
	}
	return list
}

// The bodies of answers, with gaps: %t for a time, %l for that of a table's latest record.
const (
	coreTable = `{"id":7,"name":"orders","type":"log","count":2,"created_at":"%t","updated_at":"%t",` +
		`"counter_updated_at":null,"last_log_timestamp":%l,"delete_protected":false,"estimated_storage_size":9,` +
		`"expire_days":null,"include_v":true`
	coreStatus = `"job_id":"9","status":"success","created_at":"%t","start_at":"%t","end_at":"%t","updated_at":"%t",` +
		`"duration":1,"cpu_time":1,"num_records":1,"result_size":1`
	coreJob = coreStatus + `,"type":"TYPE","database":"shop","query":QUERY,"priority":0,"retry_limit":0,` +
		`"hive_result_schema":null,"result":RESULT,"url":"https://x.example/9","user_name":"Ada","organization":null,` +
		`"linked_result_export_job_id":null,"result_export_target_job_id":null`
	coreDatabase = `"name":"shop","count":2,"created_at":"%t","updated_at":"%t","organization":null,"permission":null,` +
		`"delete_protected":false`
	coreError = `{"error":"ERROR","message":"no","text":"no","severity":"error","status_code":STATUS}`
)

func aJob(kind, query, result string) string {
	return strings.NewReplacer("TYPE", kind, "QUERY", query, "RESULT", result).Replace(coreJob)
}

// timedAnswers returns the answers that have times, of which %t is one and %l another.
func timedAnswers() map[string]string {
	job := aJob("trino", `"SELECT 1"`, `""`)
	return map[string]string{
		"GET /table/show/shop/orders":           coreTable + `,"schema":"[]"}`,
		"GET /table/list/shop":                  `{"database":"shop","tables":[` + coreTable + `,"schema":"[]"}]}`,
		"POST /table/recover/7":                 coreTable + `}`,
		"GET /database/list":                    `{"databases":[{` + coreDatabase + `}]}`,
		"GET /database/show/shop":               `{"id":"1",` + coreDatabase + `}`,
		"GET /job/status/9":                     `{` + coreStatus + `}`,
		"GET /job/status_by_domain_key/k":       `{` + coreStatus + `}`,
		"GET /job/list":                         `{"jobs":[{` + job + `}],"count":1,"from":null,"to":null}`,
		"GET /job/show/9":                       `{` + job + `,"debug":{"cmdout":null,"stderr":null}}`,
		"GET /schedule/history/nightly":         `{"count":1,"from":0,"to":20,"history":[{` + job + `,"scheduled_at":"%t"}]}`,
		"POST /schedule/run/nightly/1768456800": `{"jobs":[{"job_id":9,"type":"trino","scheduled_at":"%t"}]}`,
		"GET /table/deleted": `{"tables":[{"id":7,"name":"a","database_id":1,"database_name":"b","created_at":"%t",` +
			`"deleted_at":"%t"}],"cursor_id":null}`,
	}
}

func TestTimesOfCoreAreRightInEachOfTheirForms(t *testing.T) {
	t.Parallel()
	for line, answer := range timedAnswers() {
		for _, at := range []string{"2026-01-15 09:30:00 UTC", "2026-01-15 09:30:00 +0000", "2026-01-15 18:30:00 +0900"} {
			for _, latest := range []string{"null", "1768469381", `"2026-01-15T09:29:41Z"`} {
				body := strings.NewReplacer("%t", at, "%l", latest).Replace(answer)
				if found := violations(t, coreTalk{line, "", 200, body}.source()); found != nil {
					t.Errorf("%s with %s and %s: %q", line, at, latest, found)
				}
			}
		}
		wrong := strings.NewReplacer("%t", "15 January 2026", "%l", "true").Replace(answer)
		if r := checked(t, coreTalk{line, "", 200, wrong}.source()); !r.Failed() {
			t.Errorf("%s with times in other forms is no violation", line)
		}
	}
}

func TestWhatClientsSendToJobsAndReadOfThemIsNoViolation(t *testing.T) {
	t.Parallel()
	const issued = `{"job":"9","job_id":"9","database":"shop"}`
	shown := func(kind, query, result string) coreTalk {
		job := strings.ReplaceAll(aJob(kind, query, result), "%t", "2026-01-15 09:30:00 UTC")
		return coreTalk{"GET /job/show/9", "", 200, `{` + job + `,"debug":{"cmdout":null,"stderr":null}}`}
	}
	for name, talk := range map[string]coreTalk{
		"a bulk load's config, an object": {
			"POST /job/issue/bulkload/shop", `{"config":{"in":{"type":"s3"}}}`, 200, issued,
		},
		"a bulk load's config, in a text":   {"POST /job/issue/bulkload/shop", `{"config":"{\"in\":{}}"}`, 200, issued},
		"a bulk load's config, in a form":   {"POST /job/issue/bulkload/shop", "config=%7B%22in%22%3A%7B%7D%7D", 200, issued},
		"a bulk load, its config in a text": shown("bulkload", `"{\"in\":{\"type\":\"s3\"}}"`, `""`),
		"a bulk load, its config an object": shown("bulkload", `{"in":{"type":"s3"}}`, `""`),
		"a target that is a JSON object":    shown("trino", `"SELECT 1"`, `"{\"type\":\"s3\"}"`),
		"the export of a result":            shown("result_export", `"RESULT EXPORT FROM JOB 8"`, `"s3://bucket/x"`),
		"the export of a result, as it was": shown("export", `""`, `"s3://bucket/x"`),
		"a JSON object as a job's target": {
			"POST /job/issue/trino/shop", `{"query":"SELECT 1","result":"{\"type\":\"s3\"}"}`, 200, issued,
		},
		"a copy with properties": {
			"POST /table/create/shop/copy?source_table=orders&including_properties=true", "", 200,
			`{"database":"shop","table":"copy","type":"log"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if found := violations(t, talk.source()); found != nil {
				t.Errorf("findings: %q", found)
			}
		})
	}
}

func TestRefusalsOfCoreSayTheSentenceOrTheStatusInShort(t *testing.T) {
	t.Parallel()
	for _, short := range []string{"no", "Not Found"} {
		body := strings.NewReplacer("ERROR", short, "STATUS", "404").Replace(coreError)
		if found := violations(t, coreTalk{"GET /table/show/shop/orders", "", 404, body}.source()); found != nil {
			t.Errorf("%s: %q", body, found)
		}
	}
}

func TestARecoveryMayBeRefusedWithAnyStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{402, 405, 410, 413, 422, 500, 502, 503, 504} {
		body := strings.NewReplacer("ERROR", "no", "STATUS", fmt.Sprint(status)).Replace(coreError)
		if found := violations(t, coreTalk{"POST /table/recover/7", "", status, body}.source()); found != nil {
			t.Errorf("%d: %q", status, found)
		}
	}
	if found := violations(t, coreTalk{"POST /table/recover/7", "", 302, ""}.source()); len(found) != 1 {
		t.Errorf("a redirection: %q, want one violation", found)
	}
}
