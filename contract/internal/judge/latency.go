package judge

import (
	"fmt"
	"time"

	"svc.example/understudy/contract/report"
)

// judgeLatency compares how long an exchange took with the limit of its operation, if that has one.
func (j *Judge) judgeLatency(r *Result) {
	op := r.Operation()
	limit, isLimited := j.limits[op.Name()]
	if !isLimited {
		return
	}
	if r.Status() == 0 || r.Item.Fault != "" { // no response was recorded, as another rule says, or a fault delayed it
		r.check(Latency, report.Skipped)
		return
	}
	took, doubt := r.took()
	finding := report.Finding{
		Rule: Latency, Severity: report.Notice, Verdict: report.Inconclusive, Message: doubt, Pointer: "/response",
	}
	switch {
	case doubt != "":
		r.check(Latency, report.Inconclusive)
	case took <= limit:
		r.check(Latency, report.Pass)
		return
	default:
		r.check(Latency, report.Fail)
		finding.Severity, finding.Verdict = report.Error, report.Fail
		finding.Message = fmt.Sprintf("took longer than its limit of %s", limit)
		finding.Found = rounded(took).String()
	}
	finding = j.finding(r.Item.Number, op, finding)
	finding.Spec = report.Spec{} // the limit is the user's own: no document states it
	r.Findings = append(r.Findings, finding)
}

// took returns the duration of an exchange, or why it is not known. Under a clock that stands still nothing takes any
// time.
func (r *Result) took() (took time.Duration, doubt string) {
	start, end := r.Item.Start, r.Item.End
	switch {
	case start.IsZero(), end.IsZero():
		return 0, "the recording does not contain the duration"
	case end.Equal(start):
		return 0, "the recorded duration is zero: its clock stood still or is too coarse"
	case end.Before(start):
		return 0, "the recorded end is before the beginning"
	}
	return end.Sub(start), ""
}

// rounded returns a duration without digits that do not matter.
func rounded(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
