package workflow_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// step holds the expected states of the tasks of an attempt after some time.
type step struct {
	after time.Duration
	want  string
}

func TestTasksOverTime(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, test := range []struct {
		name, workflow string
		steps          []step
		status         string
	}{
		{"one after the other, groups planned while their tasks run", etl, []step{
			{0, "+w planned, +w+extract running, +w+transform blocked, +w+transform+a blocked, " +
				"+w+transform+b blocked, +w+load blocked"},
			{second, "+w planned, +w+extract success, +w+transform planned, +w+transform+a running, " +
				"+w+transform+b blocked, +w+load blocked"},
			{2 * second, "+w planned, +w+extract success, +w+transform success, +w+transform+a success, " +
				"+w+transform+b success, +w+load running"},
			{second, "+w success, +w+extract success, +w+transform success, +w+transform+a success, " +
				"+w+transform+b success, +w+load success"},
		}, "success"},
		{"side by side with _parallel, and what comes after waits for both", "_parallel: false\n+p:\n  _parallel: true\n" +
			"  +a: {echo>: a}\n  +b: {echo>: b}\n+c: {echo>: c}\n", []step{
			{0, "+w planned, +w+p planned, +w+p+a running, +w+p+b running, +w+c blocked"},
			{second, "+w planned, +w+p success, +w+p+a success, +w+p+b success, +w+c running"},
		}, "running"},
		{"a failed task fails its groups, and what is behind it stays blocked", "+g:\n  +a: {fail>: no}\n  +b: {echo>: b}\n" +
			"+c: {echo>: c}\n", []step{
			{second, "+w group_error, +w+g group_error, +w+g+a error, +w+g+b blocked, +w+c blocked"},
		}, "error"},
		{"a failed task does not stop those beside it", "_parallel: true\n+a: {fail>: no}\n" +
			"+b:\n  +x: {echo>: x}\n  +y: {echo>: y}\n", []step{
			{second, "+w planned, +w+a error, +w+b planned, +w+b+x success, +w+b+y running"},
			{second, "+w group_error, +w+a error, +w+b success, +w+b+x success, +w+b+y success"},
		}, "error"},
		{"a task is tried again after an interval", "+a: {fail>: no, _retry: {limit: 1, interval: 10}}\n", []step{
			{second, "+w planned, +w+a retry_waiting"},
			{10 * second, "+w planned, +w+a running"},
			{second, "+w group_error, +w+a error"},
		}, "error"},
		{"a group is tried again as a whole", "+g:\n  _retry: {limit: 1, interval: 10}\n  +a: {echo>: a}\n" +
			"  +b: {fail>: no}\n", []step{
			{2 * second, "+w planned, +w+g group_retry_waiting, +w+g+a success, +w+g+b error"},
			{10 * second, "+w planned, +w+g planned, +w+g+a running, +w+g+b blocked"},
			{2 * second, "+w group_error, +w+g group_error, +w+g+a success, +w+g+b error"},
		}, "error"},
		{"a group that is tried again leaves those beside it alone", "_parallel: true\n" +
			"+g:\n  _retry: 1\n  +a: {fail>: no}\n+z:\n  +x: {echo>: x}\n  +y: {echo>: y}\n", []step{
			{second, "+w planned, +w+g group_retry_waiting, +w+g+a error, +w+z planned, +w+z+x success, +w+z+y running"},
			{second, "+w planned, +w+g planned, +w+g+a running, +w+z success, +w+z+x success, +w+z+y success"},
		}, "running"},
		{"intervals double with an exponential retry", "+a:\n  fail>: no\n" +
			"  _retry: {limit: 3, interval: 10, interval_type: exponential}\n", []step{
			{11 * second, "+w planned, +w+a running"},
			{second, "+w planned, +w+a retry_waiting"},
			{20*second - 1, "+w planned, +w+a retry_waiting"},
			{1, "+w planned, +w+a running"},
			{41 * second, "+w planned, +w+a running"},
		}, "running"},
		{"tasks that a run makes are there after it", "+l: {loop>: 2, _do: {+x: {echo>: x}}}\n+z: {echo>: z}\n", []step{
			{0, "+w planned, +w+l running, +w+z blocked"},
			{second, "+w planned, +w+l planned, +w+z blocked, +w+l^sub planned, +w+l^sub+loop-0 planned, " +
				"+w+l^sub+loop-0+x running, +w+l^sub+loop-1 blocked, +w+l^sub+loop-1+x blocked"},
			{2 * second, "+w planned, +w+l success, +w+z running, +w+l^sub success, +w+l^sub+loop-0 success, " +
				"+w+l^sub+loop-0+x success, +w+l^sub+loop-1 success, +w+l^sub+loop-1+x success"},
			{second, "+w success, +w+l success, +w+z success, +w+l^sub success, +w+l^sub+loop-0 success, " +
				"+w+l^sub+loop-0+x success, +w+l^sub+loop-1 success, +w+l^sub+loop-1+x success"},
		}, "success"},
		{"a failed task that a run made fails the one that made it as a group", "+l: {loop>: 1, _do: {fail>: no}}\n", []step{
			{2 * second, "+w group_error, +w+l group_error, +w+l^sub group_error, +w+l^sub+loop-0 error"},
		}, "error"},
		{"a loop of no rounds", "+l: {loop>: 0, _do: {echo>: x}}\n", []step{
			{second, "+w success, +w+l success, +w+l^sub success"},
		}, "success"},
		{"what takes longer than a day is killed", "+slow: {echo>: x}\n", []step{
			{24*time.Hour - 1, "+w planned, +w+slow running"}, {1, "+w group_error, +w+slow error"},
		}, "error"},
		{"an attempt of more than seven days is killed", "+stuck:\n  fail>: x\n" +
			"  _retry: {limit: 1000, interval: 7200}\n", []step{
			{7*24*time.Hour - 1, "+w planned, +w+stuck retry_waiting"}, {1, "+w canceled, +w+stuck canceled"},
		}, "killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t).load("workflow: {outcomes: [{task: +slow, takes: 25h}]}")
			c.upload("p", "v1", map[string]string{"w": test.workflow})
			a := c.start("p", "w")
			for i, s := range test.steps {
				c.Advance(s.after)
				if got := c.states(a.ID); got != s.want {
					t.Errorf("step %d:\ngot  %s\nwant %s", i, got, s.want)
				}
			}
			if got := c.attempt(a.ID).Status; got != test.status {
				t.Errorf("the attempt is %s, want %s", got, test.status)
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	t.Run("the first that fits decides, as often as it says", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(`
workflow:
  taskTime: 2s
  projects:
  - {name: shop, revisions: [{name: v1, files: {w.dig: "+extract: {echo>: x}\n+load: {echo>: y}\n"}}]}
  - {name: crm, revisions: [{name: v1, files: {other.dig: "+x: {echo>: x}\n"}}]}
  outcomes:
  - {project: crm, error: not this project}
  - {workflow: other, error: not this workflow}
  - {task: +load, error: the disk is full, times: 2, takes: 5s}
  - {project: shop, workflow: w, task: +load, takes: 3s}
`)
		for i, want := range []struct {
			status, message string
			takes           time.Duration
		}{
			{"error", "the disk is full", 7 * time.Second},
			{"error", "the disk is full", 7 * time.Second},
			{"success", "", 5 * time.Second},
		} {
			a := c.start("shop", "w", map[string]any{"retryAttemptName": fmt.Sprint(i)})
			c.Advance(want.takes - 1)
			if got := c.attempt(a.ID).Status; got != "running" {
				t.Errorf("%d: too early %s", i, got)
			}
			c.Advance(1)
			if got := c.attempt(a.ID).Status; got != want.status {
				t.Errorf("%d: %s, want %s", i, got, want.status)
			}
			if got, _ := c.tasks(a.ID)[2].Error["message"].(string); got != want.message {
				t.Errorf("%d: error %q, want %q", i, got, want.message)
			}
		}
	})
	t.Run("attempts can end in their own ways", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(`
workflow:
  projects:
  - {name: shop, revisions: [{name: v1, createdAt: now-1d, files: {w.dig: "+a: {echo>: x}\n"}}]}
  - {name: crm, revisions: [{name: v1, createdAt: now-1d, files: {other.dig: "+x: {echo>: x}\n"}}]}
  attempts:
  - {id: 8, project: shop, workflow: w, sessionTime: 2025-12-31T00:00:00Z, createdAt: now-1h, status: success}
  - {id: 9, project: shop, workflow: w, sessionTime: 2026-01-01T00:00:00Z, status: running, takes: 1s, error: its own}
  outcomes:
  - {attempt: 13, error: by its id}
  - {sessionTime: 2026-01-01T04:00:00Z, error: by its time}
  - {retryAttemptName: again, error: by its name}
  - {project: shop, workflow: w, nth: 1, error: the first}
  - {project: shop, nth: 3, error: the third}
`)
		c.start("crm", "other")                // 10
		list := c.startMany("shop", "w", 1, 4) // 11 to 14
		list = append(list, c.start("shop", "w", map[string]any{"retryAttemptName": "again"}))
		list = append(list, attempt{ID: "9"})
		c.Advance(5 * time.Second)
		var got []string
		for _, a := range list {
			message, _ := c.tasks(a.ID)[1].Error["message"].(string)
			got = append(got, a.ID+" "+message)
		}
		want := []string{"11 the first", "12 ", "13 by its id", "14 by its time", "15 by its name", "9 its own"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("a failed task says why", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"w": "+bad: {fail>: the table is gone}\n"})
		a := c.start("shop", "w")
		c.Advance(time.Second)
		tasks := c.tasks(a.ID)
		if got := tasks[1].Error["message"]; got != "the table is gone" || len(tasks[0].Error) != 0 {
			t.Errorf("error %v, of its group %v", got, tasks[0].Error)
		}
	})
}

func TestTaskLimit(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	parallel := "_parallel: true\n"
	for i := range 20 {
		parallel += fmt.Sprintf("+t%02d: {echo>: x}\n", i)
	}
	c.upload("shop", "v1", map[string]string{"w": parallel})
	first := c.start("shop", "w")
	c.Advance(time.Second / 2)
	second := c.start("shop", "w", map[string]any{"retryAttemptName": "2"})
	count := func(a attempt) string {
		states := c.states(a.ID)
		return fmt.Sprint(
			strings.Count(states, " running"), strings.Count(states, " ready"), strings.Count(states, " success"))
	}
	for _, want := range []struct{ first, second string }{
		{"20 0 0", "10 10 0"}, {"0 0 21", "20 0 0"}, {"0 0 21", "10 0 10"}, {"0 0 21", "0 0 21"},
	} {
		if a, b := count(first), count(second); a != want.first || b != want.second {
			t.Errorf("running, ready, success: %s and %s, want %s and %s", a, b, want.first, want.second)
		}
		c.Advance(time.Second / 2)
	}
	busy := c.start("shop", "w", map[string]any{"retryAttemptName": "3"})
	starved := c.start("shop", "w", map[string]any{"retryAttemptName": "4"})
	c.send(http.MethodPost, "/api/attempts/"+starved.ID+"/kill", nil).Want(http.StatusOK)
	states := c.states(starved.ID)
	if strings.Count(states, " canceled") != 10 || strings.Count(states, " running") != 10 {
		t.Errorf("after a kill those that wait for a slot are not canceled: %s", states)
	}
	c.Advance(time.Second)
	if got := c.statuses([]attempt{busy, starved}); got != "success killed" {
		t.Errorf("in the end: %s", got)
	}
}

func TestBlockedAttempts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.upload("shop", "v1", map[string]string{"daily": "schedule: {daily>: '00:00:00'}\n" + wait})
	list := decode[struct{ Attempts []attempt }](c.send("POST", "/api/schedules/1/backfill",
		`{"fromTime":"2026-01-13T00:00:00Z","dryRun":false}`).Want(200)).Attempts
	for _, want := range []string{
		"running blocked blocked", "success running blocked", "success success running", "success success success",
	} {
		if got := c.statuses(list); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if want == "success running blocked" { // the next one goes on although this one is killed
			c.send("POST", "/api/attempts/"+list[1].ID+"/kill", nil).Want(200)
			c.Advance(time.Second)
			if got := c.statuses(list); got != "success killed running" {
				t.Errorf("after the kill: %s", got)
			}
			break
		}
		c.Advance(time.Second)
	}
}
