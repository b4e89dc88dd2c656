package mockserver_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// What asks whether the server is well needs no token; everything else does.
func TestTokenOfTheControlInterface(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithControlToken("secret"))
	for path, want := range map[string]int{
		"/health": 200, "/livez": 200, "/readyz": 200, "/version": 401, "/metrics": 401,
		"/scenarios": 401, "/worlds/default": 401,
		"/worlds/default/events": 401, "/events": 401,
	} {
		mocktest.Call(t, s, "GET", "/_understudy"+path, "").Want(want)
	}
	mocktest.Call(t, s, "GET", "/_understudy/version", "", "Authorization", "Bearer secret").Want(200)
}

func TestVersionOfTheServer(t *testing.T) {
	t.Parallel()
	body := mocktest.Call(t, mocktest.NewServer(t), "GET", "/_understudy/version", "").Want(200).Body
	if got := jsontree.Find(body, "documents").Text(); got != specs.Digest() {
		t.Errorf("documents %s, want %s", got, specs.Digest())
	}
	if got := jsontree.Find(body, "version").Text(); got == "" {
		t.Errorf("no version in %s", body)
	}
	mocktest.Call(t, mocktest.NewServer(t), "GET", jsontree.Find(body, "interfaces.core").Text()+"/job/list",
		"").Want(200)
}

