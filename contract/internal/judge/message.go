package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// message is a request or a response, with what is documented for its body.
type message struct {
	op       *specs.Operation
	side     side
	status   int // of the response
	outcome  outcome
	method   string
	headers  recording.Headers
	body     *recording.Body
	doubt    string
	content  openapi3.Content
	required bool
	pointer  string // of what is documented: a request body or a response

	inQuery  []string // members of the body that stand in the query
	bodiless bool     // the recording holds no body: what there is stands in the query
	joined   bool     // the body is not what was sent, but the JSON that it was read as
	sent     string   // Content-Type of a body that was read so

	sampled bool // the second engine judges it, whatever the first one says

	documented string // under which status a response is documented
	codings    *body.Codings
}

// opinion is what was said of a message. It does not name the exchange, so that it holds for the next one that is the
// same.
type opinion struct {
	checks   []Check
	findings []report.Finding
	touched  *coverage.Set  // nil where nothing is documented
	omitted  map[string]int // findings beyond maxFaults, by rule, until the opinion is concluded
	more     int            // the sum of them

	votes    [lost + 1]int // of the second engine
	judged   int           // parameters or bodies that were put before the engines
	isBody   bool          // whether it is of a body
	unjudged string        // why a body could not be
}

func (o *opinion) check(rule string, v report.Verdict) { o.checks = append(o.checks, Check{rule, v}) }

// isFull reports whether as many findings of a rule are told as one message may have.
func (o *opinion) isFull(rule string) bool {
	n := 0
	for i := range o.findings {
		if o.findings[i].Rule == rule {
			n++
		}
	}
	return n >= maxFaults
}

// omit counts findings of a rule that are not told one by one.
func (o *opinion) omit(rule string, n int) {
	if n == 0 {
		return
	}
	if o.omitted == nil {
		o.omitted = map[string]int{}
	}
	o.omitted[rule] += n
}

// conclude says with the last finding of a rule how many more there are.
func (o *opinion) conclude() *opinion {
	for i := range slices.Backward(o.findings) {
		f := &o.findings[i]
		if n := o.omitted[f.Rule]; n > 0 {
			f.Message = fmt.Sprintf("%s; and %d more of rule %s in the same message", f.Message, n, f.Rule)
			delete(o.omitted, f.Rule)
			o.more += n
		}
	}
	return o
}

// examine judges the body of a message, or repeats what was said of the same one before.
func (j *Judge) examine(r *Result, m message) {
	m.sampled = r.sampled
	key := m.key()
	said := j.messages.get(key)
	if said == nil {
		said = j.opinion(&m)
		j.messages.put(key, said)
	}
	r.take(said)
}

// take adds an opinion to the result.
func (r *Result) take(said *opinion) {
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

// fault adds a finding on the body, at an instance path below it, about the fact at a pointer of the document. Of those
// beyond the first ones of a rule only the number is kept.
func (j *Judge) fault(o *opinion, m *message, f report.Finding) {
	if o.isFull(f.Rule) {
		o.omit(f.Rule, 1)
		return
	}
	if f.Severity == "" {
		p := f.Provenance
		if p == "" {
			p = j.place(m.op, f.Spec.Pointer).Provenance
		}
		f.Severity = j.severity(m.side, p, m.outcome)
	}
	o.findings = append(o.findings, j.finding(0, m.op, f))
}

// unknowable says that nothing can be said of a body.
func (j *Judge) unknowable(o *opinion, m *message, reason string) {
	o.check(UndeclaredField, report.Inconclusive)
	j.undecided(o, m, reason)
}

// undecided says that a body may be right or wrong.
func (j *Judge) undecided(o *opinion, m *message, reason string) {
	o.unjudged = reason
	o.check(Schema, report.Inconclusive)
	j.fault(o, m, report.Finding{
		Rule: Schema, Severity: report.Notice, Verdict: report.Inconclusive, Message: reason,
		Pointer: "/" + m.side.String() + "/body", Spec: report.Spec{Pointer: m.pointer + "/content"},
	})
}

func (j *Judge) opinion(m *message) *opinion {
	o := &opinion{touched: m.touched()}
	switch {
	case m.body == nil && m.doubt != "" && len(m.content) > 0:
		j.unknowable(o, m, m.doubt)
	case m.body == nil && m.required:
		j.unknowable(o, m, "the recording holds no body, and one is documented")
	case m.body == nil, len(m.body.Bytes) == 0 && !m.required && m.doubt == "":
	case len(m.content) == 0 && len(m.body.Bytes) == 0:
	default:
		j.mediaType(o, m)
	}
	return o.conclude()
}

// mediaType judges the Content-Type, and the body if it is a documented one.
func (j *Judge) mediaType(o *opinion, m *message) {
	header := m.headers.Value("Content-Type")
	media := m.documentedMedia()
	if header == "" && media == nil && len(m.body.Bytes) == 0 {
		j.empty(o, m)
		return
	}
	if len(m.headers) == 0 && len(m.content) > 0 {
		o.check(UndocumentedMediaType, report.Inconclusive)
		j.unknowable(o, m, "the recording holds no headers, and so not the media type of the body")
		return
	}
	if media == nil {
		o.check(UndocumentedMediaType, report.Fail)
		o.check(Schema, report.Skipped)
		o.unjudged = "its media type is not documented"
		j.fault(o, m, report.Finding{
			Rule: UndocumentedMediaType, Verdict: report.Fail, Message: m.mediaMessage(header),
			Pointer: "/" + m.side.String() + "/headers/Content-Type", Found: j.foundHeader(m, "Content-Type"), Spec: report.Spec{Pointer: m.pointer + "/content"},
		})
		return
	}
	o.check(UndocumentedMediaType, report.Pass)
	if m.doubt != "" {
		j.unknowable(o, m, m.doubt)
		return
	}
	if len(m.body.Bytes) == 0 && body.IsJSON(body.MediaType(header)) && !body.IsLined(media) { // no lines are fine
		j.empty(o, m)
		return
	}
	j.content(o, m, media, header)
}

func (m *message) mediaMessage(header string) string {
	documented := slices.Sorted(maps.Keys(m.content))
	switch {
	case len(documented) == 0:
		return fmt.Sprintf("the %s has a body, and none is documented", m.side)
	case header == "":
		return fmt.Sprintf("the %s has no Content-Type; documented: %s", m.side, strings.Join(documented, ", "))
	}
	return fmt.Sprintf("the %s has Content-Type %q; documented: %s", m.side, header, strings.Join(documented, ", "))
}
