package mockserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs/recording"
)

const (
	preferHeader = "Prefer"
	preferredID  = "prefer" // of the fault that such an answer counts as
)

// preference holds what the header Prefer asks for, as Prism reads it. Other preferences of RFC 7240 are ignored.
type preference struct {
	code    int    // 0 if none is given
	example string // likewise empty
	dynamic bool   // ignored: the answers of the mock are dynamic anyway
}

// parsePreference reads the lines of the header. Of what is given twice, the first one counts.
func parsePreference(lines []string) (p preference, err error) {
	given := map[string]string{}
	separates := func(r rune) bool { return r == ',' || r == ';' }
	for _, field := range strings.FieldsFunc(strings.Join(lines, ","), separates) {
		name, value, _ := strings.Cut(field, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, isKnown := given[name]; !isKnown {
			given[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	p.example = given["example"]
	_, p.dynamic = given["dynamic"]
	if text, isGiven := given["code"]; isGiven {
		if p.code, err = strconv.Atoi(text); err != nil || len(text) != 3 {
			return p, op.Invalid(preferHeader, "code=%s: want a status of three digits, as in code=404", text)
		}
	}
	return p, nil
}

// preferred answers with the status and the example of the document that the header Prefer asks for. The operation has
// no effect. It reports false if the header asks for neither. A refusal of the header, too, counts as injected: the
// platform does not know it.
func (x *exchange) preferred() (reply op.Reply, is bool, err error) {
	defer func() {
		if is || err != nil {
			x.fault = &applied{Fault: recording.Fault{ID: preferredID, Effect: recording.EffectNone, Injected: true}}
		}
	}()
	p, err := parsePreference(x.r.Header[preferHeader])
	if err != nil || p.code == 0 && p.example == "" {
		return reply, false, err
	}
	operation := x.match.Operation
	if readable, err := x.readable(); err == nil && readable.Operation(operation.ID) != nil {
		operation = readable.Operation(operation.ID)
	}
	code, response, err := p.find(operation.Name(), operation.Spec.Responses)
	if err != nil {
		return reply, false, err
	}
	kind, example := p.exampleOf(response)
	switch {
	case example != nil:
		reply = bodyOf(kind, example)
	case p.example != "":
		return reply, false, op.Invalid(preferHeader, "example=%s: status %d of %s has no such example; want %s", p.example,
			code, operation.Name(), oneOfNames(namesOfExamples(response)))
	case code >= http.StatusBadRequest:
		reply = x.rules.Error(x.brand.operation(x.match.Operation), op.Errors{{
			Code: op.StatusCode(code), Message: http.StatusText(code),
		}})
		reply.Notes = nil
	case len(response.Content) > 0:
		return reply, false, op.Invalid(preferHeader, "status %d of %s has no example", code, operation.Name())
	}
	reply.Status = code
	reply.Header = append(slices.Clip(reply.Header), headersOfExample(response)...)
	if p.dynamic {
		reply.Notes = append(reply.Notes, "Prefer: dynamic is ignored: the answer is the example of the document")
	}
	return reply, true, nil
}

// find returns the response of an operation that is asked for: that of the code, or else the first one that has an
// example of the name.
func (p *preference) find(name string, responses *openapi3.Responses) (code int, r *openapi3.Response, err error) {
	documented := slices.Sorted(maps.Keys(responses.Map()))
	if p.code != 0 {
		ref := responses.Status(p.code)
		if ref == nil {
			ref = responses.Default()
		}
		if ref == nil {
			return 0, nil, op.Invalid(preferHeader, "code=%d: %s documents no such status; want %s", p.code, name,
				oneOfNames(documented))
		}
		return p.code, ref.Value, nil
	}
	var names []string
	for _, status := range documented {
		r := responses.Value(status).Value
		all := namesOfExamples(r)
		if code, err := strconv.Atoi(status); err == nil && slices.Contains(all, p.example) {
			return code, r, nil
		}
		names = append(names, all...)
	}
	return 0, nil, op.Invalid(preferHeader, "example=%s: %s has no such example; want %s", p.example, name,
		oneOfNames(names))
}

// exampleOf returns the example of a response that has the name, or the first one, with its media type; nil if there
// is none.
func (p *preference) exampleOf(r *openapi3.Response) (kind string, example any) {
	for _, kind := range slices.Sorted(maps.Keys(r.Content)) { // application/json comes first
		media := r.Content[kind]
		if p.example == "" && media.Example != nil {
			return kind, media.Example
		}
		for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
			if e := media.Examples[name].Value; e != nil && (p.example == "" || p.example == name) {
				return kind, e.Value
			}
		}
		if schema := media.Schema; p.example == "" && schema != nil && schema.Value != nil && schema.Value.Example != nil {
			return kind, schema.Value.Example
		}
	}
	return "", nil
}

func namesOfExamples(r *openapi3.Response) (names []string) {
	for _, kind := range slices.Sorted(maps.Keys(r.Content)) {
		names = append(names, slices.Sorted(maps.Keys(r.Content[kind].Examples))...)
	}
	return names
}

func oneOfNames(names []string) string {
	if len(names) == 0 {
		return "none: no example has a name"
	}
	return strings.Join(names, ", ")
}

// bodyOf returns a reply with an example: JSON, or a text of another media type as it is.
func bodyOf(kind string, example any) op.Reply {
	if text, isText := example.(string); isText && !strings.HasSuffix(kind, "json") {
		return op.Reply{Bytes: []byte(text), Type: kind}
	}
	content, err := json.Marshal(example)
	if err != nil { // cannot be: it was read as JSON
		content = []byte("null")
	}
	return op.Reply{Bytes: content, Type: kind}
}

// headersOfExample returns the headers of a response of which the document shows an example.
func headersOfExample(r *openapi3.Response) (list [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Length", "Content-Type", "Connection", "Date", "Transfer-Encoding":
			continue
		}
		if h := r.Headers[name].Value; h != nil && h.Example != nil {
			list = append(list, [2]string{name, fmt.Sprint(h.Example)})
		}
	}
	return list
}
