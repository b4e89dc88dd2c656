package judge

import (
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Check is one rule that had one chance.
type Check struct {
	Rule    string
	Verdict report.Verdict
}

// Result holds the judgement of one exchange.
type Result struct {
	Item     record.Item
	Owner    ownership.Owner
	Checks   []Check
	Findings []report.Finding
	Omitted  int             // findings beyond those
	Touched  []*coverage.Set // the documented parts that the messages touch; shared with other results

	Parameters int      // 1 if the operation has parameters, which were judged
	Bodies     int      // that were judged
	Unjudged   []string // why others could not be

	Second int // messages that the second engine judged, too
	Lost   int // those that it was asked about, and could not judge

	// Credentials describes what the request carried; whether it had to is known when the whole recording is.
	Credentials Credentials

	sampled bool     // the second engine judges it, whatever the first one says
	reading *reading // nil if the request was read as it was sent
	codings body.Codings
}

// Operation is the operation that the exchange belongs to, or nil.
func (r *Result) Operation() *specs.Operation { return r.Owner.Match.Operation }

// Status returns the status of the response, or 0 if there is none.
func (r *Result) Status() int {
	if r.Item.Response == nil {
		return 0
	}
	return r.Item.Response.Status
}

// HasCredentials reports whether the request carried any.
func (r *Result) HasCredentials() bool {
	if r.Operation() == nil {
		return false
	}
	for _, scheme := range credentialSchemes(r.Operation()) {
		if r.Item.Request.Headers.Value(headerOfScheme(scheme)) != "" {
			return true
		}
	}
	return false
}

// Shed lets go of the bodies, when everything was read of them.
func (r *Result) Shed() {
	lean := r.Lean()
	r.Item, r.reading = lean.Item, nil
}

// Lean is the result without the bodies, to be kept for later.
func (r *Result) Lean() *Result {
	lean := *r
	e := *r.Item.Exchange
	e.Request.Body = nil
	if e.Response != nil {
		e.Response = &recording.Response{Status: e.Response.Status}
	}
	lean.Item.Exchange, lean.Checks, lean.Findings, lean.Touched, lean.reading = &e, nil, nil, nil, nil
	return &lean
}

func (r *Result) check(rule string, v report.Verdict) { r.Checks = append(r.Checks, Check{rule, v}) }

// add adds a judgement of one of its messages.
func (r *Result) add(said *judgement) {
	r.Checks = append(r.Checks, said.checks...)
	if said.touched != nil {
		r.Touched = append(r.Touched, said.touched)
	}
	r.Omitted += said.more
	r.Second += said.votes[voted]
	r.Lost += said.votes[lost]
	switch {
	case said.unjudged != "":
		r.Unjudged = append(r.Unjudged, said.unjudged)
	case said.isBody:
		r.Bodies += said.judged
	default:
		r.Parameters += said.judged
	}
	for _, f := range said.findings {
		f.Exchange, f.Evidence = r.Item.Number, []int{r.Item.Number}
		r.Findings = append(r.Findings, f)
	}
}
