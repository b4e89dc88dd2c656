package mockserver_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/specs"
)

// trial is one call that an operation grants and one that it refuses, in the scenario quickstart. A call is
// "path status"; {schedule}, {attempt} and the like stand for what the scenario has.
type trial struct {
	grants, grantBody   string
	refuses, refuseBody string
}

// trials has an entry for every operation whose own tests do not count what they have seen.
var trials = map[string]trial{
	"audience.listSegments": {"/audiences/61/segments 200", "", "/audiences/9/segments 404", ""},
	"audience.createSegment": {
		"/audiences/61/segments 200", `{"name":"All"}`, "/audiences/61/segments 400",
		`{"name":""}`,
	},
	"audience.createSegmentQuery": {
		"/audiences/61/segments/queries 200", `{"columns":["email"]}`,
		"/audiences/61/segments/queries 400", `{"columns":["shoe_size"]}`,
	},
	"audience.createActivation": {
		"/audiences/61/segments/72/syndications 200", `{"name":"Again","connectionId":1,"connectorConfig":{}}`,
		"/audiences/61/segments/72/syndications 400", `{"name":"Again"}`,
	},

	"ingestion.ingestEvent": {
		"/postback/v3/event/shop/orders 200", `{"order_id":1}`, "/postback/v3/event/shop/orders 400",
		`[]`,
	},

	"workflow.listAttempts": {
		"/api/attempts?include_retried=true 200", "", "/api/attempts?project=nobody 404",
		"",
	},
	"workflow.startAttempt": {
		"/api/attempts 200", start("2025-01-01T00:00:00Z"), "/api/attempts 400",
		`{"params":{}}`,
	},
	"workflow.getAttempt":         {"/api/attempts/1 200", "", "/api/attempts/999 404", ""},
	"workflow.killAttempt":        {"/api/attempts/{running}/kill 200", "", "/api/attempts/1/kill 409", ""},
	"workflow.listAttemptRetries": {"/api/attempts/1/retries 200", "", "/api/attempts/999/retries 404", ""},
	"workflow.listAttemptTasks":   {"/api/attempts/1/tasks 200", "", "/api/attempts/x/tasks 404", ""},
	"workflow.listLogFiles":       {"/api/logs/1/files 200", "", "/api/logs/999/files 404", ""},
	"workflow.downloadLogFile":    {"/api/logs/1/files/{log} 200", "", "/api/logs/1/files/none.log.gz 404", ""},
	"workflow.listPoolRules":      {"/api/pool_rules 200", "", "/api/pool_rules 403", "as 1/analyst"},
	"workflow.createPoolRule": {
		"/api/pool_rules 201", poolRule("77", "{pool}"), "/api/pool_rules 400",
		poolRule("78", "999"),
	},
	"workflow.getPoolRule": {"/api/pool_rules/1 200", "", "/api/pool_rules/999 404", ""},
	"workflow.updatePoolRule": {
		"/api/pool_rules/1 200", `{"priority":99}`, "/api/pool_rules/999 404",
		`{"priority":98}`,
	},
	"workflow.deletePoolRule": {"/api/pool_rules/1 200", "", "/api/pool_rules/999 404", ""},
	"workflow.listPools":      {"/api/pools 200", "", "/api/pools 403", "as 1/analyst"},
	"workflow.createPool": {
		"/api/pools 201", `{"name":"new","concurrencyLimit":1}`, "/api/pools 409",
		`{"name":"etl","concurrencyLimit":1}`,
	},
	"workflow.getPool": {"/api/pools/{pool} 200", "", "/api/pools/999 404", ""},
	"workflow.updatePool": {
		"/api/pools/{pool} 200", `{"name":"renamed"}`, "/api/pools/{default} 400",
		`{"name":"mine"}`,
	},
	"workflow.deletePool":   {"/api/pools/{free} 200", "", "/api/pools/{default} 400", ""},
	"workflow.listProjects": {"/api/projects 200", "", "/api/projects 401", "as nobody"},
	"workflow.putProject": {
		"/api/projects?project=new&revision=1 200", "archive",
		"/api/projects?project=new&revision=2 400", "no archive",
	},
	"workflow.getProject":    {"/api/projects/1 200", "", "/api/projects/999 404", ""},
	"workflow.deleteProject": {"/api/projects/2 200", "", "/api/projects/999 404", ""},
	"workflow.downloadProjectArchive": {
		"/api/projects/1/archive 200", "", "/api/projects/1/archive?revision=none 404",
		"",
	},
	"workflow.listProjectRevisions": {
		"/api/projects/1/revisions 200", "",
		"/api/projects/1/revisions?page%5Bsize%5D=101 400", "",
	},
	"workflow.listProjectSchedules": {"/api/projects/1/schedules 200", "", "/api/projects/999/schedules 404", ""},
	"workflow.listProjectSecrets":   {"/api/projects/1/secrets 200", "", "/api/projects/999/secrets 404", ""},
	"workflow.putProjectSecret": {
		"/api/projects/1/secrets/a.b 204", `{"value":"x"}`,
		"/api/projects/1/secrets/a%20b 400", `{"value":"x"}`,
	},
	"workflow.deleteProjectSecret": {"/api/projects/1/secrets/a.b 204", "", "/api/projects/999/secrets/a.b 404", ""},
	"workflow.listProjectSessions": {
		"/api/projects/1/sessions 200", "", "/api/projects/1/sessions?page_size=101 400",
		"",
	},
	"workflow.listProjectWorkflows": {
		"/api/projects/1/workflows 200", "", "/api/projects/1/workflows?revision=none 404",
		"",
	},
	"workflow.getProjectWorkflow": {
		"/api/projects/1/workflows/daily_orders 200", "",
		"/api/projects/1/workflows/none 404", "",
	},
	"workflow.listSchedules": {"/api/schedules 200", "", "/api/schedules?last_id=x 400", ""},
	"workflow.getSchedule":   {"/api/schedules/1 200", "", "/api/schedules/999 404", ""},
	"workflow.backfillSchedule": {
		"/api/schedules/1/backfill 200",
		`{"fromTime":"{day}","dryRun":true,"attemptName":"again"}`, "/api/schedules/1/backfill 400",
		`{"dryRun":true,"fromTime":"soon"}`,
	},
	"workflow.disableSchedule": {"/api/schedules/1/disable 200", "", "/api/schedules/999/disable 404", ""},
	"workflow.enableSchedule":  {"/api/schedules/1/enable 200", "", "/api/schedules/999/enable 404", ""},
	"workflow.skipSchedule": {
		"/api/schedules/1/skip 200", `{"fromTime":"{next}","count":2,"dryRun":true}`,
		"/api/schedules/1/skip 400", `{"dryRun":true}`,
	},
	"workflow.listSessions":        {"/api/sessions 200", "", "/api/sessions?page_size=0 400", ""},
	"workflow.getSession":          {"/api/sessions/1 200", "", "/api/sessions/999 404", ""},
	"workflow.listSessionAttempts": {"/api/sessions/1/attempts 200", "", "/api/sessions/999/attempts 404", ""},
	"workflow.listWorkflows":       {"/api/workflows 200", "", "/api/workflows?order=up 400", ""},
	"workflow.getWorkflow":         {"/api/workflows/1 200", "", "/api/workflows/999 404", ""},
	"workflow.getTruncatedSessionTime": {
		"/api/workflows/1/truncated_session_time?session_time=2026-01-01T12:34:56&mode=hour 200", "",
		"/api/workflows/1/truncated_session_time?session_time=noon 400", "",
	},
}

