package mockserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/jarcoal/httpmock"

	"svc.example/understudy/specs"
)

// Transport serves the mock inside the process, as an http.RoundTripper. Responders that the user registers on the
// embedded MockTransport win over the mock; it answers everything else that is for one of its base addresses.
//
// It buffers each answer, so nothing can be streamed through it: for server-sent events, use Start.
type Transport struct {
	*httpmock.MockTransport
	server *Server
}

// DefaultBaseURL is the address at which a transport serves an interface unless WithBaseURL gives it another, such as
// https://workflow.svc.example, or https://core.svc.example/v3.
func DefaultBaseURL(iface string) string {
	base := "https://" + iface + ".svc.example"
	if iface == specs.Core {
		base += "/v3"
	}
	return base
}

// NewTransport makes a transport with a mock of its own, that is checked and closed when the test ends: a rule that
// fails, or an answer that would break the contract, fails the test. Its clock is auto unless an option says
// otherwise. Nothing is shared with other transports, and http.DefaultTransport is left alone.
func NewTransport(tb testing.TB, opts ...Option) *Transport {
	tb.Helper()
	defaults := []Option{WithClock("auto")}
	for _, name := range specs.Interfaces() {
		defaults = append(defaults, WithBaseURL(name, DefaultBaseURL(name)))
	}
	t := &Transport{MockTransport: httpmock.NewMockTransport(), server: newTestServer(tb, defaults, opts)}
	t.RegisterNoResponder(t.respond)
	return t
}

// newTestServer makes a server whose own faults fail the test.
func newTestServer(tb testing.TB, defaults, opts []Option) *Server {
	tb.Helper()
	var over atomic.Bool
	tb.Cleanup(func() { over.Store(true) })
	defaults = append(defaults, func(c *config) error {
		c.failed = func(message string) {
			if !over.Load() {
				tb.Error(message)
			}
		}
		return nil
	})
	s, err := newServer(defaults, opts)
	if err != nil {
		tb.Fatalf("understudy: %v", err)
	}
	return s
}

// Client is an HTTP client that sends everything through the transport.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// World is the world default, the one that requests are served in unless they choose another.
func (t *Transport) World() *World { return t.server.World("") }

// Server is the mock behind the transport.
func (t *Transport) Server() *Server { return t.server }

// respond serves one request of a client.
func (t *Transport) respond(r *http.Request) (*http.Response, error) {
	return roundTrip(t.server, r)
}

// roundTrip shows a client's request to the server as one that arrived there.
func roundTrip(s *Server, r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "192.0.2.1:1234"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	if target, ok := s.locate(in); !ok {
		return nil, fmt.Errorf("understudy: no interface answers at %s; give it that address with WithBaseURL", r.URL)
	} else if target.iface == "" {
		return nil, fmt.Errorf("understudy: %s names no interface", r.URL)
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, in)
	response := recorder.Result()
	response.Request = r
	return response, nil
}
