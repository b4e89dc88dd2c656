// Package mocktest calls a mock in tests of the handlers: through HTTP into the server, without a socket, as one
// interface of one world. It records the answers that the tests have seen, so that a package can require all that its
// document promises.
package mocktest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// Now is the time at which the worlds of these tests begin.
var Now = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

// People is a fixture of the users of these worlds, one of each role.
const People = `
account:
  users:
  - {id: 1, name: Ada Admin, email: admin@shop.example, role: administrator}
  - {id: 2, name: Otto Owner, email: owner@shop.example, role: owner}
  - {id: 3, name: Ana Analyst, email: analyst@shop.example, role: restricted}
  - {id: 4, name: Dora Delegate, email: delegate@shop.example, role: restricted}
  - {id: 5, name: kiosk, role: sub_user, parent: analyst@shop.example}
  keys:
  - {key: 1/admin, user: admin@shop.example}
  - {key: 1/owner, user: owner@shop.example}
  - {key: 1/analyst, user: analyst@shop.example}
  - {key: 1/delegate, user: delegate@shop.example}
  - {key: 1/kiosk, user: kiosk}
  - {key: 1/write, user: admin@shop.example, kind: write-only}
`

// Client calls one interface of a mock of its own, whose clock is frozen unless an option says otherwise. The mock's
// own faults, such as an answer off the document, fail the test.
type Client struct {
	testing.TB
	Server *mockserver.Server
	Iface  specs.Interface
	Key    string // in Authorization, after the scheme; empty: not sent
}

// New returns a client of a mock whose world has only People.
func New(tb testing.TB, iface specs.Interface, opts ...mockserver.Option) *Client {
	tb.Helper()
	return Open(tb, iface, opts...).Load("")
}

// Open returns a client of a mock whose world is that of a scenario: empty, unless an option names another.
func Open(tb testing.TB, iface specs.Interface, opts ...mockserver.Option) *Client {
	tb.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithScenario("empty"), mockserver.WithClock("frozen"), mockserver.WithNow(Now),
		Failing(tb),
	}, opts...)
	server, err := mockserver.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return &Client{TB: tb, Server: server, Iface: iface, Key: "1/admin"}
}

// Load replaces the world's state by People and more of a fixture, in YAML.
func (c *Client) Load(more string) *Client {
	c.Helper()
	if err := c.World().Load([]byte(People + more)); err != nil {
		c.Fatal(err)
	}
	return c
}

// World returns the world that the client calls.
func (c *Client) World() *mockserver.World { return c.Server.World("") }

// Edit replaces the state of the world by an edited one, with a valid digest.
func (c *Client) Edit(change func(state string) string) {
	c.Helper()
	dump, err := c.World().State()
	if err == nil {
		err = c.World().Load(WithDigest(change(string(dump))))
	}
	if err != nil {
		c.Fatal(err)
	}
}

var digest = regexp.MustCompile(`"digest":"[^"]*",`)

// WithDigest returns an edited state with a valid digest, that of the text after it.
func WithDigest(state string) []byte {
	head, rest, _ := strings.Cut(state, digest.FindString(state))
	sum := sha256.Sum256([]byte("{" + strings.TrimSuffix(strings.TrimSpace(rest), "}")))
	return fmt.Appendf(nil, `%s"digest":"sha256:%x",%s`, head, sum, rest)
}

// As returns the same mock with another key.
func (c *Client) As(key string) *Client {
	other := *c
	other.Key = key
	return &other
}

// In returns the same mock in a subtest, which its failures then fail.
func (c *Client) In(t *testing.T) *Client {
	t.Helper()
	other := *c
	other.TB = t
	return &other
}

// At returns the same mock with another interface.
func (c *Client) At(iface specs.Interface) *Client {
	other := *c
	other.Iface = iface
	return &other
}

// Advance moves the frozen clock.
func (c *Client) Advance(by time.Duration) { c.World().Advance(by) }

// Call sends a body, if there is one: as JSON if it looks like JSON, else as a form. More headers come in pairs; an
// empty value removes the header.
func (c *Client) Call(method, path, body string, headers ...string) Answer {
	c.Helper()
	given := []string{"Authorization", ""}
	if c.Key != "" {
		given[1] = "SVC1 " + c.Key
	}
	if body != "" && !strings.ContainsAny(body[:1], "{[") {
		given = append(given, "Content-Type", "application/x-www-form-urlencoded")
	}
	doc := document(c.TB, c.Iface)
	target := "http://localhost/" + string(c.Iface) + doc.BasePath + path
	a := Call(c.TB, c.Server, method, target, body, append(given, headers...)...)
	noteAnswer(doc, method, path, a.Status)
	return a
}

// Get sends a GET request.
func (c *Client) Get(path string) Answer { c.Helper(); return c.Call(http.MethodGet, path, "") }

// Post sends a POST request.
func (c *Client) Post(path, body string) Answer {
	c.Helper()
	return c.Call(http.MethodPost, path, body)
}

// Put sends a PUT request.
func (c *Client) Put(path, body string) Answer {
	c.Helper()
	return c.Call(http.MethodPut, path, body)
}

// Patch sends a PATCH request.
func (c *Client) Patch(path, body string) Answer {
	c.Helper()
	return c.Call(http.MethodPatch, path, body)
}

// Delete sends a DELETE request.
func (c *Client) Delete(path string) Answer { c.Helper(); return c.Call(http.MethodDelete, path, "") }

func document(tb testing.TB, iface specs.Interface) *specs.Document {
	tb.Helper()
	doc, err := specs.Load(iface, "")
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// Failing lets the mock's own faults fail the test, which its output shows with all else that the mock logs.
func Failing(tb testing.TB) mockserver.Option {
	tb.Helper()
	return mockserver.WithLogger(slog.New(faults{tb, slog.NewTextHandler(tb.Output(), nil)}))
}

// faults is a log handler whose errors fail the test.
type faults struct {
	tb testing.TB
	slog.Handler
}

// Handle implements slog.Handler.
func (f faults) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		f.tb.Errorf("the mock failed: %s", r.Message)
	}
	return f.Handler.Handle(ctx, r)
}
