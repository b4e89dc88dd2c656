package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// door is a way to the mock: the address of the workflow interface, a client, and the world.
type door struct {
	url    string
	client *http.Client
	world  *mockserver.World
}

// doors are the ways by which Go's client reaches the mock.
var doors = map[string]func(*testing.T) door{
	"port": func(t *testing.T) door {
		t.Helper()
		return openPort(t, func(tr *http.Transport) { tr.ForceAttemptHTTP2 = false })
	},
	"TLS, HTTP/1.1": func(t *testing.T) door {
		t.Helper()
		return openPort(t, func(tr *http.Transport) { tr.ForceAttemptHTTP2 = false }, mockserver.WithTLS())
	},
	"TLS, HTTP/2": func(t *testing.T) door {
		t.Helper()
		return openPort(t, func(*http.Transport) {}, mockserver.WithTLS())
	},
	"transport": func(t *testing.T) door {
		t.Helper()
		tr := mockserver.NewTransport(t, mockserver.WithClock("frozen"))
		return door{"https://workflow.svc.example", tr.Client(), tr.World()}
	},
}

func openPort(t *testing.T, change func(*http.Transport), opts ...mockserver.Option) door {
	t.Helper()
	s := mockserver.Start(t, append(opts, mockserver.WithClock("frozen"))...)
	client := s.Client()
	transport := client.Transport.(*http.Transport)
	change(transport)
	t.Cleanup(transport.CloseIdleConnections)
	return door{s.URL(specs.Workflow), client, s.World("")}
}

// see sends a request and returns what Go's client sees of the answer.
func (d door) see(ctx context.Context, t *testing.T, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, d.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = !strings.Contains(t.Name(), "HTTP/2")
	r.Header.Set("Authorization", mocktest.Admin)
	r.Header.Set("Content-Type", "application/json")
	response, err := d.client.Do(r)
	if err != nil {
		return inShort(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	seen := fmt.Sprintf("%d with %d bytes", response.StatusCode, len(text))
	if err != nil {
		seen += ", then " + inShort(err)
	}
	return seen
}

// inShort names an error of Go's client as programs recognize it.
func inShort(err error) string {
	var stream http2.StreamError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNRESET):
		return "ECONNRESET"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected EOF"
	case errors.Is(err, io.EOF):
		return "EOF"
	case strings.Contains(err.Error(), "malformed HTTP response"):
		return "malformed HTTP response"
	case errors.As(err, &stream) || strings.Contains(err.Error(), "stream error"):
		return "stream error"
	}
	return err.Error()
}

// faultKinds are the kinds of faults, with what clients see of a GET of a pool, whose answer has 64 bytes.
var faultKinds = []struct {
	fault, want, overHTTP2 string
	injected               bool
}{
	{"status=503", "503 with 46 bytes", "", true},
	{"status=429 retryAfter=2s message=slow", "429 with 31 bytes", "", true},
	{"status=418", "418 with 39 bytes", "", true},
	{"status=599", "599 with 37 bytes", "", true},
	{"status=200 body=hello", "200 with 5 bytes", "", true},
	{"status=204", "204 with 0 bytes", "", true},
	{"status=503 network=truncated at=10", "503 with 10 bytes, then unexpected EOF", "", true},
	{"delay=1ms", "200 with 64 bytes", "", false},
	{"delay=1h", "timeout", "", true},
	{"bytesPerSecond=100000", "200 with 64 bytes", "", false},
	{"network=noAnswer", "timeout", "", true},
	{"network=reset", "ECONNRESET", "stream error", true},
	{"network=garbage", "malformed HTTP response", "stream error", true},
	{"network=resetInBody", "200 with 32 bytes, then ECONNRESET", "200 with 32 bytes, then stream error", false},
	{"network=truncated", "200 with 32 bytes, then unexpected EOF", "", false},
	{"network=truncated at=0", "200 with 0 bytes, then unexpected EOF", "", false},
	{"network=truncated at=99999", "200 with 63 bytes, then unexpected EOF", "", false},
	{"network=wrongLength", "200 with 64 bytes, then unexpected EOF", "", false},
	{"status=204 network=truncated", "EOF", "stream error", true},
	{"status=204 network=wrongLength", "EOF", "stream error", true},
	{"status=304", "304 with 0 bytes", "", true},
}

