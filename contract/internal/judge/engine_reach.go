package judge

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// Where the second engine has another opinion on a message of a user's own document, its vote counts only where it is
// known to look: a table says for each keyword in each place whether it accepts what is right and refuses what is
// wrong there. Its silence elsewhere does not count, and neither does its alarm where it refuses what is right.

//go:embed engine_reach.txt
var reachText string

// reach holds what the second engine does by place and keyword: looks, blind or errs.
var reach = readReach(reachText)

func readReach(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			last := len(words) - 1
			table[strings.Join(words[:last], " ")] = words[last]
		}
	}
	return table
}

// weighed returns the results without the votes that do not count.
func (r engineResults) weighed() engineResults {
	doesLook := func(f fault) bool { return reach[r.place(&f)] == "looks" }
	isSilent := len(r.second) == 0
	r.second = slices.DeleteFunc(slices.Clone(r.second), func(f fault) bool { return !doesLook(f) })
	if len(r.second) == 0 && !(isSilent && slices.ContainsFunc(r.kin.list, doesLook)) {
		r.vote = notAsked
	}
	return r
}

// keywordAt returns the keyword of a fault as the table has it.
func (f *fault) keywordAt() string {
	if f.keyword == "format" && f.format != "" {
		return f.keyword + ":" + f.format
	}
	return f.keyword
}

// placeOf returns the place and the keyword of a fault in a body. Null has a row of its own, and so has what is missing
// where messages of the side lack some properties, which the second engine does not know of all of them.
func (b *content) placeOf(f *fault) string {
	keyword := f.keywordAt()
	if !b.op.Document.T.IsOpenAPI31OrLater() && specs.IsNewer(f.keyword) { // which 3.0 ignores
		return ""
	}
	if f.keyword == "required" && slices.ContainsFunc(b.schemasAt(f.path), b.hidesSome) {
		keyword = "required beside hidden"
	}
	if f.keyword != "required" && f.keyword != "additionalProperties" && b.valueAt(f.path) == nil {
		keyword = "null"
	}
	return "body " + keyword
}

// hidesSome reports whether messages of the side lack some properties of a schema.
func (b *content) hidesSome(w locatedSchema) bool {
	for _, property := range w.schema.Properties {
		if property.Value != nil &&
			slices.ContainsFunc(withCombined([]locatedSchema{{schema: property.Value}}, nil), b.hides) {
			return true
		}
	}
	return false
}

// hides reports whether messages of the side lack what has a schema.
func (b *content) hides(w locatedSchema) bool {
	return b.side == request && w.schema.ReadOnly || b.side == response && w.schema.WriteOnly
}

// placeOf returns the place and the keyword of a fault in a parameter: where it stands, what it is written as, and how.
func (p *parameters) placeOf(f *fault) string {
	if len(f.path) < 2 {
		return ""
	}
	g := p.op.Parameters.GetByInAndName(f.path[0], f.path[1])
	if g == nil || g.Schema == nil || g.Schema.Value == nil || p.isIgnored(g) {
		return ""
	}
	if f.keyword == "required" && p.textsOf(g) != nil { // it is there, and empty
		return ""
	}
	shape := "scalar"
	switch types := typesOf(g.Schema.Value, 0); {
	case isCombinedSchema(g.Schema.Value) || len(types) != 1:
		shape = "combined"
	case types["array"]:
		shape = "array"
	case types["object"]:
		shape = "object"
	}
	if usual := g.In == openapi3.ParameterInQuery || g.In == openapi3.ParameterInCookie; g.Style != "" &&
		(usual && g.Style != openapi3.SerializationForm || !usual && g.Style != openapi3.SerializationSimple) {
		shape += " " + g.Style
	}
	keyed := fault{keyword: f.keyword, format: g.Schema.Value.Format} // which the second engine does not name
	return g.In + " " + shape + " " + keyed.keywordAt()
}
