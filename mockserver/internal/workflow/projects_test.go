package workflow_test

import (
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const plain = "+hello:\n  echo>: hello\n"

func TestProjects(t *testing.T) {
	t.Parallel()
	t.Run("a project reads back as it was put", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		gz := archive(t, map[string]string{"daily": plain})
		sum := md5.Sum(gz)
		put := h.put("shop", "v1", gz, nil).Want(http.StatusOK).Object()
		wantEqual(t, "answer", put, object{
			"id": "1", "name": "shop", "revision": "v1", "archiveType": "db",
			"archiveMd5": base64.StdEncoding.EncodeToString(sum[:]), "metadata": []any{},
			"createdAt": "2026-01-15T09:30:00Z", "updatedAt": "2026-01-15T09:30:00Z", "deletedAt": nil,
		})
		wantEqual(t, "project", h.get("/api/projects/1"), put)
		wantEqual(t, "list", h.get("/api/projects"), object{"projects": []any{put}})
	})
	t.Run("a second revision keeps id and createdAt", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": plain})
		h.Advance(time.Hour)
		p := h.upload("shop", "v2", map[string]string{"daily": plain})
		wantEqual(t, "times", []any{p["id"], p["revision"], p["createdAt"], p["updatedAt"]},
			[]any{"1", "v2", "2026-01-15T09:30:00Z", "2026-01-15T10:30:00Z"})
	})
	t.Run("unknown ids name nothing", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		for _, id := range []string{"7", "0", "-1", "x", "99999999999999999999"} {
			h.send("GET", "/api/projects/"+id, nil).Refused(http.StatusNotFound, "project", "id", id)
			for _, path := range []string{"archive", "revisions", "schedules", "secrets", "workflows", "workflows/daily"} {
				h.send("GET", "/api/projects/"+id+"/"+path, nil).Refused(http.StatusNotFound, "project", "id", id)
			}
			h.send("DELETE", "/api/projects/"+id, nil).Refused(http.StatusNotFound, "project", "id", id)
		}
	})
}

func TestProjectDeletion(t *testing.T) {
	t.Parallel()
	const daily = "schedule:\n  daily>: 07:00:00\n" + plain
	t.Run("answers the project as it was before, then knows it as deleted", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		put := h.upload("shop", "v1", map[string]string{"daily": daily})
		wantEqual(t, "answer", h.do(http.StatusOK, "DELETE", "/api/projects/1", nil), put)
		h.send("DELETE", "/api/projects/1", nil).Refused(http.StatusNotFound, "1", "deleted", "2026-01-15T09:30:00Z")
		for _, path := range []string{"", "/archive", "/revisions", "/schedules", "/secrets", "/workflows", "/sessions"} {
			h.send("GET", "/api/projects/1"+path, nil).Refused(http.StatusNotFound, "1", "deleted", "2026-01-15T09:30:00Z")
		}
		wantEqual(t, "projects", h.get("/api/projects"), object{"projects": []any{}})
	})
	t.Run("drops the schedules, so that nothing runs any more", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": daily})
		h.do(http.StatusOK, "DELETE", "/api/projects/1", nil)
		wantEqual(t, "schedules", h.get("/api/schedules"), object{"schedules": []any{}})
		h.send("GET", "/api/schedules/1", nil).Refused(http.StatusNotFound, "schedule", "1")
		h.Advance(240 * time.Hour)
		wantEqual(t, "sessions", h.get("/api/sessions"), object{"sessions": []any{}})
	})
	t.Run("frees the name for a project with a new id", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": plain})
		h.do(http.StatusOK, "DELETE", "/api/projects/1", nil)
		p := h.upload("shop", "v1", map[string]string{"daily": plain})
		wantEqual(t, "id", p["id"], "2")
	})
	t.Run("leaves sessions, attempts and definitions readable", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": daily})
		h.Advance(48 * time.Hour)
		h.do(http.StatusOK, "DELETE", "/api/projects/1", nil)
		wantEqual(t, "sessions", len(list(h.get("/api/sessions"), "sessions")), 2)
		wantEqual(t, "attempt", h.get("/api/attempts/1")["status"], "success")
		wantEqual(t, "workflow", h.get("/api/workflows/1")["name"], "daily")
	})
	t.Run("refuses to start its workflows", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": plain})
		h.do(http.StatusOK, "DELETE", "/api/projects/1", nil)
		h.send("PUT", "/api/attempts",
			object{"workflowId": "1", "sessionTime": "2026-01-15T00:00:00Z", "params": object{}}).Refused(http.StatusNotFound,
			"deleted")
	})
}

