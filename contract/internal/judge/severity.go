package judge

import (
	"strings"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// reception states whether the server took a request as it was.
type reception int

const (
	accepted   reception = iota // 1xx to 3xx: the server took the request as it was
	refused                     // 4xx
	unanswered                  // 5xx, or no answer
)

func receptionOf(status int) reception {
	switch {
	case status >= 100 && status < 400:
		return accepted
	case status >= 400 && status < 500:
		return refused
	}
	return unanswered
}

// severity returns how loud a deviation is. All rules on that are here.
//
// The server's side: as loud as the documented fact is sure (report.SeverityOf), since an answer must always fit.
//
// The client's side depends on what the server made of the request, because a recording shows both:
//
//   - refused with 4xx: a notice. The client sent something undocumented, and the server refused it: that is what the
//     contract asks of a server, and tests do it on purpose.
//   - accepted: as loud as the fact is sure. Either the client relies on something undocumented, or the document is
//     wrong.
//   - no answer or 5xx: at most a warning. Something is wrong, but perhaps not with the request.
//
// Undeclared fields of a request are a notice at most, since the platform ignores them, and undeclared query
// parameters a warning at most.
func (j *Judge) severity(side side, p specs.Provenance, o reception) report.Severity {
	severity := report.SeverityOf(p, j.trust)
	if side == response {
		return severity
	}
	switch o {
	case refused:
		return report.Notice
	case unanswered:
		return severity.AtMost(report.Warning)
	case accepted:
	}
	return severity
}

// severityOfStatus returns the severity of the least sure of the operation's documented errors: where these rest on
// the code of clients, the list may be incomplete. Undocumented success is always loud: it has a body that nothing
// describes. Statuses that intermediaries may send, such as 502, are a warning.
func (j *Judge) severityOfStatus(op *specs.Operation, status int) (report.Severity, specs.Provenance) {
	list := []specs.Provenance{}
	for code := range op.Spec.Responses.Map() {
		if isSuccess := code[0] == '2'; isSuccess == (status/100 == 2) {
			list = append(list, j.place(op, op.Pointer+"/responses/"+code).Provenance)
		}
	}
	p := report.LeastSure(list...)
	switch {
	case status/100 == 2:
		return report.SeverityOf(p, j.trust), p
	case len(list) == 0 && op.Interface.IsOwn(): // as sure as the document, though no refusal is in it
		return report.SeverityOf(specs.Client, j.trust), specs.Documented
	case len(list) == 0:
		p = specs.Client
	}
	if status >= 300 && status < 400 || status >= 500 || status == 407 || status == 408 || status == 429 {
		return report.SeverityOf(p, j.trust).AtMost(report.Warning), p
	}
	return report.SeverityOf(p, j.trust), p
}

// IsRefuted reports whether a status, a media type or a body does not match the operation, so that the exchange may
// belong to something else. Undocumented fields say little, since servers add some; so do parameters and headers, which
// recorders leave out, and requests that were refused.
func (r *Result) IsRefuted() bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Verdict != report.Fail || f.Disputed || f.Severity == report.Notice {
			continue
		}
		switch f.Rule {
		case UndocumentedStatus, UndocumentedMediaType:
			return true
		case Schema:
			if strings.HasPrefix(f.Pointer, "/request/body") || strings.HasPrefix(f.Pointer, "/response/body") {
				return true
			}
		}
	}
	return false
}
