package judge

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// parameters are those of one request, in the forms that the engines want.
type parameters struct {
	message
	request *http.Request
	path    map[string]string
	query   url.Values
	ignores func(header string) bool
}

// isIgnored reports whether a parameter is a header that is not judged.
func (p *parameters) isIgnored(parameter *openapi3.Parameter) bool {
	return parameter.In == openapi3.ParameterInHeader && p.ignores(parameter.Name)
}

// parameters judges path, query and header parameters.
func (j *Judge) parameters(r *Result) {
	op := r.Operation()
	m := message{
		op: op, side: request, outcome: outcomeOf(r.Status()), method: r.Item.Request.Method,
		headers: r.Item.Request.Headers, pointer: op.Pointer + "/parameters", sampled: r.sampled,
	}
	key := m.parametersKey(&r.Owner)
	said := j.messages.get(key)
	if said == nil {
		said = j.judgeParameters(m, &r.Owner)
		j.messages.put(key, said)
	}
	r.take(said)
}

func (j *Judge) judgeParameters(m message, owner *ownership.Owner) *judgement {
	p := &parameters{message: m, path: map[string]string{}, ignores: j.ignores}
	query, err := url.ParseQuery(owner.Query)
	p.query = query
	o := &judgement{}
	if slices.ContainsFunc(m.op.Parameters,
		func(ref *openapi3.ParameterRef) bool { return !specs.IsCredential(ref.Value) }) {
		o.judged = 1
	}
	if err != nil {
		j.addFinding(o, &m, report.Finding{
			Rule: Schema, Verdict: report.Fail, Message: "the query cannot be parsed", Pointer: "/request/url",
			Spec: report.Spec{Pointer: m.op.Pointer + "/parameters"},
		})
		o.check(Schema, report.Fail)
		return o.conclude()
	}
	p.request = requestOf(&m, owner)
	for _, ref := range m.op.Parameters {
		if ref.Value.In == openapi3.ParameterInPath {
			p.path[ref.Value.Name] = owner.Match.Declared(ref.Value.Name)
		}
	}
	o.touched = coverage.NewSet(p.op)
	o.touched.Parameters(p.valuesOf)
	first := kinOnParameters(p)
	second, vote := j.secondOnParameters(p, len(first.list))
	first.list, second = p.redactSecrets(first.list), p.redactSecrets(second)
	j.compareEngines(o, &m, engineResults{
		first: first, second: second, vote: vote, pointer: m.op.Pointer + "/parameters", instance: "/request",
		found: func(path []string) string { return j.foundFor(p, path) },
	})
	j.undeclaredParameters(o, p)
	return o.conclude()
}

// requestOf makes a request as the engines want it: with the path that the document writes, and its headers.
func requestOf(m *message, owner *ownership.Owner) *http.Request {
	escaped := asWritten(m.op, owner.Path)
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		plain = escaped
	}
	u := &url.URL{Scheme: "http", Host: "judge.invalid", Path: plain, RawPath: escaped, RawQuery: owner.Query}
	request := &http.Request{Method: m.op.Method, URL: u, Header: headerOf(m.headers), Host: u.Host, Body: http.NoBody}
	return request.WithContext(context.Background())
}

// asWritten returns a path below a base address as the document writes it, which may begin before or after that base.
func asWritten(op *specs.Operation, path string) string {
	segments := strings.Split(op.Document.BasePath+strings.TrimSuffix(path, "/"), "/")
	n := strings.Count(strings.TrimSuffix(op.Template, "/"), "/")
	written := "/" + strings.Join(segments[max(len(segments)-n, 0):], "/")
	if strings.HasSuffix(op.Template, "/") && n > 0 {
		written += "/"
	}
	return written
}

func headerOf(headers recording.Headers) http.Header {
	h := make(http.Header, len(headers))
	for _, line := range headers {
		h.Add(line[0], line[1])
	}
	return h
}

// headers judges the documented headers of a response, apart from its body: the engine would hide one behind the other.
func (j *Judge) headers(r *Result, documented *openapi3.Response, pointer string) {
	if len(documented.Headers) == 0 {
		return
	}
	m := message{
		op: r.Operation(), side: response, status: r.Status(), pointer: pointer, headers: r.Item.Response.Headers,
	}
	values := headerOf(r.Item.Response.Headers)
	o := &judgement{}
	var faults []fault
	for name, ref := range documented.Headers {
		if ref.Value != nil && !strings.EqualFold(name, "Content-Type") && !isHop(name, values) && !j.ignores(name) {
			faults = append(faults, kinOnHeader(name, ref.Value, values, join(pointer, "headers", name))...)
		}
	}
	j.compareEngines(o, &m, engineResults{
		first: found{list: faults}, pointer: pointer + "/headers", instance: "/response/headers",
		found: func(path []string) string { return j.foundHeader(&m, path[0]) },
	})
	r.take(o.conclude())
}

// isHop reports whether a header is missing that does not reach everybody: it is about one connection only, so that
// proxies take it away and newer versions of the protocol do not have it.
func isHop(name string, values http.Header) bool {
	return strings.EqualFold(name, "Connection") && values.Get(name) == ""
}

func headerInput(operation *openapi3.Operation) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: (&http.Request{Method: http.MethodGet, URL: &url.URL{}}).WithContext(context.Background()),
		Route:   &routers.Route{Spec: &openapi3.T{OpenAPI: "3.0.3"}, Operation: operation},
	}
}
