package mockserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/netfault"
	"svc.example/understudy/specs"
)

// Transport serves the mock inside the process, as an http.RoundTripper. Responders that the user registers on the
// embedded MockTransport win over the mock; it answers everything else that is for one of its base addresses.
//
// It has each answer as a whole before the client reads it, also one that the platform would stream. Only the stream of
// a journal comes while it is read, until the client closes its body, its context ends, or the test ends.
//
// A request whose context ends before its answer may still take effect, as on a network: the mock may be at it, and
// commits it to the journal. World.WaitFor and the end of the test wait for it.
type Transport struct {
	*httpmock.MockTransport
	server *Server
}

// DefaultBaseURL is the address at which a transport serves an interface unless WithBaseURL gives it another, such as
// https://workflow.svc.example, or https://core.svc.example/v3.
func DefaultBaseURL(iface specs.Interface) string {
	base := "https://" + iface + ".svc.example"
	if iface == specs.Core {
		base += "/v3"
	}
	return string(base)
}

// NewTransport makes a transport with a mock of its own, that is checked and closed when the test ends: a handler that
// fails, or an answer that would break the contract, fails the test. Its clock is auto unless an option says
// otherwise. A test that fails logs its last exchanges. Nothing is shared with other transports, and
// http.DefaultTransport is left alone.
func NewTransport(tb testing.TB, opts ...Option) *Transport {
	tb.Helper()
	defaults := []Option{WithClock(ClockAuto)}
	for _, name := range specs.Interfaces() {
		defaults = append(defaults, WithBaseURL(name, DefaultBaseURL(name)))
	}
	t := &Transport{MockTransport: httpmock.NewMockTransport(), server: newTestServer(tb, defaults, opts)}
	t.server.addBrandedBases()
	t.server.addOwnBases()
	tb.Cleanup(t.server.closeFor(tb))
	t.RegisterNoResponder(t.server.roundTrip)
	return t
}

// addBrandedBases lets interfaces that have their default address answer at that of the brand as well, such as
// https://workflow.acme.example.
func (s *Server) addBrandedBases() {
	for _, base := range s.bases {
		if own := s.brand.Text(base.text); base.text == DefaultBaseURL(base.iface) && own != base.text {
			branded, err := newBaseURL(base.iface, own)
			if err == nil { // cannot be: a brand has letters and digits only
				s.bases = append(s.bases, branded)
			}
		}
	}
}

// addOwnBases lets interfaces of the user's own answer at the servers of their documents, and at a default address each
// that ends in the path of the first, such as https://shop.svc.example/v2, unless WithBaseURL has given them one.
func (s *Server) addOwnBases() {
	for _, name := range s.config.interfaces {
		isGiven := func(b baseURL) bool { return b.iface == name }
		if !name.IsOwn() || slices.ContainsFunc(s.bases, isGiven) {
			continue
		}
		iface, err := s.loaded(name)
		if err != nil { // which newServer has reported
			continue
		}
		for _, address := range append(iface.doc.ServerURLs(), DefaultBaseURL(name)+iface.doc.BasePath) {
			if base, err := newBaseURL(name, address); err == nil && !strings.Contains(address, "*") {
				s.bases = append(s.bases, base)
			}
		}
	}
}

// newTestServer makes a server whose own faults fail the test. A test that fails logs the last exchanges.
func newTestServer(tb testing.TB, defaults, opts []Option) *Server {
	tb.Helper()
	var mu sync.Mutex // so that no goroutine reports to a test that is over, which panics
	over := false
	tb.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	defaults = append(defaults, func(c *config) error {
		c.helper = tb.Helper
		c.failed = func(message string) {
			tb.Helper()
			mu.Lock()
			defer mu.Unlock()
			if !over {
				tb.Error(message)
			}
		}
		return nil
	})
	s, err := newServer(defaults, opts)
	if err != nil {
		tb.Fatalf("understudy: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			s.logLastExchanges(tb)
		}
	})
	return s
}

// closeFor returns what closes the server at the end of a test.
func (s *Server) closeFor(tb testing.TB) func() {
	tb.Helper()
	return func() {
		if err := s.Close(); err != nil {
			tb.Logf("understudy: close: %v", err)
		}
	}
}

// Client is an HTTP client that sends everything through the transport.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// World is the world default, the one that requests are served in unless they choose another.
func (t *Transport) World() *World { return t.server.World("") }

// Server is the mock behind the transport.
func (t *Transport) Server() *Server { return t.server }

// roundTrip shows a client's request to the server as one that arrived there. The server waits for it when it is
// closed.
func (s *Server) roundTrip(r *http.Request) (*http.Response, error) {
	s.routines.Add()
	defer s.routines.Done()
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := cmp.Or(r.Context().Err(), context.Cause(s.stopping)); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "192.0.2.1:1234"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	switch {
	case in.Body == nil:
		in.Body = http.NoBody
	case in.GetBody == nil: // it is not in memory, so that to read it may take for ever
		defer context.AfterFunc(in.Context(), func() { _ = in.Body.Close() })()
	}
	if in.ContentLength > 0 { // on the wire it is there, and gives the length of a body that is not read
		in.Header.Set("Content-Length", strconv.FormatInt(in.ContentLength, 10))
	}
	target, ok := s.locate(in)
	switch {
	case !ok:
		return nil, fmt.Errorf("understudy: no interface is served at %s; %s", r.URL, s.servedAt(in.Host))
	case target.iface == "":
		return nil, fmt.Errorf("understudy: %s does not name an interface", r.URL)
	case target.iface == specs.Control:
		return roundTripLive(s, r, in)
	}
	w := &responseWriter{header: http.Header{}}
	err := routine.Try(func() error {
		s.serve(w, in, target)
		return nil
	})
	if err = s.unanswered(w, r, err); err != nil {
		return nil, err
	}
	return w.response(r), nil
}

