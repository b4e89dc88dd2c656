package contract

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/felixge/httpsnoop"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// maxRecordedBody is the largest number of bytes of a body that a Recorder keeps. Longer bodies are passed on in full,
// and recorded as truncated.
const maxRecordedBody = 16 << 20

// Recorder is a RoundTripper that records exchanges, for AssertConforms or for a file. With Handler it records what a
// server serves. It does not change the behaviour of client and server: bodies are copied while they are read, and
// streams stay streams. It is safe for concurrent use.
//
// Secrets are kept in memory only: Exchanges and WriteTo replace them by marks. A secret has the same mark within one
// Recorder, and different ones in different Recorders.
type Recorder struct {
	next     http.RoundTripper
	redactor *recording.Redactor
	err      error // of the options

	mu      sync.Mutex
	entries []*recordedExchange
}

// recordedExchange is an exchange that may not be finished yet.
type recordedExchange struct {
	mu       sync.Mutex
	exchange recording.Exchange
	request  *bodyCopy
	response *bodyCopy
	lengths  [2]int64 // of the bodies of request and response, -1 where they are not known beforehand
	done     bool
}

// NewRecorder returns a recorder of the exchanges of next, or of http.DefaultTransport if next is nil. Its options
// are WithBrand and WithSpec, by whose schemes keys are recognised. AssertConforms and WriteTo report invalid options.
func NewRecorder(next http.RoundTripper, opts ...Option) *Recorder {
	if next == nil {
		next = http.DefaultTransport
	}
	c := newConfig()
	var errs []error
	for _, opt := range opts {
		errs = append(errs, opt(&c))
	}
	errs = append(errs, recordingTraffic.check(c))
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	var own []*specs.Document
	for name := range c.specs {
		d, err := c.document(name)
		if errs = append(errs, err); err == nil {
			own = append(own, d)
		}
	}
	return &Recorder{
		next: next, redactor: &recording.Redactor{Brand: c.brand, Salt: salt, Documents: own}, err: errors.Join(errs...),
	}
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	e := &recordedExchange{exchange: recording.Exchange{
		Start:   time.Now(),
		Request: recording.Request{Method: request.Method, URL: request.URL.String(), Headers: headersOf(request.Header)},
	}}
	if e.exchange.Request.Method == "" {
		e.exchange.Request.Method = http.MethodGet
	}
	if request.Host != "" && request.Host != request.URL.Host {
		e.exchange.Request.Headers = append(e.exchange.Request.Headers, [2]string{"Host", request.Host})
	}
	if e.lengths[0] = request.ContentLength; request.ContentLength == 0 {
		e.lengths[0] = -1 // a body of unknown length, or none
	}
	if request.ContentLength > 0 { // the transport writes it, and it gives the size of a body that is not read whole
		e.addContentLength(request.ContentLength)
	}
	response, err := r.next.RoundTrip(e.tee(request))
	e.exchange.End = time.Now()
	if err == nil {
		e.addAnswer(response)
	}
	r.add(e)
	return response, err
}

// addContentLength adds the header with the length of a request's body.
func (e *recordedExchange) addContentLength(length int64) {
	header := [2]string{"Content-Length", strconv.FormatInt(length, 10)}
	e.exchange.Request.Headers = append(e.exchange.Request.Headers, header)
}

// add adds an exchange, numbered in the order of the answers.
func (r *Recorder) add(e *recordedExchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
	e.mu.Lock()
	e.exchange.Seq = int64(len(r.entries))
	e.mu.Unlock()
}

// tee returns a request whose body is copied while it is read. The caller's request is not changed.
func (e *recordedExchange) tee(request *http.Request) *http.Request {
	if request.Body == nil || request.Body == http.NoBody {
		return request
	}
	e.request = &bodyCopy{ReadCloser: request.Body}
	clone := *request
	clone.Body = e.request
	if again := request.GetBody; again != nil {
		clone.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return e.request.restart(body), nil
		}
	}
	return &clone
}

