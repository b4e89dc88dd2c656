package mockserver

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// credential is the API key that the request shows, or the empty string. The scheme word and the names of headers are
// read without regard to case.
func (x *exchange) credential() string {
	scheme, key, found := strings.Cut(strings.TrimSpace(x.r.Header.Get("Authorization")), " ")
	if !found || !strings.EqualFold(scheme, x.doc.Brand.Scheme()) {
		return ""
	}
	return strings.TrimSpace(key)
}

// authenticate finds out who calls, and refuses a caller whose role is too small.
func (x *exchange) authenticate(value *world.World, key string, route *op.Route) (world.Caller, error) {
	if key == "" {
		return world.Caller{}, &op.Error{Code: op.CodeUnauthorized, Message: fmt.Sprintf(
			"no API key: send the header Authorization: %s <API_KEY>", x.doc.Brand.Scheme())}
	}
	caller, known := value.Account.Caller(key)
	switch {
	case !known:
		return caller, &op.Error{Code: op.CodeUnauthorized, Message: "the API key is not valid"}
	case caller.WriteOnly:
		return caller, op.Forbidden("a write-only key may only import data")
	case route.Admin && !caller.User.Role.Administers():
		return caller, op.Forbidden("only administrators may do this")
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

func (x *exchange) maxBody() int64 {
	if x.target.iface == specs.Control {
		return maxState
	}
	return maxBody
}

// read reads the request's body, as much of it as is allowed, and undoes a gzip content encoding.
func (x *exchange) read() error {
	if x.r.Body == nil || x.r.Body == http.NoBody {
		return nil
	}
	err := x.receive()
	if err == nil {
		err = x.decode()
	}
	x.call.Body = x.body
	return err
}

func (x *exchange) receive() (err error) {
	reader := http.MaxBytesReader(x.w, x.r.Body, x.maxBody())
	buffer := bytes.NewBuffer(make([]byte, 0, min(max(x.r.ContentLength+1, bytes.MinRead), maxAnnounced)))
	_, err = buffer.ReadFrom(reader)
	x.body = buffer.Bytes()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		x.cut = true
		return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf("the request body exceeds %d bytes", x.maxBody())}
	case err != nil:
		x.cut = true
		return op.Invalid("", "the request body ended early: %v", err)
	}
	return nil
}

func (x *exchange) decode() error {
	switch encoding := strings.ToLower(x.r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return nil
	case "gzip":
		return x.inflate()
	default:
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Encoding",
			Message: fmt.Sprintf("%q is not accepted; want gzip or none", encoding),
		}
	}
}

func (x *exchange) inflate() error {
	reader, err := gzip.NewReader(bytes.NewReader(x.body))
	if err == nil {
		var plain []byte
		if plain, err = io.ReadAll(io.LimitReader(reader, x.maxBody()+1)); err == nil {
			x.body = plain
		}
	}
	switch {
	case err != nil:
		return op.Invalid("Content-Encoding", "the request body is no gzip: %v", err)
	case int64(len(x.body)) > x.maxBody():
		x.body, x.cut = x.body[:x.maxBody()], true
		return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf("the request body exceeds %d bytes", x.maxBody())}
	}
	return nil
}