// Every kind of fault is seen as what it is, whatever the way to the mock is, and the journal has it.
func TestFaultsThroughEveryDoor(t *testing.T) {
	t.Parallel()
	for name, open := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range faultKinds {
				t.Run(kind.fault, func(t *testing.T) {
					t.Parallel()
					d := open(t)
					f, err := fixtures.ParseFault("workflow.getPool " + kind.fault)
					if err != nil {
						t.Fatal(err)
					}
					planned, err := d.world.Fault(f)
					if err != nil {
						t.Fatal(err)
					}
					ctx := t.Context()
					if kind.want == "timeout" {
						ctx = timeoutOf(ctx, planned)
					}
					want := kind.want
					if kind.overHTTP2 != "" && name == "TLS, HTTP/2" {
						want = kind.overHTTP2
					}
					if got := d.see(ctx, t, "GET", "/api/pools/1", ""); got != want {
						t.Errorf("the client sees: %s\nwant: %s", got, want)
					}
					checkFaultJournal(t, d, planned, want, kind.injected)
				})
			}
		})
	}
}

// timeout is a context whose time is over when its parent is cancelled.
type timeout struct{ context.Context }

func (c timeout) Err() error { return context.Cause(c.Context) }

// timeoutOf returns a context whose time is over once the fault was tried: before, the client would have left without
// the server knowing, on a busy machine.
func timeoutOf(parent context.Context, planned *mockserver.PlannedFault) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		for planned.Calls() == 0 && parent.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel(context.DeadlineExceeded)
	}()
	return timeout{ctx}
}

// checkFaultJournal holds the only exchange of the journal against what the client has seen.
func checkFaultJournal(t *testing.T, d door, planned *mockserver.PlannedFault, seen string, injected bool) {
	t.Helper()
	mocktest.Eventually(t, "the server notices that the client has left", func() bool {
		entries, err := d.world.Journal()
		return err != nil || len(entries) > 0
	})
	entries, err := d.world.Journal()
	if err != nil || len(entries) != 1 || planned.Calls() != 1 || planned.Hits() != 1 {
		t.Fatalf("%d exchanges, %d calls, %d hits, %v", len(entries), planned.Calls(), planned.Hits(), err)
	}
	e := entries[0]
	_, isInjected := e.InjectedFault()
	if !strings.HasPrefix(e.Fault, "fault-1; answer=") || isInjected != injected {
		t.Errorf("the journal says that the fault was %q", e.Fault)
	}
	switch {
	case e.Response == nil:
		if strings.Contains(seen, "with") {
			t.Errorf("the journal has no response, but the client saw %s", seen)
		}
	case !strings.HasPrefix(seen, fmt.Sprint(e.Response.Status)):
		t.Errorf("the journal has %d, but the client saw %s", e.Response.Status, seen)
	case strings.Contains(seen, "then") && (e.Response.Body == nil || !e.Response.Body.Truncated):
		t.Error("the journal does not have the body as truncated")
	}
}

// A fault lasts as long as it says, whatever the time limits are of connections whose requests are answered at once.
func TestFaultsOutlastConnectionLimits(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			mocktest.Plan(t, s.World(""), "workflow.getPool delay=1500ms bytesPerSecond=64")
			server := httptest.NewUnstartedServer(nil)
			server.Config, server.EnableHTTP2 = s.HTTPServer(), secure
			const limit = time.Second // a handshake on a busy machine takes a while, too
			server.Config.ReadTimeout, server.Config.WriteTimeout = limit, limit
			if secure {
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			d := door{server.URL + "/workflow", server.Client(), s.World("")}
			if got := d.see(t.Context(), t, "GET", "/api/pools/1", ""); got != "200 with 64 bytes" {
				t.Errorf("the client sees: %s", got)
			}
		})
	}
}
