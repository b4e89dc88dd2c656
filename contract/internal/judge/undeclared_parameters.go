package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// judgeUndeclaredParameters looks for query parameters that the operation does not name. One whose name is a prefix
// with brackets may be a part of an object.
func (j *Judge) judgeUndeclaredParameters(o *judgement, p *parameters) {
	var undeclared []string
	for name := range p.query {
		if !declaresQuery(p.op, name) && !p.op.Reader.TakesFromQuery(name) {
			undeclared = append(undeclared, name)
		}
	}
	slices.Sort(undeclared)
	verdict := report.Pass
	for _, name := range undeclared {
		verdict = report.Fail
		if o.isFull(UndeclaredField) {
			o.omit(UndeclaredField, 1)
			continue
		}
		provenance := j.place(p.op, p.op.Pointer+"/parameters").Provenance
		severity := j.severity(request, provenance, p.outcome)
		if !p.op.Document.IsUsers() || !j.undeclared {
			severity = severity.AtMost(report.Warning)
		}
		j.addFinding(o, &p.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail,
			Severity: severity,
			Message:  fmt.Sprintf("query parameter %q is not documented", name),
			Pointer:  join("/request/query", name), Spec: report.Spec{Pointer: p.op.Pointer + "/parameters"},
		})
	}
	o.check(UndeclaredField, verdict)
}

func declaresQuery(op *specs.Operation, name string) bool {
	return namesQuery(op, name, nil) ||
		slices.ContainsFunc(op.Parameters, func(ref *openapi3.ParameterRef) bool { return hasMember(ref.Value, name) })
}

// namesQuery reports whether a parameter of the query has the name, but for one.
func namesQuery(op *specs.Operation, name string, except *openapi3.Parameter) bool {
	for _, ref := range op.Parameters {
		if p := ref.Value; p.In == openapi3.ParameterInQuery && p != except &&
			(p.Name == name || p.Name+"[]" == name || p.Style == "deepObject" && strings.HasPrefix(name, p.Name+"[")) {
			return true
		}
	}
	for _, scheme := range credentialSchemes(op) {
		if scheme.In == "query" && scheme.Name == name {
			return true
		}
	}
	return false
}
