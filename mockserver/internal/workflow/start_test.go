package workflow_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

func workflowID(c client, project, name string) string {
	c.Helper()
	projects := decode[struct{ Projects []named }](c.Get("/api/projects?name=" + project)).Projects
	return decode[named](c.Get("/api/projects/" + projects[0].ID + "/workflows/" + name).Want(http.StatusOK)).ID
}

func TestStartAttempt(t *testing.T) {
	t.Parallel()
	t.Run("a workflow is named by its id, as text or number, or by names", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"tokyo": "timezone: Asia/Tokyo\n" + wait})
		id := workflowID(c, "shop", "tokyo")
		number, _ := strconv.Atoi(id)
		for i, body := range []map[string]any{
			{"workflowId": id},
			{"workflowId": number},
			{"projectName": "shop", "workflowName": "tokyo"},
			{"workflowId": id, "projectName": nil, "workflowName": nil, "retryAttemptName": nil, "resume": nil},
		} {
			body["sessionTime"], body["params"] = "2026-01-1"+strconv.Itoa(i)+"T00:00:00.75+09:00", map[string]any{"n": i}
			a := decode[attempt](c.send(http.MethodPut, "/api/attempts", body).Want(http.StatusOK))
			pool := "1"
			want := attempt{
				ID: strconv.Itoa(i + 1), SessionID: strconv.Itoa(i + 1), SessionUUID: a.SessionUUID, Index: 1,
				SessionTime: "2026-01-1" + strconv.Itoa(i) + "T00:00:00+09:00",
				Project:     named{"1", "shop"}, Workflow: named{id, "tokyo"}, PoolID: &pool,
				Params: map[string]any{"n": float64(i)}, Status: "running", CreatedAt: "2026-01-15T09:30:00Z",
			}
			if diff := cmp.Diff(want, a); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(a, c.attempt(a.ID)); diff != "" {
				t.Errorf("get (-want +got):\n%s", diff)
			}
		}
	})
	t.Run("a start that is repeated is answered 409 with the attempt that exists", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"wait": wait})
		plain := c.start("shop", "wait")
		retry := c.start("shop", "wait", map[string]any{"retryAttemptName": "again"})
		if retry.Index != 2 || retry.SessionID != plain.SessionID || retry.ID == plain.ID {
			t.Errorf("the retry is %v", retry)
		}
		c.upload("shop", "v2", map[string]string{"wait": wait}) // the session is that of the name, not of the revision
		for _, test := range []struct {
			more map[string]any
			want attempt
		}{
			{nil, plain},
			{map[string]any{"retryAttemptName": ""}, plain},
			{map[string]any{"sessionTime": "2026-01-15T09:00:00+09:00"}, plain},
			{map[string]any{"params": map[string]any{"other": 1}}, plain},
			{map[string]any{"retryAttemptName": "again"}, retry},
		} {
			got := decode[attempt](c.tryStart("shop", "wait", test.more).Want(http.StatusConflict))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", test.more, diff)
			}
		}
		c.Advance(1e9)
		if got := decode[attempt](c.tryStart("shop", "wait").Want(http.StatusConflict)); got.Status != "success" {
			t.Errorf("the answer is not the attempt as it is now, but %s", got.Status)
		}
	})
	t.Run("what does not exist is not started", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"wait": wait})
		id := workflowID(c, "shop", "wait")
		c.tryStart("other", "wait").Refused(http.StatusNotFound, "project", "other")
		c.tryStart("shop", "other").Refused(http.StatusNotFound, "workflow", "other")
		for _, unknown := range []any{"99", 99, "0", "one", "99999999999999999999"} {
			c.tryStart("", "", map[string]any{"workflowId": unknown}).Refused(http.StatusNotFound, "workflow")
		}
		c.send(http.MethodDelete, "/api/projects/1", nil).Want(http.StatusOK)
		c.tryStart("shop", "wait").Refused(http.StatusNotFound, "project")
		c.tryStart("", "", map[string]any{"workflowId": id}).Refused(http.StatusNotFound, "project", "deleted")
	})
	t.Run("a workflow with more than a thousand tasks is not started", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"many": "+loop: {loop>: 2000, _do: {echo>: x}}\n", "wait": wait})
		c.tryStart("shop", "many").Refused(http.StatusBadRequest, "1000", "2003")
		if n := len(listed(c, "/api/sessions")); n != 0 {
			t.Errorf("the refusal has left %d sessions", n)
		}
	})
}

