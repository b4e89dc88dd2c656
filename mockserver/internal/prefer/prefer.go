// Package prefer finds the answer that the header Prefer asks for in a document, as Prism does: a status that is
// documented, and an example of it.
package prefer

import (
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
