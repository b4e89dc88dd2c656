package workflow_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type session struct {
	ID, SessionUUID, SessionTime string
	Project, Workflow            named
	LastAttempt                  struct {
		ID, Status, CreatedAt                string
		RetryAttemptName, PoolID, FinishedAt *string
		Done, Success, CancelRequested       bool
		Params                               map[string]any
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.upload("shop", "v1", map[string]string{"wait": wait, "tokyo": "timezone: Asia/Tokyo\n" + wait})
	c.upload("crm", "v1", map[string]string{"wait": wait})
	c.start("shop", "wait")  // session 1, attempt 1
	c.start("crm", "wait")   // session 2, attempt 2
	c.start("shop", "tokyo") // session 3, attempt 3
	c.start("shop", "wait", map[string]any{"retryAttemptName": "a"})
	c.start("shop", "wait", map[string]any{"retryAttemptName": "b", "params": map[string]any{"day": "x"}})
	at := func(t *testing.T) client { t.Helper(); return c.in(t) }
	for _, test := range []struct{ name, path, want string }{
		{"all, newest first", "/api/sessions", "3 2 1"},
		{"a page", "/api/sessions?page_size=1", "3"},
		{"the next page", "/api/sessions?page_size=1&last_id=3", "2"},
		{"behind the last page", "/api/sessions?last_id=1", ""},
		{"of a project", "/api/projects/1/sessions", "3 1"},
		{"of a project and a workflow", "/api/projects/1/sessions?workflow=wait", "1"},
		{"of an unknown workflow", "/api/projects/1/sessions?workflow=none", ""},
		{"of a project, a page", "/api/projects/1/sessions?page_size=1", "3"},
		{"of a project, the next page", "/api/projects/1/sessions?page_size=1&last_id=3", "1"},
		{"the attempts of one, newest first", "/api/sessions/1/attempts", "5 4 1"},
		{"the attempts of one, a page", "/api/sessions/1/attempts?page_size=2", "5 4"},
		{"the attempts of one, the next page", "/api/sessions/1/attempts?page_size=2&last_id=4", "1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := ids(at(t), test.path); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("a session has its last attempt, and its time in the zone of the workflow", func(t *testing.T) {
		t.Parallel()
		c := at(t)
		got := decode[session](c.Get("/api/sessions/1").Want(http.StatusOK))
		last := c.attempt("5")
		want := session{
			ID: "1", SessionUUID: last.SessionUUID, SessionTime: "2026-01-15T00:00:00+00:00",
			Project: last.Project, Workflow: last.Workflow,
		}
		want.LastAttempt.ID, want.LastAttempt.Status, want.LastAttempt.CreatedAt = "5", "running", last.CreatedAt
		want.LastAttempt.RetryAttemptName, want.LastAttempt.PoolID = last.RetryAttemptName, last.PoolID
		want.LastAttempt.Params = map[string]any{"day": "x"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := decode[session](c.Get("/api/sessions/3")).SessionTime; got != "2026-01-15T09:00:00+09:00" {
			t.Errorf("the one of Tokyo is at %s", got)
		}
	})
	for _, path := range []string{
		"/api/sessions?page_size=101", "/api/sessions?page_size=0", "/api/sessions?last_id=x",
		"/api/projects/1/sessions?page_size=101", "/api/sessions/1/attempts?page_size=101",
	} {
		t.Run(path+" is refused", func(t *testing.T) {
			t.Parallel()
			at(t).Get(path).Refused(http.StatusBadRequest)
		})
	}
	t.Run("an id that names nothing", func(t *testing.T) {
		t.Parallel()
		for _, id := range []string{"99", "0", "-1", "one", "99999999999999999999"} {
			at(t).Get("/api/sessions/" + id).Refused(http.StatusNotFound)
			at(t).Get("/api/sessions/" + id + "/attempts").Refused(http.StatusNotFound)
			at(t).Get("/api/projects/" + id + "/sessions").Refused(http.StatusNotFound)
		}
	})
	t.Run("sessions of a deleted project stay readable, but not under it", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"wait": wait})
		c.start("shop", "wait")
		c.send(http.MethodDelete, "/api/projects/1", nil).Want(http.StatusOK)
		c.Advance(time.Second)
		if got := decode[session](c.Get("/api/sessions/1").Want(http.StatusOK)); got.LastAttempt.Status != "success" {
			t.Errorf("got %v", got)
		}
		c.Get("/api/projects/1/sessions").Refused(http.StatusNotFound, "deleted")
	})
}
