package judge

import (
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
)

// judgement holds the checks and findings of a message. It does not name the exchange, so that equal messages share
// it.
type judgement struct {
	checks   []Check
	findings []report.Finding
	touched  *coverage.Set  // nil where nothing is documented
	omitted  map[string]int // number of findings beyond maxFaults by rule, until the judgement is concluded
	more     int            // the sum of them

	votes    [lost + 1]int // of the second engine
	judged   int           // parameters or bodies that the engines judged
	isBody   bool          // the judgement is on a body
	isJSON   bool          // the text of the body is JSON, as it was sent
	room     [3]Check      // of most checks
	unjudged string        // why a body could not be judged
}

func newJudgement() *judgement {
	o := &judgement{}
	o.checks = o.room[:0]
	return o
}

func (o *judgement) check(rule string, v report.Verdict) { o.checks = append(o.checks, Check{rule, v}) }

// isFull reports whether as many findings of a rule are listed as one message may have.
func (o *judgement) isFull(rule string) bool {
	n := 0
	for i := range o.findings {
		if o.findings[i].Rule == rule {
			n++
		}
	}
	return n >= maxFaults
}

// omit counts findings of a rule that are not listed.
func (o *judgement) omit(rule string, n int) {
	if n == 0 {
		return
	}
	if o.omitted == nil {
		o.omitted = map[string]int{}
	}
	o.omitted[rule] += n
}

// conclude adds to the last finding of each rule how many more there are.
func (o *judgement) conclude() *judgement {
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

// addFinding completes a finding and adds it, or only counts it if the rule has maxFaults findings already.
func (j *Judge) addFinding(o *judgement, m *message, f report.Finding) {
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

// inconclusiveBody adds the finding that a body cannot be judged.
func (j *Judge) inconclusiveBody(o *judgement, m *message, reason string) {
	o.check(UndeclaredField, report.Inconclusive)
	j.inconclusive(o, m, reason)
}

// inconclusive adds the finding that a body cannot be judged by its schema.
func (j *Judge) inconclusive(o *judgement, m *message, reason string) {
	o.unjudged = reason
	o.check(Schema, report.Inconclusive)
	j.addFinding(o, m, report.Finding{
		Rule: Schema, Severity: report.Notice, Verdict: report.Inconclusive, Message: reason,
		Pointer: "/" + m.side.String() + "/body", Spec: report.Spec{Pointer: m.pointer + "/content"},
	})
}

// skipCut notes that a body is not judged, because a fault cut it.
func (o *judgement) skipCut() {
	o.check(Schema, report.Skipped)
	o.check(UndeclaredField, report.Skipped)
	o.unjudged = "an injected fault cut it"
}
