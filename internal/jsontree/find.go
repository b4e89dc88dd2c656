package jsontree

import (
	"regexp"
	"strconv"
	"strings"
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

// Escape returns a name as a step of a path.
func Escape(name string) string { return special.ReplaceAllString(name, `\$0`) }
