package learn_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// standInSession is a session of three clients of the stand-in, which a proxy records.
type standInSession struct {
	t    *testing.T
	base string
	key  string
}

func (c *standInSession) as(key string) { c.key = key }

// call sends a request, and returns the body of the answer.
func (c *standInSession) call(method, target string, body any) object {
	c.t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+target, bytes.NewReader(text))
	if err != nil {
		c.t.Error(err)
		return nil
	}
	r.Header.Set("Authorization", "SVC1 "+c.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Error(err)
		return nil
	}
	defer w.Body.Close()
	var answer object
	_ = json.NewDecoder(w.Body).Decode(&answer) // lists and empty answers are of no use here
	return answer
}

func (c *standInSession) get(target string) object { return c.call("GET", target, nil) }

// until reads until a member has another value.
func (c *standInSession) until(target, member, value string) {
	const maxPolls = 60
	for range maxPolls {
		if c.get(target)[member] != value {
			return
		}
	}
	c.t.Errorf("%s of %s is still %s", member, target, value)
}

// play sends the requests of the three clients.
func (c *standInSession) play() {
	const workflow, core = "/workflow/api", "/core/v3"
	c.as(adaKey)
	c.get(workflow + "/pools")
	c.get(workflow + "/pool_rules")
	pool := c.call("POST", workflow+"/pools", object{"name": "reports", "concurrencyLimit": 20})
	atPool := fmt.Sprint(workflow, "/pools/", pool["id"])
	c.get(atPool)
	c.call("POST", workflow+"/pools", object{"name": "reports", "concurrencyLimit": 5})
	c.call("PATCH", atPool, object{"concurrencyLimit": 30})
	c.get(atPool)
	c.get(workflow + "/pools")
	rule := c.call("POST", workflow+"/pool_rules", object{"poolId": pool["id"], "priority": 2, "conditions": []any{
		object{"type": "workflow_name", "operator": "starts_with", "values": []any{"report"}},
	}})
	atRule := fmt.Sprint(workflow, "/pool_rules/", rule["id"])
	c.get(workflow + "/pool_rules")
	c.call("DELETE", atPool, nil)
	c.call("PATCH", atRule, object{"priority": 9})
	c.get(atRule)
	c.get(workflow + "/pool_rules")

	c.as(cyKey)
	c.get(workflow + "/projects")
	c.get(workflow + "/pools")
	c.get(core + "/database/list")
	c.get(core + "/database/show/sales")
	c.get(core + "/table/list/sales")
	c.get(workflow + "/workflows?count=2")
	c.get(workflow + "/workflows?count=2&last_id=42")
	c.get(workflow + "/workflows/43")
	c.get(workflow + "/projects/32")
	c.call("POST", core+"/database/create/mine", nil)

	c.as(benKey)
	c.call("POST", core+"/database/create/lab_data", nil)
	c.call("POST", core+"/table/create/lab_data/samples", object{"schema": `[["id","long"]]`})
	c.call("POST", core+"/table/create/lab_data/samples", nil)
	c.get(core + "/table/show/lab_data/samples")
	c.call("POST", core+"/table/update-schema/lab_data/samples", object{"schema": `[["id","long"],["mass","double"]]`})
	c.get(core + "/table/show/lab_data/samples")
	c.call("POST", core+"/table/rename/lab_data/samples/specimens", nil)
	c.get(core + "/table/list/lab_data")
	c.get(core + "/database/show/lab_data")
	c.get(core + "/access_control/policies")
	policy := c.call("POST", core+"/access_control/policies", object{"policy": object{"name": "lab"}})
	atPolicy := fmt.Sprint(core, "/access_control/policies/", policy["id"])
	c.call("POST", atPolicy+"/users/503", nil)
	c.get(atPolicy + "/users")
	c.get(atPolicy)
	c.call("PATCH", atPolicy, object{"policy": object{"description": "Who may see the lab."}})
	c.get(atPolicy)

	c.as(adaKey)
	c.get(workflow + "/schedules")
	c.call("POST", workflow+"/schedules/51/disable", nil)
	c.get(workflow + "/schedules/51")
	c.call("POST", workflow+"/schedules/51/enable", nil)
	c.get(workflow + "/schedules/51")
	c.get(workflow + "/projects/31/secrets")
	c.call("PUT", workflow+"/projects/31/secrets/db.password", object{"value": "hunter2"})
	c.get(workflow + "/projects/31/secrets")
	c.call("DELETE", workflow+"/projects/31/secrets/db.password", nil)
	c.get(workflow + "/projects/31/secrets")
	start := object{"workflowId": "41", "sessionTime": "2026-02-01T00:00:00Z", "params": object{}}
	attempt := c.call("PUT", workflow+"/attempts", start)
	c.call("PUT", workflow+"/attempts", start)
	c.as(benKey)
	job := c.call("POST", core+"/job/issue/trino/sales", object{"query": "SELECT 1 AS one"})
	c.as(adaKey)
	c.until(fmt.Sprint(workflow, "/attempts/", attempt["id"]), "status", "running")
	c.get(workflow + "/attempts?page_size=5")

	c.as(benKey)
	c.until(fmt.Sprint(core, "/job/status/", job["job_id"]), "status", "running")
	c.get(fmt.Sprint(core, "/job/show/", job["job_id"]))
	c.get(fmt.Sprint(core, "/job/result/", job["job_id"], "?format=json"))
	killed := c.call("POST", core+"/job/issue/trino/sales", object{"query": "SELECT 2 AS two"})
	c.call("POST", fmt.Sprint(core, "/job/kill/", killed["job_id"]), nil)
	c.get(fmt.Sprint(core, "/job/status/", killed["job_id"]))
	c.get(core + "/job/list")

	c.get(core + "/result/list")
	c.call("POST", core+"/result/create/mart", object{"url": "s3://bucket/mart"})
	c.get(core + "/result/list")
	c.call("POST", core+"/result/delete/mart", nil)
	c.get(core + "/result/list")
	c.call("DELETE", atPolicy+"/users/503", nil)
	c.get(atPolicy + "/users")
	c.call("DELETE", atPolicy, nil)
	c.get(atPolicy)
	c.get(core + "/access_control/policies")
	c.call("POST", core+"/table/delete/lab_data/specimens", nil)
	c.get(core + "/table/show/lab_data/specimens")
	c.call("POST", core+"/database/delete/lab_data", nil)
	c.get(core + "/database/show/lab_data")
	c.get(core + "/database/list")

	c.as(adaKey)
	c.call("DELETE", atRule, nil)
	c.get(workflow + "/pool_rules")
	c.call("DELETE", atPool, nil)
	c.get(atPool)
	c.get(workflow + "/pools")
}

