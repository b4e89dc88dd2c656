package accept

import (
	"math"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/jsontree"
)

// text holds the keywords of a schema that are about a string.
type text struct {
	min     uint64
	max     *uint64
	pattern *pattern
	format  func(string) bool
}

func (t *text) accepts(r *run, value string) bool {
	if t.min > 0 || t.max != nil {
		length := uint64(utf8.RuneCountInString(value))
		if length < t.min || t.max != nil && length > *t.max {
			return false
		}
	}
	return (t.pattern == nil || r.spend(t.pattern.cost(value)) && t.pattern.matches(value)) &&
		(t.format == nil || t.format(value))
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

func (l *list) accepts(r *run, v jsontree.Nodes) bool {
	length := uint64(v[0].Count)
	if length < l.min || l.max != nil && length > *l.max {
		return false
	}
	if l.rest != nil && (!r.spend(stepsToCompare*len(v)) || l.rest.VisitJSON(v.Decoded()) != nil) {
		return false
	}
	if l.items == nil {
		return true
	}
	for rest := v.Parts(); len(rest) > 0; {
		if !l.items.accepts(r, rest.Cut()) {
			return false
		}
	}
	return true
}

// object holds the keywords of a schema that are about an object.
type object struct {
	min        uint64
	max        *uint64
	required   int // number of properties that are
	properties map[string]*property
	closed     bool  // other properties are refused
	others     *Tree // the schema of other properties; nil for any
}

// property is one that a schema names, or requires.
type property struct {
	*Tree                 // nil if any value will do
	required, hidden bool // a hidden one must be null, or absent
	closed           bool // it is required, but refused
}

func (p *property) accepts(r *run, v jsontree.Nodes) bool {
	return !(p.hidden && !v.IsNull() || p.closed) && (p.Tree == nil || p.Tree.accepts(r, v))
}

func (o *object) accepts(r *run, v jsontree.Nodes) bool {
	length := uint64(v[0].Count)
	if length < o.min || o.max != nil && length > *o.max {
		return false
	}
	required := 0
	for rest := v.Parts(); len(rest) > 0; {
		part := rest.Cut()
		p, known := o.properties[part[0].Name]
		switch {
		case known && !p.accepts(r, part), !known && (o.closed || o.others != nil && !o.others.accepts(r, part)):
			return false
		case known && p.required:
			required++
		}
	}
	return required == o.required
}
