// Package prefer finds the answer that the header Prefer asks for in a document, as Prism does: a status that is
// documented, and an example of it.
package prefer

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// Header is the name of the header.
const Header = "Prefer"

// Preference holds what the header asks for. Other preferences of RFC 7240 are left out.
type Preference struct {
	Code    int    // 0 if none is given
	Example string // likewise empty
	Ignored string // what Prism would do and the mock does not: dynamic, or seed
}

// statusCode is the form of a status of an answer.
var statusCode = regexp.MustCompile(`^[2-5][0-9][0-9]$`)

// Parse reads the lines of the header. Of what is given twice, the first one counts.
func Parse(lines []string) (p Preference, err error) {
	given := map[string]string{}
	separates := func(r rune) bool { return r == ',' || r == ';' }
	for _, field := range strings.FieldsFunc(strings.Join(lines, ","), separates) {
		name, value, _ := strings.Cut(field, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, isKnown := given[name]; !isKnown {
			given[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	p.Example = given["example"]
	for _, name := range []string{"seed", "dynamic"} {
		if _, isGiven := given[name]; isGiven {
			p.Ignored = name
		}
	}
	if text, isGiven := given["code"]; isGiven {
		if !statusCode.MatchString(text) {
			return p, op.Invalid(Header, "code=%s: want a status from 200 to 599, as in code=404", text)
		}
		p.Code, err = strconv.Atoi(text)
	}
	return p, err
}

// IsZero reports whether the header asks for no answer.
func (p Preference) IsZero() bool { return p.Code == 0 && p.Example == "" }

// NeedsKey reports whether an operation is for callers who show a key. To others Prism answers that they are not
// authorized, whatever they prefer.
func NeedsKey(o *specs.Operation) bool {
	alternatives := o.Security()
	return len(alternatives) > 0 && !slices.ContainsFunc(alternatives, func(schemes []*openapi3.SecurityScheme) bool {
		return len(schemes) == 0
	})
}

// Answer returns the answer of an operation that is preferred. A failure of which the document has no example comes
// without a body, for the interface's error form.
func (p Preference) Answer(o *specs.Operation) (reply op.Reply, err error) {
	code, response, err := p.find(o)
	if err != nil {
		return reply, err
	}
	kind, example := p.exampleOf(response)
	switch {
	case code == http.StatusNoContent || code == http.StatusNotModified: // there is no body
	case example != nil:
		reply = bodyOf(kind, example)
	case p.Example != "":
		return reply, op.Invalid(Header, "example=%s: status %d of %s has no such example; want %s", p.Example, code,
			o.Name(), oneOf(namesOfExamples(response)))
	case code < http.StatusBadRequest && len(response.Content) > 0:
		return reply, op.Invalid(Header, "status %d of %s has no example", code, o.Name())
	}
	reply.Status, reply.Header = code, headersOf(response)
	return reply, nil
}

// find returns the response that is asked for: that of the code, or else the first one that has an example of the name.
func (p Preference) find(o *specs.Operation) (code int, r *openapi3.Response, err error) {
	responses := o.Spec.Responses
	documented := slices.Sorted(maps.Keys(responses.Map()))
	if p.Code != 0 {
		ref := responses.Status(p.Code)
		if ref == nil {
			ref = responses.Default()
		}
		if ref == nil {
			return 0, nil, op.Invalid(Header, "code=%d: %s documents no such status; want %s", p.Code, o.Name(),
				oneOf(documented))
		}
		return p.Code, ref.Value, nil
	}
	var names []string
	for _, status := range documented {
		r := responses.Value(status).Value
		all := namesOfExamples(r)
		if code, err := strconv.Atoi(status); err == nil && slices.Contains(all, p.Example) {
			return code, r, nil
		}
		names = append(names, all...)
	}
	return 0, nil, op.Invalid(Header, "example=%s: %s has no such example; want %s", p.Example, o.Name(), oneOf(names))
}

// exampleOf returns the example of a response that has the name, or the first one, with its media type; nil if there
// is none.
func (p Preference) exampleOf(r *openapi3.Response) (kind string, example any) {
	for _, kind := range slices.Sorted(maps.Keys(r.Content)) { // application/json comes first
		media := r.Content[kind]
		if p.Example == "" && media.Example != nil {
			return kind, media.Example
		}
		for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
			if e := media.Examples[name].Value; e != nil && (p.Example == "" || p.Example == name) {
				return kind, e.Value
			}
		}
		if schema := media.Schema; p.Example == "" && schema != nil && schema.Value != nil && schema.Value.Example != nil {
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

func oneOf(names []string) string {
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

// headersOf returns the headers of a response of which the document shows an example.
func headersOf(r *openapi3.Response) (list [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Length", "Content-Type", "Connection", "Date", "Transfer-Encoding":
			continue
		}
		if h := r.Headers[name].Value; h != nil && h.Example != nil {
			list = append(list, [2]string{name, textOf(h.Example)})
		}
	}
	return list
}

// textOf returns the example of a header as it is on the wire.
func textOf(example any) string {
	if number, isNumber := example.(float64); isNumber {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(example)
}
