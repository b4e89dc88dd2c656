package judge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
)

// judgeHeaders judges the documented headers of a response. They are judged apart from its body, since the engine would
// report only one of the two.
func (j *Judge) judgeHeaders(r *Result, m *message) {
	if len(m.documented.Headers) == 0 {
		return
	}
	faults := j.headerFaults(m)
	if len(faults.list) == 0 && faults.doubt == "" {
		r.check(Schema, report.Pass)
		return
	}
	o := &judgement{}
	results := engineResults{
		kin: faults, pointer: m.pointer + "/headers", instance: "/response/headers",
		found: func(path []string) string { return j.foundHeader(m, path[0]) },
	}
	j.addFaults(o, m, results, j.compareEngines(m, results))
	r.add(o.conclude())
}

// headerFaults returns what the engine finds wrong with the documented headers of a response.
func (j *Judge) headerFaults(m *message) (faults faultList) {
	var values http.Header
	for _, name := range m.documented.headers {
		header := m.documented.Headers[name].Value
		if header == nil || !m.op.Document.IsUsers() &&
			acceptsHeader(m.op.Document, &header.Parameter, response, name, m.headers) {
			continue
		}
		if values == nil {
			values = headerOf(m.headers)
		}
		pointer := join(m.pointer, "headers", name)
		switch {
		case strings.EqualFold(name, "Content-Type"), isHop(name, values), j.ignores(name):
		case header.Schema != nil && isTooMuch(m.op.Document, header.Schema.Value, values.Get(name)):
			faults.tooMuch(pointer)
		case m.op.Document.IsUsers() && faults.usersHeader(m, name, header, pointer):
		default:
			faults.list = append(faults.list, j.kinOnHeader(name, header, values, pointer)...)
		}
	}
	return faults
}

// usersHeader adds what is wrong with a header of a user's own document, as usersParameter does. Several lines are one
// list, but for cookies, of which each has its own (RFC 9110, 5.3).
func (f *faultList) usersHeader(m *message, name string, header *openapi3.Header, pointer string) (isJudged bool) {
	lines := linesOf(m.headers, name)
	groups := [][]string{lines}
	if strings.EqualFold(name, "Set-Cookie") && len(lines) > 1 {
		groups = slices.Collect(slices.Chunk(lines, 1))
	}
	isJudged = true
	for _, group := range groups {
		isJudged = isJudged && f.usersParameter(m.op.Document, namedHeader(name, header),
			inHeader(group, header.Explode != nil && *header.Explode), response, pointer)
	}
	return isJudged
}

func namedHeader(name string, header *openapi3.Header) *openapi3.Parameter {
	named := header.Parameter
	named.Name, named.In = name, openapi3.ParameterInHeader
	return &named
}

// isHop reports whether a header is missing that concerns a single connection: proxies remove it, and newer versions of
// the protocol do not have it.
func isHop(name string, values http.Header) bool {
	return strings.EqualFold(name, "Connection") && values.Get(name) == ""
}
