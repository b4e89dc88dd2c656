package data_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// bulk is a bulk import of shop.orders in a world of its own.
type bulk struct{ client }

func newBulk(t *testing.T, opts ...mockserver.Option) bulk {
	t.Helper()
	c := newClient(t, opts...).load(importPlace)
	c.Post("/bulk_import/create/january/shop/orders", "").Want(200)
	return bulk{c}
}

func (b bulk) do(action string) mocktest.Answer {
	b.Helper()
	return b.Post("/bulk_import/"+action+"/january", "")
}

func (b bulk) upload(part string, rows ...map[string]any) mocktest.Answer {
	b.Helper()
	return b.put("/bulk_import/upload_part/january/"+part, msgpackRows(b, rows...))
}

// stands fails the test unless the bulk import has a status, and counts of good and wrong rows and parts.
func (b bulk) stands(status string, counts ...float64) {
	b.Helper()
	got := b.Get("/bulk_import/show/january").Want(200).Object()
	want := make([]float64, 4)
	copy(want, counts)
	have := []float64{}
	for _, name := range []string{"valid_records", "error_records", "valid_parts", "error_parts"} {
		have = append(have, got[name].(float64))
	}
	if got["status"] != status || !cmp.Equal(want, have) {
		b.Errorf("the bulk import is %v %v, want %s %v", got["status"], have, status, want)
	}
}

// wrong returns the wrong rows.
func (b bulk) wrong() (list []string) {
	b.Helper()
	zip, err := gzip.NewReader(strings.NewReader(b.Get("/bulk_import/error_records/january").Want(200).Body))
	if err != nil {
		b.Fatal(err)
	}
	decoder := msgpack.NewDecoder(zip)
	for {
		var record map[string]any
		err := decoder.Decode(&record)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%v %v %v", record["part"], record["row"], record["error"]))
	}
}

func timed(n int) map[string]any { return map[string]any{"time": mocktest.Now.Unix(), "n": n} }

func TestBulkImport(t *testing.T) {
	t.Parallel()
	t.Run("takes parts, reads them in a job, and puts their rows into the table", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.stands("uploading")
		b.upload("part_1", timed(1), timed(2)).Want(200)
		b.upload("part_2", timed(3), map[string]any{"n": 4}).Want(200)
		b.put("/bulk_import/upload_part/january/part_3", "this is no gzip").Want(200)
		b.upload("part_4", timed(9)).Want(200)
		b.Post("/bulk_import/delete_part/january/part_4", "").Want(200)
		want := []any{"part_1", "part_2", "part_3"}
		if diff := cmp.Diff(want, b.Get("/bulk_import/list_parts/january").Want(200).Object()["parts"]); diff != "" {
			t.Errorf("parts (-want +got)\n%s", diff)
		}
		b.do("freeze").Want(200)
		job := fmt.Sprint(b.do("perform").Want(200).Object()["job_id"].(float64)) // clients read an integer
		b.stands("performing")
		b.Advance(time.Minute)
		b.stands("ready", 3, 1, 2, 1)
		if held := b.Get("/bulk_import/show/january").Want(200).Object()["job_id"]; held != job {
			t.Errorf("the bulk import has the job %v, want %s as text", held, job)
		}
		shown := b.Get("/job/show/" + job).Want(200).Object()
		if shown["type"] != "bulk_import_perform" || shown["status"] != "success" || shown["database"] != "shop" {
			t.Errorf("the job is %v", shown)
		}
		wantWrong := []string{
			"part_2 2 row 2: has no time, in Unix seconds",
			"part_3 1 the body is not valid gzip: gzip: invalid header",
		}
		if diff := cmp.Diff(wantWrong, b.wrong()); diff != "" {
			t.Errorf("wrong rows (-want +got)\n%s", diff)
		}
		b.do("commit").Want(200)
		b.stands("committing", 3, 1, 2, 1)
		if got := b.Get("/table/show/shop/orders").Object()["count"]; got != 0.0 {
			t.Errorf("count is %v while it is committing", got)
		}
		b.Advance(time.Minute)
		b.stands("committed", 3, 1, 2, 1)
		table := b.Get("/table/show/shop/orders").Object()
		if table["count"] != 3.0 || table["schema"] != `[["n","long"]]` {
			t.Errorf("the table is %v", table)
		}
		b.do("delete").Want(200)
		b.Get("/bulk_import/show/january").Refused(404, "january")
		if got := b.Get("/table/show/shop/orders").Object()["count"]; got != 3.0 {
			t.Errorf("count is %v after the deletion", got)
		}
	})
	t.Run("is listed, and keeps what it has across a dump, wherever it stands", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		for _, step := range []string{"freeze", "perform", "", "commit", ""} {
			if b.Advance(time.Minute); step != "" {
				b.do(step).Want(200)
			}
			before := b.Get("/bulk_import/list").Want(200).Object()
			b.replace(b.Dump())
			if diff := cmp.Diff(before, b.Get("/bulk_import/list").Want(200).Object()); diff != "" {
				t.Errorf("after %s (-before +after)\n%s", step, diff)
			}
		}
		b.stands("committed", 1, 0, 1, 0)
	})
	t.Run("is finished by a client that only asks, under a clock that follows", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t, mockserver.WithClock("auto"))
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Want(200)
		ask := func(status string) {
			for range 5 {
				if b.Get("/bulk_import/show/january").Object()["status"] == status {
					return
				}
			}
			t.Errorf("it never is %s", status)
		}
		ask("ready")
		b.do("commit").Want(200)
		ask("committed")
	})
	t.Run("whose job is killed can be performed again", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		job := b.Post("/bulk_import/perform/january", "priority=1&pool_name=small").Want(200).Object()["job_id"]
		b.Post(fmt.Sprint("/job/kill/", job), "").Want(200)
		b.stands("uploading")
		b.do("perform").Want(200)
		b.Advance(time.Minute)
		b.stands("ready", 1, 0, 1, 0)
	})
	t.Run("whose table goes away fails, and stays ready when it goes away later", func(t *testing.T) {
		t.Parallel()
		b := newBulk(t)
		b.upload("p", timed(1)).Want(200)
		b.do("freeze").Want(200)
		b.do("perform").Want(200)
		b.Post("/table/delete/shop/orders", "").Want(200)
		b.Advance(time.Minute)
		b.stands("uploading")
		b.Post("/table/create/shop/orders", "").Want(200)
		b.do("perform").Want(200)
		b.Advance(time.Minute)
		b.do("commit").Want(200)
		b.Post("/table/delete/shop/orders", "").Want(200)
		b.Advance(time.Minute)
		b.stands("ready", 1, 0, 1, 0)
		b.do("commit").Refused(404, "orders")
	})
}
