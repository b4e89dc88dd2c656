package jsontree

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A step is what a path begins with: a condition on elements, a number sign for all of them, or a name.
var (
	step    = regexp.MustCompile(`(?s)^(?:#\(([^=]+)==(?:"([^"]*)"|([^)]*))\)|(#)|((?:[^.\\]|\\.)*))(?:\.|$)`)
	escapes = regexp.MustCompile(`(?s)\\(.)`)
	special = regexp.MustCompile("[!-,./;-@[-^`{-~]")
)

// Find returns what stands at a path with dots between its steps: tables.0.name leads to the name of the first table.
// A step is
//
//	name              a member of an object, or an element of a list, by its number from 0
//	#(name=="etl")    the first element of a list in which there is this text at a path
//	#                 the number of elements, or a list of what stands at the rest of the path in each of them
//
// A backslash takes the meaning from a character in a name.
func (v Value) Find(path string) Value {
	if path == "" {
		return v
	}
	parts := step.FindStringSubmatch(path)
	if parts == nil {
		return Value{}
	}
	rest := path[len(parts[0]):]
	switch condition := parts[1]; {
	case condition != "":
		return v.having(condition, parts[2]+parts[3]).Find(rest)
	case parts[4] != "":
		return v.each(rest)
	}
	return v.Get(escapes.ReplaceAllString(parts[5], "$1")).Find(rest)
}

// Find returns what stands at a path of a text, as the method of its value does.
func Find[T ~string | ~[]byte](text T, path string) Value { return Parse(text).Find(path) }

func (v Value) having(path, text string) Value {
	for element := range v.List {
		if found := element.Find(path); found.Exists() && found.Text() == text {
			return element
		}
	}
	return Value{}
}

func (v Value) each(path string) Value {
	if !v.IsArray() {
		return Value{}
	}
	if path == "" {
		return Parse(strconv.Itoa(v.Len()))
	}
	var all []string
	for element := range v.Each {
		if found := element.Find(path); found.Exists() {
			all = append(all, found.Raw())
		}
	}
	return Parse("[" + strings.Join(all, ",") + "]")
}

// With returns the JSON of an object in which the member at a path of names is set to a value. A new member is appended
// to its object; if that is missing, the JSON is unchanged.
func (v Value) With(json string, path ...string) string {
	text, last := v.Raw(), len(path)-1
	object := v.Get(path[:last]...)
	if !object.IsObject() {
		return text
	}
	begin, end, before := v.node().start, object.node().end-1, ""
	if was := object.Get(path[last]); was.Exists() {
		return text[:was.node().start-begin] + json + text[was.node().end-begin:]
	}
	if object.node().Count > 0 {
		before = ","
	}
	name, _ := jsontext.AppendQuote([]byte(before), path[last]) // replaces invalid Unicode
	return text[:end-begin] + string(name) + ":" + json + text[end-begin:]
}

// Escape returns a name as a step of a path.
func Escape(name string) string { return special.ReplaceAllString(name, `\$0`) }