func start(sessionTime string) string {
	return `{"projectName":"reporting","workflowName":"weekly_summary","params":{},"sessionTime":"` + sessionTime + `"}`
}

func poolRule(priority, pool string) string {
	return `{"priority":` + priority + `,"poolId":"` + pool +
		`","conditions":[{"type":"invocation_type","values":["scheduled"]}]}`
}

// Every operation is called here for its success and for a refusal; one that is not is named. The tests of four
// interfaces hold more against themselves: every answer that the document lists must have been seen.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Interfaces() {
		if slices.Contains([]specs.Interface{specs.Audience, specs.DWH, specs.Core, specs.LLM}, name) {
			continue
		}
		doc, err := specs.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range doc.Operations {
			p, ok := trials[operation.Name()]
			if !ok {
				t.Errorf("no test calls %s", operation.Name())
				continue
			}
			t.Run(operation.Name(), func(t *testing.T) {
				t.Parallel()
				s := mocktest.NewServer(t)
				fill := filler(t, s, s.World("").Now())
				knock(t, s, operation, fill(p.grants), fill(p.grantBody))
				knock(t, s, operation, fill(p.refuses), fill(p.refuseBody))
				if got := s.World("").Calls(operation.Name()); got < 2 {
					t.Errorf("%d calls have reached the operation, want both", got)
				}
			})
		}
	}
	t.Run("no trial is for an operation that is not", func(t *testing.T) {
		t.Parallel()
		for name := range trials {
			if !slices.ContainsFunc(specs.Catalogue(), func(e specs.Entry) bool { return e.Name() == name }) {
				t.Errorf("%s is in no document", name)
			}
		}
	})
}

