package fold

import (
	"strings"

	"github.com/tidwall/gjson"
)

// JSON writes a list or an object in one line if it fits, else its values in lines of their own. Text that is not
// JSON stays as it is.
func JSON(text string) string {
	if !gjson.Valid(text) {
		return strings.TrimSpace(text)
	}
	var b strings.Builder
	layoutValue(&b, gjson.Parse(text), "", 0)
	return b.String()
}

func layoutValue(b *strings.Builder, v gjson.Result, indent string, before int) {
	brackets := "[]"
	switch {
	case v.IsObject():
		brackets = "{}"
	case !v.IsArray():
		b.WriteString(strings.TrimSpace(v.Raw))
		return
	}
	if line := inOneLine(v); len(indent)+before+len(line) < Width { // with a comma behind it
		b.WriteString(line)
		return
	}
	b.WriteByte(brackets[0])
	separator := "\n"
	v.ForEach(func(key, value gjson.Result) bool {
		b.WriteString(separator + indent + "  ")
		label := ""
		if v.IsObject() {
			label = key.Raw + ": "
		}
		b.WriteString(label)
		layoutValue(b, value, indent+"  ", len(label))
		separator = ",\n"
		return true
	})
	b.WriteString("\n" + indent + brackets[1:])
}

func inOneLine(v gjson.Result) string {
	var parts []string
	switch {
	case v.IsObject():
		v.ForEach(func(key, value gjson.Result) bool {
			parts = append(parts, key.Raw+": "+inOneLine(value))
			return true
		})
		return "{" + strings.Join(parts, ", ") + "}"
	case v.IsArray():
		for _, item := range v.Array() {
			parts = append(parts, inOneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.TrimSpace(v.Raw)
}
