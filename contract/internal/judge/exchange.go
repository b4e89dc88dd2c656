package judge

import (
	"cmp"
	"fmt"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Numbers for which room is made, since most exchanges need no more.
const (
	usualChecks   = 14 // of an exchange
	usualMessages = 3  // that are judged: parameters and two bodies
)

// Exchange judges one exchange.
func (j *Judge) Exchange(item record.Item) *Result {
	r := j.Match(item)
	if !j.isDocumented(r) {
		return r
	}
	r.sampled = j.engine == nil || j.samples == nil || j.samples(r)
	j.judgeAuthScheme(r)
	r.add(j.judgeParameters(r))
	request := r.requestMessage()
	r.add(j.judgeBody(&request))
	if answer := j.documentedAnswer(r); answer != nil {
		j.judgeHeaders(r, answer)
		j.judgeUndeclaredHeaders(r, answer)
		if answer.mayHaveBody() {
			o := j.judgeBody(answer)
			r.noteText(answer, o)
			r.add(o)
			j.judgeEnvelope(r, answer)
		} else {
			r.Touched = append(r.Touched, answer.touched())
		}
	}
	j.judgeLatency(r)
	return r
}

// Match returns an exchange with its owner, unjudged. An answer that a fault injected is left out.
func (j *Judge) Match(item record.Item) *Result {
	r := &Result{Owner: j.addresses.Owner(&item)}
	if item.Response != nil {
		r.Recorded = item.Response.Status
	}
	r.Item, r.IsInjected = item.Genuine()
	r.readRequest()
	return r
}

// isDocumented judges whether an operation of a document has the address and the method of an exchange.
func (j *Judge) isDocumented(r *Result) bool {
	switch {
	case r.Owner.State == ownership.Several:
		j.addAmbiguousAddress(r)
		return false
	case r.Owner.State != ownership.Matched:
		return false
	case r.Operation() == nil:
		j.addUndocumentedOperation(r)
		return false
	}
	r.Checks, r.Touched = make([]Check, 0, usualChecks), make([]*coverage.Set, 0, usualMessages)
	r.check(UndocumentedOperation, report.Pass)
	return true
}

func (j *Judge) addAmbiguousAddress(r *Result) {
	r.check(UndocumentedOperation, report.Inconclusive)
	r.Findings = append(r.Findings, j.finding(r.Item.Number, nil, report.Finding{
		Rule: UndocumentedOperation, Severity: report.Warning, Verdict: report.Inconclusive,
		Message: fmt.Sprintf("the address fits %v equally well: give each interface its own base address",
			r.Owner.Claimants),
		Pointer: "/request/url",
	}))
}

func (j *Judge) addUndocumentedOperation(r *Result) {
	item, d := &r.Item, r.Owner.Document
	severity := j.severity(request, specs.Documented, outcomeOf(r.Status()))
	method, path := ownership.Shown(item.Request.Method, r.Owner.Path)
	message := ""
	if r.Owner.Match.Allow != "" {
		message = fmt.Sprintf("%s is not documented for %s, only %s", method, path, r.Owner.Match.Allow)
	} else {
		message = fmt.Sprintf("%s %s is not documented; %s", method, path,
			cmp.Or(r.Owner.Elsewhere(item.Request.Method), "the nearest is "+d.Nearest(method, path)))
	}
	r.check(UndocumentedOperation, report.Fail)
	r.Findings = append(r.Findings, report.Finding{
		Rule: UndocumentedOperation, Severity: severity, Verdict: report.Fail, Interface: d.Interface,
		Exchange: item.Number, Evidence: []int{item.Number}, Message: message, Pointer: "/request/url",
		Spec: report.Spec{File: d.File, Line: j.places.of(d, "/paths").Line, Pointer: "/paths"}, Provenance: specs.Documented,
	})
	last := &r.Findings[len(r.Findings)-1]
	last.Operation = "" // there is none
	last.ID = report.Fingerprint(&report.Finding{
		Rule: last.Rule, Verdict: last.Verdict, Interface: last.Interface,
		Spec: report.Spec{Pointer: method + " " + path},
	})
}

// documentedAnswer judges the status of the answer, and returns the answer with what is documented for that status, or
// nil if there is nothing more to judge.
func (j *Judge) documentedAnswer(r *Result) *message {
	op, status := r.Operation(), r.Status()
	if r.IsInjected {
		r.check(UndocumentedStatus, report.Skipped)
		return nil
	}
	if status == 0 {
		r.check(UndocumentedStatus, report.Inconclusive)
		r.Findings = append(r.Findings, j.finding(r.Item.Number, op, report.Finding{
			Rule: UndocumentedStatus, Severity: report.Notice, Verdict: report.Inconclusive,
			Message: "no response was recorded", Pointer: "/response",
			Spec: report.Spec{Pointer: op.Pointer + "/responses"},
		}))
		return nil
	}
	documented := documentedResponse(op, status)
	if documented.Response == nil {
		j.addUndocumentedStatus(r, status)
		return nil
	}
	r.check(UndocumentedStatus, report.Pass)
	return &message{
		op: op, side: response, status: status, method: r.Item.Request.Method, headers: r.Item.Response.Headers,
		body: r.answered(), doubt: r.Item.ResponseDoubt, documentedBody: &documented.documentedBody,
		form: documented.form(r.Item.Response.Headers.Value("Content-Type")), sampled: r.sampled,
		documented: documented, codings: &r.codings, isFaulty: r.Item.Fault != "",
	}
}

// answered returns the recorded body of the answer, or nil. Recordings often leave out an empty body.
func (r *Result) answered() *recording.Body {
	answer := r.Item.Response
	if answer.Body == nil && r.Item.ResponseDoubt == "" && answer.Headers.Value("Content-Length") == "0" {
		return &recording.Body{}
	}
	return answer.Body
}

func (j *Judge) addUndocumentedStatus(r *Result, status int) {
	op := r.Operation()
	severity, provenance := j.severityOfStatus(op, status)
	finding := j.finding(r.Item.Number, op, report.Finding{
		Rule: UndocumentedStatus, Severity: severity, Verdict: report.Fail,
		Message: fmt.Sprintf("status %d is not documented", status), Pointer: "/response/status",
		Found: fmt.Sprint(status), Spec: report.Spec{Pointer: op.Pointer + "/responses"},
	})
	finding.Provenance = provenance
	finding.ID = fmt.Sprintf("%s-%d", finding.ID, status) // the status is the deviation
	r.check(UndocumentedStatus, report.Fail)
	r.check(Schema, report.Skipped)
	if body := r.Item.Response.Body; body != nil && len(body.Bytes) > 0 {
		r.Unjudged = append(r.Unjudged, "its status is not documented")
	}
	r.Findings = append(r.Findings, finding)
}