// The list has what comes with the mock, the user's own, and those that are wrong, with the reason.
func TestScenariosOfTheServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"checkout": "description: |-\n  For the\n  checkout.\n", "wrong": "descriptio: x\n",
	} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "scenario.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := mocktest.NewServer(t, mockserver.WithScenarios(folder), mockserver.WithScenario("empty"))
	body := mocktest.Call(t, s, "GET", "/_understudy/scenarios", "").Want(200).Body
	if got := jsontree.Find(body, "default").Text(); got != "empty" {
		t.Errorf("default %s, want empty", got)
	}
	if got, want := jsontree.Find(body, "scenarios").Len(), len(scenarios.List())+2; got != want {
		t.Errorf("%d scenarios, want %d", got, want)
	}
	for path, want := range map[string]string{
		`scenarios.#(name=="checkout").own`:         "true",
		`scenarios.#(name=="checkout").description`: "For the checkout.",
		`scenarios.#(name=="empty").own`:            "false",
	} {
		if got := jsontree.Find(body, path).Text(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if got := jsontree.Find(body, `scenarios.#(name=="wrong").error`).Text(); !strings.Contains(got, "descriptio") {
		t.Errorf("the error of a wrong scenario is %q", got)
	}
}

func TestWorldDetails(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own","fork":"default","seed":7,"clock":"frozen","mintKeys":true}`).
		Want(201)
	mocktest.Call(t, s, "PUT", "/_understudy/worlds/own/checkpoints/seeded", "").Want(200)
	before := jsontree.Parse(mocktest.Call(t, s, "GET", "/_understudy/worlds/default", "").Want(200).Body)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", "own").Want(200)
	body := mocktest.Call(t, s, "GET", "/_understudy/worlds/own", "").Want(200).Body
	for path, want := range map[string]string{
		"id": "own", "fork": "default", "scenario": "quickstart", "seed": "7", "clock.mode": "frozen",
		"checkpoints": `["seeded"]`, "journal.entries": "1", "journal.last": "1", "keys.admin": s.World("own").Key(),
	} {
		if got := jsontree.Find(body, path).Text(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got, want := jsontree.Find(body, "keyCount").Int(), before.Find("keyCount").Int()+2; got != want {
		t.Errorf("%d keys, want %d: those of the original and two minted ones", got, want)
	}
	if total, log := jsontree.Find(body, "size.total").Int(), jsontree.Find(body, "size.journal").Int(); total < log || log == 0 {
		t.Errorf("size %s", jsontree.Find(body, "size").Text())
	}
}

// Events are listed in the order of time, with the resource that they are about.
func TestDueEvents(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithClock(mockserver.ClockFrozen))
	job := jsontree.Find(mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).
		Want(http.StatusOK).Body, "job_id").Text()
	body := mocktest.Call(t, s, "GET", "/_understudy/events", "").Want(200).Body
	if got := jsontree.Find(body, `events.#(kind=="core.job").resource`).Text(); got != "job" {
		t.Errorf("no event of a job in %s", body)
	}
	if got := jsontree.Find(body, `events.#(kind=="core.job").id`).Text(); got != job {
		t.Errorf("the event is of job %s, want %s", got, job)
	}
	last := ""
	for e := range jsontree.Find(body, "events").List {
		if e.Find("at").Text() < last || e.Find("happens").Text() == "" {
			t.Errorf("event %s", e.Text())
		}
		last = e.Find("at").Text()
	}
	all := jsontree.Find(body, "total").Int()
	one := mocktest.Call(t, s, "GET", "/_understudy/events?limit=1", "").Want(200).Body
	if n := jsontree.Find(one, "events").Len(); n != 1 || jsontree.Find(one, "total").Int() != all {
		t.Errorf("%d events of %d, want 1 of %d", n, jsontree.Find(one, "total").Int(), all)
	}
}

var metricAbout = regexp.MustCompile(
	`^# (HELP ([a-z_]+) \S.*|TYPE ([a-z_]+) (counter|gauge|histogram|summary))$`)

var metricLine = regexp.MustCompile(`^[a-z_]+(\{[A-Za-z_]+="[^"]*"(, ?[A-Za-z_]+="[^"]*")*\})? [0-9.e+-]+$`)

// Each line is one that Prometheus reads, and each series is there once.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithRecording(io.Discard))
	for range 3 {
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	}
	mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "").Want(404)
	mocktest.Call(t, s, "GET", "/workflow/api/nothing", "").Want(404)
	s.World("").Fork()
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/faults", `{"operation":"workflow.listPools","first":1,"status":503}`).
		Want(201)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(503)
	a := mocktest.Call(t, s, "GET", "/_understudy/metrics", "").Want(200)
	if got := a.Header.Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("type %s", got)
	}
	values := map[string]string{}
	for line := range strings.Lines(a.Body) {
		line = strings.TrimSuffix(line, "\n")
		if line[0] == '#' {
			if about := metricAbout.FindStringSubmatch(line); about == nil || values[line] != "" {
				t.Errorf("line %s", line)
			} else if helped := strings.HasPrefix(about[3], "understudy_"); helped && values["# HELP "+about[3]] == "" {
				t.Errorf("%s has no help", about[3])
			} else {
				values["# HELP "+about[2]], values[line] = line, line
			}
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		if !metricLine.MatchString(line) || values[line[:i]] != "" {
			t.Errorf("line %s", line)
			continue
		}
		values[line[:i]] = line[i+1:]
	}
	for name, want := range map[string]string{
		`understudy_requests_total{interface="workflow",operation="listPools",status="200"}`:               "3",
		`understudy_requests_total{interface="workflow",operation="listPools",status="503"}`:               "1",
		`understudy_faults_total{interface="workflow",answer="injected",effect="none"}`:                    "1",
		`understudy_requests_total{interface="workflow",operation="getPool",status="404"}`:                 "1",
		`understudy_requests_total{interface="workflow",operation="unknown",status="404"}`:                 "1",
		`understudy_request_duration_seconds_count{interface="workflow",operation="listPools"}`:            "4",
		`understudy_request_duration_seconds_bucket{interface="workflow",operation="listPools",le="+Inf"}`: "4",
		`understudy_worlds`: "2", `understudy_recorded_exchanges_total`: "6", `understudy_unrecorded_exchanges_total`: "0",
		`understudy_journal_exchanges`: "6", `understudy_watchers`: "0",
		`# TYPE understudy_watchers gauge`:                     `# TYPE understudy_watchers gauge`,
		`# TYPE understudy_requests_total counter`:             `# TYPE understudy_requests_total counter`,
		`# TYPE understudy_request_duration_seconds histogram`: `# TYPE understudy_request_duration_seconds histogram`,
		`# TYPE go_memstats_mallocs_total counter`:             `# TYPE go_memstats_mallocs_total counter`,
	} {
		if got := values[name]; got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
	if values["go_goroutines"] == "" || values["understudy_journal_bytes"] == "0" {
		t.Errorf("metrics of the process, or of the journals, are missing in\n%s", a.Body)
	}
}
