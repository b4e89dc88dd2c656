package manual

import (
	_ "embed" // the template
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"unicode/utf8"
)

const width = 100

//go:embed operation.tmpl
var source string

var operationTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("operation").Funcs(template.FuncMap{
		"quickstart": func() string { return quickstart },
		"required": func(isRequired bool) string {
			if isRequired {
				return "required"
			}
			return "optional"
		},
		"indent": func(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") },
		"join":   strings.Join, "wrapped": wrapped, "mediaOf": mediaOf, "rest": rest, "firstLine": firstLine,
	}).Parse(source))
})

// WriteText writes the description for people.
func (o *Operation) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if err := operationTemplate().Execute(t, o); err != nil {
		return err
	}
	return t.Flush()
}

// wrapped returns a text in lines of a bounded width, paragraph by paragraph.
func wrapped(indent, long string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(long), "\n") {
		line := indent
		for word := range strings.FieldsSeq(paragraph) {
			if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
				lines = append(lines, line)
				line = indent
			}
			if line != indent {
				line += " "
			}
			line += word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func mediaOf(bodies []Body) string {
	var names []string
	for _, body := range bodies {
		names = append(names, body.MediaTypes...)
	}
	return strings.Join(names, ", ")
}

// rest returns the values, limits and default of a value, for one cell.
func rest(v Value) string {
	list := append([]string{}, v.Limits...)
	if len(v.Enum) > 0 {
		var values []string
		for _, value := range v.Enum {
			values = append(values, fmt.Sprintf("%v", value))
		}
		list = append([]string{"one of " + strings.Join(values, ", ")}, list...)
	}
	if v.Default != nil {
		list = append(list, fmt.Sprintf("default %v", v.Default))
	}
	return strings.Join(list, "; ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if sentence, _, found := strings.Cut(line, ". "); found {
		return sentence + "."
	}
	return line
}
