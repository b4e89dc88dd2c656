package mutation_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"svc.example/understudy/specs/recording"
)

// mutant is an exchange with one fault; with none if allowed says why the document has nothing against the change.
type mutant struct {
	kind    string // of the fault, such as "response body: null"
	at      string // where it is
	allowed string
	of      *valid
	change  func(*recording.Exchange)
}

func (m *mutant) exchange() *recording.Exchange {
	e := m.of.clone()
	m.change(e)
	return e
}

// operators make mutants of a valid exchange, each as many as it can.
var operators = []func(*valid) []mutant{
	bodyValues, bodyMembers, bodyTexts, bodyTypes, addedBodies,
	statuses, methods, paths, credentials, responseHeaders,
	parameterValues, parametersMissing, unknownParameters, formFields,
	pages, resources, otherIDs,
}

// with returns a mutant of an exchange.
func (v *valid) with(kind, at, allowed string, change func(*recording.Exchange)) mutant {
	return mutant{kind, at, allowed, v, change}
}

// edit changes the text of a body, and its length with it.
func (s side) edit(change func(text []byte) []byte) func(*recording.Exchange) {
	return func(e *recording.Exchange) {
		*s.body(e) = &recording.Body{Bytes: change(s.text(e))}
		if s.headers(e).Value("Content-Length") != "" {
			set(s.headers(e), "Content-Length", strconv.Itoa(len(s.text(e))))
		}
	}
}

// isLenient reports whether the framework takes JSON bodies of requests for more than they are.
func (v *valid) isLenient(s side) bool { return s.name == "request" && v.op.Document.Lenient.Bodies }

// bodyValues changes one value of a body.
func bodyValues(v *valid) (list []mutant) {
	for _, s := range sides {
		text, schema := s.text(v.Exchange), s.schema(v)
		if schema == nil || len(text) == 0 {
			continue
		}
		for _, p := range placesIn(decoded(text), schema) {
			for _, w := range p.wrongs() {
				allowed := w.allowed
				isAbsent := w.kind == "null" && !p.isItem || w.value == ""
				if isAbsent && v.isLenient(s) && allowed == "" && !p.required {
					allowed = lenient
				}
				list = append(list, v.with(s.name+" body: "+w.kind, fmt.Sprint(p.path), allowed,
					s.edit(func(text []byte) []byte { return changed(text, p.path, w.value) })))
			}
		}
	}
	return list
}

// bodyMembers takes members out of a body, and puts an unknown one in.
func bodyMembers(v *valid) (list []mutant) {
	for _, s := range sides {
		text, schema := s.text(v.Exchange), s.schema(v)
		if schema == nil || len(text) == 0 {
			continue
		}
		for _, p := range placesIn(decoded(text), schema) {
			list = append(list, v.withoutMember(s, &p)...)
			list = append(list, v.withMember(s, &p)...)
		}
	}
	return list
}

func (v *valid) withoutMember(s side, p *place) []mutant {
	if len(p.path) == 0 || p.isItem {
		return nil
	}
	allowed := ""
	if !p.required {
		allowed = optional
	}
	for _, schema := range p.schemas {
		if s.name == "request" && schema.ReadOnly {
			allowed = optional
		}
	}
	return []mutant{v.with(s.name+" body: a member is missing", fmt.Sprint(p.path), allowed,
		s.edit(func(text []byte) []byte { return removed(text, p.path) }))}
}

func (v *valid) withMember(s side, p *place) []mutant {
	object, ok := p.value.(map[string]any)
	if !ok || len(p.either) > 0 {
		return nil
	}
	allowed := unnamed
	for _, schema := range p.schemas {
		if len(schema.Properties) > 0 && allowed == unnamed {
			allowed = ""
		}
	}
	for _, schema := range p.schemas {
		if schema.AdditionalProperties.Schema != nil {
			return nil
		}
		if has := schema.AdditionalProperties.Has; has != nil && *has {
			allowed = openEnded
		} else if has != nil && allowed == unnamed {
			allowed = ""
		}
	}
	for _, schema := range p.schemas {
		if schema.MaxProps != nil && len(object) >= int(*schema.MaxProps) {
			allowed = ""
		}
	}
	more := maps.Clone(object)
	more["unheardOf"] = true
	return []mutant{v.with(s.name+" body: an unknown member", fmt.Sprint(p.path), allowed,
		s.edit(func(text []byte) []byte { return changed(text, p.path, more) }))}
}