func listed(c client, path string) []struct{ ID string } {
	c.Helper()
	list := decode[struct{ Sessions, Attempts []struct{ ID string } }](c.Get(path).Want(http.StatusOK))
	return append(list.Sessions, list.Attempts...)
}

func TestStartAttemptBodies(t *testing.T) {
	t.Parallel()
	with := func(fields string) string {
		return `{"workflowId":"1","sessionTime":"2026-01-01T00:00:00Z","params":{}` + fields + `}`
	}
	deep := strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000)
	for name, body := range map[string]string{
		"no body": "", "no JSON": "{", "null": "null", "a list": "[]", "text": `"1"`,
		"no session time":            `{"workflowId":"1","params":{}}`,
		"a session time of null":     `{"workflowId":"1","params":{},"sessionTime":null}`,
		"a session time of a number": `{"workflowId":"1","params":{},"sessionTime":1767225600}`,
		"a local session time":       `{"workflowId":"1","params":{},"sessionTime":"2026-01-01T00:00:00"}`,
		"a day":                      `{"workflowId":"1","params":{},"sessionTime":"2026-01-01"}`,
		"the 30th of February":       `{"workflowId":"1","params":{},"sessionTime":"2026-02-30T00:00:00Z"}`,
		"the year 9999":              `{"workflowId":"1","params":{},"sessionTime":"9999-12-31T23:59:59Z"}`,
		"no workflow":                `{"sessionTime":"2026-01-01T00:00:00Z","params":{}}`,
		"a project only":             `{"projectName":"shop","sessionTime":"2026-01-01T00:00:00Z","params":{}}`,
		"a workflow's name only":     `{"workflowName":"wait","sessionTime":"2026-01-01T00:00:00Z","params":{}}`,
		"a workflow of a list":       `{"workflowId":[1],"sessionTime":"2026-01-01T00:00:00Z","params":{}}`,
		"a workflow of a boolean":    `{"workflowId":true,"sessionTime":"2026-01-01T00:00:00Z","params":{}}`,
		"params of null":             `{"workflowId":"1","sessionTime":"2026-01-01T00:00:00Z","params":null}`,
		"params of a list":           `{"workflowId":"1","sessionTime":"2026-01-01T00:00:00Z","params":[]}`,
		"params too deep":            `{"workflowId":"1","sessionTime":"2026-01-01T00:00:00Z","params":{"a":` + deep + `}}`,
		"params with a name twice":   `{"workflowId":"1","sessionTime":"2026-01-01T00:00:00Z","params":{"a":1,"a":2}}`,
		"a name of a number":         with(`,"retryAttemptName":1`),
		"queueing of text":           with(`,"allowQueueing":"yes"`),
		"resume of text":             with(`,"resume":"failed"`),
		"resume of nothing":          with(`,"resume":{}`),
		"an unknown mode":            with(`,"resume":{"mode":"all","attemptId":"1"}`),
		"a mode of null":             with(`,"resume":{"mode":null,"attemptId":"1"}`),
		"no attempt":                 with(`,"resume":{"mode":"failed"}`),
		"an attempt of null":         with(`,"resume":{"mode":"failed","attemptId":null}`),
		"an attempt of a list":       with(`,"resume":{"mode":"failed","attemptId":[]}`),
		"from without from":          with(`,"resume":{"mode":"from","attemptId":"1"}`),
		"from of null":               with(`,"resume":{"mode":"from","attemptId":"1","from":null}`),
		"from without a plus":        with(`,"resume":{"mode":"from","attemptId":"1","from":"wait"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Off} {
				c := newClient(t, mockserver.WithValidation(mode))
				c.upload("shop", "v1", map[string]string{"wait": wait})
				c.send(http.MethodPut, "/api/attempts", body).Refused(http.StatusBadRequest)
				if n := len(listed(c, "/api/attempts")); n != 0 {
					t.Errorf("%s: there are %d attempts", mode, n)
				}
			}
		})
	}
}
