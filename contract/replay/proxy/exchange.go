package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// exchange is one request on its way through the proxy.
type exchange struct {
	proxy     *Proxy
	target    *target
	at        place
	url       *url.URL // at the service
	from      context.Context
	client    *http.ResponseController
	operation *specs.Operation
	isOld     bool  // the client speaks HTTP/1.0, where only the end of the connection is the end of an answer
	after     int64 // how many exchanges were over when it began

	e        recording.Exchange
	request  *bodyCopy
	response *bodyCopy
	broken   atomic.Pointer[error] // why the request could not be read to its end
	done     sync.Once
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// begin begins an exchange with a target.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request, t *target, at place) *exchange {
	x := &exchange{
		proxy: p, client: http.NewResponseController(w), target: t, at: at,
		url: t.at(at.path, r.URL), from: r.Context(), isOld: !r.ProtoAtLeast(1, 1),
	}
	if p.recorder == nil {
		return x
	}
	x.after = p.recorder.last.Load()
	x.operation = t.operation(r.Method, at.path)
	x.e = recording.Exchange{
		Start:   time.Now().UTC(),
		Request: recording.Request{Method: r.Method, URL: x.url.String(), Headers: headersOf(r.Header)},
	}
	if x.operation != nil {
		x.e.Operation = x.operation.Name()
	}
	return x
}

// ownHeaders are headers of requests that are for the proxy, not for the service.
var ownHeaders = []string{tokenHeader, loopHeader, "Proxy-Authorization", "Proxy-Connection"}

