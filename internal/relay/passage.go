package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc.example/understudy/specs/recording"
)

// Passage is one request on its way to a service and back.
type Passage struct {
	Target *Target
	Place  Place
	URL    *url.URL // at the service

	// ReadAhead is the length up to which an answer that has one is read as a whole before any of it is passed on.
	ReadAhead int64

	// Record is called once, when all is known that is to be recorded, and before the last byte of the answer is passed
	// on. Nothing is copied if it is nil.
	Record func()
	// Answered is called with the headers of the service's answer before they are passed on; nil does nothing.
	Answered func(http.Header)
	// Refuse answers for a service that did not.
	Refuse func(http.ResponseWriter, Problem)

	// Exchange holds what was seen of the exchange, with its secrets, but for times and the operation. A response is
	// missing where the service did not answer.
	Exchange recording.Exchange
	// AsSeen says that addresses in the headers of its response are those that the client knows, not the service's.
	AsSeen bool

	relay    *Relay
	from     context.Context //nolint:containedctx // of the client's request
	client   *http.ResponseController
	isOld    bool // the client speaks HTTP/1.0, where only the end of the connection is the end of an answer
	request  *bodyCopy
	response *bodyCopy
	broken   atomic.Pointer[error] // why the request could not be read to its end
	cut      error                 // why the answer broke off
	done     sync.Once
}

type passageKey struct{}

func passageOf(ctx context.Context) *Passage { return ctx.Value(passageKey{}).(*Passage) }

// Err returns why an answer that has begun broke off; nil if it did not.
func (p *Passage) Err() error { return p.cut }

// ownHeaders are headers of requests that are for the relay, not for the service.
var ownHeaders = []string{TokenHeader, LoopHeader, "Proxy-Authorization", "Proxy-Connection"}

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
func (p *Passage) note(format string, args ...any) {
	p.Exchange.Notes = append(p.Exchange.Notes, fmt.Sprintf(format, args...))
}

// requestBody is the body of a request. The transport may still read it when the answer is there.
type requestBody struct {
	io.ReadCloser
	p *Passage
}

func (b *requestBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.p.request.add(into[:n])
	switch {
	case errors.Is(err, io.EOF):
		b.p.request.end()
	case err != nil && !errors.Is(err, http.ErrBodyReadAfterClose):
		b.p.broken.CompareAndSwap(nil, &err)
	}
	return n, err
}

// answer takes the answer of the service, before any of it is passed on.
func (p *Passage) answer(r *http.Response) {
	headers := headersOf(r.Header)
	if p.rewriteAnswer(r.Header); p.AsSeen {
		headers = headersOf(r.Header)
	}
	p.Exchange.Response = &recording.Response{Status: r.StatusCode, Headers: headers}
	switch {
	case r.StatusCode == http.StatusSwitchingProtocols:
		p.note("the connection was upgraded to %s; what was sent over it afterwards is not recorded",
			r.Header.Get("Upgrade"))
		p.commit()
	case r.Request.Method == http.MethodHead, r.StatusCode == http.StatusNotModified:
		p.commit()
	case r.ContentLength == 0, r.Body == http.NoBody, r.StatusCode == http.StatusNoContent:
		p.response = p.newCopy()
		p.response.end()
		p.commit()
	default:
		p.response = p.newCopy()
		r.Body = p.copyAnswer(r)
	}
	if p.Answered != nil {
		p.Answered(r.Header)
	}
}

// copyAnswer returns the body of an answer, which is copied while it is read, or has been read ahead.
func (p *Passage) copyAnswer(r *http.Response) io.ReadCloser {
	body := &answerBody{ReadCloser: r.Body, p: p, left: r.ContentLength, trailer: &r.Trailer}
	switch {
	case 0 < r.ContentLength && r.ContentLength <= p.ReadAhead:
		content, err := io.ReadAll(body)
		var rest io.Reader = bytes.NewReader(content)
		if err != nil {
			rest = io.MultiReader(rest, failing{err})
		}
		return struct {
			io.Reader
			io.Closer
		}{rest, body}
	case r.ContentLength < 0 && p.isOld: // its end is only that of the connection
		return &lastByte{ReadCloser: body}
	}
	body.flushes = flushes(r)
	return body
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// fail answers for a service that did not.
func (p *Passage) fail(w http.ResponseWriter, err error) {
	problem := p.problem(err)
	p.Exchange.Response = nil
	p.note("no answer: %s", problem.Message)
	p.commit()
	p.Refuse(w, problem)
}

// commit lets the exchange be recorded, once.
func (p *Passage) commit() {
	p.done.Do(func() {
		if p.Record == nil {
			return
		}
		p.Exchange.Request.Body = p.request.body()
		if p.Exchange.Response != nil {
			p.Exchange.Response.Body = p.response.body()
		}
		p.Record()
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
	p       *Passage
	came    int64 // bytes
	left    int64 // of its length; negative if that is not known
	trailer *http.Header
	flushes bool
	passed  bool // some of it was passed on, and not flushed
	err     error
}

func (b *answerBody) Read(into []byte) (int, error) {
	if b.passed && b.left != 0 { // the next part may take its time, and may never come
		_ = b.p.client.Flush()
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(into)
	b.passed = b.flushes && n > 0
	b.p.response.add(into[:n])
	b.came += int64(n)
	if b.left > 0 {
		b.left = max(0, b.left-int64(n))
	}
	switch {
	case b.left == 0 || errors.Is(err, io.EOF):
		if trailers := headersOf(*b.trailer); len(trailers) > 0 {
			b.p.note("trailers after the body: %s", namesOf(trailers))
		}
		b.p.response.end()
		b.p.commit()
	case err != nil:
		b.p.cut = err
		b.p.note("the answer broke off after %d bytes: %s", b.came, b.p.problem(err).Message)
		b.p.commit()
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
	if b.p.from.Err() != nil && !b.p.response.isWhole() {
		b.p.note("the client closed the connection after %d bytes of the answer", b.came)
	}
	b.p.commit()
	return err
}

// lastByte is a body whose last byte is held back until its end is known.
type lastByte struct {
	io.ReadCloser
	held []byte
}

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
func (p *Passage) newCopy() *bodyCopy {
	if p.Record == nil {
		return nil
	}
	return &bodyCopy{limit: p.relay.config.BodyLimit}
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
