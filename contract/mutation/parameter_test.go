package mutation_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs/recording"
)

// textsAgainst lists texts in place of a parameter.
func textsAgainst(schema *openapi3.Schema, now string) (list []wrong) {
	p := place{value: now}
	p.settle([]*openapi3.Schema{schema})
	isNumber := p.allows("integer") || p.allows("number")
	switch {
	case !p.isTyped() || len(p.either) > 0 || schema.Type.Is("object") || schema.Type.Is("array"):
		return nil
	case p.allows("string"):
		list = p.texts(now)
	case isNumber:
		list = append(p.numbers(), wrong{"a value of another type", "surely-not", ""})
	default:
		list = append(list, wrong{"a value of another type", "surely-not", ""})
	}
	for i := range list {
		if number, ok := list[i].value.(json.Number); ok {
			list[i].value = number.String()
		}
	}
	return slices.DeleteFunc(list, func(w wrong) bool { return w.value == "" })
}

// parameterValues gives parameters of the path and the query, and of the header, other values.
func parameterValues(v *valid) (list []mutant) {
	for _, ref := range v.op.Parameters {
		p := ref.Value
		if p.Schema == nil || strings.EqualFold(p.Name, "Authorization") {
			continue
		}
		now := ""
		if p.In == openapi3.ParameterInPath {
			now = v.match.Declared(p.Name)
		}
		for _, w := range textsAgainst(p.Schema.Value, now) {
			change := v.giving(p, w.value.(string))
			if change == nil {
				continue
			}
			allowed := w.allowed
			if p.In == openapi3.ParameterInQuery && p.Schema.Value.Type.Is("boolean") && v.op.Document.Lenient.Query {
				allowed = lenient
			}
			list = append(list, v.with(p.In+" parameter: "+w.kind, p.Name, allowed, change))
		}
	}
	return list
}

// giving changes a parameter. It is nil where that would make another operation of the request.
func (v *valid) giving(p *openapi3.Parameter, value string) func(*recording.Exchange) {
	switch p.In {
	case openapi3.ParameterInHeader:
		return func(e *recording.Exchange) { set(&e.Request.Headers, p.Name, value) }
	case openapi3.ParameterInQuery:
		return func(e *recording.Exchange) { e.Request.URL = withQuery(e.Request.URL, p.Name, value) }
	}
	i := slices.Index(strings.Split(v.op.Template, "/"), "{"+p.Name+"}")
	segments := strings.Split(pathOf(v.op.Document, v.Request.URL), "/")
	if i < 0 || v.op.Template != v.op.Path && len(strings.Split(v.op.Template, "/")) != len(segments) ||
		i >= len(segments) {
		return nil
	}
	segments[i] = url.PathEscape(value)
	path := strings.Join(segments, "/")
	if v.op.Document.Find(v.Request.Method, path).Operation != v.op {
		return nil
	}
	return v.at(path)
}

// withQuery gives a query parameter a value in place of all that it has.
func withQuery(address, name, value string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// parametersMissing leaves out parameters.
func parametersMissing(v *valid) (list []mutant) {
	u, err := url.Parse(v.Request.URL)
	if err != nil {
		panic(err)
	}
	for _, ref := range v.op.Parameters {
		p, allowed := ref.Value, ""
		if !p.Required {
			allowed = optional
		}
		switch {
		case p.In == openapi3.ParameterInHeader && v.Request.Headers.Value(p.Name) != "" && p.Name != "Authorization":
			list = append(list, v.with("header parameter: missing", p.Name, allowed,
				func(e *recording.Exchange) { set(&e.Request.Headers, p.Name, "") }))
		case p.In == openapi3.ParameterInQuery && u.Query().Has(p.Name):
			list = append(list, v.with("query parameter: missing", p.Name, allowed, func(e *recording.Exchange) {
				other, query := *u, u.Query()
				query.Del(p.Name)
				other.RawQuery = query.Encode()
				e.Request.URL = other.String()
			}))
		}
	}
	return list
}

// unknownParameters adds parameters that are not documented, and a query that is none.
func unknownParameters(v *valid) []mutant {
	return []mutant{
		v.with("query parameter: unknown", "", "",
			func(e *recording.Exchange) { e.Request.URL = withQuery(e.Request.URL, "unheard_of", "1") }),
		v.with("a query that cannot be read", "", "", func(e *recording.Exchange) {
			separator := "?"
			if strings.Contains(e.Request.URL, "?") {
				separator = "&"
			}
			e.Request.URL += separator + "a=%zz"
		}),
	}
}

const mediaForm = "application/x-www-form-urlencoded"

// formFields changes the fields of forms.
func formFields(v *valid) (list []mutant) {
	media := sides[0].content(v)[mediaForm]
	text := sides[0].text(v.Exchange)
	if media == nil || media.Schema == nil || len(text) == 0 || v.Request.Headers.Value("Content-Type") != mediaForm {
		return nil
	}
	fields, err := url.ParseQuery(string(text))
	if err != nil {
		return nil
	}
	add := func(kind, name, allowed string, change func(url.Values)) {
		list = append(list, v.with("form: "+kind, name, allowed, sides[0].edit(func(text []byte) []byte {
			fields, _ := url.ParseQuery(string(text))
			change(fields)
			return []byte(fields.Encode())
		})))
	}
	root := place{value: map[string]any{}}
	root.settle([]*openapi3.Schema{media.Schema.Value})
	for name := range fields {
		allowed := ""
		if !root.requires(name) {
			allowed = optional
		}
		add("a field is missing", name, allowed, func(fields url.Values) { fields.Del(name) })
		for _, schema := range root.partsOf(name) {
			for _, w := range textsAgainst(schema, "") {
				add(w.kind, name, w.allowed, func(fields url.Values) { fields.Set(name, w.value.(string)) })
			}
		}
	}
	add("an unknown field", "", "", func(fields url.Values) { fields.Set("unheard_of", "1") })
	slices.SortStableFunc(list, func(a, b mutant) int { return strings.Compare(a.kind+a.at, b.kind+b.at) })
	return list
}
