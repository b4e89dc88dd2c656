package judge

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// parameters are those of one request, in the forms that the engines want.
type parameters struct {
	message
	owner   *ownership.Owner
	query   url.Values
	ignores func(header string) bool
}

// inPath returns the value of a parameter in the path, unescaped.
func (p *parameters) inPath(name string) string { return p.owner.Match.Declared(name) }

// isIgnored reports whether a parameter is not judged: one of the path that its template does not have, or a header, by
// the user's wish or because OpenAPI ignores parameters of the name (3.0 and 3.1, Parameter Object, name).
func (p *parameters) isIgnored(parameter *openapi3.Parameter) bool {
	if parameter.In == openapi3.ParameterInPath {
		return !strings.Contains(p.op.Template, "{"+parameter.Name+"}")
	}
	if parameter.In != openapi3.ParameterInHeader {
		return false
	}
	return slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"}, func(name string) bool {
		return strings.EqualFold(name, parameter.Name)
	}) || p.ignores(parameter.Name)
}

// judgeParameters judges path, query and header parameters, or repeats the judgement of the same ones before.
func (j *Judge) judgeParameters(r *Result) *judgement {
	op := r.Operation()
	m := message{
		op: op, side: request, reception: receptionOf(r.Status()), method: r.Item.Request.Method,
		headers: r.Item.Request.Headers, documentedBody: r.documented.parameters, sampled: r.sampled,
	}
	if m.headers.Value("Cookie") == "" && slices.ContainsFunc(r.Item.Redacted, func(what string) bool {
		return strings.EqualFold(what, "Cookie")
	}) {
		m.headers = append(slices.Clip(m.headers), [2]string{"Cookie", recording.Mark})
	}
	key := m.parametersKey(&r.Owner)
	if known := j.messages.get(key); known != nil {
		return known
	}
	o := newJudgement()
	if slices.ContainsFunc(op.Parameters,
		func(ref *openapi3.ParameterRef) bool { return !specs.IsCredential(ref.Value) }) {
		o.judged = 1
	}
	if p := j.readParameters(o, m, r); p != nil {
		results := j.askEnginesOnParameters(p)
		j.addFaults(o, &p.message, results, j.compareEngines(&p.message, results))
		j.judgeUndeclaredParameters(o, p)
	}
	o.conclude()
	j.messages.put(key, o)
	return o
}

// readParameters returns the parameters for the engines, or nil if the query cannot be parsed.
func (j *Judge) readParameters(o *judgement, m message, r *Result) *parameters {
	query, err := r.Query()
	p := &parameters{message: m, owner: &r.Owner, ignores: j.ignores, query: query}
	if err != nil {
		j.addFinding(o, &p.message, report.Finding{
			Rule: Schema, Verdict: report.Fail, Message: "the query cannot be parsed", Pointer: "/request/url",
			Spec: report.Spec{Pointer: m.pointer},
		})
		o.check(Schema, report.Fail)
		return nil
	}
	o.touched = coverage.NewSet(p.op)
	o.touched.Parameters(p.valuesOf)
	return p
}

// request makes a request as the engines want it: with the path that the document writes, and its headers.
func (p *parameters) request() *http.Request {
	escaped := asWritten(p.op, p.owner.Path)
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		plain = escaped
	}
	u := &url.URL{
		Scheme: "http", Host: "judge.invalid", Path: plain, RawPath: escaped,
		RawQuery: address.WithoutSemicolons(p.owner.Query),
	}
	request := &http.Request{Method: p.op.Method, URL: u, Header: headerOf(p.headers), Host: u.Host, Body: http.NoBody}
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

// askEnginesOnParameters gives the parameters to both engines.
func (j *Judge) askEnginesOnParameters(p *parameters) engineResults {
	kin := kinOnParameters(p)
	second, vote := j.secondOnParameters(p, len(kin.list))
	kin.list, second = p.redactSecrets(kin.list), p.redactSecrets(second)
	if len(kin.list)+len(second) == 0 && kin.doubt == "" {
		return engineResults{vote: vote}
	}
	return engineResults{
		kin: kin, second: second, vote: vote, pointer: p.pointer, instance: "/request",
		known: func(c knownCase) bool { return c.inParameters && c.is(nil, kin.list, second) },
		found: func(path []string) string { return j.foundFor(p, path) }, place: p.placeOf,
	}
}

