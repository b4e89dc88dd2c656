package ingestion_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	t.Run("of a stream of events is bounded, while the table counts them all", func(t *testing.T) {
		t.Parallel()
		const count, limit = 20_000, 1 << 19
		c := newClient(t, mockserver.WithRecordLimit(limit))
		for n := range count {
			c.ingest(fmt.Sprintf(`{"n":%d}`, n)).Want(200)
		}
		if got := c.count(); got != count {
			t.Errorf("the table counts %d records, want %d", got, count)
		}
		if got := c.tail()["n"]; got != fmt.Sprint(count-1) {
			t.Errorf("the last record is %v, want %d", got, count-1)
		}
		if kept := c.kept(count); kept < limit/100 || kept > limit/40 { // of about 47 bytes each
			t.Errorf("%d records are kept in %d bytes", kept, limit)
		}
	})
	t.Run("of large events is bounded as well", func(t *testing.T) {
		t.Parallel()
		const count, size, limit = 50, 1_000_000, 10_500_000
		c := newClient(t, mockserver.WithRecordLimit(limit))
		event := `{"a":"` + strings.Repeat("x", size) + `"}`
		for range count {
			c.ingest(event).Want(200)
		}
		if kept := c.kept(count); kept != limit/size || c.count() != count {
			t.Errorf("%d records are kept, want %d", kept, limit/size)
		}
	})
}

// kept returns the number of records that the table events still has.
func (c client) kept(most int) int {
	c.Helper()
	return int(c.core("GET", fmt.Sprintf("/table/tail/shop/events?count=%d", most)).Value("#").Int())
}

func BenchmarkIngest(b *testing.B) {
	c := newClient(b)
	event := `{"svc_record_time":1768469400,"path":"/checkout","items":3,"cart":{"total":41.9,"currency":"EUR"}}`
	b.ReportAllocs()
	for b.Loop() {
		c.ingest(event).Want(200)
	}
}
