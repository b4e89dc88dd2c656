package ingestion_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

// now is when the worlds of these tests begin.
var now = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

// people are the users of these worlds.
const people = `
account:
  users:
  - {id: 1, name: Ada Admin, email: admin@shop.example, role: administrator}
  - {id: 2, name: Ana Analyst, email: analyst@shop.example, role: restricted}
  keys:
  - {key: 1/admin, user: admin@shop.example}
  - {key: 1/write, user: admin@shop.example, kind: write-only}
  - {key: 2/analyst, user: analyst@shop.example}
`

// client calls a mock of its own, whose clock is frozen, and in which the table events of the database shop is ready.
// The mock's own faults fail the test.
type client struct {
	testing.TB
	server *mockserver.Server
	scheme string
}

func newClient(tb testing.TB, opts ...mockserver.Option) *client {
	tb.Helper()
	return newBranded(tb, "SVC1", opts...)
}

func newBranded(tb testing.TB, scheme string, opts ...mockserver.Option) *client {
	tb.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithScenario("empty"), mockserver.WithClock("frozen"), mockserver.WithNow(now),
		mockserver.WithLogger(slog.New(faults{tb, slog.DiscardHandler})),
	}, opts...)
	server, err := mockserver.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if err := server.World("").Load([]byte(people)); err != nil {
		tb.Fatal(err)
	}
	c := &client{tb, server, scheme}
	c.core("POST", "/database/create/shop")
	c.core("POST", "/table/create/shop/events")
	return c
}

// call sends headers in pairs, where an empty value takes one away. The key is the administrator's, and the body JSON,
// unless they say otherwise.
func (c *client) call(method, path string, body io.Reader, headers ...string) answer {
	c.Helper()
	r := httptest.NewRequestWithContext(c.Context(), method, "http://localhost"+path, body)
	r.Header.Set("Authorization", c.scheme+" 1/admin")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	return answer{c, w.Code, w.Header(), w.Body.String()}
}

const events = "/ingestion/postback/v3/event/shop/events"

// ingest sends an event to the table events.
func (c *client) ingest(event string, headers ...string) answer {
	c.Helper()
	return c.call("POST", events, strings.NewReader(event), headers...)
}

// core asks the core data interface, as the administrator.
func (c *client) core(method, path string) string {
	c.Helper()
	return c.call(method, "/core/v3"+path, http.NoBody, "Content-Type", "").want(200).body
}

// tail is the last record of the table events.
func (c *client) tail() map[string]any {
	c.Helper()
	var records []map[string]any
	if err := json.Unmarshal([]byte(c.core("GET", "/table/tail/shop/events")), &records); err != nil {
		c.Fatal(err)
	}
	if len(records) == 0 {
		return nil
	}
	return records[0]
}

// count is how many records the table events counts.
func (c *client) count() int64 {
	c.Helper()
	var table struct{ Count int64 }
	if err := json.Unmarshal([]byte(c.core("GET", "/table/show/shop/events")), &table); err != nil {
		c.Fatal(err)
	}
	return table.Count
}

// notes is what the journal says of the last event.
func (c *client) notes() string {
	c.Helper()
	journal, err := c.server.World("").Journal("ingestion.ingestEvent")
	if err != nil || len(journal) == 0 {
		c.Fatalf("the journal has %d events, %v", len(journal), err)
	}
	return strings.Join(journal[len(journal)-1].Notes, "; ")
}

type answer struct {
	*client
	status int
	header http.Header
	body   string
}

// want fails the test unless the answer has a status.
func (a answer) want(status int) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// refused fails the test unless the answer has a status, the journal says why, and nothing was stored.
func (a answer) refused(status int, why string) {
	a.Helper()
	a.want(status)
	if notes := a.notes(); !strings.Contains(notes, why) {
		a.Errorf("the journal notes %q, which lacks %q", notes, why)
	}
	if n := a.count(); n != 0 {
		a.Errorf("the table counts %d records", n)
	}
}

// faults is a log handler whose errors fail the test.
type faults struct {
	tb testing.TB
	slog.Handler
}

// Enabled implements slog.Handler.
func (faults) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

// Handle implements slog.Handler.
func (f faults) Handle(_ context.Context, r slog.Record) error {
	var attrs []string
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a.String()); return true })
	f.tb.Errorf("the mock is at fault: %s %s", r.Message, attrs)
	return nil
}