// valuesOf returns the texts that a request gives to a parameter, those of a list one by one, and whether it gives any.
func (p *parameters) valuesOf(g *openapi3.Parameter) (values []string, isGiven bool) {
	switch g.In {
	case openapi3.ParameterInPath:
		values = []string{p.inPath(g.Name)}
		isGiven = values[0] != ""
	case openapi3.ParameterInHeader:
		values = []string{p.headers.Value(g.Name)}
		isGiven = values[0] != ""
	case openapi3.ParameterInCookie:
		for _, cookie := range cookies(p.headers.Value("Cookie")) {
			if cookie.Name == g.Name {
				values, isGiven = append(values, cookie.Value), true
			}
		}
	case openapi3.ParameterInQuery:
		values, isGiven = inQuery(p.query, g)
	}
	if g.Schema == nil || g.Schema.Value == nil || !g.Schema.Value.Type.Is("array") {
		return values, isGiven
	}
	var items []string
	for _, value := range values {
		items = append(items, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' })...)
	}
	return items, isGiven
}

func cookies(header string) []*http.Cookie {
	list, _ := http.ParseCookie(header)
	return list
}

// inQuery returns what a query gives to a parameter: by its name, with brackets for a list or an object, or, for an
// object that is spread out, by the names of its members.
func inQuery(query url.Values, g *openapi3.Parameter) (values []string, isGiven bool) {
	for name, list := range query {
		switch {
		case name == g.Name, name == g.Name+"[]":
			values, isGiven = append(values, list...), true
		case g.Style == "deepObject" && strings.HasPrefix(name, g.Name+"["), isSpread(g) &&
			g.Schema.Value.Properties[name] != nil:
			isGiven = true
		}
	}
	return values, isGiven
}

func isSpread(g *openapi3.Parameter) bool {
	return g.Schema != nil && g.Schema.Value != nil && g.Schema.Value.Type.Is("object") && g.Style != "deepObject"
}

// Most parameters and headers are absent, or single texts that compiled schemas accept. The first engine is asked about
// others.

// accepts reports whether the engine has no fault to find with a parameter.
func (p *parameters) accepts(g *openapi3.Parameter) bool {
	if g.Content != nil || g.Schema == nil {
		return false
	}
	switch {
	case g.In == openapi3.ParameterInPath && (g.Style == "" || g.Style == openapi3.SerializationSimple):
		return acceptsText(p.op.Document, g.Schema.Value, request, p.inPath(g.Name))
	case g.In == openapi3.ParameterInHeader:
		return acceptsHeader(p.op.Document, g, request, g.Name, p.headers)
	case g.In == openapi3.ParameterInQuery && (g.Style == "" || g.Style == openapi3.SerializationForm):
		switch values := p.query[g.Name]; len(values) {
		case 0:
			return !g.Required && (isSingle(g.Schema.Value) || isList(g.Schema.Value))
		case 1:
			return acceptsText(p.op.Document, g.Schema.Value, request, values[0])
		}
	}
	return false
}

// acceptsHeader reports whether the engine has no fault to find with a header of a side.
func acceptsHeader(
	d *specs.Document, h *openapi3.Parameter, side side, name string, headers recording.Headers,
) bool {
	if h.Content != nil || h.Schema == nil || !isSingle(h.Schema.Value) ||
		h.Style != "" && h.Style != openapi3.SerializationSimple {
		return false
	}
	i := slices.IndexFunc(headers, func(line [2]string) bool { return strings.EqualFold(line[0], name) })
	if i < 0 {
		return !h.Required
	}
	return http.CanonicalHeaderKey(headers[i][0]) == http.CanonicalHeaderKey(name) &&
		acceptsText(d, h.Schema.Value, side, headers[i][1])
}

// isSingle reports whether the values of a schema are strings, whole numbers or truth values, and the schema is not
// combined.
func isSingle(schema *openapi3.Schema) bool {
	return !isCombinedSchema(schema) && (schema.Type.Is(openapi3.TypeString) ||
		schema.Type.Is(openapi3.TypeInteger) || schema.Type.Is(openapi3.TypeBoolean))
}

func isList(schema *openapi3.Schema) bool {
	return !isCombinedSchema(schema) && schema.Type.Is(openapi3.TypeArray)
}

func isCombinedSchema(schema *openapi3.Schema) bool {
	return len(schema.AllOf)+len(schema.AnyOf)+len(schema.OneOf) > 0 || schema.Not != nil
}

// acceptsText reports whether the engine takes a text for a value of a schema of single values.
func acceptsText(d *specs.Document, schema *openapi3.Schema, side side, text string) bool {
	const bits = 32 // what is larger may be too large for its format
	tree := treeOf(d, schema, side)
	if tree == nil || text == "" || !isSingle(schema) {
		return false
	}
	switch {
	case schema.Type.Is(openapi3.TypeString):
		return tree.AcceptsFlat(jsontree.OfText(text))
	case schema.Type.Is(openapi3.TypeBoolean):
		return (text == "true" || text == "false") && tree.AcceptsFlat(jsontree.OfBool(text == "true"))
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return err == nil && tree.AcceptsFlat(jsontree.OfNumber(float64(n)))
}
