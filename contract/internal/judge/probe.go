package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
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
	return fault != "" && receptionOf(r.Status()) == refused
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
	isSuccess := status >= 200 && status < 300
	isPlanned := status != http.StatusInternalServerError && op.Spec.Responses.Status(status) != nil
	switch {
	case r.IsInjected:
		r.check(Probe, report.Skipped)
		return
	case isSuccess && r.Item.ResponseDoubt != "" && r.Item.Request.Headers.Value(recording.ExpectHeader) != "":
		r.check(Probe, report.Inconclusive)
		return
	case r.Item.Response == nil:
		finding.Severity, finding.Message = report.Warning, what+" was not answered"
	case status >= 500 && !isPlanned:
		finding.Message = fmt.Sprintf("%s was answered with %d", what, status)
	case fault != "" && isSuccess:
		finding.Severity, finding.Message = report.Warning, fmt.Sprintf("%s was accepted with %d", what, status)
	default:
		lacks := r.unexpected()
		if lacks == "" {
			r.check(Probe, report.Pass)
			return
		}
		finding.Severity, finding.Message = report.Warning, lacks
	}
	r.check(Probe, report.Fail)
	finding = j.finding(r.Item.Number, op, finding)
	finding.ID = report.Fingerprint(&report.Finding{ // each fault has one of its own
		Rule: Probe, Verdict: report.Fail, Interface: op.Interface, Operation: op.Name(),
		Spec: report.Spec{Pointer: finding.Message},
	})
	r.Findings = append(r.Findings, finding)
}

// maxWhole is the most items of a list that is taken for a whole one, and not for a page.
const maxWhole = 9

// unexpected returns what an answer lacks of what the probe expects, or the empty string. A member may be missing, as
// services do not show all that was set; an item may be missing only in a list that may be a page.
func (r *Result) unexpected() string {
	body := r.Item.Response.Body
	if r.Status() >= 300 || body == nil {
		return ""
	}
	var shown any
	if json.Unmarshal(body.Bytes, &shown) != nil {
		return ""
	}
	for _, line := range r.Item.Request.Headers {
		if !strings.EqualFold(line[0], recording.ExpectHeader) {
			continue
		}
		pointer, want, _ := strings.Cut(line[1], " ")
		at := specs.PointerOf(pointer)
		found, isList := at.In(shown), slices.Contains(at, "*")
		switch isThere := slices.ContainsFunc(found, func(v any) bool { return plain(v) == want }); {
		case isThere, !isList && len(found) == 0, isList && len(found) > maxWhole:
		case isList:
			return fmt.Sprintf("the list lacks the one with %s %s, which was made before", at[len(at)-1], want)
		default:
			return fmt.Sprintf("%s is not what it was set to before", pointer)
		}
	}
	return ""
}

// plain returns a string without its quotes, and the JSON of any other value.
func plain(value any) string {
	if text, isText := value.(string); isText {
		return text
	}
	encoded, _ := json.Marshal(value)
	return string(encoded)
}
