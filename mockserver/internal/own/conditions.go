package own

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// tagOf returns the entity tag of a text.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// matchesTag reports whether a condition names an entity tag, or any.
func matchesTag(condition, tag string) bool {
	for part := range strings.SplitSeq(condition, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == "*" || part == tag {
			return true
		}
	}
	return false
}

// tagged gives an answer the entity tag of what it shows, where the document has one. To a client that has seen that
// already, a GET answers 304, if the document does.
func (s *success) tagged(call *op.Call, reply op.Reply, shown []byte) op.Reply {
	seen := ""
	if s.operation.Method == http.MethodGet {
		seen = call.Header("If-None-Match")
	}
	if seen == "" && !s.described["Etag"] {
		return reply
	}
	tag := tagOf(shown)
	if seen != "" && s.operation.Spec.Responses.Status(http.StatusNotModified) != nil && matchesTag(seen, tag) {
		return op.Reply{Status: http.StatusNotModified, Header: [][2]string{{"Etag", tag}}}
	}
	if s.described["Etag"] {
		reply.Header = setHeader(reply.Header, "Etag", tag)
	}
	return reply
}

// precondition refuses a change of what has been changed since the client saw it, or of what is not to be there.
func (w *shower) precondition(call *op.Call, object world.Object) error {
	refuse := func(field, format string, args ...any) error {
		message := w.resource.spec.Title + fmt.Sprintf(format, args...)
		return &op.Error{Code: op.StatusCode(http.StatusPreconditionFailed), Field: field, Message: message}
	}
	if want := call.Header("If-Match"); want != "" && !matchesTag(want, tagOf(object.Text)) {
		return refuse("If-Match", " has been changed: its entity tag is %s, not %s", tagOf(object.Text), want)
	}
	if seen := call.Header("If-None-Match"); seen != "" && matchesTag(seen, tagOf(object.Text)) {
		return refuse("If-None-Match", " is there: its entity tag is %s", tagOf(object.Text))
	}
	return nil
}