func (e *recordedExchange) addAnswer(response *http.Response) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exchange.Response = &recording.Response{Status: response.StatusCode, Headers: headersOf(response.Header)}
	e.lengths[1] = response.ContentLength
	switch {
	case response.Body == nil || response.StatusCode == http.StatusSwitchingProtocols:
		return
	case response.Body == http.NoBody:
		e.response = &bodyCopy{whole: e.exchange.Request.Method != http.MethodHead}
		return
	}
	e.response = &bodyCopy{ReadCloser: response.Body, ended: func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.done {
			e.done, e.exchange.End = true, time.Now()
		}
	}}
	response.Body = e.response
}

func headersOf(header http.Header) recording.Headers {
	list := recording.Headers{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	slices.SortStableFunc(list, func(a, b [2]string) int { return bytes.Compare([]byte(a[0]), []byte(b[0])) })
	return list
}

// bodyCopy is a body that keeps what is read from it.
type bodyCopy struct {
	io.ReadCloser
	ended func() // at the end, or when it is closed

	mu        sync.Mutex
	kept      bytes.Buffer
	truncated bool
	whole     bool
}

func (c *bodyCopy) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.keep(p[:n])
	if errors.Is(err, io.EOF) {
		c.mu.Lock()
		c.whole = true
		c.mu.Unlock()
	}
	if err != nil && c.ended != nil {
		c.ended()
	}
	return n, err
}

// keep adds bytes, up to maxRecordedBody.
func (c *bodyCopy) keep(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := maxRecordedBody - c.kept.Len()
	c.kept.Write(p[:min(len(p), room)])
	c.truncated = c.truncated || len(p) > room
}

func (c *bodyCopy) Close() error {
	err := c.ReadCloser.Close()
	if c.ended != nil {
		c.ended()
	}
	return err
}

// restart empties the copy, since the transport sends the request again.
func (c *bodyCopy) restart(body io.ReadCloser) *bodyCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Reset()
	c.truncated, c.whole = false, false
	return &bodyCopy{ReadCloser: &forwardingReader{ReadCloser: body, to: c}}
}

// forwardingReader copies what is read into another copy.
type forwardingReader struct {
	io.ReadCloser
	to *bodyCopy
}

func (f *forwardingReader) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.to.keep(p[:n])
	return n, err
}

// body returns what was copied. A body that the other side did not read to its end may be longer; length is its full
// length, or negative if that is unknown.
func (c *bodyCopy) body(length int64) *recording.Body {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.whole || length >= 0 && int64(c.kept.Len()) == length || isWholeJSON(c.kept.Bytes())
	return &recording.Body{Bytes: bytes.Clone(c.kept.Bytes()), Truncated: c.truncated || !whole}
}

// isWholeJSON reports whether bytes are a complete JSON object or list. Decoders stop there without reading the end of
// the body.
func isWholeJSON(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && (b[0] == '{' || b[0] == '[') && json.Valid(b)
}

// unredacted lists the exchanges with their secrets, also unfinished ones.
func (r *Recorder) unredacted() iter.Seq[*recording.Exchange] {
	r.mu.Lock()
	entries := slices.Clone(r.entries)
	r.mu.Unlock()
	return func(yield func(*recording.Exchange) bool) {
		for _, e := range entries {
			if !yield(e.snapshot()) {
				return
			}
		}
	}
}

func (e *recordedExchange) snapshot() *recording.Exchange {
	e.mu.Lock()
	defer e.mu.Unlock()
	exchange := e.exchange
	exchange.Request.Body = e.request.body(e.lengths[0])
	if exchange.Response != nil {
		response := *exchange.Response
		response.Body = e.response.body(e.lengths[1])
		exchange.Response = &response
	}
	return &exchange
}