func knock(t *testing.T, s http.Handler, operation *specs.Operation, line, body string) {
	t.Helper()
	path, status, _ := strings.Cut(line, " ")
	var headers []string
	switch {
	case strings.HasPrefix(body, "as "):
		headers, body = []string{"Authorization", "SVC1 " + strings.TrimPrefix(body, "as ")}, ""
	case operation.ID == "putProject":
		headers = []string{"Content-Type", "application/gzip"}
	}
	a := mocktest.Call(t, s, operation.Method, "/"+string(operation.Interface)+path, body, headers...)
	if got := strconv.Itoa(a.Status); got != status {
		t.Errorf("%s %s answers %s, want %s: %s", operation.Method, path, got, status, a.Body)
	}
}

// filler replaces the names in braces by what the world has.
func filler(t *testing.T, s http.Handler, now time.Time) func(string) string {
	t.Helper()
	var pairs []string
	for _, p := range mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", "/workflow/api/pools", "")).Pools {
		if p.Default {
			pairs = append(pairs, "{default}", p.ID)
		} else if p.Name == "etl" {
			pairs = append(pairs, "{pool}", p.ID)
		}
	}
	free := mocktest.Decode[mocktest.Pool](mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"free","concurrencyLimit":1}`).Want(201))
	logs := mocktest.Decode[struct{ Files []struct{ FileName string } }](mocktest.Call(t, s, "GET", "/workflow/api/logs/1/files", ""))
	schedule := mocktest.Decode[struct{ NextScheduleTime string }](mocktest.Call(t, s, "GET", "/workflow/api/schedules/1", ""))
	archive, err := dig.WriteArchive(map[string]string{"hello.dig": "+say: {echo>: hello}\n"})
	if err != nil || len(logs.Files) == 0 {
		t.Fatal(err, logs)
	}
	pairs = append(pairs, "{free}", free.ID, "{log}", strings.ReplaceAll(logs.Files[0].FileName, "+", "%2B"),
		"{next}", schedule.NextScheduleTime, "{day}", now.AddDate(0, 0, -1).Format("2006-01-02T15:04:05Z"),
		"{running}", find(t, s, "running").ID)
	r := strings.NewReplacer(pairs...)
	return func(text string) string {
		if text == "archive" {
			return string(archive)
		}
		return r.Replace(text)
	}
}
