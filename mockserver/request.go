package mockserver

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// credential returns the API key that the request shows, or the empty string. The scheme word and the names of headers
// are read without regard to case. Where a header of its own may carry the key, Authorization decides as soon as it is
// there: what stands in it without the scheme, even the bare key, is then an unknown key.
func (x *exchange) credential() string {
	header := strings.TrimSpace(x.r.Header.Get("Authorization"))
	scheme, key, found := strings.Cut(header, " ")
	switch {
	case found && strings.EqualFold(scheme, x.doc.Brand.Scheme()):
		return strings.TrimSpace(key)
	case x.bareKey && header != "" && !found:
		return header
	case x.keyHeader != "" && header == "":
		return strings.TrimSpace(x.r.Header.Get(x.keyHeader))
	case x.keyHeader != "":
		return "Authorization: " + header
	}
	return ""
}

// authenticate finds out who calls, and refuses a caller whose role is too small.
func (x *exchange) authenticate(value *world.State, key string, route *op.Route) (world.Caller, error) {
	caller, known := value.Account.Caller(key)
	switch {
	case route.For == op.Anyone:
		return caller, nil
	case key == "":
		return caller, &op.Error{Code: op.CodeUnauthorized, Message: fmt.Sprintf(
			"no API key: send the header Authorization: %s <API_KEY>", x.doc.Brand.Scheme())}
	case !known:
		return caller, &op.Error{Code: op.CodeUnauthorized, Message: "the API key is not valid"}
	case caller.WriteOnly && route.For != op.Importers:
		return caller, op.Forbidden("a write-only key may only import data")
	case route.For == op.Administrators && !caller.Administers():
		return caller, op.Forbidden("only administrators may do this")
	case route.For == op.Delegates && !caller.Delegates():
		return caller, op.Forbidden("only administrators and delegated admins may do this")
	}
	return caller, nil
}

// How many bytes of a request's body are read. The control interface takes whole worlds, archives and all.
const (
	maxBody  = 16 << 20
	maxState = 512 << 20
)

// maxAnnounced is for how many bytes room is made because a client says that they will come.
const maxAnnounced = 1 << 20

func (x *exchange) maxBody(route *op.Route) int64 {
	switch {
	case route.MaxBody > 0:
		return route.MaxBody
	case x.target.iface == specs.Control:
		return maxState
	}
	return maxBody
}

// read reads the request's body, as much of it as is allowed, and undoes a gzip content encoding.
func (x *exchange) read(route *op.Route) error {
	if x.r.Body == nil || x.r.Body == http.NoBody {
		return nil
	}
	limit := x.maxBody(route)
	err := x.receive(limit)
	if err == nil {
		err = x.weigh(limit)
	}
	if err == nil {
		err = x.decode(limit)
	}
	x.call.Body = x.body
	return err
}

// How many bytes of large bodies are worked on at a time, in all worlds together. Others wait for their turn.
const (
	maxAtATime = 256 << 20
	large      = 64 << 10
)

// weigh waits until there is room for a large body, or for what a compressed one may become, until the exchange is
// over.
func (x *exchange) weigh(limit int64) error {
	weight := int64(len(x.body))
	if weight > 0 && x.r.Header.Get("Content-Encoding") != "" {
		weight = min(limit, weight*maxRatio)
	}
	if weight = min(weight, maxAtATime); weight < large {
		return nil
	}
	if err := x.server.room.Acquire(x.r.Context(), weight); err != nil {
		return fmt.Errorf("wait for memory for the request body: %w", err)
	}
	x.weight = weight
	return nil
}

// maxRatio is the largest factor by which a gzip stream grows when it is unpacked.
const maxRatio = 1032

// leave makes room for the bodies of others.
func (x *exchange) leave() {
	if x.weight > 0 {
		x.server.room.Release(x.weight)
	}
}

// receive reads the body to its end. Of one that is too large it reads nothing when its length was announced, and one
// byte more than allowed when it was not; what is left unread costs the client the connection.
func (x *exchange) receive(limit int64) error {
	if x.r.ContentLength > limit {
		return x.tooLarge(limit)
	}
	buffer := bytes.NewBuffer(make([]byte, 0, min(max(x.r.ContentLength+1, bytes.MinRead), maxAnnounced)))
	_, err := buffer.ReadFrom(io.LimitReader(x.r.Body, limit+1))
	x.body = buffer.Bytes()
	switch {
	case err != nil:
		x.cut = true
		return op.Invalid("", "the request body ended early: %v", err)
	case int64(len(x.body)) > limit:
		x.body = x.body[:limit]
		return x.tooLarge(limit)
	}
	return nil
}

func (x *exchange) tooLarge(limit int64) error {
	x.cut = true
	return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf("the request body exceeds %d bytes", limit)}
}

func (x *exchange) decode(limit int64) error {
	switch encoding := strings.ToLower(x.r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return nil
	case "gzip":
		return x.inflate(limit)
	default:
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Encoding",
			Message: fmt.Sprintf("%q is not accepted; want gzip or none", encoding),
		}
	}
}

func (x *exchange) inflate(limit int64) error {
	reader, err := gzip.NewReader(bytes.NewReader(x.body))
	if err == nil {
		var plain []byte
		if plain, err = io.ReadAll(io.LimitReader(reader, limit+1)); err == nil {
			x.body = plain
		}
	}
	switch {
	case err != nil:
		return op.Invalid("Content-Encoding", "the request body is not valid gzip: %v", err)
	case int64(len(x.body)) > limit:
		x.body = x.body[:limit]
		return x.tooLarge(limit)
	}
	return nil
}
