package judge

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
)

// secondOnBody judges a JSON body, or the JSON object that a form stands for. The engine cannot read others, and it
// passes forms unread. If it cannot load the operation, the first one judges alone. Known is the number of faults
// that one found.
func (j *Judge) secondOnBody(b *content, known int) (faults []fault, v vote) {
	kind := b.jsonHeader()
	if j.engine == nil || b.decoded.JSON == nil || kind == "" || !b.sampled && known == 0 {
		return nil, notAsked
	}
	if slices.ContainsFunc(b.decoded.Values(), func(value any) bool {
		return isTooMuch(b.op.Document, b.media.Schema.Value, value)
	}) {
		return nil, notAsked
	}
	text := b.excerpt(known)
	if text == nil || b.op.Document.IsUsers() && largeNumber.Match(text) {
		return nil, notAsked
	}
	s, err := schemasOf(j.engine, b.op)
	if err != nil {
		return nil, notAsked
	}
	var reported []engine.Fault
	if b.side == request {
		reported, err = s.RequestBody(kind, text)
	} else {
		reported, err = s.ResponseBody(b.status, kind, text)
	}
	if err != nil {
		return nil, lost
	}
	return b.withPlaces(secondFaults(reported)), voted
}

// largeNumber matches a number that the engine, which knows those of 64 bits alone, may take for another one.
var largeNumber = regexp.MustCompile(`[0-9]{16}|[0-9][eE]\+?[0-9]{3}`)

// jsonHeader returns the Content-Type by which the engine finds the schema of the body, or the empty string if it
// cannot.
func (b *content) jsonHeader() string {
	if kind := body.MediaType(b.kind); body.IsJSON(kind) && b.content[kind] == b.media {
		return b.kind
	}
	return ""
}

// withPlaces adds the place in the document to faults, and takes values out of their messages, since they may be
// secret.
func (b *content) withPlaces(faults []fault) []fault {
	for i := range faults {
		f := &faults[i]
		schemas := b.schemasAt(f.path)
		if len(schemas) > 0 {
			f.pointer = schemas[0].pointer
			if f.keyword == "format" {
				f.format = schemas[0].schema.Format
			}
		}
		if text, _ := b.valueAt(f.path).(string); text != "" {
			f.message = strings.ReplaceAll(f.message, text, "…")
		}
	}
	return faults
}

func (j *Judge) secondOnParameters(p *parameters, known int) ([]fault, vote) {
	if j.engine == nil || len(p.op.Parameters) == 0 || p.anyRedacted() || !p.sampled && known == 0 {
		return nil, notAsked
	}
	if slices.ContainsFunc(p.op.Parameters, func(ref *openapi3.ParameterRef) bool { return p.isTooMuch(ref.Value) }) {
		return nil, notAsked
	}
	s, err := schemasOf(j.engine, p.op)
	if err != nil {
		return nil, notAsked
	}
	request := p.request()
	u, template := p.splitAdjacentParams(*request.URL)
	reported, err := s.Parameters(engine.Request{
		Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, Header: request.Header, Template: template,
		Ignored: p.ignoredHeaders(),
	})
	if err != nil {
		return nil, lost
	}
	return secondFaults(reported), voted
}

// splitAdjacentParams returns the address in a form that the engine can parse. It splits paths at slashes only, and
// gives a whole segment to the first of two parameters in it: such a pair becomes two segments, or one if the second is
// empty.
func (p *parameters) splitAdjacentParams(u url.URL) (split url.URL, template string) {
	before, last, glued := strings.Cut(p.op.Template, "}{")
	if !glued {
		return u, p.op.Template
	}
	template, value := before+"}", p.inPath(strings.TrimSuffix(last, "}"))
	u.Path = strings.TrimSuffix(u.Path, value)
	if value != "" {
		template, u.Path = template+"/{"+last, u.Path+"/"+value
	}
	u.RawPath = ""
	return u, template
}

// ignoredHeaders names the header parameters of the operation that are not judged.
func (p *parameters) ignoredHeaders() []string {
	var names []string
	for _, ref := range p.op.Parameters {
		if p.isIgnored(ref.Value) {
			names = append(names, ref.Value.Name)
		}
	}
	return names
}

// secondFaults returns the first faults of the second engine, sorted, since their order changes from run to run.
func secondFaults(reported []engine.Fault) []fault {
	var faults []fault
	for _, f := range reported {
		faults = append(faults, fault{path: f.Path, message: redactMessage(f.Message), keyword: f.Keyword})
	}
	slices.SortFunc(faults, func(a, b fault) int {
		if c := slices.Compare(a.path, b.path); c != 0 {
			return c
		}
		return strings.Compare(a.message, b.message)
	})
	return faults[:min(len(faults), maxFaults)]
}

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
	if b.isInAlternatives(f.path) { // of which an engine takes another one if it is blind, or errs, within
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

// isInAlternatives reports whether a value, or one that it is a part of, may fit one of several schemas.
func (b *content) isInAlternatives(path []string) bool {
	hasSome := func(w locatedSchema) bool { return len(w.schema.OneOf)+len(w.schema.AnyOf) > 0 }
	for i := range len(path) + 1 {
		if slices.ContainsFunc(b.schemasAt(path[:i]), hasSome) {
			return true
		}
	}
	return false
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

// The second engine copies a body for each fault that it finds, so that a long list of wrong items would exhaust
// memory. What it reads is bounded.
const (
	maxExcerpt = 128 << 10 // bytes
	maxItems   = 20        // of each list that is cut
	maxCopied  = 8 << 20   // bytes of all copies
)

// excerpt returns the part of a body that the second engine reads: all of it, or of a large one the beginnings of its
// lists. It is nil if that is still too large, or if the first engine has found faults: they may be beyond the
// beginnings, or so many that the copies would be too large.
func (b *content) excerpt(known int) []byte {
	switch {
	case len(b.decoded.JSON)*known > maxCopied:
		return nil
	case len(b.decoded.JSON) <= maxExcerpt:
		return b.decoded.JSON
	case known > 0 || len(b.decoded.Values()) != 1:
		return nil
	}
	text, err := json.Marshal(firstItems(b.decoded.Values()[0]))
	if err != nil || len(text) > maxExcerpt {
		return nil
	}
	return text
}

// firstItems returns a value with only the first items of its lists.
func firstItems(value any) any {
	switch v := value.(type) {
	case []any:
		short := make([]any, 0, maxItems)
		for _, item := range v[:min(len(v), maxItems)] {
			short = append(short, firstItems(item))
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for name, member := range v {
			short[name] = firstItems(member)
		}
		return short
	}
	return value
}