func TestProjectList(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	for n := range 103 {
		h.upload(fmt.Sprintf("p%03d", n+1), "v1", map[string]string{"a": plain})
	}
	h.do(http.StatusOK, "DELETE", "/api/projects/2", nil)
	for name, test := range map[string]struct {
		query       string
		count       int
		first, last any
	}{
		"has 100 projects on a page, by id, without deleted ones": {"", 100, "1", "101"},
		"continues above last_id":                                 {"?last_id=101", 2, "102", "103"},
		"has count projects":                                      {"?count=3", 3, "1", "4"},
		"picks one by name":                                       {"?name=p005", 1, "5", "5"},
		"finds a part of the name":                                {"?name_pattern=p10", 4, "100", "103"},
		"is bounded by what there is, not by a giant count":       {"?count=2147483647", 102, "1", "103"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			projects := list(h.in(t).get("/api/projects"+test.query), "projects")
			if len(projects) != test.count {
				t.Fatalf("%d projects, want %d", len(projects), test.count)
			}
			wantEqual(t, "ids", []any{projects[0]["id"], projects[len(projects)-1]["id"]}, []any{test.first, test.last})
		})
	}
	for name, query := range map[string]string{
		"knows no such name, and that is no error": "?name=nobody",
		"does not find deleted ones by name":       "?name=p002",
		"ends behind the greatest id":              "?last_id=2147483647",
		"takes names as they are":                  "?name=P001",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.in(t)
			wantEqual(t, "projects", h.get("/api/projects"+query), object{"projects": []any{}})
		})
	}
	for _, query := range []string{"?count=0", "?count=-1", "?count=x", "?last_id=x"} {
		t.Run("refuses "+query, func(t *testing.T) {
			t.Parallel()
			h.in(t).send("GET", "/api/projects"+query, nil).Refused(http.StatusBadRequest)
		})
	}
}

func TestProjectListWithoutValidation(t *testing.T) {
	t.Parallel()
	h := lenient(t)
	h.upload("shop", "v1", map[string]string{"a": plain})
	for _, query := range []string{"?count=0", "?count=-1", "?count=x", "?last_id=x", "?count=1e3"} {
		h.send("GET", "/api/projects"+query, nil).Refused(http.StatusBadRequest)
	}
	wantEqual(t, "behind the greatest id", h.get("/api/projects?last_id=9223372036854775807"),
		object{"projects": []any{}})
	wantEqual(t, "giant count", len(list(h.get("/api/projects?count=9223372036854775807"), "projects")), 1)
}

func TestArchive(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	first, second := archive(t, map[string]string{"a": plain}), archive(t, map[string]string{"b": plain})
	h.put("shop", "v1", first, nil).Want(http.StatusOK)
	h.put("shop", "v2", second, nil).Want(http.StatusOK)
	for name, test := range map[string]struct {
		query string
		want  []byte
	}{
		"is that of the latest revision by default":      {"", second},
		"is that of the revision asked for":              {"?revision=v1", first},
		"comes as bytes with direct_download=false":      {"?revision=v2&direct_download=false", second},
		"comes as bytes with direct_download=true, too":  {"?revision=v1&direct_download=true", first},
		"is the latest for an empty name of a revision":  {"?revision=", second},
		"has the bytes of its own revision, named again": {"?revision=v2", second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.in(t)
			a := h.Get("/api/projects/1/archive" + test.query).Want(http.StatusOK)
			if a.Body != string(test.want) {
				t.Errorf("%d bytes; want the %d bytes as they were put", len(a.Body), len(test.want))
			}
			wantEqual(t, "type", a.Header.Get("Content-Type"), "application/gzip")
		})
	}
	h.send("GET", "/api/projects/1/archive?revision=v9", nil).Refused(http.StatusNotFound, "revision", "v9")
}
