package workflow_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// ids are those of a list of attempts or sessions: "3 2 1".
func ids(c client, path string) string {
	c.Helper()
	var all []string
	for _, a := range listed(c, path) {
		all = append(all, a.ID)
	}
	return strings.Join(all, " ")
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.upload("shop", "v1", map[string]string{"wait": wait, "load": wait})
	c.upload("crm", "v1", map[string]string{"wait": wait})
	c.start("shop", "wait")                                                                   // 1
	c.start("shop", "wait", map[string]any{"retryAttemptName": "a"})                          // 2, of the same session
	c.start("crm", "wait")                                                                    // 3
	c.start("shop", "load")                                                                   // 4
	c.start("shop", "wait", map[string]any{"sessionTime": mocktest.Now.Format(time.RFC3339)}) // 5
	c.start("shop", "wait", map[string]any{"retryAttemptName": "b"})                          // 6, of the first session
	for _, test := range []struct{ name, query, want string }{
		{"the last of each session, newest first", "", "6 5 4 3"},
		{"with include_retried all", "include_retried=true", "6 5 4 3 2 1"},
		{"by project", "project=crm", "3"},
		{"by workflow, in all projects", "workflow=wait", "6 5 3"},
		{"by both", "project=shop&workflow=wait&include_retried=true", "6 5 2 1"},
		{"an unknown workflow has none", "project=shop&workflow=none", ""},
		{"a page", "page_size=2", "6 5"},
		{"the next page", "page_size=2&last_id=5", "4 3"},
		{"a page counts what passes the filter", "page_size=2&project=shop", "6 5"},
		{"behind the last page", "last_id=1", ""},
		{"the id of no attempt", "last_id=1000&page_size=1", "6"},
		{"below all ids", "last_id=0", ""},
		{"far below all ids", "last_id=-9223372036854775808", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := ids(c.in(t), "/api/attempts?"+test.query); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for query, status := range map[string]int{
		"project=none": http.StatusNotFound, "page_size=101": http.StatusBadRequest, "page_size=0": http.StatusBadRequest,
		"page_size=-1": http.StatusBadRequest, "page_size=x": http.StatusBadRequest, "last_id=x": http.StatusBadRequest,
		"last_id=9223372036854775808": http.StatusBadRequest,
	} {
		t.Run(query+" is refused", func(t *testing.T) {
			t.Parallel()
			c.in(t).Get("/api/attempts?" + query).Refused(status)
		})
	}
	t.Run("retries are all attempts of the session, oldest first", func(t *testing.T) {
		t.Parallel()
		c := c.in(t)
		for _, id := range []string{"1", "2", "6"} {
			if got := ids(c, "/api/attempts/"+id+"/retries"); got != "1 2 6" {
				t.Errorf("of %s: %s", id, got)
			}
		}
	})
	t.Run("an id that names nothing", func(t *testing.T) {
		t.Parallel()
		c := c.in(t)
		for _, id := range []string{"99", "0", "-1", "one", "99999999999999999999"} {
			for _, path := range []string{"", "/retries", "/tasks"} {
				c.Get("/api/attempts/" + id + path).Refused(http.StatusNotFound)
			}
			c.send(http.MethodPost, "/api/attempts/"+id+"/kill", nil).Refused(http.StatusNotFound)
		}
	})
	t.Run("attempts of a deleted project stay readable", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"wait": wait})
		a := c.start("shop", "wait")
		c.send(http.MethodDelete, "/api/projects/1", nil).Want(http.StatusOK)
		c.Advance(time.Second)
		if got := c.attempt(a.ID); got.Status != "success" || got.Project.Name != "shop" {
			t.Errorf("got %v", got)
		}
		if got := ids(c, "/api/attempts"); got != a.ID {
			t.Errorf("listed are %q", got)
		}
		c.Get("/api/attempts?project=shop").Refused(http.StatusNotFound)
	})
}

func TestKillAttempt(t *testing.T) {
	t.Parallel()
	kill := func(c client, id string) mocktest.Answer {
		return c.send(http.MethodPost, "/api/attempts/"+id+"/kill", nil)
	}
	t.Run("a running attempt is canceling until its tasks return", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"etl": etl})
		a := c.start("shop", "etl")
		c.Advance(1500 * time.Millisecond)
		if got := decode[attempt](kill(c, a.ID).Want(http.StatusOK)); got.CancelRequested || got.Status != "running" {
			t.Errorf("the answer is not the attempt as it was before: %v", got)
		}
		if got := c.attempt(a.ID); !got.CancelRequested || got.Status != "canceling" || got.Done {
			t.Errorf("after the request: %v", got)
		}
		kill(c, a.ID).Refused(http.StatusConflict, a.ID)
		c.Advance(400 * time.Millisecond)
		if got := c.attempt(a.ID).Status; got != "canceling" {
			t.Errorf("before the task returns: %s", got)
		}
		c.Advance(100 * time.Millisecond)
		if got := c.attempt(a.ID); got.Status != "killed" || !got.Done || got.Success ||
			*got.FinishedAt != "2026-01-15T09:30:02Z" {
			t.Errorf("after the task has returned: %v", got)
		}
		want := "+etl canceled, +etl+extract success, +etl+transform canceled, +etl+transform+a canceled, " +
			"+etl+transform+b blocked, +etl+load blocked"
		if got := c.states(a.ID); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for _, task := range c.tasks(a.ID) {
			if task.CancelRequested != (task.State != "success") {
				t.Errorf("%s is %s with cancelRequested %t", task.FullName, task.State, task.CancelRequested)
			}
		}
		kill(c, a.ID).Refused(http.StatusConflict, "killed")
	})
	t.Run("a task that would run for hours returns within the usual time of one", func(t *testing.T) {
		t.Parallel()
		c := client{mocktest.Open(t, "workflow", mockserver.WithScenario("pool-in-use"))}
		kill(c, "1").Want(http.StatusOK)
		if got := c.attempt("1").Status; got != "canceling" {
			t.Errorf("at first the attempt is %s, want canceling", got)
		}
		c.Advance(time.Second)
		if got := c.attempt("1").Status; got != "killed" {
			t.Errorf("a second later the attempt is %s, want killed", got)
		}
	})
	t.Run("a queued attempt dies at once", func(t *testing.T) {
		t.Parallel()
		c, _ := withPool(t, 1)
		list := c.startMany("shop", "wait", 1, 3)
		if got := decode[attempt](kill(c, list[1].ID).Want(http.StatusOK)); got.Status != "queued" {
			t.Errorf("the answer is %s", got.Status)
		}
		c.Advance(time.Second)
		if got := c.statuses(list); got != "success killed running" {
			t.Errorf("got %s", got)
		}
		if got := c.states(list[1].ID); got != "+wait canceled, +wait+wait blocked" {
			t.Errorf("its tasks: %s", got)
		}
	})
	t.Run("an attempt that is done is not killed", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"wait": wait})
		a := c.start("shop", "wait")
		c.Advance(time.Second)
		kill(c, a.ID).Refused(http.StatusConflict, "success")
	})
	t.Run("an attempt that waits to try again is killed at once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"bad": "+bad: {fail>: no, _retry: {limit: 3, interval: 60}}\n"})
		a := c.start("shop", "bad")
		c.Advance(2 * time.Second)
		kill(c, a.ID).Want(http.StatusOK)
		if got := c.states(a.ID); got != "+bad canceled, +bad+bad canceled" {
			t.Errorf("got %s", got)
		}
	})
}
