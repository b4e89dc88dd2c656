package mockserver

import (
	"net/http"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/prefer"
	"svc.example/understudy/specs/recording"
)

// preferredID is the id of the fault that an answer counts as that the header Prefer asks for.
const preferredID = "prefer"

// preferred answers with the status and the example of the document that the header Prefer asks for. The operation has
// no effect. It reports false if the header asks for neither. A refusal of the header, too, counts as injected: the
// platform does not know it.
func (x *exchange) preferred() (reply op.Reply, is bool, err error) {
	if x.key == "" && prefer.NeedsKey(x.match.Operation) { // which the handler refuses
		return reply, false, nil
	}
	p, err := prefer.Parse(x.r.Header[prefer.Header])
	if p.Ignored != "" {
		x.ignored = prefer.Header + ": " + p.Ignored + " is ignored: no answer is random"
	}
	if err == nil && p.IsZero() {
		return reply, false, nil
	}
	x.fault = &applied{Fault: recording.Fault{ID: preferredID, Effect: recording.EffectNone, Injected: true}}
	if err != nil {
		return reply, false, err
	}
	operation := x.match.Operation
	if readable, err := x.readable(); err == nil && readable.Operation(operation.ID) != nil {
		operation = readable.Operation(operation.ID)
	}
	reply, err = p.Answer(operation)
	if err == nil && reply.Bytes == nil && reply.Status >= http.StatusBadRequest {
		headers := reply.Header
		reply = x.errorForm(reply.Status, "")
		reply.Header = slices.Concat(reply.Header, headers)
	}
	return reply, true, err
}
