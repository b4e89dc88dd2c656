package judge

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

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