// servedAt says which addresses are right in place of one at a host that no interface has.
func (s *Server) servedAt(host string) string {
	var list []string
	for _, base := range s.bases {
		if strings.EqualFold(base.host, host) {
			list = append(list, fmt.Sprintf("the address of %s is %s", base.iface, base.text))
		}
	}
	if list == nil {
		return "assign the address with WithBaseURL"
	}
	return strings.Join(list, ", ")
}

// unanswered returns the error that a client in the process gets in place of an answer; nil if there is an answer. A
// panic, such as that of a log or a console of the user's own, is in the log, and fails the test.
func (s *Server) unanswered(w *responseWriter, r *http.Request, err error) error {
	switch {
	case err == nil:
		return w.Err()
	case errors.Is(err, http.ErrAbortHandler): // by which a handler of the user's own cuts the connection
		return cmp.Or(r.Context().Err(), io.EOF)
	}
	s.fail("serve a request", slog.String("request", r.Method+" "+r.URL.Redacted()), slog.Any("error", err))
	return fmt.Errorf("understudy: the mock failed: %s", routine.Brief(err))
}

// responseWriter keeps what a handler writes, for a client in the same process.
type responseWriter struct {
	header http.Header
	status int
	body   []byte
	netfault.Local
}

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // others come before the answer
		w.status = status
	}
}

// SetWriteDeadline does nothing: a client in the same process needs no deadline.
func (w *responseWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *responseWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, b...)
	return len(b), nil
}

func (w *responseWriter) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK) // of a handler that has written nothing
	response := &http.Response{
		Status:     strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: http.NoBody, ContentLength: int64(len(w.body)), Request: r,
	}
	if broken := w.Body(r.Context(), w.body); broken != nil {
		response.Body, response.ContentLength = broken, announced(w.header)
	} else if len(w.body) > 0 {
		response.Body = io.NopCloser(bytes.NewReader(w.body))
	}
	return response
}

// announced returns the length of a body by its header, or -1 if that does not say it.
func announced(header http.Header) int64 {
	n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// roundTripLive serves a request for a client in the same process that may read the answer while it is written. The
// response is there with the first flush, or with the end of the answer. The context of a handler that goes on ends
// when the body is closed, when the context of the request ends, or when the server is closed; what it writes then is
// dropped.
func roundTripLive(s *Server, r, in *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(in.Context())
	leave := func() { cancel(nil) }
	w := newLiveWriter()
	forget := context.AfterFunc(s.stopping, func() { cancel(errClosed) })
	stop := context.AfterFunc(ctx, func() { w.end(in.Context().Err()) }) // the client may not be reading
	ended := make(chan error, 1)
	s.routines.GoThen(func() error {
		s.ServeHTTP(w, in.WithContext(ctx))
		return nil
	}, func(err error) {
		err = s.unanswered(&w.responseWriter, r, err)
		forget()
		stop()
		w.end(cmp.Or(err, in.Context().Err()))
		leave()
		ended <- err
	})
	select {
	case <-w.flushed:
		return w.live(r, leave), nil
	case err := <-ended:
		switch {
		case err != nil:
			return nil, err
		case w.sent != nil: // both at once
			return w.live(r, leave), nil
		}
		return w.response(r), nil
	case <-in.Context().Done():
		leave()
		return nil, in.Context().Err()
	}
}

// liveWriter keeps what a handler writes until it is flushed. What is written then goes to a pipe.
type liveWriter struct {
	responseWriter
	flushed chan struct{} // closed by the first flush
	begin   sync.Once
	sent    http.Header // as they were then
	reader  *io.PipeReader
	pipe    *io.PipeWriter
}

func newLiveWriter() *liveWriter {
	w := &liveWriter{responseWriter: responseWriter{header: http.Header{}}, flushed: make(chan struct{})}
	w.reader, w.pipe = io.Pipe()
	return w
}

func (w *liveWriter) Write(b []byte) (int, error) {
	if w.sent != nil {
		return w.pipe.Write(b)
	}
	return w.responseWriter.Write(b)
}

func (w *liveWriter) Flush() {
	w.begin.Do(func() {
		w.WriteHeader(http.StatusOK)
		w.sent = w.header.Clone()
		close(w.flushed)
	})
}

// end ends the answer. A reader gets the error, or io.EOF without one.
func (w *liveWriter) end(err error) { _ = w.pipe.CloseWithError(err) } // which never fails

// live returns the response of a handler that has flushed, and may still be writing.
func (w *liveWriter) live(r *http.Request, leave context.CancelFunc) *http.Response {
	begun := w.body
	writing := responseWriter{header: w.sent, status: w.status}
	response := writing.response(r)
	response.ContentLength = -1
	response.Body = &liveBody{io.MultiReader(bytes.NewReader(begun), w.reader), w.reader, leave}
	return response
}

// liveBody is the body of an answer that is written while it is read.
type liveBody struct {
	io.Reader
	pipe  *io.PipeReader
	leave context.CancelFunc
}

// Close implements io.Closer. It ends the handler, too.
func (b *liveBody) Close() error {
	b.leave()
	return b.pipe.Close()
}
