package contract

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"svc.example/understudy/specs/recording"
)

// maxRecordedBody bounds how much of each body a Recorder keeps. What is beyond is passed on but marked as truncated.
const maxRecordedBody = 16 << 20

// Recorder is a RoundTripper that records what goes through it, for AssertConforms or for a file. With Handler it
// records what a server serves. Neither the client nor the server notices: bodies are copied while they are read, and
// streams stay streams. It is safe for concurrent use.
//
// Secrets are in memory only. What Exchanges and WriteTo give is redacted; the same secret has the same mark within one
// Recorder, and another one in every other.
type Recorder struct {
	next     http.RoundTripper
	redactor *recording.Redactor
	err      error // of the options

	mu      sync.Mutex
	entries []*entry
}

// entry is an exchange that may be under way.
type entry struct {
	mu       sync.Mutex
	exchange recording.Exchange
	request  *copied
	response *copied
	lengths  [2]int64 // of the bodies of request and response, -1 where they are not known beforehand
	done     bool
}

// NewRecorder returns a recorder of what goes through next, or through http.DefaultTransport if next is nil. It takes
// WithBrand, by whose scheme keys are recognised; what is wrong with its options is an error of AssertConforms and
// WriteTo.
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
	return &Recorder{
		next: next, redactor: &recording.Redactor{Brand: c.brand, Salt: salt}, err: errors.Join(errs...),
	}
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	e := &entry{exchange: recording.Exchange{
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
		e.declare(request.ContentLength)
	}
	response, err := r.next.RoundTrip(e.tee(request))
	e.exchange.End = time.Now()
	if err == nil {
		e.answered(response)
	}
	r.add(e)
	return response, err
}

// declare notes the length that a request said its body has.
func (e *entry) declare(length int64) {
	header := [2]string{"Content-Length", strconv.FormatInt(length, 10)}
	e.exchange.Request.Headers = append(e.exchange.Request.Headers, header)
}

// add numbers exchanges in the order in which their answers came.
func (r *Recorder) add(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
	e.mu.Lock()
	e.exchange.Seq = int64(len(r.entries))
	e.mu.Unlock()
}

// tee gives the transport a request whose body is copied while it is read. The caller's request stays as it is.
func (e *entry) tee(request *http.Request) *http.Request {
	if request.Body == nil || request.Body == http.NoBody {
		return request
	}
	e.request = &copied{ReadCloser: request.Body}
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

func (e *entry) answered(response *http.Response) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exchange.Response = &recording.Response{Status: response.StatusCode, Headers: headersOf(response.Header)}
	e.lengths[1] = response.ContentLength
	switch {
	case response.Body == nil || response.StatusCode == http.StatusSwitchingProtocols:
		return
	case response.Body == http.NoBody:
		e.response = &copied{whole: e.exchange.Request.Method != http.MethodHead}
		return
	}
	e.response = &copied{ReadCloser: response.Body, ended: func() {
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

// copied is a body that keeps what is read from it.
type copied struct {
	io.ReadCloser
	ended func() // at the end, or when it is closed

	mu        sync.Mutex
	kept      bytes.Buffer
	truncated bool
	whole     bool
}

func (c *copied) Read(p []byte) (int, error) {
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

// keep adds bytes, as long as there is room.
func (c *copied) keep(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := maxRecordedBody - c.kept.Len()
	c.kept.Write(p[:min(len(p), room)])
	c.truncated = c.truncated || len(p) > room
}

func (c *copied) Close() error {
	err := c.ReadCloser.Close()
	if c.ended != nil {
		c.ended()
	}
	return err
}

// restart begins the copy anew: the transport sends the request again.
func (c *copied) restart(body io.ReadCloser) *copied {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Reset()
	c.truncated, c.whole = false, false
	return &copied{ReadCloser: &forward{ReadCloser: body, to: c}}
}

// forward copies into another copy.
type forward struct {
	io.ReadCloser
	to *copied
}

func (f *forward) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.to.keep(p[:n])
	return n, err
}

// body returns what was copied. A body that the other side did not read to its end may be longer; length is its full
// length, or negative if that is unknown.
func (c *copied) body(length int64) *recording.Body {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.whole || length >= 0 && int64(c.kept.Len()) == length || isWholeJSON(c.kept.Bytes())
	return &recording.Body{Bytes: bytes.Clone(c.kept.Bytes()), Truncated: c.truncated || !whole}
}

// isWholeJSON reports whether bytes are an object or a list to its end. Decoders of JSON stop there, without looking
// for the end of the body.
func isWholeJSON(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && (b[0] == '{' || b[0] == '[') && json.Valid(b)
}

// raw lists the exchanges with their secrets. Those that are under way are there as far as they are.
func (r *Recorder) raw() iter.Seq[*recording.Exchange] {
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

func (e *entry) snapshot() *recording.Exchange {
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
