package accept

import (
	"math"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// text holds the keywords of a schema that are about a string.
type text struct {
	min     uint64
	max     *uint64
	pattern *pattern
	format  func(string) bool
}

func (t *text) accepts(value string) bool {
	if t.min > 0 || t.max != nil {
		length := uint64(utf8.RuneCountInString(value))
		if length < t.min || t.max != nil && length > *t.max {
			return false
		}
	}
	return (t.pattern == nil || t.pattern.matches(value)) && (t.format == nil || t.format(value))
}

// number holds the keywords of a schema that are about a number.
type number struct {
	integer  bool
	min, max *float64
	format   func(float64) bool
	rest     *openapi3.Schema // that has rarer keywords; nil mostly
}

func (n *number) accepts(value float64) bool {
	switch {
	case n.rest != nil:
		return n.rest.VisitJSONNumber(value) == nil
	case n.integer && value != math.Trunc(value), n.min != nil && value < *n.min, n.max != nil && value > *n.max:
		return false
	}
	return n.format == nil || n.format(value)
}

// list holds the keywords of a schema that are about an array.
type list struct {
	min   uint64
	max   *uint64
	items *Tree
	rest  *openapi3.Schema // that has rarer keywords; nil mostly
}

func (l *list) accepts(v value) bool {
	length := uint64(v[0].count)
	if length < l.min || l.max != nil && length > *l.max || l.rest != nil && l.rest.VisitJSON(v.decoded()) != nil {
		return false
	}
	if l.items == nil {
		return true
	}
	for rest := v.parts(); len(rest) > 0; {
		if !l.items.accepts(rest.cut()) {
			return false
		}
	}
	return true
}

// object holds the keywords of a schema that are about an object.
type object struct {
	min        uint64
	max        *uint64
	required   []string
	hidden     []string // properties that must be null, or absent
	properties map[string]*Tree
	closed     bool  // other properties are refused
	others     *Tree // the schema of other properties; nil for any
}

func (o *object) accepts(v value) bool {
	length := uint64(v[0].count)
	if length < o.min || o.max != nil && length > *o.max {
		return false
	}
	for _, name := range o.hidden {
		if part := v.member(name); part != nil && !part.isNull() {
			return false
		}
	}
	for _, name := range o.required {
		if v.member(name) == nil {
			return false
		}
	}
	for rest := v.parts(); len(rest) > 0; {
		schema, known := o.properties[rest.cut()[0].text]
		if !known {
			schema = o.others
		}
		if part := rest.cut(); !known && o.closed || schema != nil && !schema.accepts(part) {
			return false
		}
	}
	return true
}
