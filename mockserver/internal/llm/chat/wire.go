package chat

import (
	"cmp"
	"net/http"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// The statuses that errors within a chat tell.
const (
	turnFailed  = http.StatusInternalServerError
	turnRefused = http.StatusUnprocessableEntity
)

// refusals are the statuses that a scripted turn can refuse an input with, those that the document has for it.
var refusals = []int{
	http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
}

// refused is the answer of a turn that says no.
func refused(o *specs.Operation, script world.Turn) op.Reply {
	reply := jsonapi.PlainErrorReply(o, script.Status, &op.Error{Message: refusalOf(script)})
	if script.Status == http.StatusTooManyRequests {
		reply.Header = [][2]string{{"Retry-After", "60"}} // seconds (public)
	}
	return reply
}

func refusalOf(script world.Turn) string {
	return cmp.Or(script.Message, http.StatusText(script.Status))
}
