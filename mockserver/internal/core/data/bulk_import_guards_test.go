package data_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestBulkImportGuards(t *testing.T) {
	t.Parallel()
	t.Run("a name is taken once, and its table must be there", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.Post("/bulk_import/create/january/shop/orders", "").Refused(409, "january")
		b.Post("/bulk_import/create/other/shop/none", "").Refused(404, "none")
		b.as("1/analyst").Post("/bulk_import/create/other/shop/orders", "").Refused(403, "import")
	})
	t.Run("what is unknown is 404, and another user's is 403", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		for _, action := range []string{
			"delete/", "freeze/", "unfreeze/", "perform/", "commit/", "show/", "list_parts/", "error_records/", "delete_part/",
			"upload_part/",
		} {
			method, tail := "POST", ""
			switch {
			case strings.HasPrefix(action, "show"), strings.HasPrefix(action, "list"), strings.HasPrefix(action, "error"):
				method = "GET"
			case strings.HasPrefix(action, "upload"):
				method, tail = "PUT", "/p"
			case strings.HasSuffix(action, "part/"):
				tail = "/p"
			}
			body := ""
			if method == "PUT" {
				body = "x"
			}
			b.Call(method, "/bulk_import/"+action+"none"+tail, body).Refused(404, "none")
			if method != "GET" {
				b.as("1/analyst").Call(method, "/bulk_import/"+action+"january"+tail, body).Refused(403, "another user")
			}
		}
		b.Post("/bulk_import/delete_part/january/none", "").Refused(404, "part")
		b.Call("PUT", "/bulk_import/upload_part/january/p", "").Refused(400, "no body")
	})
	t.Run("a part that comes twice is replaced", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.upload("p", timed(1), timed(2)).Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Want(200)
		b.Advance(time.Minute)
		b.stands("ready", 2, 0, 1, 0)
	})
	t.Run("each step needs the one before", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.do("perform").Refused(422, "freeze it first")
		b.do("commit").Refused(422, "uploading", "ready")
		b.do("freeze").Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Refused(422, "no parts")
		b.upload("p", timed(1)).Refused(422, "frozen")
		b.Post("/bulk_import/delete_part/january/p", "").Refused(422, "frozen")
		b.do("unfreeze").Want(200)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		b.Post("/bulk_import/perform/january", `{"priority":9}`).Refused(400, "priority")
		b.do("perform").Want(200)
		b.do("perform").Refused(422, "performing")
		b.do("unfreeze").Refused(422, "performing")
		b.do("commit").Refused(422, "performing")
		b.Advance(time.Minute)
		b.do("commit").Want(200)
		b.do("commit").Refused(422, "committing")
		b.Advance(time.Minute)
		b.do("unfreeze").Refused(422, "committed")
		b.do("commit").Refused(422, "committed")
	})
	t.Run("a committed import that is not frozen cannot be", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Want(200)
		b.Advance(time.Minute)
		b.do("unfreeze").Want(200)
		b.stands("uploading", 1, 0, 1, 0)
	})
	t.Run("parts count against what a world may hold", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t, mockserver.WithStateLimit(1<<20))
		big := strings.Repeat("x", 600<<10)
		b.put("/bulk_import/upload_part/january/p", big).Want(200)
		b.put("/bulk_import/upload_part/january/q", big).Refused(400, "would take more than 1048576 bytes")
		b.put("/bulk_import/upload_part/january/p", big).Want(200)
	})
	t.Run("deleted while it is committing, it puts no rows into the table", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Want(200)
		b.Advance(time.Minute)
		b.do("commit").Want(200)
		b.do("delete").Want(200)
		b.Advance(time.Minute)
		if got := b.Get("/table/show/shop/orders").Object()["count"]; got != 0.0 {
			t.Errorf("count is %v", got)
		}
	})
	t.Run("deleted while its job runs, the job fails", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		job := b.do("perform").Object()["job_id"]
		b.do("delete").Want(200)
		b.Advance(time.Minute)
		if got := b.Get(fmt.Sprint("/job/status/", job)).Object()["status"]; got != "error" {
			t.Errorf("the job is %v", got)
		}
	})
}
