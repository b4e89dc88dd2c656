package judge

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// probed returns what the document forbids about a request of understudy probe, and whether it is one.
func (r *Result) probed() (fault string, isProbe bool) {
	fault = r.Item.Request.Headers.Value(recording.ProbeHeader)
	if fault == recording.ProbeValid {
		return "", true
	}
	return fault, fault != ""
}

// isRefusedFault reports whether a fault on purpose was refused. Few documents list all statuses of such refusals.
func (r *Result) isRefusedFault() bool {
	fault, _ := r.probed()
	return fault != "" && outcomeOf(r.Status()) == refused
}

// judgeProbe judges whether a request of understudy probe was answered at all, without an error of the server, and
// refused if it has a fault.
func (j *Judge) judgeProbe(r *Result) {
	fault, isProbe := r.probed()
	if !isProbe {
		return
	}
	op, status := r.Operation(), r.Status()
	what := "a valid request"
	if fault != "" {
		what = "a request with a fault: " + fault
	}
	finding := report.Finding{
		Rule: Probe, Severity: report.Error, Verdict: report.Fail, Pointer: "/response",
		Spec: report.Spec{Pointer: op.Pointer},
	}
	isPlanned := status != http.StatusInternalServerError && op.Spec.Responses.Status(status) != nil
	switch {
	case r.IsInjected:
		r.check(Probe, report.Skipped)
		return
	case r.Item.Response == nil:
		finding.Severity, finding.Message = report.Warning, what+" was not answered"
	case status >= 500 && !isPlanned:
		finding.Message = fmt.Sprintf("%s was answered with %d", what, status)
	case fault != "" && status >= 200 && status < 300:
		finding.Severity, finding.Message = report.Warning, fmt.Sprintf("%s was accepted with %d", what, status)
	default:
		r.check(Probe, report.Pass)
		return
	}
	r.check(Probe, report.Fail)
	finding = j.finding(r.Item.Number, op, finding)
	finding.ID = report.Fingerprint(&report.Finding{ // each fault has one of its own
		Rule: Probe, Verdict: report.Fail, Interface: op.Interface, Operation: op.Name(),
		Spec: report.Spec{Pointer: finding.Message},
	})
	r.Findings = append(r.Findings, finding)
}
