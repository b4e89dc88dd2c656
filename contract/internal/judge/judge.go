// Package judge gives each exchange of a recording to the operation that it belongs to, and judges it alone: what
// the document of that operation says of its parameters, headers, bodies, statuses and credentials.
//
// Two engines judge by the schemas, independently of each other. Where both find a fault it is certain; where they
// differ the finding is disputed and carries the verdicts of both; where one of them is known to be wrong the case is
// decided, by name. The second engine judges whatever the first one faults; of the rest it judges what is sampled,
// which is all of it unless Sampling says otherwise. Before the engines stands a layer of our own that undoes codings
// and refuses what is not a message at all: what cannot be read is inconclusive, never a pass.
package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
	"time"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Rules of single exchanges. Their names are part of the interface: baselines and other tools know them.
const (
	Schema                = "schema"
	UndocumentedOperation = "undocumented-operation"
	UndocumentedStatus    = "undocumented-status"
	UndocumentedMediaType = "undocumented-media-type"
	UndeclaredField       = "undeclared-field"
	UndeclaredHeader      = "undeclared-header"
	AuthScheme            = "auth-scheme"
	Latency               = "latency"
)

// Rules lists the rules of single exchanges.
func Rules() []string {
	return []string{
		Schema, UndocumentedOperation, UndocumentedStatus, UndocumentedMediaType, UndeclaredField, UndeclaredHeader,
		AuthScheme, Latency,
	}
}

// Config holds the settings of a judge.
type Config struct {
	Documents []*specs.Document
	Bases     map[specs.Interface][]string // base addresses by interface
	Brand     specs.Brand
	Trust     specs.Provenance // the least sure provenance that is still an error
	Engine    engine.Engine    // the second engine, or nil to judge with the first one alone

	// Rewrites say for which addresses those in recordings stand, the first that fits.
	Rewrites []ownership.Rewrite

	// IgnoresHeader reports whether headers of a name are not judged. Without one all are.
	IgnoresHeader func(name string) bool

	// Limits holds how long exchanges may take, by the names of their operations. Without one they may take any time.
	Limits map[string]time.Duration

	// Redactor takes secrets out of the values that findings show. Without one they show none.
	Redactor *recording.Redactor
}

// Judge judges exchanges one by one. It is safe for concurrent use.
type Judge struct {
	addresses *ownership.Addresses
	brand     specs.Brand
	trust     specs.Provenance
	engine    engine.Engine
	samples   func(*Result) bool // nil for all
	messages  *memo
	places    *placeMemo
	envelopes *formMemo
	turn      *sync.Mutex // of whoever judges a large body
	redactor  *recording.Redactor
	ignores   func(header string) bool
	limits    map[string]time.Duration
}

// New makes a judge.
func New(config Config) (*Judge, error) {
	addresses, err := ownership.NewAddresses(config.Documents, config.Bases, config.Rewrites)
	if err != nil {
		return nil, err
	}
	if config.Trust == "" {
		config.Trust = specs.Public
	}
	if config.IgnoresHeader == nil {
		config.IgnoresHeader = func(string) bool { return false }
	}
	return &Judge{
		addresses: addresses, brand: config.Brand, trust: config.Trust, engine: config.Engine,
		messages: newMemo(), places: &placeMemo{}, envelopes: &formMemo{}, turn: &sync.Mutex{},
		redactor: config.Redactor, ignores: config.IgnoresHeader, limits: config.Limits,
	}, nil
}

// Addresses returns the base addresses by which the judge finds the owner of an exchange.
func (j *Judge) Addresses() *ownership.Addresses { return j.addresses }

// At returns the same judge, with everything that it remembers, for other base addresses.
func (j *Judge) At(a *ownership.Addresses) *Judge {
	at := *j
	at.addresses = a
	return &at
}

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

// Exchange judges one exchange.
func (j *Judge) Exchange(item record.Item) *Result {
	r := j.Match(item)
	switch r.Owner.State {
	case ownership.Several:
		j.ambiguous(r)
	case ownership.Matched:
		if r.Operation() == nil {
			j.undocumentedOperation(r)
			break
		}
		r.check(UndocumentedOperation, report.Pass)
		r.sampled = j.engine == nil || j.samples == nil || j.samples(r)
		j.credentials(r)
		j.parameters(r)
		j.request(r)
		j.response(r)
		j.latency(r)
	case ownership.Unmatched, ownership.Ignored:
	}
	return r
}

func (j *Judge) ambiguous(r *Result) {
	r.check(UndocumentedOperation, report.Inconclusive)
	r.Findings = append(r.Findings, j.finding(r.Item.Number, nil, report.Finding{
		Rule: UndocumentedOperation, Severity: report.Warning, Verdict: report.Inconclusive,
		Message: fmt.Sprintf("the address fits %v equally well: give each interface its own base address",
			r.Owner.Claimants),
		Pointer: "/request/url",
	}))
}

func (j *Judge) undocumentedOperation(r *Result) {
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
	last.Operation = "" // belongs to none
	last.ID = report.Fingerprint(&report.Finding{
		Rule: last.Rule, Verdict: last.Verdict, Interface: last.Interface,
		Spec: report.Spec{Pointer: method + " " + path},
	})
}

// request judges what the client sent.
func (j *Judge) request(r *Result) { j.judgeBody(r, r.requestMessage()) }

// response judges what the server answered.
func (j *Judge) response(r *Result) {
	op, status := r.Operation(), r.Status()
	if status == 0 {
		r.check(UndocumentedStatus, report.Inconclusive)
		r.Findings = append(r.Findings, j.finding(r.Item.Number, op, report.Finding{
			Rule: UndocumentedStatus, Severity: report.Notice, Verdict: report.Inconclusive,
			Message: "no response was recorded", Pointer: "/response",
			Spec: report.Spec{Pointer: op.Pointer + "/responses"},
		}))
		return
	}
	key, documented := documentedResponse(op, status)
	if documented == nil {
		j.unknownStatus(r, status)
		return
	}
	r.check(UndocumentedStatus, report.Pass)
	pointer := op.Pointer + "/responses/" + key
	j.headers(r, documented, pointer)
	j.undeclaredHeaders(r, documented, pointer)
	m := message{
		op: op, side: response, status: status, method: r.Item.Request.Method, headers: r.Item.Response.Headers,
		body: r.answered(), doubt: r.Item.ResponseDoubt, content: documented.Content, pointer: pointer,
		required: len(documented.Content) > 0, documented: key, codings: &r.codings,
	}
	if r.Item.Request.Method == http.MethodHead || status == http.StatusNotModified {
		r.Touched = append(r.Touched, m.touched())
		return
	}
	j.judgeBody(r, m)
	j.envelope(r, &m)
}

// answered is the body of the answer, as far as it was recorded. Of one without any bytes recordings often hold
// nothing.
func (r *Result) answered() *recording.Body {
	answer := r.Item.Response
	if answer.Body == nil && r.Item.ResponseDoubt == "" && answer.Headers.Value("Content-Length") == "0" {
		return &recording.Body{}
	}
	return answer.Body
}

func (j *Judge) unknownStatus(r *Result, status int) {
	op := r.Operation()
	severity, provenance := j.undocumentedStatus(op, status)
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
