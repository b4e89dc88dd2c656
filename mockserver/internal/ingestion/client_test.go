package ingestion_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// shop is a database with the table events.
const shop = `
core:
  databases: [{name: shop, tables: [{name: events}]}]
`

const events = "/postback/v3/event/shop/events"

// client calls a mock in which the table events of the database shop is ready.
type client struct{ *mocktest.Client }

func newClient(tb testing.TB, opts ...mockserver.Option) client {
	tb.Helper()
	return client{mocktest.New(tb, "ingestion", opts...).Load(shop)}
}

// ingest sends an event to the table events.
func (c client) ingest(event string, headers ...string) mocktest.Answer {
	c.Helper()
	return c.Call("POST", events, event, append([]string{"Content-Type", "application/json"}, headers...)...)
}

// core asks the core data interface.
func (c client) core(method, path string) mocktest.Answer {
	c.Helper()
	return c.At("core").Call(method, path, "").Want(200)
}

// tail is the last record of the table events.
func (c client) tail(headers ...string) map[string]any {
	c.Helper()
	var records []map[string]any
	if c.At("core").Call("GET", "/table/tail/shop/events", "", headers...).Want(200).Into(&records); len(records) == 0 {
		return nil
	}
	return records[0]
}

// count returns the number of records that the table events counts.
func (c client) count() int64 {
	c.Helper()
	return c.core("GET", "/table/show/shop/events").Value("count").Int()
}

// notes returns the journal's notes on the last event.
func (c client) notes() string {
	c.Helper()
	journal, err := c.World().Journal("ingestion.ingestEvent")
	if err != nil || len(journal) == 0 {
		c.Fatalf("the journal has %d events, %v", len(journal), err)
	}
	return strings.Join(journal[len(journal)-1].Notes, "; ")
}

// refused fails the test unless the answer has a status, the journal says why, and nothing was stored.
func (c client) refused(a mocktest.Answer, status int, why string) {
	c.Helper()
	a.Want(status)
	if notes := c.notes(); !strings.Contains(notes, why) {
		c.Errorf("the journal notes %q, which lacks %q", notes, why)
	}
	if n := c.count(); n != 0 {
		c.Errorf("the table counts %d records", n)
	}
}
