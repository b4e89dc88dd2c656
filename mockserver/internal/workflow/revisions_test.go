package workflow_test

import (
	"fmt"
	"net/http"
	"testing"
)

func TestRevisions(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	h.upload("shop", "v1", map[string]string{"a": plain})
	h.upload("other", "w1", map[string]string{"a": plain})
	for n := 2; n <= 7; n++ {
		h.upload("shop", fmt.Sprintf("v%d", n), map[string]string{"a": plain})
	}
	names := func(t *testing.T, h client, path string) ([]any, string) {
		t.Helper()
		answer := h.get(path)
		next, _ := answer["pagination"].(object)["nextPage"].(string)
		return pick(list(answer, "revisions"), "revision"), next
	}
	t.Run("are listed newest first", func(t *testing.T) {
		t.Parallel()
		got, next := names(t, h.in(t), "/api/projects/1/revisions")
		wantEqual(t, "names", got, []any{"v7", "v6", "v5", "v4", "v3", "v2", "v1"})
		wantEqual(t, "next page", next, "")
	})
	t.Run("carry who put them, when, and the digest", func(t *testing.T) {
		t.Parallel()
		h := h.in(t)
		r := list(h.get("/api/projects/1/revisions"), "revisions")[0]
		wantEqual(t, "digest", r["archiveMd5"], h.get("/api/projects/1")["archiveMd5"])
		delete(r, "archiveMd5")
		wantEqual(t, "userInfo", r["userInfo"], object{"svc": object{"user": object{
			"id": 1.0, "name": "Ada Admin", "email": "admin@shop.example",
		}}})
		delete(r, "userInfo")
		wantEqual(t, "revision", r, object{"revision": "v7", "createdAt": "2026-01-15T09:30:00Z", "archiveType": "db"})
	})
	t.Run("come in pages that follow each other through nextPage", func(t *testing.T) {
		t.Parallel()
		h := h.in(t)
		var pages [][]any
		for next := "/api/projects/1/revisions?page[size]=3"; next != ""; {
			var page []any
			page, next = names(t, h, next)
			pages = append(pages, page)
		}
		wantEqual(t, "pages", pages, [][]any{{"v7", "v6", "v5"}, {"v4", "v3", "v2"}, {"v1"}})
	})
	t.Run("have no next page when a page ends with the oldest", func(t *testing.T) {
		t.Parallel()
		page, next := names(t, h.in(t), "/api/projects/1/revisions?page[size]=7")
		wantEqual(t, "page", []any{len(page), next}, []any{7, ""})
	})
	t.Run("of a page of size 0 are none", func(t *testing.T) {
		t.Parallel()
		page, next := names(t, h.in(t), "/api/projects/1/revisions?page[size]=0")
		wantEqual(t, "page", []any{len(page), next}, []any{0, ""})
	})
	t.Run("can be picked by name", func(t *testing.T) {
		t.Parallel()
		got, _ := names(t, h.in(t), "/api/projects/1/revisions?name=v3")
		wantEqual(t, "v3", got, []any{"v3"})
		got, _ = names(t, h.in(t), "/api/projects/1/revisions?name=w1")
		wantEqual(t, "that of another project", got, []any{})
	})
	t.Run("take no notice of last_id, which is out of use", func(t *testing.T) {
		t.Parallel()
		got, _ := names(t, h.in(t), "/api/projects/1/revisions?last_id=3")
		wantEqual(t, "revisions", len(got), 7)
	})
	for _, query := range []string{
		"page[size]=-1", "page[size]=101", "page[size]=x", "page[after]=!", "page[after]=2", "page[after]=zzz",
	} {
		t.Run("refuse "+query, func(t *testing.T) {
			t.Parallel()
			h.in(t).send("GET", "/api/projects/1/revisions?"+query, nil).Refused(http.StatusBadRequest, query[:len("page[")])
		})
	}
	t.Run("bound their pages without validation, too", func(t *testing.T) {
		t.Parallel()
		h := lenient(t)
		h.upload("shop", "v1", map[string]string{"a": plain})
		for _, size := range []string{"-1", "101", "2147483648", "x"} {
			h.send("GET", "/api/projects/1/revisions?page[size]="+size, nil).Refused(http.StatusBadRequest, "page[size]")
		}
	})
}
