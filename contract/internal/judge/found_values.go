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

// A finding carries the value that it is about, so that a reader need not look for it in the recording. Messages are
// the same for all values. Values that are secret, may be secret, or were taken out are not shown. Nor are fields and
// parameters that no document names, since they may be secret.

const (
	maxFoundRunes = 120      // runes of a value that are shown
	maxRedactable = 64 << 10 // bytes of a text that is searched for secrets; a longer one is not shown
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
	if runes := []rune(text); len(runes) > maxFoundRunes {
		text = string(runes[:maxFoundRunes-1]) + "…"
	}
	return text
}

// writeList writes the first members of an object or items of a list.
func writeList[T any](w *valueWriter, open, end byte, items []T, write func(T)) {
	w.text.WriteByte(open)
	for i, item := range items {
		if w.text.Len() > maxFoundRunes*utf8.UTFMax {
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
	if w.text.Len() > maxFoundRunes*utf8.UTFMax {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if recording.IsSecret(name) {
			part.Secret = true
		}
		writeList(w, '{', '}', slices.Sorted(maps.Keys(v)), func(key string) {
			text, _ := w.scalar(key, "", specs.Part{})
			w.text.WriteString(text + ":")
			w.value(v[key], key, part.Member(key))
		})
	case []any:
		writeList(w, '[', ']', v, func(item any) { w.value(item, name, part.Item()) })
	default:
		text, _ := w.scalar(v, name, part)
		w.text.WriteString(text)
	}
}

// scalar returns a text, a number or a literal as JSON, and whether it may be shown; otherwise a mark in its place.
func (w *valueWriter) scalar(value any, name string, part specs.Part) (text string, isShown bool) {
	const mark = `"…"`
	plain, isText := value.(string)
	encoded, err := json.Marshal(value)
	isHidden := (part.Secret || recording.IsSecret(name)) && len(encoded) > 0 && value != nil
	switch {
	case isHidden, err != nil, isText && (len(plain) > maxRedactable || !utf8.ValidString(plain)):
		return mark, false
	case !isText:
		return string(encoded), true
	}
	if clean := w.redactor.Value(plain, part); clean != plain || isRedacted(clean) {
		return mark, false
	}
	return quoted(plain), true
}

// quoted returns a text as JSON without escapes for markup, which each form of report escapes in its own way.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text has no error
	return strings.TrimSuffix(b.String(), "\n")
}

// namedValue is a value in a body, with its name and its documentation.
type namedValue struct {
	value any
	name  string
	part  specs.Part
}

// inner returns the member or item that a token of a path leads to.
func (m namedValue) inner(token string) (next namedValue, isThere bool) {
	switch v := m.value.(type) {
	case map[string]any:
		next = namedValue{name: token, part: m.part.Member(token)}
		next.value, isThere = v[token]
	case []any:
		i, err := strconv.Atoi(token)
		if isThere = err == nil && i >= 0 && i < len(v); isThere {
			next = namedValue{v[i], m.name, m.part.Item()}
		}
	}
	next.part.Secret = next.part.Secret || recording.IsSecret(next.name)
	return next, isThere
}

// foundAt returns the value at a path of a body as a finding shows it, or the empty string.
func (j *Judge) foundAt(b *content, path []string) string {
	line := 0
	if b.decoded.Lines && len(path) > 0 {
		line, _ = strconv.Atoi(path[0])
		path = path[1:]
	}
	if line < 0 || line >= len(b.decoded.Values()) {
		return ""
	}
	m := namedValue{value: b.decoded.Values()[line], part: b.secrets()}
	for _, token := range path {
		next, isThere := m.inner(token)
		if !isThere {
			return ""
		}
		m = next
	}
	return j.foundIn(m.value, m.name, m.part)
}

// secrets returns which parts of the body are secret, by its document and by ours.
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

// foundHeader returns the value of a header as a finding shows it.
func (j *Judge) foundHeader(m *message, name string) string {
	value := m.headers.Value(name)
	if j.redactor == nil || value == "" || j.redactor.Header(name, value, m.op) != value {
		return ""
	}
	return j.foundIn(value, name, specs.Part{})
}
