package chat

import (
	"cmp"
	"net/http"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// The statuses of errors within a chat.
const (
	turnFailed  = http.StatusInternalServerError
	turnRefused = http.StatusUnprocessableEntity
)

// refusals lists the statuses with which a scripted turn can refuse an input: those that the document has for it.
var refusals = []int{
	http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
}

// refusalReply returns the answer of a turn that refuses the input.
func refusalReply(o *specs.Operation, script world.Turn) op.Reply {
	reply := jsonapi.PlainErrorReply(o, script.Status, &op.Error{Message: refusalOf(script)})
	if script.Status == http.StatusTooManyRequests {
		reply.Header = [][2]string{{"Retry-After", "60"}} // seconds (public)
	}
	return reply
}

func refusalOf(script world.Turn) string {
	return cmp.Or(script.Message, http.StatusText(script.Status))
}