// Handler records what next serves, for tests of servers, such as a test double of the platform or a gateway before it.
// It does not change the behaviour of either side: streams stay streams, and the ResponseWriter keeps its optional
// interfaces. If a handler panics or takes over the connection, its exchange has no answer.
func (r *Recorder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		e := &recordedExchange{exchange: recording.Exchange{
			Start: time.Now(),
			Request: recording.Request{
				Method: request.Method, URL: requestURL(request),
				Headers: append(headersOf(request.Header), [2]string{"Host", request.Host}),
			},
		}}
		if e.lengths[0] = request.ContentLength; request.ContentLength > 0 {
			e.addContentLength(request.ContentLength)
		}
		if request.Body != nil && request.Body != http.NoBody {
			e.request = &bodyCopy{ReadCloser: request.Body}
			request = request.WithContext(request.Context()) // a copy: the server's own stays as it is
			request.Body = e.request
		}
		e.lengths[1] = -1
		defer func() { // also when the handler panics
			if e.mu.Lock(); !e.done {
				e.exchange.End = time.Now()
			}
			e.mu.Unlock()
			r.add(e)
		}()
		answer := &pendingAnswer{recordedExchange: e, sent: w.Header()}
		next.ServeHTTP(answer.wrap(w), request)
		answer.end()
	})
}

// requestURL returns the address that a request to a server was sent to, as far as the server knows it.
func requestURL(request *http.Request) string {
	u := *request.URL
	if u.Host == "" {
		u.Scheme, u.Host = "http", request.Host
		if request.TLS != nil {
			u.Scheme = "https"
		}
	}
	return u.String()
}

// pendingAnswer is an answer that a handler is writing.
type pendingAnswer struct {
	*recordedExchange
	sent http.Header
	gone bool // the connection was taken over
}

// wrap returns a writer that copies the answer, with the optional interfaces of w, such as http.Flusher.
func (a *pendingAnswer) wrap(w http.ResponseWriter) http.ResponseWriter {
	return httpsnoop.Wrap(w, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) {
				if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
					a.begin(status)
				}
				next(status)
			}
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(b []byte) (int, error) {
				a.begin(http.StatusOK)
				n, err := next(b)
				a.response.keep(b[:n])
				return n, err
			}
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(source io.Reader) (int64, error) {
				a.begin(http.StatusOK)
				return next(io.TeeReader(source, copyWriter{a.response}))
			}
		},
		Hijack: func(next httpsnoop.HijackFunc) httpsnoop.HijackFunc {
			return func() (net.Conn, *bufio.ReadWriter, error) {
				conn, buffer, err := next()
				a.gone = a.gone || err == nil
				return conn, buffer, err
			}
		},
	})
}

// begin records status and headers, once.
func (a *pendingAnswer) begin(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.exchange.Response == nil {
		a.exchange.Response = &recording.Response{Status: status, Headers: headersOf(a.sent)}
		a.response = &bodyCopy{}
	}
}

// end completes the answer after the handler has returned.
func (a *pendingAnswer) end() {
	if a.gone {
		return
	}
	a.begin(http.StatusOK)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.exchange.End = true, time.Now()
	if a.exchange.Request.Method == http.MethodHead {
		a.response = nil
		return
	}
	a.response.whole = true
	a.addSniffedType()
}

// addSniffedType adds the Content-Type that package net/http sniffs if the handler has set none.
func (a *pendingAnswer) addSniffedType() {
	_, isSet := a.sent["Content-Type"]
	if kept := a.response.kept.Bytes(); !isSet && len(kept) > 0 && a.sent.Get("Content-Encoding") == "" {
		kind := [2]string{"Content-Type", http.DetectContentType(kept)}
		a.exchange.Response.Headers = append(a.exchange.Response.Headers, kind)
	}
}

// copyWriter writes to a copy.
type copyWriter struct{ *bodyCopy }

func (k copyWriter) Write(b []byte) (int, error) {
	k.keep(b)
	return len(b), nil
}
