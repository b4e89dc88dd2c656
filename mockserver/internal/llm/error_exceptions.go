package llm

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/llm/segmentrule"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// rewordErrors replaces the statuses and codes of errors of the document's schemas, where the platform's differ from
// those of other schemas.
func rewordErrors(o *specs.Operation, list op.Errors) op.Errors {
	if o == nil {
		return list
	}
	list = slices.Clone(list)
	for i, e := range list {
		one := *kinds.RewordFilters(e)
		if e.Code == op.CodeInvalid && (knowledge.IsUnknownFunction(o, e) || segmentrule.IsInRule(e)) {
			one.Code = op.CodeUnprocessable
		}
		switch {
		case kinds.IsNullReturnMode(e):
			one.Reason = jsonapi.InvalidFormat
		case strings.HasPrefix(e.Field, jsonapi.AttributesField+".") && jsonapi.IsBlank(e.Reason):
			one.Message = jsonapi.BlankReason
		}
		list[i] = &one
	}
	return kinds.RepeatOnToolTarget(o, list)
}