// headersOf returns headers in the order of their names; the one in which they came is not known.
func headersOf(header http.Header) recording.Headers {
	list := make(recording.Headers, 0, len(header))
	for name, values := range header {
		if slices.Contains(ownHeaders, name) {
			continue
		}
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	slices.SortStableFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// note adds a remark to the recording.
func (x *exchange) note(format string, args ...any) {
	x.e.Notes = append(x.e.Notes, fmt.Sprintf(format, args...))
}

// copyRequest returns the body of the request, which is copied while it is read.
func (x *exchange) copyRequest(body io.ReadCloser) io.ReadCloser {
	x.request = x.proxy.newCopy()
	return &requestBody{body, x}
}

// requestBody is the body of a request. The transport may still read it when the answer is there.
type requestBody struct {
	io.ReadCloser
	x *exchange
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.x.request.add(p[:n])
	switch {
	case errors.Is(err, io.EOF):
		b.x.request.end()
	case err != nil && !errors.Is(err, http.ErrBodyReadAfterClose):
		b.x.broken.CompareAndSwap(nil, &err)
	}
	return n, err
}

// answer takes the answer of the service, before any of it is passed on.
func (x *exchange) answer(r *http.Response) {
	if x.proxy.recorder != nil {
		x.e.Response = &recording.Response{Status: r.StatusCode, Headers: headersOf(r.Header)}
	}
	x.rewriteAnswer(r.Header)
	switch {
	case r.StatusCode == http.StatusSwitchingProtocols:
		x.note("the connection was upgraded to %s; what was sent over it afterwards is not recorded",
			r.Header.Get("Upgrade"))
		x.commit()
	case r.Request.Method == http.MethodHead, r.StatusCode == http.StatusNotModified:
		x.commit()
	case r.ContentLength == 0, r.Body == http.NoBody, r.StatusCode == http.StatusNoContent:
		x.response = x.proxy.newCopy()
		x.response.end()
		x.commit()
	default:
		x.response = x.proxy.newCopy()
		r.Body = &answerBody{ReadCloser: r.Body, x: x, left: r.ContentLength, trailer: &r.Trailer, flushes: flushes(r)}
		if r.ContentLength < 0 && x.isOld { // its end is only that of the connection
			r.Body = &lastByte{ReadCloser: r.Body}
		}
	}
}

// fail answers for a service that did not.
func (x *exchange) fail(w http.ResponseWriter, err error) {
	problem := x.problemOf(err)
	x.proxy.failed.Add(1)
	x.proxy.config.Log.Warn("no answer", "interface", x.target.iface, "path", x.proxy.plain(x.at.path),
		"kind", problem.kind, "reason", problem.message)
	x.e.Response = nil
	x.note("no answer: %s", x.proxy.plain(problem.message))
	x.commit()
	x.proxy.refuse(w, problem)
}

// abandon commits an exchange that ended in any other way.
func (x *exchange) abandon() { x.commit() }

// commit records the exchange, once.
func (x *exchange) commit() {
	x.done.Do(func() {
		if x.proxy.recorder == nil {
			return
		}
		x.e.End = time.Now().UTC()
		x.e.Request.Body = x.request.body()
		if x.e.Response != nil {
			x.e.Response.Body = x.response.body()
		}
		if err := x.proxy.recorder.write(x); err != nil {
			x.proxy.config.Log.Debug("an exchange is not recorded", slog.Any("error", err))
		}
	})
}

// flushes reports whether what was passed on of an answer has to be flushed: ReverseProxy does so only for streams.
func flushes(r *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.ContentLength >= 0 && kind != "text/event-stream"
}

// answerBody is the body of an answer. Its end is passed on when the exchange is recorded: the last bytes of one with a
// length, the end itself of any other.
type answerBody struct {
	io.ReadCloser
	x       *exchange
	left    int64 // of its length; negative if that is not known
	trailer *http.Header
	flushes bool
	passed  bool // some of it was passed on, and not flushed
	err     error
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	if b.passed && b.left != 0 { // the next part may take its time, and may never come
		_ = b.x.client.Flush()
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.passed = b.flushes && n > 0
	b.x.response.add(p[:n])
	if b.left > 0 {
		b.left = max(0, b.left-int64(n))
	}
	switch {
	case b.left == 0 || errors.Is(err, io.EOF):
		if trailers := headersOf(*b.trailer); len(trailers) > 0 {
			b.x.note("trailers after the body: %s", namesOf(trailers))
		}
		b.x.response.end()
		b.x.commit()
	case err != nil:
		b.x.note("the answer broke off after %d bytes: %s", b.x.response.size,
			b.x.proxy.plain(b.x.problemOf(err).message))
		b.x.commit()
		if b.err = err; n > 0 { // the error comes when this part is passed on
			err = nil
		}
	}
	return n, err
}

func namesOf(headers recording.Headers) string {
	var names []string
	for _, h := range headers {
		names = append(names, h[0])
	}
	return strings.Join(slices.Compact(names), ", ")
}

// Close implements io.Closer. A body that was not read to its end had a client that went away.
func (b *answerBody) Close() error {
	err := b.ReadCloser.Close()
	if b.x.from.Err() != nil && !b.x.response.isWhole() {
		b.x.note("the client closed the connection after %d bytes of the answer", b.x.response.size)
	}
	b.x.commit()
	return err
}

// lastByte is a body whose last byte is held back until its end is known.
type lastByte struct {
	io.ReadCloser
	held []byte
}

// Read implements io.Reader.
func (b *lastByte) Read(p []byte) (int, error) {
	if len(p) < 2 {
		buffer := make([]byte, 2)
		n, err := b.Read(buffer)
		return copy(p, buffer[:min(n, len(p))]), err
	}
	k := copy(p, b.held)
	n, err := b.ReadCloser.Read(p[k:])
	if n += k; err != nil || n == 0 {
		b.held = nil
		return n, err
	}
	b.held = bytes.Clone(p[n-1 : n])
	return n - 1, nil
}

// bodyCopy keeps the beginning of a body that goes by, and the digest of one that is longer.
type bodyCopy struct {
	limit int64

	mu     sync.Mutex
	kept   []byte
	size   int64
	digest hash.Hash // nil as long as all is kept
	whole  bool
	closed bool // it is recorded
}

// newCopy returns a copy, or nil if nothing is recorded.
func (p *Proxy) newCopy() *bodyCopy {
	if p.recorder == nil {
		return nil
	}
	return &bodyCopy{limit: p.config.BodyLimit}
}

func (c *bodyCopy) add(b []byte) {
	if c == nil || len(b) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	room := max(0, min(c.limit-int64(len(c.kept)), int64(len(b))))
	c.kept = append(c.kept, b[:room]...)
	if c.size += int64(len(b)); c.size > c.limit {
		if c.digest == nil {
			c.digest = sha256.New()
			c.digest.Write(c.kept)
			b = b[room:]
		}
		c.digest.Write(b)
	}
}

// end notes that all of the body has gone by.
func (c *bodyCopy) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = true
}

func (c *bodyCopy) isWhole() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole
}

// body returns what is recorded of the body.
func (c *bodyCopy) body() *recording.Body {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	body := &recording.Body{Bytes: c.kept, Truncated: !c.whole || c.digest != nil}
	if c.whole && c.digest != nil {
		body.Size, body.SHA256 = c.size, hex.EncodeToString(c.digest.Sum(nil))
	}
	if c.kept, c.closed = nil, true; body.Bytes == nil {
		body.Bytes = []byte{}
	}
	return body
}

// buffers is a pool of buffers to copy with.
type buffers struct{ sync.Pool }

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any { return new([32 << 10]byte) }}}
}

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte { return b.Pool.Get().(*[32 << 10]byte)[:] }

// Put implements httputil.BufferPool.
func (b *buffers) Put(buffer []byte) { b.Pool.Put((*[32 << 10]byte)(buffer)) }
