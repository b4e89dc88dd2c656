package judge

import (
	"context"
	"iter"
	"net/url"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// What is not asked of the first engine must be what it accepts. This cannot be seen from outside, where the engine
// would say the same.

var givenTexts = [][]string{
	nil,
	{""},
	{"a"},
	{"a", "b"},
	{"", "a"},
	{"0"},
	{"1"},
	{"-1"},
	{"+1"},
	{"1.0"},
	{"1e2"},
	{" 1"},
	{"2147483647"},
	{"2147483648"},
	{"9223372036854775807"},
	{"9223372036854775808"},
	{"true"},
	{"false"},
	{"True"},
	{"null"},
	{"a,b"},
	{".a"},
	{"asc"},
	{"2026-05-04"},
	{"2026-05-04T01:20:05Z"},
	{"5a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b3"},
	{"a@b.example"},
	{"\xff"},
}

func TestAcceptedParametersAreThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	accepted, asked := 0, 0
	for _, op := range operations(t) {
		for _, ref := range op.Parameters {
			for _, texts := range givenTexts {
				p := given(op, ref.Value, texts)
				if !p.accepts(ref.Value) {
					asked++
					continue
				}
				accepted++
				if err := openapi3filter.ValidateParameter(context.Background(), p.input(), ref.Value); err != nil {
					t.Errorf("%s, %s parameter %s, %q is accepted: %v", op.Name(), ref.Value.In, ref.Value.Name, texts, err)
				}
			}
		}
	}
	if accepted == 0 || asked == 0 {
		t.Errorf("%d are accepted, %d not", accepted, asked)
	}
}

// given returns the parameters of a request that gives texts to one.
func given(op *specs.Operation, parameter *openapi3.Parameter, texts []string) *parameters {
	p := &parameters{
		message: message{op: op, side: request}, owner: &ownership.Owner{}, query: url.Values{},
	}
	switch {
	case len(texts) == 0:
	case parameter.In == openapi3.ParameterInPath:
		p.owner.Match = *specs.Matched(parameter.Name, texts[0])
	case parameter.In == openapi3.ParameterInQuery:
		p.query[parameter.Name] = texts
	case parameter.In == openapi3.ParameterInHeader:
		for _, text := range texts {
			p.headers = append(p.headers, [2]string{parameter.Name, text})
		}
	}
	return p
}

func TestAcceptedHeadersAreThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	judge, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	accepted, asked := 0, 0
	for _, op := range operations(t) {
		for name, header := range headersOf(op) {
			for _, texts := range givenTexts {
				var headers recording.Headers
				for _, text := range texts {
					headers = append(headers, [2]string{name, text})
				}
				if !acceptsHeader(op.Document, &header.Parameter, response, name, headers) {
					asked++
					continue
				}
				accepted++
				if faults := judge.kinOnHeader(name, header, headerOf(headers), ""); len(faults) > 0 {
					t.Errorf("%s, header %s, %q is accepted: %v", op.Name(), name, texts, faults)
				}
			}
		}
	}
	if accepted == 0 || asked == 0 {
		t.Errorf("%d are accepted, %d not", accepted, asked)
	}
}

// headersOf yields the documented headers of an operation's answers.
func headersOf(op *specs.Operation) iter.Seq2[string, *openapi3.Header] {
	return func(yield func(string, *openapi3.Header) bool) {
		for _, answer := range op.Spec.Responses.Map() {
			for name, ref := range answer.Value.Headers {
				if !yield(name, ref.Value) {
					return
				}
			}
		}
	}
}

func operations(t *testing.T) (list []*specs.Operation) {
	t.Helper()
	for _, name := range specs.Interfaces() {
		document, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, document.Operations...)
	}
	return list
}