// bodyTexts breaks the text of a JSON body.
func bodyTexts(v *valid) (list []mutant) {
	for _, s := range sides {
		text := s.text(v.Exchange)
		if s.schema(v) == nil || len(text) < 4 || text[0] != '{' && text[0] != '[' {
			continue
		}
		add := func(kind, allowed string, change func(text []byte) []byte) {
			list = append(list, v.with(s.name+" body: "+kind, "", allowed, s.edit(change)))
		}
		add("cut in the middle", "", func(text []byte) []byte { return text[:len(text)/2] })
		add("bytes behind its end", "", func(text []byte) []byte { return append(text, " x"...) })
		add("a byte that is no UTF-8", "", func(text []byte) []byte {
			return append(text[:1:1], append([]byte("\xff"), text[1:]...)...)
		})
		if object, ok := decoded(text).(map[string]any); ok && len(object) > 0 {
			add("a duplicate key", "", func(text []byte) []byte { return twice(text, object) })
		}
		allowed := ""
		needsMembers := v.isLenient(s) && len(s.schema(v).Required) > 0 // an empty body is an object without members
		if s.name == "request" && !v.op.Spec.RequestBody.Value.Required && !needsMembers {
			allowed = optional
		}
		add("empty", allowed, func([]byte) []byte { return nil })
		list = append(list, v.with(s.name+" body: a coding that it does not have", "", "", func(e *recording.Exchange) {
			set(s.headers(e), "Content-Encoding", "gzip")
		}))
	}
	return list
}

// twice repeats the first member of an object.
func twice(text []byte, object map[string]any) []byte {
	name := slices.Sorted(maps.Keys(object))[0]
	again := fmt.Appendf(nil, `{%s:%s,`, encoded(name), encoded(object[name]))
	return append(again, text[bytes.IndexByte(text, '{')+1:]...)
}

// bodyTypes changes the media type of a body.
func bodyTypes(v *valid) (list []mutant) {
	for _, s := range sides {
		content := s.content(v)
		if len(s.text(v.Exchange)) == 0 || len(content) == 0 {
			continue
		}
		for _, kind := range []string{"image/png", ""} {
			allowed := ""
			if content.Get(kind) != nil {
				allowed = openEnded
			}
			name := " is of another media type"
			if kind == "" {
				name = " has no Content-Type"
			}
			list = append(list, v.with(s.name+name, "", allowed,
				func(e *recording.Exchange) { set(s.headers(e), "Content-Type", kind) }))
		}
	}
	return list
}

// set gives a header a value, or takes the header out.
func set(headers *recording.Headers, name, value string) {
	*headers = slices.DeleteFunc(*headers, func(h [2]string) bool { return h[0] == name })
	if value != "" {
		*headers = append(*headers, [2]string{name, value})
	}
}

// addedBodies puts a body where none is documented.
func addedBodies(v *valid) (list []mutant) {
	for _, s := range sides {
		if len(s.content(v)) > 0 || len(s.text(v.Exchange)) > 0 {
			continue
		}
		allowed := ""
		if v.isLenient(s) {
			allowed = lenient
		}
		list = append(list, v.with(s.name+" body: one where none is documented", "", allowed, func(e *recording.Exchange) {
			set(s.headers(e), "Content-Type", "application/json")
			*s.body(e) = &recording.Body{Bytes: []byte(`{"unheardOf":true}`)}
		}))
	}
	return list
}
