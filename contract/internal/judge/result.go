package judge

import (
	"net/url"
	"slices"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Check is the verdict of one rule on one occasion.
type Check struct {
	Rule    string
	Verdict report.Verdict
}

// Result holds the judgement of one exchange.
type Result struct {
	Item     record.Item // without the answer if a fault injected that
	Owner    ownership.Owner
	Checks   []Check
	Findings []report.Finding
	Omitted  int             // number of findings that are not listed
	Touched  []*coverage.Set // documented parts that the messages touch; shared with other results

	Recorded   int  // the status of the recorded answer, injected or not; 0 if there is none
	IsInjected bool // a fault made up the answer, or that there is none

	Parameters int      // 1 if the operation has parameters, which were judged
	Bodies     int      // number of bodies that were judged
	Unjudged   []string // why other bodies could not be judged

	SecondEngine     int // messages that the second engine judged as well
	SecondEngineLost int // messages that it was asked about and could not judge

	// Credentials describes the credentials of the request. Whether missing ones are a fault is known at the end of the
	// recording.
	Credentials Credentials

	documented *documentedOperation // what is documented of its operation; nil without one

	query    url.Values    // of the owner; nil until it is asked for
	queryErr error         // what is wrong with it
	sampled  bool          // the second engine judges it even if the first one finds no fault
	reading  *reading      // nil if the request was read as it was sent
	sentType string        // Content-Type by which the request's body is read, if it was looked at
	read     [2]*body.Body // by side, JSON that judging has read
	codings  body.Codings
}

// Query returns the members of the owner's query that can be parsed, not to be changed, and what is wrong with others.
func (r *Result) Query() (url.Values, error) {
	if r.query == nil && r.Owner.Query != "" {
		r.query, r.queryErr = address.Query(r.Owner.Query)
	}
	return r.query, r.queryErr
}

// Operation returns the operation that the exchange belongs to, or nil.
func (r *Result) Operation() *specs.Operation { return r.Owner.Match.Operation }

// Status returns the status of the response, or 0 if there is none.
func (r *Result) Status() int {
	if r.Item.Response == nil {
		return 0
	}
	return r.Item.Response.Status
}

// HasCredentials reports whether the request carried credentials of its operation.
func (r *Result) HasCredentials() bool {
	if r.Operation() == nil {
		return false
	}
	if !r.documented.takesPlatformKeys {
		return slices.ContainsFunc(r.documented.schemes, r.shows)
	}
	for _, scheme := range r.documented.schemes {
		if r.Item.Request.Headers.Value(headerOfScheme(scheme)) != "" {
			return true
		}
	}
	return false
}

// Shed releases what was made of the bodies once everything is read from them.
func (r *Result) Shed() {
	for _, read := range r.read {
		if read != nil {
			read.Free()
		}
	}
	r.reading, r.read, r.codings = nil, [2]*body.Body{}, body.Codings{}
}

// Lean returns the result without the bodies, to be kept for later.
func (r *Result) Lean() *Result {
	lean := *r
	e := *r.Item.Exchange
	e.Request.Body = nil
	if e.Response != nil {
		e.Response = &recording.Response{Status: e.Response.Status}
	}
	lean.Item.Exchange, lean.Checks, lean.Findings, lean.Touched = &e, nil, nil, nil
	lean.reading, lean.read = nil, [2]*body.Body{}
	return &lean
}

func (r *Result) check(rule string, v report.Verdict) { r.Checks = append(r.Checks, Check{rule, v}) }

// add adds the judgement of one of the messages.
func (r *Result) add(added *judgement) {
	r.Checks = append(r.Checks, added.checks...)
	if added.touched != nil {
		r.Touched = append(r.Touched, added.touched)
	}
	r.Omitted += added.more
	r.SecondEngine += added.votes[voted]
	r.SecondEngineLost += added.votes[lost]
	switch {
	case added.unjudged != "":
		r.Unjudged = append(r.Unjudged, added.unjudged)
	case added.isBody:
		r.Bodies += added.judged
	default:
		r.Parameters += added.judged
	}
	for _, f := range added.findings {
		f.Exchange, f.Evidence = r.Item.Number, []int{r.Item.Number}
		r.Findings = append(r.Findings, f)
	}
}