// recordStandIn returns the recording of a session with the stand-in, which may deviate.
func recordStandIn(t *testing.T, deviate func(*standIn)) func() contract.Source {
	t.Helper()
	s := newStandIn()
	if deviate != nil {
		deviate(s)
	}
	handler, lines, done := behindProxy(t, s.mux)
	front := httptest.NewServer(handler)
	session := standInSession{t: t, base: front.URL}
	session.play()
	front.Close()
	done()
	text := s.timed(t, lines.text.Bytes())
	return func() contract.Source { return contract.Read("proxy.ndjson", bytes.NewReader(text)) }
}

// timed returns the lines of a recording with the times at which the stand-in took the requests.
func (s *standIn) timed(t *testing.T, lines []byte) []byte {
	t.Helper()
	var timed bytes.Buffer
	decoder, encoder := json.NewDecoder(bytes.NewReader(lines)), json.NewEncoder(&timed)
	for _, at := range s.taken {
		var e recording.Exchange
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		e.Start, e.End = at, at.Add(requestTime/2)
		if err := encoder.Encode(&e); err != nil {
			t.Fatal(err)
		}
	}
	if decoder.More() {
		t.Error("the recording has more requests than the stand-in has taken")
	}
	return timed.Bytes()
}

// deviations are what a stand-in may do otherwise than the platform, each with the findings of a comparison with a mock
// of what was learned before.
var deviations = map[string]struct {
	operation string               // that is not as it should be
	change    func(*standInAnswer) // changes its answers
	forget    string               // what it answers, and does not do
	want      []string             // findings, all of which name the operation
}{
	"wrong status": {operation: "workflow.createPool", change: func(a *standInAnswer) {
		if a.status == http.StatusCreated {
			a.status = http.StatusOK
		}
	}, want: []string{"workflow.createPool status /status"}},
	"missing member": {operation: "core.getPolicy", change: func(a *standInAnswer) {
		delete(a.member(), "user_count")
	}, want: []string{"core.getPolicy shape /body/user_count"}},
	"extra member": {operation: "workflow.getProject", change: func(a *standInAnswer) {
		a.member()["owner"] = "Ada"
	}, want: []string{"workflow.getProject shape /body/owner"}},
	"other type": {operation: "workflow.getPool", change: func(a *standInAnswer) {
		if limit, given := a.member()["concurrencyLimit"]; given {
			a.member()["concurrencyLimit"] = fmt.Sprint(limit)
		}
	}, want: []string{"workflow.getPool shape /body/concurrencyLimit"}},
	"wrong order": {operation: "workflow.listPoolRules", change: func(a *standInAnswer) {
		slices.Reverse(a.member()["poolRules"].([]any))
	}, want: []string{"workflow.listPoolRules value /body/poolRules"}},
	"page too long": {operation: "workflow.listWorkflows", change: func(a *standInAnswer) {
		if list := a.member()["workflows"].([]any); len(list) == 2 {
			third := maps.Clone(list[1].(object))
			third["id"], third["project"] = "43", object{"id": "33", "name": "nightly_load"}
			third["config"] = object{"schedule": object{"cron>": "0 0 1 1 *"}, "+step": object{"echo>": "nightly_load"}}
			a.member()["workflows"] = append(list, third)
		}
	}, want: []string{"workflow.listWorkflows value /body/workflows/2"}},
	"page too short": {operation: "workflow.listProjects", change: func(a *standInAnswer) {
		a.member()["projects"] = a.member()["projects"].([]any)[:2]
	}, want: []string{"workflow.listProjects value /body/projects/2"}},
	"item twice": {operation: "workflow.listAttempts", change: func(a *standInAnswer) {
		list := a.member()["attempts"].([]any)
		a.member()["attempts"] = append(list, list[0])
	}, want: []string{"workflow.listAttempts value /body/attempts/1"}},
	"count off by one": {operation: "core.listJobs", change: func(a *standInAnswer) {
		a.member()["count"] = 3
	}, want: []string{"core.listJobs value /body/count"}},
	"page begins too early": {operation: "workflow.listWorkflows", change: func(a *standInAnswer) {
		if list := a.member()["workflows"].([]any); len(list) == 1 {
			second := maps.Clone(list[0].(object))
			second["id"], second["project"] = "42", object{"id": "32", "name": "churn"}
			second["config"] = object{"+step": object{"echo>": "churn"}}
			a.member()["workflows"] = []any{second, list[0]}
		}
	}, want: []string{"workflow.listWorkflows value /body/workflows/0"}},
	"wrong error status": {operation: "workflow.getPool", change: func(a *standInAnswer) {
		if a.status == http.StatusNotFound {
			*a = workflowError(http.StatusBadRequest, "there is no such pool")
		}
	}, want: []string{"workflow.getPool status /status"}},
	"wrong error code": {operation: "core.getTable", change: func(a *standInAnswer) {
		if a.status == http.StatusNotFound {
			a.member()["status_code"] = 4004
		}
	}, want: []string{"core.getTable value /body/status_code"}},
	"header missing": {operation: "core.getJobResult", change: func(a *standInAnswer) {
		a.header.Del("ETag")
	}, want: []string{"core.getJobResult shape /headers/ETag"}},
	"other media type": {operation: "core.getDatabase", change: func(a *standInAnswer) {
		if a.status == http.StatusOK {
			a.header.Set("Content-Type", "text/plain")
		}
	}, want: []string{"core.getDatabase shape /headers/Content-Type"}},
	"time in another zone": {operation: "workflow.getWorkflow", change: func(a *standInAnswer) {
		a.member()["timezone"] = "Asia/Tokyo"
	}, want: []string{"workflow.getWorkflow value /body/timezone"}},
	"time shifted by a zone": {operation: "workflow.getProject", change: func(a *standInAnswer) {
		a.member()["createdAt"] = "2026-01-05T17:00:00Z"
	}, want: []string{"workflow.getProject value /body/createdAt"}},
	"time with an offset": {operation: "workflow.getProject", change: func(a *standInAnswer) {
		a.member()["createdAt"] = "2026-01-05T17:00:00+09:00"
	}, want: []string{"workflow.getProject value /body/createdAt"}},
	"wrong reference": {operation: "workflow.createPoolRule", change: func(a *standInAnswer) {
		a.body = maps.Clone(a.member())
		a.member()["poolId"] = "12"
	}, want: []string{"workflow.createPoolRule value /body/poolId"}},
	"null instead of a value": {operation: "workflow.disableSchedule", change: func(a *standInAnswer) {
		a.member()["disabledAt"] = nil
	}, want: []string{"workflow.disableSchedule value /body/disabledAt"}},
	"refusal missing": {operation: "core.createDatabase", forget: "refusal", want: []string{
		"core.createDatabase status /status",
		"core.listDatabases behaviour /body/databases/0 since core.createDatabase",
	}},
	"conflict missing": {operation: "workflow.createPool", forget: "conflict", want: []string{
		"workflow.createPool status /status",
		"workflow.listPools behaviour /body/pools/0/concurrencyLimit since workflow.createPool",
		"workflow.listPools behaviour /body/pools/2 since workflow.createPool",
		"workflow.listPools behaviour /body/pools/3 since workflow.createPool",
	}},
	"update not applied": {operation: "workflow.updatePool", forget: "pool update", want: []string{
		"workflow.deletePool behaviour /body/concurrencyLimit since workflow.updatePool",
		"workflow.getPool behaviour /body/concurrencyLimit since workflow.updatePool",
		"workflow.listPools behaviour /body/pools/0/concurrencyLimit since workflow.updatePool",
		"workflow.listPools behaviour /body/pools/2/concurrencyLimit since workflow.updatePool",
	}},
	"policy update not applied": {operation: "core.updatePolicy", forget: "policy update", want: []string{
		"core.deletePolicy behaviour /body/description since core.updatePolicy",
		"core.detachUserFromPolicy behaviour /body/description since core.updatePolicy",
		"core.getPolicy behaviour /body/description since core.updatePolicy",
	}},
	"schema update not applied": {operation: "core.updateTableSchema", forget: "schema update", want: []string{
		"core.getTable behaviour /body/schema since core.updateTableSchema",
		"core.listTables behaviour /body/tables/0/schema since core.updateTableSchema",
	}},
	"rename not applied": {operation: "core.renameTable", forget: "table rename", want: []string{
		"core.deleteTable behaviour /status since core.renameTable",
		"core.listTables behaviour /body/tables/0/name since core.renameTable",
	}},
	"attachment not applied": {operation: "core.attachUserToPolicy", forget: "attachment", want: []string{
		"core.attachUserToPolicy value /body/user_count",
		"core.getPolicy behaviour /body/user_count since core.attachUserToPolicy",
		"core.listPolicyUsers behaviour /body/0 since core.attachUserToPolicy",
		"core.updatePolicy behaviour /body/user_count since core.attachUserToPolicy",
	}},
	"kill not applied": {operation: "core.killJob", forget: "job kill", want: []string{
		"core.getJobStatus behaviour /body/duration since core.killJob",
		"core.getJobStatus behaviour /body/end_at since core.killJob",
		"core.getJobStatus behaviour /body/status since core.killJob",
		"core.listJobs behaviour /body/jobs/0/duration since core.killJob",
		"core.listJobs behaviour /body/jobs/0/end_at since core.killJob",
		"core.listJobs behaviour /body/jobs/0/status since core.killJob",
	}},
	"disabling not applied": {operation: "workflow.disableSchedule", forget: "schedule disable", want: []string{
		"workflow.getSchedule behaviour /body/disabledAt since workflow.disableSchedule",
	}},
	"deleted connection listed": {operation: "core.deleteConnection", forget: "connection deletion", want: []string{
		"core.listConnections behaviour /body/results/1 since core.deleteConnection",
	}},
	"deleted secret listed": {operation: "workflow.deleteProjectSecret", forget: "secret deletion", want: []string{
		"workflow.listProjectSecrets behaviour /body/secrets/1 since workflow.deleteProjectSecret",
	}},
	"deleted pool rule listed": {operation: "workflow.deletePoolRule", forget: "rule deletion", want: []string{
		"workflow.deletePool behaviour /status since workflow.deletePoolRule",
		"workflow.getPool behaviour /status since workflow.deletePoolRule",
		"workflow.listPoolRules behaviour /body/poolRules/1 since workflow.deletePoolRule",
		"workflow.listPools behaviour /body/pools/0/concurrencyLimit since workflow.deletePoolRule",
		"workflow.listPools behaviour /body/pools/2 since workflow.deletePoolRule",
	}},
	"deleted pool still there": {operation: "workflow.deletePool", forget: "pool deletion", want: []string{
		"workflow.getPool behaviour /status since workflow.deletePool",
		"workflow.listPools behaviour /body/pools/0/concurrencyLimit since workflow.deletePool",
		"workflow.listPools behaviour /body/pools/2 since workflow.deletePool",
	}},
	"deleted policy still there": {operation: "core.deletePolicy", forget: "policy deletion", want: []string{
		"core.getPolicy behaviour /status since core.deletePolicy",
		"core.listPolicies behaviour /body/2 since core.deletePolicy",
	}},
}

