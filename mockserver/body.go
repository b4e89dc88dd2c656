package mockserver

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/sync/semaphore"

	"svc.example/understudy/mockserver/internal/op"
)

// body is the body of a request, as far as it was read.
type body struct {
	bytes    []byte
	received int   // bytes, before they were unpacked
	isCut    bool  // these are only the beginning of what was sent
	weight   int64 // what a large one holds of the memory for large bodies
}

// How many bytes of a request's body are read, unless its route takes more.
const maxBody = 16 << 20

// maxAnnounced is the number of bytes for which room is made because a client says that they will come.
const maxAnnounced = 1 << 20

// read reads the request's body, as much of it as is allowed, and undoes a gzip content encoding.
func (x *exchange) read(route *op.Route) (b body, err error) {
	if x.r.Body == nil || x.r.Body == http.NoBody {
		return b, nil
	}
	limit, encoding := cmp.Or(route.MaxBody, maxBody), headerOf(x.r, "Content-Encoding")
	if err = b.receive(x.r, limit); err == nil {
		err = b.acquire(x.waiting, x.server.memory, encoding, limit)
	}
	if err == nil {
		b.received = len(b.bytes)
		err = b.decode(encoding, limit)
	}
	return b, err
}

// receive reads the body to its end. Of one that is too large it reads nothing when its length was announced, and one
// byte more than allowed when it was not; what is left unread costs the client the connection.
func (b *body) receive(r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return b.tooLarge(limit)
	}
	room := r.ContentLength
	if room < 0 {
		room = bytes.MinRead
	}
	var err error
	b.bytes, err = readInto(make([]byte, 0, min(room+1, maxAnnounced)), r.Body, limit+1)
	switch {
	case err != nil:
		b.isCut = true
		return op.Invalid("", "the request body ended early: %v", err)
	case int64(len(b.bytes)) > limit:
		b.bytes = b.bytes[:limit]
		return b.tooLarge(limit)
	}
	return nil
}

// readInto appends what a reader has, until there are most bytes. It needs no more room than that and a byte.
func readInto(b []byte, r io.Reader, most int64) ([]byte, error) {
	for int64(len(b)) < most {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):min(int64(cap(b)), most)])
		switch b = b[:len(b)+n]; {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		}
	}
	return b, nil
}

func (b *body) tooLarge(limit int64) error {
	b.isCut = true
	return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf("the request body exceeds %d bytes", limit)}
}

// How many bytes of large bodies are worked on at a time, in all worlds together. Others wait for their turn.
const (
	maxAtATime = 256 << 20
	large      = 64 << 10
)

// maxRatio is the largest factor by which a body beyond maxBody may grow when it is unpacked. Gzip packs what people
// and programs send by less; what grows by more was made to.
const maxRatio = 50

// unpackedLimit returns how many bytes a compressed body may unpack to, by how many were received.
func unpackedLimit(limit, received int64) int64 { return min(limit, max(maxBody, received*maxRatio)) }

// acquire waits until there is memory for a large body, or for what a compressed one may become, until the exchange is
// over.
func (b *body) acquire(
	waiting func() context.Context, memory *semaphore.Weighted, encoding string, limit int64,
) error {
	weight := int64(len(b.bytes))
	if weight > 0 && encoding != "" {
		weight = unpackedLimit(limit, weight)
	}
	if weight = min(weight, maxAtATime); weight < large {
		return nil
	}
	if err := memory.Acquire(waiting(), weight); err != nil {
		return fmt.Errorf("wait for memory for the request body: %w", err)
	}
	b.weight = weight
	return nil
}

// release gives the memory of the body to those of others.
func (b *body) release(memory *semaphore.Weighted) {
	if b.weight > 0 {
		memory.Release(b.weight)
	}
}

func (b *body) decode(encoding string, limit int64) error {
	switch encoding = strings.ToLower(encoding); encoding {
	case "", "identity":
		return nil
	case "gzip":
		return b.inflate(limit)
	default:
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Encoding",
			Message: fmt.Sprintf("%q is not accepted; want gzip or none", encoding),
		}
	}
}

func (b *body) inflate(limit int64) error {
	limit = unpackedLimit(limit, int64(len(b.bytes)))
	reader, err := gzip.NewReader(bytes.NewReader(b.bytes))
	if err == nil {
		var plain []byte
		if plain, err = io.ReadAll(io.LimitReader(reader, limit+1)); err == nil {
			b.bytes = plain
		}
	}
	switch {
	case err != nil:
		return op.Invalid("Content-Encoding", "the request body is not valid gzip: %v", err)
	case int64(len(b.bytes)) > limit:
		b.bytes = b.bytes[:limit]
		return b.tooLarge(limit)
	}
	return nil
}
