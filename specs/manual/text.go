package manual

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

const width = 100

// WriteText writes the description for people.
func (o *Operation) WriteText(w io.Writer) error {
	t := &textWriter{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.line("%s: %s", o.Name, o.Summary)
	t.line("%s %s", o.Method, o.Path)
	t.line("provenance: %s", o.Provenance)
	for _, r := range o.Resources {
		t.line("%s", strings.TrimSuffix("resource: "+r.Name+", "+r.Verb, ", "))
	}
	if o.Description != "" {
		t.line("")
		t.wrapped("", o.Description)
	}
	t.parameters(o)
	t.request(o)
	t.responses(o)
	t.example(&o.Example)
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

type textWriter struct {
	w   *tabwriter.Writer
	err error
}

func (t *textWriter) line(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format+"\n", args...); err != nil && t.err == nil {
		t.err = err
	}
}

// title begins a section, whose columns are its own.
func (t *textWriter) title(format string, args ...any) {
	if err := t.w.Flush(); err != nil && t.err == nil {
		t.err = err
	}
	t.line("")
	t.line(format, args...)
}

// wrapped writes a text in lines of a bounded width, paragraph by paragraph.
func (t *textWriter) wrapped(indent, long string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(long), "\n") {
		line := indent
		for word := range strings.FieldsSeq(paragraph) {
			if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
				t.line("%s", line)
				line = indent
			}
			if line != indent {
				line += " "
			}
			line += word
		}
		t.line("%s", line)
	}
}

func (t *textWriter) parameters(o *Operation) {
	if len(o.Parameters) == 0 {
		return
	}
	t.title("Parameters")
	for _, p := range o.Parameters {
		t.line("  %s\t%s\t%s\t%s\t%s\t%s\t%s", p.Name, p.In, p.Type, requiredText(p.Required), p.rest(), p.Provenance,
			firstLine(p.Description))
	}
}

func (t *textWriter) request(o *Operation) {
	for i, body := range o.Bodies {
		also := "Request body"
		if i > 0 {
			also = "or"
		}
		t.title("%s (%s), %s, as %s", also, requiredText(o.Required), body.Type, strings.Join(body.MediaTypes, ", "))
		t.fields(&body)
	}
}

func (t *textWriter) responses(o *Operation) {
	t.title("Answers")
	for _, r := range o.Responses {
		t.line("  %s\t%s\t%s\t%s", r.Status, firstLine(r.Description), mediaOf(r.Bodies), r.Provenance)
	}
	for _, r := range o.Responses {
		for _, body := range r.Bodies {
			if r.isSuccess() && len(body.Fields) > 0 {
				t.title("Body of %s, %s, as %s", r.Status, body.Type, strings.Join(body.MediaTypes, ", "))
				t.fields(&body)
			}
		}
	}
}

func mediaOf(bodies []Body) string {
	var names []string
	for _, body := range bodies {
		names = append(names, body.MediaTypes...)
	}
	return strings.Join(names, ", ")
}

func (t *textWriter) fields(body *Body) {
	for _, f := range body.Fields {
		t.line("  %s\t%s\t%s\t%s\t%s\t%s", f.Name, f.Type, requiredText(f.Required), f.rest(), f.Provenance,
			firstLine(f.Description))
	}
}

func (t *textWriter) example(e *Example) {
	against := "understudy serve"
	if e.Scenario != quickstart {
		against += " --scenario " + e.Scenario
	}
	t.title("Example, against %s", against)
	if e.Note != "" {
		t.wrapped("  ", e.Note)
	}
	t.line("")
	for line := range strings.SplitSeq(e.Curl, "\n") {
		t.line("  %s", line)
	}
}

func requiredText(required bool) string {
	if required {
		return "required"
	}
	return "optional"
}

// rest returns the values, limits and default of a value, for one cell.
func (v *Value) rest() string {
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
