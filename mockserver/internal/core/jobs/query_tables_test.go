package jobs_test

import (
	"fmt"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestQueryTables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		events int
		notes  int
		words  string
	}{
		{"a query over a table that has let records go says so in the journal", 40, 1, " of 40); the world drops the oldest"},
		{"a query over all records has nothing to say", 5, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jobClient(t, fakeEngine{}, mockserver.WithRecordLimit(500))
			c.Post("/table/create/shop/orders", "").Want(200)
			for i := range test.events {
				c.ingest("orders", fmt.Sprintf(`{"number":"%08d"}`, i))
			}
			id := c.query("SELECT * FROM orders")
			c.Advance(5 * time.Second)
			c.Get("/job/result/" + id).Want(200)
			calls, err := c.World().Journal("core.getJobResult")
			if err != nil || len(calls) != 1 || len(calls[0].Notes) != test.notes {
				t.Fatalf("calls %+v, error %v; want %d notes", calls, err, test.notes)
			}
			c.noted("core.getJobResult", test.words)
		})
	}
}
