package judge

import (
	"cmp"
	"fmt"
	"sync"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Room is memory for a result, with what most exchanges need. Its zero value is ready for use.
type Room struct {
	result  Result
	checks  [15]Check
	touched [3]*coverage.Set // by parameters and two bodies
}

// messages are those of an exchange, which nothing refers to once it is judged.
type messages struct{ request, answer message }

var freeMessages = sync.Pool{New: func() any { return &messages{} }}

func (m *messages) free() {
	*m = messages{}
	freeMessages.Put(m)
}

// Exchange judges one exchange.
func (j *Judge) Exchange(item record.Item) *Result { return j.ExchangeIn(&Room{}, item) }

// ExchangeIn judges as Exchange does, in an empty room. Who empties it for another exchange ends the use of the result.
func (j *Judge) ExchangeIn(room *Room, item record.Item) *Result {
	r := &room.result
	r.Checks, r.Touched = room.checks[:0], room.touched[:0]
	if j.match(r, item); !j.isDocumented(r) {
		return r
	}
	m := freeMessages.Get().(*messages)
	defer m.free()
	r.sampled = j.engine == nil || j.samples == nil || j.samples(r)
	j.judgeAuthScheme(r)
	if fault, _ := r.probed(); fault == "" { // which is on purpose
		r.add(j.judgeParameters(r))
		m.request = r.requestMessage()
		r.add(j.judgeBody(&m.request))
		r.read[request] = m.request.read
	}
	if j.judgeStatus(r) {
		m.answer = r.answerMessage()
		j.judgeAnswer(r, &m.answer)
	}
	j.judgeLatency(r)
	j.judgeProbe(r)
	return r
}

// judgeAnswer judges an answer of a documented status.
func (j *Judge) judgeAnswer(r *Result, m *message) {
	j.judgeHeaders(r, m)
	j.judgeUndeclaredHeaders(r, m)
	r.add(j.judgeBody(m))
	r.read[response] = m.read
	j.judgeEnvelope(r, m)
}

// Match returns an exchange with its owner, unjudged. An answer that a fault injected is left out.
func (j *Judge) Match(item record.Item) *Result {
	r := &Result{}
	j.match(r, item)
	return r
}

func (j *Judge) match(r *Result, item record.Item) {
	r.Owner = j.addresses.Owner(&item)
	if item.Response != nil {
		r.Recorded = item.Response.Status
	}
	r.Item, r.IsInjected = item.Genuine()
	if op := r.Operation(); op != nil {
		r.documented = documentedOf(op)
	}
	r.readRequest()
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
	severity := j.severity(request, specs.Documented, receptionOf(r.Status()))
	if left, isThere := d.Unread(item.Request.Method, r.Owner.Path); isThere {
		r.check(UndocumentedOperation, report.Inconclusive)
		r.Findings = append(r.Findings, j.finding(item.Number, nil, report.Finding{
			Rule: UndocumentedOperation, Severity: report.Warning, Verdict: report.Inconclusive, Interface: d.Interface,
			Message: "the operation of the document cannot be read: " + left.Reason, Pointer: "/request/url",
			Spec: report.Spec{File: d.File, Line: left.Line, Pointer: left.Pointer},
		}))
		return
	}
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

// judgeStatus judges the status of the answer, and reports whether the document says what such an answer is like.
func (j *Judge) judgeStatus(r *Result) bool {
	op, status := r.Operation(), r.Status()
	switch {
	case r.IsInjected:
		r.check(UndocumentedStatus, report.Skipped)
		return false
	case status == 0:
		r.check(UndocumentedStatus, report.Inconclusive)
		r.Findings = append(r.Findings, j.finding(r.Item.Number, op, report.Finding{
			Rule: UndocumentedStatus, Severity: report.Notice, Verdict: report.Inconclusive,
			Message: "no response was recorded", Pointer: "/response",
			Spec: report.Spec{Pointer: op.Pointer + "/responses"},
		}))
		return false
	case op.Document.T.IsOpenAPI31OrLater() && op.Spec.Responses.Len() == 0: // they are optional (Operation Object)
		r.check(UndocumentedStatus, report.Skipped)
		return false
	case r.documented.answer(status).Response == nil && r.isRefusedFault():
		r.check(UndocumentedStatus, report.Skipped)
		return false
	case r.documented.answer(status).Response == nil:
		j.addUndocumentedStatus(r, status)
		return false
	}
	r.check(UndocumentedStatus, report.Pass)
	if r.documented.answer(status).isOfSuccess {
		r.check(Schema, report.Skipped)
		return false
	}
	return true
}

// answerMessage returns the answer of a documented status, as it is to be judged.
func (r *Result) answerMessage() message {
	op, status, headers := r.Operation(), r.Status(), r.Item.Response.Headers
	documented, kind := r.documented.answer(status), headers.Value("Content-Type")
	return message{
		op: op, side: response, status: status, method: r.Item.Request.Method, headers: headers, kind: kind,
		body: r.answered(), doubt: r.Item.ResponseDoubt, documentedBody: &documented.documentedBody,
		form: documented.form(kind), sampled: r.sampled, documented: documented, codings: &r.codings,
		isFaulty: r.Item.Fault != "",
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
	if body := r.Item.Response.Body; body != nil && len(body.Bytes) > 0 || r.Item.ResponseDoubt != "" {
		r.Unjudged = append(r.Unjudged, "its status is not documented")
	}
	r.Findings = append(r.Findings, finding)
}
