package llm

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// rewordErrors gives what the document's schemas refuse the statuses and codes that the platform has for it, where
// these are not those of all schemas.
func rewordErrors(o *specs.Operation, list op.Errors) op.Errors {
	if o == nil {
		return list
	}
	list = slices.Clone(list)
	for i, e := range list {
		one := *rewordFilters(e)
		if e.Code == op.CodeInvalid && (isUnknownFunction(o, e) || isInRule(e)) {
			one.Code = op.CodeUnprocessable
		}
		switch {
		case isNullReturnMode(e):
			one.Reason = invalidFormat
		case strings.HasPrefix(e.Field, attributesField+".") && isBlank(e.Reason):
			one.Message = blankReason
		}
		list[i] = &one
	}
	return repeatOnToolTarget(o, list)
}
