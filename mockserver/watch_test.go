package mockserver_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// What asks whether the server is well needs no token; everything else does.
func TestTokenOfTheControlInterface(t *testing.T) {
	t.Parallel()
	s := newServer(t, mockserver.WithControlToken("secret"))
	for path, want := range map[string]int{
		"/health": 200, "/livez": 200, "/readyz": 200, "/version": 401, "/scenarios": 401, "/worlds/default": 401,
		"/worlds/default/events": 401, "/events": 401,
	} {
		call(t, s, "GET", "/_understudy"+path, "").want(t, want)
	}
	call(t, s, "GET", "/_understudy/version", "", "Authorization", "Bearer secret").want(t, 200)
}

func TestVersionOfTheServer(t *testing.T) {
	t.Parallel()
	body := call(t, newServer(t), "GET", "/_understudy/version", "").want(t, 200).body
	if got := gjson.Get(body, "documents").String(); got != specs.Digest() {
		t.Errorf("documents %s, want %s", got, specs.Digest())
	}
	if got := gjson.Get(body, "version").String(); got == "" {
		t.Errorf("no version in %s", body)
	}
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
	s := newServer(t, mockserver.WithScenarios(folder), mockserver.WithScenario("empty"))
	body := call(t, s, "GET", "/_understudy/scenarios", "").want(t, 200).body
	if got := gjson.Get(body, "default").String(); got != "empty" {
		t.Errorf("default %s, want empty", got)
	}
	if got, want := len(gjson.Get(body, "scenarios").Array()), len(scenarios.List())+2; got != want {
		t.Errorf("%d scenarios, want %d", got, want)
	}
	for path, want := range map[string]string{
		`scenarios.#(name=="checkout").own`:         "true",
		`scenarios.#(name=="checkout").description`: "For the checkout.",
		`scenarios.#(name=="empty").own`:            "false",
	} {
		if got := gjson.Get(body, path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if got := gjson.Get(body, `scenarios.#(name=="wrong").error`).String(); !strings.Contains(got, "descriptio") {
		t.Errorf("the error of a wrong scenario is %q", got)
	}
}

func TestWorldDetails(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	call(t, s, "POST", "/_understudy/worlds", `{"id":"own","fork":"default","seed":7,"clock":"frozen","mintKeys":true}`).
		want(t, 201)
	call(t, s, "PUT", "/_understudy/worlds/own/checkpoints/seeded", "").want(t, 200)
	before := gjson.Parse(call(t, s, "GET", "/_understudy/worlds/default", "").want(t, 200).body)
	call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", "own").want(t, 200)
	body := call(t, s, "GET", "/_understudy/worlds/own", "").want(t, 200).body
	for path, want := range map[string]string{
		"id": "own", "fork": "default", "scenario": "quickstart", "seed": "7", "clock.mode": "frozen",
		"checkpoints": `["seeded"]`, "journal.entries": "1", "journal.last": "1", "keys.admin": s.World("own").Key(),
	} {
		if got := gjson.Get(body, path).String(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got, want := gjson.Get(body, "keyCount").Int(), before.Get("keyCount").Int()+2; got != want {
		t.Errorf("%d keys, want %d: those of the original and two minted ones", got, want)
	}
	if total, log := gjson.Get(body, "size.total").Int(), gjson.Get(body, "size.journal").Int(); total < log || log == 0 {
		t.Errorf("size %s", gjson.Get(body, "size"))
	}
}

// Events are listed in the order of time, with the resource that they are about.
func TestDueEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t, mockserver.WithClock(mockserver.ClockFrozen))
	job := gjson.Get(call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).
		want(t, http.StatusOK).body, "job_id").String()
	body := call(t, s, "GET", "/_understudy/events", "").want(t, 200).body
	if got := gjson.Get(body, `events.#(kind=="core.job").resource`).String(); got != "job" {
		t.Errorf("no event of a job in %s", body)
	}
	if got := gjson.Get(body, `events.#(kind=="core.job").id`).String(); got != job {
		t.Errorf("the event is of job %s, want %s", got, job)
	}
	last := ""
	for _, e := range gjson.Get(body, "events").Array() {
		if e.Get("at").String() < last || e.Get("happens").String() == "" {
			t.Errorf("event %s", e)
		}
		last = e.Get("at").String()
	}
	all := gjson.Get(body, "total").Int()
	one := call(t, s, "GET", "/_understudy/events?limit=1", "").want(t, 200).body
	if n := len(gjson.Get(one, "events").Array()); n != 1 || gjson.Get(one, "total").Int() != all {
		t.Errorf("%d events of %d, want 1 of %d", n, gjson.Get(one, "total").Int(), all)
	}
}
