package judge

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs/recording"
)

// What a recorder took out cannot be judged: the mark in its place is not what went over the wire.

func isRedacted(value string) bool { return strings.Contains(value, recording.Mark) }

// seen leaves out faults of values that were taken out.
func (b *body) seen(faults []fault) []fault {
	return slices.DeleteFunc(faults, func(f fault) bool {
		text, _ := b.valueAt(f.path).(string)
		return isRedacted(text)
	})
}

// isRedacted reports whether the value of a parameter was taken out.
func (p *parameters) isRedacted(parameter *openapi3.Parameter) bool {
	switch parameter.In {
	case openapi3.ParameterInHeader:
		return isRedacted(p.headers.Value(parameter.Name))
	case openapi3.ParameterInQuery:
		return isRedacted(p.query.Get(parameter.Name))
	}
	return isRedacted(p.path[parameter.Name])
}

func (p *parameters) anyRedacted() bool {
	return slices.ContainsFunc(p.op.Parameters, func(ref *openapi3.ParameterRef) bool {
		return !isCredential(ref.Value) && p.isRedacted(ref.Value)
	})
}
