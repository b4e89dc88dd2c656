package workflow_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// shop is a fixture with two workflows, and room for two attempts.
const shop = `
workflow:
  accountLimit: 3
  pools: [{name: small, concurrencyLimit: 1}]
  poolRules:
  - priority: 1
    pool: small
    conditions: [{type: workflow_name, operator: starts_with, values: [small]}]
  projects:
  - name: shop
    revisions:
    - name: v1
      createdAt: now-2d
      files: {small.dig: "+a: {echo>: a}\n", etl.dig: "+a: {echo>: a}\n+b: {echo>: b}\n"}
    - name: v2
      createdAt: now-1d
      files: {small.dig: "+a: {echo>: a}\n", etl.dig: "+new: {echo>: a}\n"}
  attempts:
`

func TestSeededAttempts(t *testing.T) {
	t.Parallel()
	t.Run("each stands where the fixture wants it, played by the rules", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(shop + `
  - {project: shop, workflow: etl, sessionTime: now-1h/h, createdAt: now-1h, status: running, takes: 2h}
  - {project: shop, workflow: small, sessionTime: now-1h/h, createdAt: now-50m, status: canceling}
  - {project: shop, workflow: small, sessionTime: now/h, createdAt: now-40m, scheduled: true, status: queued}
  - {project: shop, workflow: etl, sessionTime: now/h, createdAt: now-40m, status: blocked, after: 1}
  - {project: shop, workflow: etl, sessionTime: now/d, createdAt: now-36h, status: error, error: disk full,
     params: {a: 1}}
  - {project: shop, workflow: etl, sessionTime: now/d, createdAt: now-35h, retryAttemptName: r, status: success}
  - {project: shop, workflow: etl, sessionTime: now/d, createdAt: now-34h, retryAttemptName: x, status: error, task: +a}
  - {project: shop, workflow: etl, sessionTime: now-1d/d, createdAt: now-33h, status: killed}
`)
		var got []string
		for id := range strings.FieldsSeq("1 2 3 4 5 6 7 8") {
			a := c.attempt(id)
			got = append(got, id+" "+a.Workflow.Name+" "+a.Status)
		}
		want := "1 etl error, 2 etl success, 3 etl error, 4 etl killed, 5 etl running, 6 small canceling, " +
			"7 small queued, 8 etl blocked"
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for id, want := range map[string]string{
			"1": "+etl group_error, +etl+a success, +etl+b error", "3": "+etl group_error, +etl+a error, +etl+b blocked",
			"4": "+etl canceled, +etl+a canceled, +etl+b blocked", "5": "+etl planned, +etl+new running",
		} {
			if got := c.states(id); got != want {
				t.Errorf("attempt %s: got %s, want %s", id, got, want)
			}
		}
		failed := c.attempt("1")
		if *failed.FinishedAt != "2026-01-13T21:30:02Z" || failed.Params["a"] != 1.0 ||
			c.tasks("1")[2].Error["message"] != "disk full" {
			t.Errorf("the failed one: %v", failed)
		}
		if got := c.tasks("6")[1]; !got.CancelRequested || got.State != "running" {
			t.Errorf("the task of the canceling one: %v", got)
		}
		c.World().AdvanceUntilIdle()
		var after []string
		for id := range strings.FieldsSeq("5 6 7 8") {
			after = append(after, c.attempt(id).Status)
		}
		if got := strings.Join(after, " "); got != "success killed success success" {
			t.Errorf("in the end: %s", got)
		}
	})
	for name, test := range map[string]struct{ attempt, want string }{
		"an unknown project":     {"project: none, workflow: etl, status: success", "none"},
		"an unknown workflow":    {"project: shop, workflow: none, status: success", "none"},
		"a time in the future":   {"project: shop, workflow: etl, createdAt: now+1h, status: success", "future"},
		"no time for its tasks":  {"project: shop, workflow: etl, status: success", "createdAt earlier"},
		"too much time":          {"project: shop, workflow: etl, createdAt: now-1d, status: running", "createdAt later"},
		"no queue":               {"project: shop, workflow: small, status: queued", "free slots"},
		"nothing to wait for":    {"project: shop, workflow: small, status: blocked", "after"},
		"after itself":           {"project: shop, workflow: small, status: blocked, after: 1", "after"},
		"a task that is not run": {"project: shop, workflow: etl, createdAt: now-1h, status: error, task: +x", "task"},
	} {
		t.Run(name+" is an error that says what to change", func(t *testing.T) {
			t.Parallel()
			err := newClient(t).World().Load([]byte(mocktest.People + shop + "  - {sessionTime: now, " + test.attempt + "}\n"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}
