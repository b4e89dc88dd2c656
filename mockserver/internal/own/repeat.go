package own

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// answered is an answer that a request gets again which has the same key.
type answered struct {
	Request string      `json:"request"` // the hash of its body
	Status  int         `json:"status"`
	Type    string      `json:"type,omitempty"`
	Body    []byte      `json:"body,omitempty"`
	Header  [][2]string `json:"header,omitempty"`
}

// repeatable returns a handler that answers a request again as it was answered, and changes nothing, where the document
// has a header such as Idempotency-Key, by which clients say that a request is one that they have sent before.
func repeatable(o *specs.Operation, handle op.Handler) op.Handler {
	header := ""
	for _, p := range o.Parameters {
		if p.Value.In == openapi3.ParameterInHeader && strings.Contains(strings.ToLower(p.Value.Name), "idempotency") {
			header = p.Value.Name
		}
	}
	if header == "" || o.Method == http.MethodGet {
		return handle
	}
	name := string(o.Interface) + " " + o.Method + " " + o.Path
	return func(call *op.Call) (op.Reply, error) {
		key := call.Header(header)
		if key == "" {
			return handle(call)
		}
		keys := append(paramsOf(call, o.PathParameters()), key)
		sum := sha256.Sum256(call.Raw)
		a := answered{Request: hex.EncodeToString(sum[:8])}
		if _, object, isKnown := call.World.Own.Find(name, keys); isKnown {
			var before answered
			if err := json.Unmarshal(object.Text, &before); err != nil {
				return op.Reply{}, err
			}
			if before.Request != a.Request {
				return op.Reply{}, reused(o, header, key)
			}
			return op.Reply{Status: before.Status, Type: before.Type, Bytes: before.Body, Header: before.Header}, nil
		}
		reply, err := handle(call)
		if err != nil {
			return reply, err
		}
		a.Status, a.Type, a.Body, a.Header = reply.Status, reply.Type, reply.Bytes, reply.Header
		text, err := json.Marshal(a)
		if err != nil {
			return op.Reply{}, err
		}
		put(call, name, keys, text)
		return reply, nil
	}
}

// reused refuses a key that another request has had, with the status that the document has for it.
func reused(o *specs.Operation, header, key string) error {
	status := http.StatusUnprocessableEntity
	for _, other := range []int{http.StatusUnprocessableEntity, http.StatusConflict, http.StatusBadRequest} {
		if o.Spec.Responses.Status(other) != nil {
			status = other
			break
		}
	}
	return &op.Error{
		Code: op.StatusCode(status), Field: header,
		Message: "another request was sent with the key " + key + ": want the same body, or a new key",
	}
}