// standInDifferences are what the stand-in does otherwise than the mock by itself, with the same right: it sorts tables
// by name, measures no work of a job that was killed, has no log of jobs, and packs results in another way.
var standInDifferences = []string{
	"core.getJob behaviour /body/debug/cmdout since core.issueJob",
	"core.getJob behaviour /body/debug/stderr since core.issueJob",
	"core.getJob behaviour /body/result_size since core.issueJob",
	"core.getJobStatus behaviour /body/cpu_time since core.killJob",
	"core.getJobStatus behaviour /body/result_size since core.issueJob",
	"core.listJobs behaviour /body/jobs/0/cpu_time since core.killJob",
	"core.listJobs behaviour /body/jobs/1/result_size since core.issueJob",
	"core.listTables value /body/tables",
}

// findings returns the differences of a report, as operation, kind and place, with the operation that is behind it.
func findings(r *contract.Report) (list []string) {
	for _, f := range r.Findings {
		kind, at := strings.TrimPrefix(f.Rule, "different-"), strings.TrimPrefix(f.Pointer, "/response")
		text := f.Operation + " " + kind + " " + at
		if _, since, found := strings.Cut(f.Message, "; exchange "); found {
			_, since, _ = strings.Cut(since, "(")
			since, _, _ = strings.Cut(since, ")")
			text += " since " + since
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// What is learned of a session with a service that shares nothing with the mock answers as that service did, but for
// what really differs; and where the service deviates, a comparison finds that, and nothing else.
func TestLearnStandIn(t *testing.T) {
	t.Parallel()
	source := recordStandIn(t, nil)
	checker := checktest.Plain(t)
	learned, err := checker.Learn(t.Context(), source(), checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Compare(t.Context(), source(), learnedSubject(t, learned))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(standInDifferences, findings(r)); diff != "" {
		t.Errorf("what is learned of it differs from the stand-in (-want +got)\n%s\n%s", diff, checktest.Text(t, r))
	}
	sources, group, mu := map[string]func() contract.Source{}, sync.WaitGroup{}, sync.Mutex{}
	for name, d := range deviations {
		group.Go(func() {
			source := recordStandIn(t, func(s *standIn) { s.operation, s.change, s.forget = d.operation, d.change, d.forget })
			mu.Lock()
			defer mu.Unlock()
			sources[name] = source
		})
	}
	group.Wait()
	for name, d := range deviations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := checker.Compare(t.Context(), sources[name](), learnedSubject(t, learned))
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(findings(r), func(f string) bool { return slices.Contains(standInDifferences, f) })
			for _, f := range got {
				if !strings.HasPrefix(f, d.operation+" ") && !strings.HasSuffix(f, " since "+d.operation) {
					t.Errorf("%s does not name %s", f, d.operation)
				}
			}
			if diff := cmp.Diff(d.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What answers show only roughly, or in one place, is learned: a run that takes less than the second which its times
// show, and databases whose times are listed in UTC.
func TestLearnStandInTimes(t *testing.T) {
	t.Parallel()
	source := recordStandIn(t, func(s *standIn) { s.runTime, s.isUTC = 600*time.Millisecond, true })
	learned, err := checktest.Plain(t).Learn(t.Context(), source(), checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := checktest.Plain(t).Compare(t.Context(), source(), learnedSubject(t, learned))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings(r) {
		if !slices.Contains(standInDifferences, f) && !strings.Contains(f, "cpu_time") {
			t.Errorf("%s\n%s", f, checktest.Text(t, r))
		}
	}
}

// The story that is learned of a session with a stand-in plays with a mock of its own scenario and another seed, and
// with the stand-in itself.
func TestLearnStandInStory(t *testing.T) {
	t.Parallel()
	learned, err := checktest.Plain(t).Learn(t.Context(), recordStandIn(t, nil)(), checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	later := newStandIn()
	later.time = later.time.AddDate(0, 1, 0)
	service := httptest.NewServer(later.mux)
	t.Cleanup(service.Close)
	for name, server := range map[string]story.Server{
		"its own scenario with another seed": {Handler: learnedServer(t, learned)},
		"the stand-in, a month later": {
			Targets: map[specs.Interface]string{"workflow": service.URL + "/workflow", "core": service.URL + "/core/v3"},
			Keys:    map[string]string{"1/admin": adaKey, "1/admin2": benKey, "1/cy": cyKey},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := story.Play{File: "story.txtar", Text: learned.Story, Server: server}.Run(t.Context())
			if err != nil || !r.Passed || r.Played < 80 {
				t.Errorf("%v, %+v\n%s", err, r.Difference, learned.Story)
			}
		})
	}
}

// learnedSubject returns a mock of what was learned, with the keys that stand for the recorded ones.
func learnedSubject(t *testing.T, learned *contract.Learned) contract.Subject {
	t.Helper()
	with := checktest.Subject(learnedServer(t, learned).World(""))
	with.Keys = checktest.RecordedKeys(learned)
	return with
}
