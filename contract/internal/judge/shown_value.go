package judge

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A finding carries the value that it is about, so that a reader need not look for it in the recording. Messages do
// not: they are the same for all values. What is secret, may be, or was taken out is left out, and so are fields and
// parameters that no document names: they may be secret.

const (
	maxShown = 120      // runes of a value that are shown
	maxClean = 64 << 10 // bytes of a text in which secrets are looked for; a longer one is not shown
)

// valueWriter writes values as JSON, without their secrets.
type valueWriter struct {
	redactor *recording.Redactor
	text     strings.Builder
}

// foundIn returns a value as a finding shows it, or the empty string. Its name, if it has one, and the documents decide
// whether it is secret.
func (j *Judge) foundIn(value any, name string, part specs.Part) string {
	if j.redactor == nil {
		return ""
	}
	w := valueWriter{redactor: j.redactor}
	switch value.(type) {
	case map[string]any, []any:
		w.value(value, name, part)
	default:
		text, isShown := w.scalar(value, name, part)
		if !isShown {
			return ""
		}
		w.text.WriteString(text)
	}
	text := w.text.String()
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown-1]) + "…"
	}
	return text
}

// list writes the members of an object or the items of a list, or the first of them.
func list[T any](w *valueWriter, open, end byte, items []T, write func(T)) {
	w.text.WriteByte(open)
	for i, item := range items {
		if w.text.Len() > maxShown*utf8.UTFMax {
			break
		}
		if i > 0 {
			w.text.WriteByte(',')
		}
		write(item)
	}
	w.text.WriteByte(end)
}

// value writes a value, or its beginning.
func (w *valueWriter) value(value any, name string, part specs.Part) {
	if w.text.Len() > maxShown*utf8.UTFMax {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if recording.IsSecret(name) {
			part.Secret = true
		}
		list(w, '{', '}', slices.Sorted(maps.Keys(v)), func(key string) {
			text, _ := w.scalar(key, "", specs.Part{})
			w.text.WriteString(text + ":")
			w.value(v[key], key, part.Member(key))
		})
	case []any:
		list(w, '[', ']', v, func(item any) { w.value(item, name, part.Item()) })
	default:
		text, _ := w.scalar(v, name, part)
		w.text.WriteString(text)
	}
}

// scalar returns a text, a number or a literal as JSON, and whether it may be shown. In its place stands a mark if not.
func (w *valueWriter) scalar(value any, name string, part specs.Part) (text string, isShown bool) {
	const mark = `"…"`
	plain, isText := value.(string)
	encoded, err := json.Marshal(value)
	isHidden := (part.Secret || recording.IsSecret(name)) && len(encoded) > 0 && value != nil
	switch {
	case isHidden, err != nil, isText && (len(plain) > maxClean || !utf8.ValidString(plain)):
		return mark, false
	case !isText:
		return string(encoded), true
	}
	if clean := w.redactor.Value(plain, part); clean != plain || isRedacted(clean) {
		return mark, false
	}
	return quoted(plain), true
}

// quoted is a text as JSON in which markup stays as it is. Whoever writes a report escapes it in their own way.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text has no error
	return strings.TrimSuffix(b.String(), "\n")
}

// member is a part of a body, with its name and what documents say of it.
type member struct {
	value any
	name  string
	part  specs.Part
}

// at is the part of a value that a token of a path leads to.
func (m member) at(token string) (next member, isThere bool) {
	switch v := m.value.(type) {
	case map[string]any:
		next = member{name: token, part: m.part.Member(token)}
		next.value, isThere = v[token]
	case []any:
		i, err := strconv.Atoi(token)
		if isThere = err == nil && i >= 0 && i < len(v); isThere {
			next = member{v[i], m.name, m.part.Item()}
		}
	}
	next.part.Secret = next.part.Secret || recording.IsSecret(next.name)
	return next, isThere
}

// foundAt is the value at a path of a body, as a finding shows it; empty where there is none.
func (j *Judge) foundAt(b *content, path []string) string {
	line := 0
	if b.decoded.Lines && len(path) > 0 {
		line, _ = strconv.Atoi(path[0])
		path = path[1:]
	}
	if line < 0 || line >= len(b.decoded.Values) {
		return ""
	}
	m := member{value: b.decoded.Values[line], part: b.secrets()}
	for _, token := range path {
		next, isThere := m.at(token)
		if !isThere {
			return ""
		}
		m = next
	}
	return j.foundIn(m.value, m.name, m.part)
}

// secrets returns what the document, and ours if that is another one, says of secrets in the body.
func (b *content) secrets() specs.Part {
	schemas := []*openapi3.Schema{b.media.Schema.Value}
	if own := b.op.Embedded; own != nil && own != b.op {
		if b.side == request {
			schemas = append(schemas, own.JSONBody())
		} else {
			schemas = append(schemas, own.JSONAnswer(b.status))
		}
	}
	return specs.Whole(schemas...)
}

// foundFor returns the value that a request gives to the parameter that a fault is about, by its place and name.
func (j *Judge) foundFor(p *parameters, path []string) string {
	if len(path) < 2 {
		return ""
	}
	parameter := p.op.Parameters.GetByInAndName(path[0], path[1])
	if parameter == nil {
		return ""
	}
	values, isGiven := p.valuesOf(parameter)
	if !isGiven || len(values) == 0 {
		return ""
	}
	part := specs.Whole(schemaOf(parameter))
	if own := p.op.Embedded; own != nil {
		part.Secret = part.Secret || specs.Whole(schemaOf(own.Parameters.GetByInAndName(path[0], path[1]))).Secret
	}
	part.Secret = part.Secret || part.HasSecrets() || parameter.In == openapi3.ParameterInCookie
	if len(values) == 1 {
		return j.foundIn(values[0], parameter.Name, part)
	}
	var list []any
	for _, value := range values {
		list = append(list, value)
	}
	return j.foundIn(list, parameter.Name, specs.Part{Secret: part.Secret})
}

func schemaOf(p *openapi3.Parameter) *openapi3.Schema {
	if p == nil || p.Schema == nil {
		return nil
	}
	return p.Schema.Value
}

// foundHeader is the value of a header, as a finding shows it.
func (j *Judge) foundHeader(m *message, name string) string {
	value := m.headers.Value(name)
	if j.redactor == nil || value == "" || j.redactor.Header(name, value, m.op) != value {
		return ""
	}
	return j.foundIn(value, name, specs.Part{})
}
