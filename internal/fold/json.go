package fold

import (
	"strings"

	"svc.example/understudy/internal/jsontree"
)

// JSON writes a list or an object in one line if it fits, else its values in lines of their own. Text that is not
// JSON stays as it is.
func JSON(text string) string {
	value := jsontree.Parse(text)
	if !value.Exists() {
		return strings.TrimSpace(text)
	}
	var b strings.Builder
	layoutValue(&b, value, "", 0)
	return b.String()
}

func layoutValue(b *strings.Builder, v jsontree.Value, indent string, before int) {
	isWhole := !v.IsObject() && !v.IsArray()
	if line := inOneLine(v); isWhole || len(indent)+before+len(line) < Width { // with a comma behind it
		b.WriteString(line)
		return
	}
	raw, separator := v.Raw(), "\n"
	b.WriteByte(raw[0])
	for part := range v.Each {
		label := label(v, part)
		b.WriteString(separator + indent + "  " + label)
		layoutValue(b, part, indent+"  ", len(label))
		separator = ",\n"
	}
	b.WriteString("\n" + indent + raw[len(raw)-1:])
}

// label returns what stands before a part of a value: the name of an object's member.
func label(v, part jsontree.Value) string {
	if v.IsObject() {
		return part.RawName() + ": "
	}
	return ""
}

func inOneLine(v jsontree.Value) string {
	raw := v.Raw()
	if !v.IsObject() && !v.IsArray() {
		return raw
	}
	var parts []string
	for part := range v.Each {
		parts = append(parts, label(v, part)+inOneLine(part))
	}
	return raw[:1] + strings.Join(parts, ", ") + raw[len(raw)-1:]
}
