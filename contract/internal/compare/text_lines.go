package compare

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Limits of a line of an answer that is shown.
const (
	maxTextLine  = 2000 // bytes
	maxTextDepth = 50   // indentations
)

// textLines are lines of JSON or of another text, of which there may not be more than most.
type textLines struct {
	lines []string
	most  int
}

func (t *textLines) isFull() bool { return len(t.lines) > t.most }

func (t *textLines) line(text string) {
	if len(text) > maxTextLine {
		text = strings.ToValidUTF8(text[:maxTextLine], "") + "…"
	}
	if !t.isFull() {
		t.lines = append(t.lines, text)
	}
}

// value adds a value of JSON, with its name before it and a comma after it.
func (t *textLines) value(indent, name string, value any, comma string) {
	within := indent
	if len(indent) < 2*maxTextDepth {
		within += "  "
	}
	switch v := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		t.container(indent, name, "{}"+comma, len(v), func(i int, comma string) {
			t.value(within, quoted(names[i])+": ", v[names[i]], comma)
		})
	case []any:
		t.container(indent, name, "[]"+comma, len(v), func(i int, comma string) { t.value(within, "", v[i], comma) })
	default:
		t.line(indent + name + quoted(value) + comma)
	}
}

// container adds an object or a list. Its ends are the brackets and what follows them.
func (t *textLines) container(indent, name, ends string, n int, item func(i int, comma string)) {
	if n == 0 {
		t.line(indent + name + ends)
		return
	}
	t.line(indent + name + ends[:1])
	for i := 0; i < n && !t.isFull(); i++ {
		comma := ","
		if i == n-1 {
			comma = ""
		}
		item(i, comma)
	}
	t.line(indent + ends[1:])
}

// quoted returns a scalar as JSON.
func quoted(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "?"
	}
	return strings.TrimSuffix(text.String(), "\n")
}
