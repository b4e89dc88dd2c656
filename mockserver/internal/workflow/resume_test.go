package workflow_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// resumable has a failed attempt, of which extract and transform+a have succeeded and transform+b has failed.
func resumable(t *testing.T) (client, attempt) {
	t.Helper()
	c := newClient(t).load("workflow: {outcomes: [{task: +b, error: broken, times: 1}]}")
	c.upload("shop", "v1", map[string]string{"etl": etl, "wait": wait})
	a := c.start("shop", "etl")
	c.Advance(3 * time.Second)
	want := "+etl group_error, +etl+extract success, +etl+transform group_error, +etl+transform+a success, " +
		"+etl+transform+b error, +etl+load blocked"
	if got := c.states(a.ID); got != want {
		t.Fatalf("the attempt to resume is %s", got)
	}
	return c, a
}

func resume(mode, id, from string) map[string]any {
	r := map[string]any{"mode": mode, "attemptId": id}
	if from != "" {
		r["from"] = from
	}
	return map[string]any{"retryAttemptName": "resumed " + from, "resume": r}
}

func TestResume(t *testing.T) {
	t.Parallel()
	t.Run("failed takes over what has succeeded and runs the rest", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		b := c.start("shop", "etl", resume("failed", a.ID, ""))
		if b.Index != 2 || b.SessionID != a.SessionID {
			t.Errorf("it is %v", b)
		}
		want := "+etl planned, +etl+extract success, +etl+transform planned, +etl+transform+a success, " +
			"+etl+transform+b running, +etl+load blocked"
		if got := c.states(b.ID); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if tasks := c.tasks(b.ID); tasks[1].StartedAt != nil || tasks[4].StartedAt == nil {
			t.Errorf("started: the copy %v, the one that runs %v", tasks[1].StartedAt, tasks[4].StartedAt)
		}
		c.Advance(2 * time.Second)
		if got := c.attempt(b.ID).Status; got != "success" {
			t.Errorf("in the end it is %s", got)
		}
		c.tryStart("shop", "etl", resume("failed", b.ID, ""), map[string]any{"retryAttemptName": "once more"}).
			Refused(http.StatusBadRequest, "succeeded")
	})
	t.Run("from takes over what comes before and runs the task and what follows", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		for from, want := range map[string]string{
			"+transform+b": "+etl planned, +etl+extract success, +etl+transform planned, +etl+transform+a success, " +
				"+etl+transform+b running, +etl+load blocked",
			"+a": "+etl planned, +etl+extract success, +etl+transform planned, +etl+transform+a running, " +
				"+etl+transform+b blocked, +etl+load blocked",
			"+transform": "+etl planned, +etl+extract success, +etl+transform planned, +etl+transform+a running, " +
				"+etl+transform+b blocked, +etl+load blocked",
			"+etl+extract": "+etl planned, +etl+extract running, +etl+transform blocked, +etl+transform+a blocked, " +
				"+etl+transform+b blocked, +etl+load blocked",
		} {
			b := c.start("shop", "etl", resume("from", a.ID, from))
			if got := c.states(b.ID); got != want {
				t.Errorf("from %s:\ngot  %s\nwant %s", from, got, want)
			}
		}
	})
	t.Run("from a task of an attempt that succeeded", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		c.start("shop", "etl", map[string]any{"retryAttemptName": "whole"})
		c.Advance(4 * time.Second)
		b := c.start("shop", "etl", resume("from", "2", "+load"))
		c.Advance(time.Second)
		if got := c.attempt(b.ID).Status; got != "success" {
			t.Errorf("resumed from the end of a success, after %s: %s", a.ID, got)
		}
	})
	t.Run("everything before from must have succeeded", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		c.tryStart("shop", "etl", resume("from", a.ID, "+load")).
			Refused(http.StatusBadRequest, "+etl+transform", "group_error")
	})
	t.Run("from fits exactly one task", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		c.upload("shop", "v2", map[string]string{"etl": "+x: {+a: {fail>: x}}\n+y: {+a: {echo>: y}}\n"})
		b := c.start("shop", "etl", map[string]any{"sessionTime": "2026-01-16T00:00:00Z"})
		c.Advance(time.Second)
		c.tryStart("shop", "etl", resume("from", b.ID, "+a")).Refused(http.StatusBadRequest, "+etl+x+a", "+etl+y+a")
		c.tryStart("shop", "etl", resume("from", a.ID, "+none")).Refused(http.StatusBadRequest, "+none",
			"does not match a task")
	})
	t.Run("an attempt that does not exist", func(t *testing.T) {
		t.Parallel()
		c, _ := resumable(t)
		for _, id := range []string{"99", "0", "one", "99999999999999999999"} {
			c.tryStart("shop", "etl", resume("failed", id, "")).Refused(http.StatusNotFound, "attempt", id)
			c.tryStart("shop", "etl", resume("from", id, "+a")).Refused(http.StatusNotFound, "attempt", id)
		}
		if got := ids(c, "/api/attempts?include_retried=true"); got != "1" {
			t.Errorf("the refusals have made attempts: %s", got)
		}
	})
	t.Run("tasks are matched by name over revisions", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		c.upload("shop", "v2", map[string]string{"etl": "+extract: {echo>: x}\n+transform:\n  +a: {echo>: a}\n" +
			"  +new: {echo>: n}\n  +b: {echo>: b}\n"})
		b := c.start("shop", "etl", resume("failed", a.ID, ""))
		want := "+etl planned, +etl+extract success, +etl+transform planned, +etl+transform+a success, " +
			"+etl+transform+new running, +etl+transform+b blocked"
		if got := c.states(b.ID); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("a group with a new task in it is not taken over", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"w": "+g: {+a: {echo>: a}}\n+z: {fail>: z}\n"})
		a := c.start("shop", "w")
		c.Advance(2 * time.Second)
		c.upload("shop", "v2", map[string]string{"w": "+g:\n  +a: {echo>: a}\n  +b: {echo>: b}\n+z: {echo>: z}\n"})
		b := c.start("shop", "w", resume("failed", a.ID, ""))
		if got := c.states(b.ID); got != "+w planned, +w+g planned, +w+g+a success, +w+g+b running, +w+z blocked" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("tasks that a run has made are taken over with it, or by name when it runs again", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("workflow: {outcomes: [{task: +loop-1, error: broken, times: 1}]}")
		loops := "+one: {loop>: 1, _do: {echo>: x}}\n+two: {loop>: 2, _do: {echo>: x}}\n"
		c.upload("shop", "v1", map[string]string{"w": loops})
		a := c.start("shop", "w")
		c.Advance(5 * time.Second)
		b := c.start("shop", "w", resume("failed", a.ID, ""))
		if got := c.states(b.ID); !strings.Contains(got, "+w+one^sub+loop-0 success") || strings.Contains(got, "+w+two^sub") {
			t.Errorf("at first %s", got)
		}
		c.Advance(time.Second)
		if got := c.states(b.ID); !strings.Contains(got, "+w+two^sub+loop-0 success, +w+two^sub+loop-1 running") {
			t.Errorf("then %s", got)
		}
		c.Advance(time.Second)
		if got := c.attempt(b.ID).Status; got != "success" {
			t.Errorf("in the end %s", got)
		}
	})
	t.Run("another session time makes another session", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		b := c.start("shop", "etl", resume("failed", a.ID, ""), map[string]any{"sessionTime": "2026-01-16T00:00:00Z"})
		if b.SessionID == a.SessionID || b.Index != 1 {
			t.Errorf("it is %v", b)
		}
	})
	t.Run("a resume that is repeated is a conflict", func(t *testing.T) {
		t.Parallel()
		c, a := resumable(t)
		b := c.start("shop", "etl", resume("failed", a.ID, ""))
		again := c.tryStart("shop", "etl", resume("failed", a.ID, "")).Want(http.StatusConflict)
		if got := decode[attempt](again).ID; got != b.ID {
			t.Errorf("it is attempt %s, want %s", got, b.ID)
		}
	})
	t.Run("without resume a retry runs everything", func(t *testing.T) {
		t.Parallel()
		c, _ := resumable(t)
		b := c.start("shop", "etl", map[string]any{"retryAttemptName": "all"})
		if got := c.states(b.ID); !strings.Contains(got, "+etl+extract running") {
			t.Errorf("got %s", got)
		}
	})
}
