package ingestion

import (
	"net/http"

	"svc.example/understudy/mockserver/internal/op"
)

// empty is the body of every answer. Only its length is known, from a sample (public).
type empty struct{}

// emptyReply returns an answer with the empty body and, with what the serving path adds to every answer, the five
// headers of this interface (documented). Where a body was not read to its end the serving path closes the connection
// instead.
func emptyReply(status int) op.Reply {
	return op.Reply{Status: status, Body: empty{}, Header: [][2]string{
		{"Strict-Transport-Security", "max-age=31536000"},
		{"Connection", "keep-alive"},
	}}
}

// accepted returns the answer to an event in good form.
func accepted(notes ...string) op.Reply {
	reply := emptyReply(http.StatusOK)
	reply.Notes = notes
	return reply
}

// statuses replaces the statuses that the document does not have.
var statuses = op.Statuses{
	op.CodeUnprocessable: http.StatusBadRequest,
	op.CodeMediaType:     http.StatusBadRequest,
	op.CodeRange:         http.StatusBadRequest,
	op.CodeNotAcceptable: http.StatusBadRequest,
	op.CodeConflict:      http.StatusBadRequest,
	op.CodeUnauthorized:  http.StatusForbidden,
}

// errorReply answers without a reason: the form has no room for one, so the journal has it. Only outside of the
// interface is the form free (assumed).
func errorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	reply := emptyReply(statuses.Of(e.Code))
	reply.Notes = []string{e.Error()}
	if e.Reason == op.ReasonOutside {
		reply.Body = map[string]string{"message": e.Message}
	}
	return reply
}
