package core_test

import (
	"context"
	"encoding/json"
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

// client calls a mock of its own, whose clock is frozen unless an option says otherwise. The mock's own faults fail
// the test.
type client struct {
	*testing.T
	server *mockserver.Server
	key    string
}

func newClient(t *testing.T, opts ...mockserver.Option) *client {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithScenario("empty"), mockserver.WithClock("frozen"), mockserver.WithNow(now),
		mockserver.WithLogger(slog.New(faults{t, slog.NewTextHandler(t.Output(), nil)})),
	}, opts...)
	server, err := mockserver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return &client{T: t, server: server, key: "1/admin"}
}

// people are the users of these worlds, one of each role.
const people = `
account:
  users:
  - {id: 1, name: Ada Admin, email: admin@shop.example, role: administrator}
  - {id: 2, name: Otto Owner, email: owner@shop.example, role: owner}
  - {id: 3, name: Ana Analyst, email: analyst@shop.example, role: restricted}
  - {id: 4, name: Dora Delegate, email: delegate@shop.example, role: restricted}
  keys:
  - {key: 1/admin, user: admin@shop.example}
  - {key: 1/owner, user: owner@shop.example}
  - {key: 1/analyst, user: analyst@shop.example}
  - {key: 1/delegate, user: delegate@shop.example}
  - {key: 1/write, user: admin@shop.example, kind: write-only}
`

// load puts people and more of a fixture, in YAML, in the place of the world's state.
func (c *client) load(more string) *client {
	c.Helper()
	if err := c.server.World("").Load([]byte(people + more)); err != nil {
		c.Fatal(err)
	}
	return c
}

// as is the same mock with another key.
func (c *client) as(key string) *client {
	other := *c
	other.key = key
	return &other
}

// call sends a body, if there is one: as JSON when it looks like it, else as a form. More headers come in pairs.
func (c *client) call(method, path, body string, headers ...string) answer {
	c.Helper()
	r := httptest.NewRequestWithContext(c.Context(), method, "http://localhost/core/v3"+path, strings.NewReader(body))
	switch {
	case body == "":
		r.Body, r.ContentLength = http.NoBody, 0
	case strings.ContainsAny(body[:1], "{["):
		r.Header.Set("Content-Type", "application/json")
	default:
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "SVC1 "+c.key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	note(method, path, w.Code)
	return answer{c, w.Code, w.Header(), w.Body.Bytes()}
}

func (c *client) get(path string) answer { c.Helper(); return c.call(http.MethodGet, path, "") }

func (c *client) post(path, body string) answer {
	c.Helper()
	return c.call(http.MethodPost, path, body)
}

// advance moves the frozen clock.
func (c *client) advance(by time.Duration) { c.server.World("").Advance(by) }

type answer struct {
	*client
	status int
	header http.Header
	body   []byte
}

// want fails the test unless the answer has a status.
func (a answer) want(status int) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// refused fails the test unless the answer is an error with a status whose message, under each of its names, has all the
// words.
func (a answer) refused(status int, words ...string) {
	a.Helper()
	a.want(status)
	var form struct{ Error, Message, Text string }
	a.into(&form)
	if form.Error != form.Message || form.Text != form.Message {
		a.Errorf("the message differs by its names: %s", a.body)
	}
	for _, word := range words {
		if !strings.Contains(form.Message, word) {
			a.Errorf("message %q lacks %q", form.Message, word)
		}
	}
}

// into reads the answer's JSON.
func (a answer) into(value any) {
	a.Helper()
	if err := json.Unmarshal(a.body, value); err != nil {
		a.Fatalf("%v: %s", err, a.body)
	}
}

// object is the answer's JSON object.
func (a answer) object() map[string]any {
	a.Helper()
	var object map[string]any
	a.into(&object)
	return object
}

// faults is a log handler whose errors fail the test.
type faults struct {
	t *testing.T
	slog.Handler
}

// Handle implements slog.Handler.
func (f faults) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		f.t.Errorf("the mock is at fault: %s", r.Message)
	}
	return f.Handler.Handle(ctx, r)
}
