package workflow_test

import (
	"fmt"
	"net/http"
	"testing"
)

func TestWorkflows(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	h.upload("shop", "v1", map[string]string{"daily": plain, "hourly": plain})
	h.upload("shop", "v2", map[string]string{
		"daily": "timezone: Asia/Tokyo\n" + plain, "weekly": "_export:\n  a: 1\n+z:\n  echo>: 1\n+b:\n  echo>: 2\n",
	})
	daily := object{
		"id": "3", "name": "daily", "project": object{"id": "1", "name": "shop"}, "revision": "v2",
		"timezone": "Asia/Tokyo", "config": object{"timezone": "Asia/Tokyo", "+hello": object{"echo>": "hello"}},
	}
	old := object{
		"id": "1", "name": "daily", "project": object{"id": "1", "name": "shop"}, "revision": "v1",
		"timezone": "UTC", "config": object{"+hello": object{"echo>": "hello"}},
	}
	t.Run("of a project are those of its latest revision, by name", func(t *testing.T) {
		t.Parallel()
		workflows := list(h.in(t).get("/api/projects/1/workflows"), "workflows")
		wantEqual(t, "names", pick(workflows, "name"), []any{"daily", "weekly"})
		wantEqual(t, "ids", pick(workflows, "id"), []any{"3", "4"})
		wantEqual(t, "daily", workflows[0], daily)
	})
	t.Run("of a project can be those of an older revision", func(t *testing.T) {
		t.Parallel()
		workflows := list(h.in(t).get("/api/projects/1/workflows?revision=v1"), "workflows")
		wantEqual(t, "names", pick(workflows, "name"), []any{"daily", "hourly"})
	})
	t.Run("of a project can be picked by name", func(t *testing.T) {
		t.Parallel()
		h := h.in(t)
		wantEqual(t, "one", h.get("/api/projects/1/workflows?name=daily"), object{"workflows": []any{daily}})
		wantEqual(t, "none", h.get("/api/projects/1/workflows?name=hourly"), object{"workflows": []any{}})
	})
	t.Run("are found by name in a project", func(t *testing.T) {
		t.Parallel()
		h := h.in(t)
		wantEqual(t, "latest", h.get("/api/projects/1/workflows/daily"), daily)
		wantEqual(t, "older", h.get("/api/projects/1/workflows/daily?revision=v1"), old)
		h.send("GET", "/api/projects/1/workflows/hourly", nil).Refused(http.StatusNotFound, "workflow", "hourly")
		h.send("GET", "/api/projects/1/workflows/daily?revision=v3", nil).Refused(http.StatusNotFound, "revision", "v3")
		h.send("GET", "/api/projects/1/workflows?revision=v3", nil).Refused(http.StatusNotFound, "revision", "v3")
	})
	t.Run("keep their ids when a revision follows", func(t *testing.T) {
		t.Parallel()
		h := h.in(t)
		wantEqual(t, "latest", h.get("/api/workflows/3"), daily)
		wantEqual(t, "older", h.get("/api/workflows/1"), old)
		for _, id := range []string{"5", "0", "x", "-3"} {
			h.send("GET", "/api/workflows/"+id, nil).Refused(http.StatusNotFound, "workflow", "id", id)
		}
	})
}

func TestWorkflowList(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	h.upload("shop", "v1", map[string]string{"daily": plain, "hourly": plain}) // 1, 2
	h.upload("daily_news", "v1", map[string]string{"press": plain})            // 3
	h.upload("gone", "v1", map[string]string{"daily": plain})                  // 4
	h.upload("shop", "v2", map[string]string{"daily": plain, "weekly": plain}) // 5, 6
	h.do(http.StatusOK, "DELETE", "/api/projects/3", nil)
	for name, test := range map[string]struct {
		query string
		ids   []any
	}{
		"has the latest revisions of live projects, by id": {"", []any{"3", "5", "6"}},
		"goes down with order=desc":                        {"?order=desc", []any{"6", "5", "3"}},
		"goes up with order=asc":                           {"?order=asc", []any{"3", "5", "6"}},
		"has count workflows":                              {"?count=2", []any{"3", "5"}},
		"continues above last_id":                          {"?last_id=3&count=1", []any{"5"}},
		"continues below last_id with order=desc":          {"?last_id=6&order=desc&count=1", []any{"5"}},
		"ends":                     {"?last_id=6", []any{}},
		"ends with order=desc":     {"?last_id=3&order=desc", []any{}},
		"finds a part of the name": {"?name_pattern=ly", []any{"5", "6"}},
		"finds the name of the project when asked to":   {"?name_pattern=dai&search_project_name=true", []any{"3", "5"}},
		"does not find the name of the project unasked": {"?name_pattern=news&search_project_name=false", []any{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantEqual(t, "ids", pick(list(h.in(t).get("/api/workflows"+test.query), "workflows"), "id"), test.ids)
		})
	}
	t.Run("refuses what it does not know", func(t *testing.T) {
		t.Parallel()
		without := lenient(t)
		for _, query := range []string{
			"order=up", "order=ASC", "count=0", "count=x", "last_id=x",
		} {
			h.in(t).send("GET", "/api/workflows?"+query, nil).Refused(http.StatusBadRequest)
			without.send("GET", "/api/workflows?"+query, nil).Refused(http.StatusBadRequest)
		}
	})
	t.Run("has 100 workflows by default", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		workflows := map[string]string{}
		for n := range 120 {
			workflows[fmt.Sprintf("w%03d", n)] = plain
		}
		h.upload("shop", "v1", workflows)
		wantEqual(t, "workflows", len(list(h.get("/api/workflows"), "workflows")), 100)
		wantEqual(t, "the rest", len(list(h.get("/api/workflows?last_id=100"), "workflows")), 20)
	})
}
