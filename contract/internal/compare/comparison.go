package compare

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// maxDifferences is the number of differences that are kept of an exchange.
const maxDifferences = 50

// comparison compares the two answers of one exchange.
type comparison struct {
	*Config
	nodes     *nodes
	ids       *ids
	exchange  *Exchange
	masks     *masks
	effects   *effects
	isError   bool
	isPassing bool     // what was found depends on the order of the replay
	other     []string // the place of the value at hand in the subject's answer
	isList    bool     // bodies are compared as lists of values, such as lines
	redacted  map[side]any
	entities  []inside // that the value at hand stands in, the innermost last
	list      []found
	alike     []trait // what was compared, and does not differ
	omitted   int
	isTooLong bool // the list at hand is a page with more items than were asked for
}

// inside is an entity that a value stands in, with what that refers to.
type inside struct {
	sight.Entity
	refers []sight.Entity
	depth  int // of the entity in the body
}

// found is a difference, and the entity that it is in.
type found struct {
	Difference
	inside
	isOfPage bool   // it is in how long the page is, and in nothing that another request did
	member   string // of the entity; empty if it is about the whole of it
	isExtra  bool   // only the recording has the entity
}

func (f *found) trait() trait { return trait{f.Entity, f.member} }

// about says what a difference is about, and what that refers to.
type about struct {
	trait
	refers []sight.Entity
}

func (c *comparison) add(kind Kind, path []string, was, is any, format string, args ...any) {
	pointer := "/response/body" + specs.Pointer(path).String()
	if kind == Value && c.masks.hides(c.exchange.Operation(), path, c.isError) {
		return
	}
	if len(c.list) >= maxDifferences {
		c.omitted++
		return
	}
	d := found{Difference: Difference{Kind: kind, Pointer: pointer}, isOfPage: c.isTooLong}
	if !c.IsBrief {
		d.Recorded, d.Answered = c.shownValues(path, was, is)
		d.Message = inWords(d.Recorded, d.Answered, format, args)
	}
	if len(c.entities) > 0 {
		d.inside = c.entities[len(c.entities)-1]
		if len(path) > d.depth {
			d.member = path[d.depth]
		}
		d.isExtra = d.member == "" && is == absent
	}
	c.list = append(c.list, d)
}

// agree notes that both answers show the same.
func (c *comparison) agree(at trait) {
	if !c.IsBrief {
		c.alike = append(c.alike, at)
	}
}

// nothing is the value of what is not there.
type nothing struct{}

var absent any = nothing{}

// values compares two values at a place.
func (c *comparison) values(path []string, p *place, was, is any) {
	if was == nil && is == nil {
		return
	}
	if typeOf(was) != typeOf(is) {
		c.types(path, was, is)
		return
	}
	switch was := was.(type) {
	case map[string]any:
		c.objects(path, p, was, is.(map[string]any))
	case []any:
		c.lists(path, p, was, is.([]any))
	default:
		switch {
		case c.scalars(p, was, is):
		case c.isSecretPlace(path):
			c.secret(was.(string), is.(string))
		default:
			c.add(Value, path, was, is, "%s was recorded, and %s is answered", recordedSide, answeredSide)
		}
	}
}

// types compares values of different types. An id may be written as a number or as a text, and null is a value.
func (c *comparison) types(path []string, was, is any) {
	if was == nil || is == nil {
		c.add(Value, path, was, is, "%s was recorded, and %s is answered", recordedSide, answeredSide)
		return
	}
	c.add(Shape, path, was, is, "a value of type %s was recorded, and one of type %s is answered", typeOf(was), typeOf(is))
}

func (c *comparison) scalars(p *place, was, is any) bool {
	a, isID := textOf(was)
	b, _ := textOf(is)
	if kind := p.id(c.nodes); kind != "" && isID && !isSecret(a) {
		return c.ids.match(kind, a, b)
	}
	switch was := was.(type) {
	case string:
		return c.texts(was, is.(string))
	case json.Number:
		return sameNumber(was, is.(json.Number)) || c.areTimes(was, is.(json.Number), p)
	}
	return was == is
}

// areTimes reports whether two numbers are times that hardly differ, in seconds since 1970 or in parts of them.
func (c *comparison) areTimes(was, is json.Number, p *place) bool {
	a, b := sinceEpoch(was), sinceEpoch(is)
	isName := func(token string) bool { return strings.Trim(token, "0123456789") != "" }
	at := len(c.other) - 1
	for at > 0 && !isName(c.other[at]) {
		at--
	}
	isTime := slices.ContainsFunc(p.schemas, func(s *openapi3.Schema) bool { return s.Format == "unix-time" }) ||
		at >= 0 && timeName.MatchString(c.other[at])
	return isTime && a.unit == b.unit && a.unit > 0 &&
		max(a.seconds-b.seconds, b.seconds-a.seconds) <= c.Tolerance.Seconds()
}

// timeName matches the names of members that hold a time.
var timeName = regexp.MustCompile(
	`(?i:time|timestamp|date|created|updated|modified|expires)$|(?:^|_)(?:at|ts)$|[a-z](?:At|Ts|On)$`)

// epochTime is a time since 1970. The unit is the number of its parts in a second; 0 for all other numbers.
type epochTime struct{ seconds, unit float64 }

// sinceEpoch reads a time between 2001 and 2286, in seconds or in thousandths of them, and so on.
func sinceEpoch(n json.Number) epochTime {
	value, err := n.Float64()
	for unit := 1.0; err == nil && unit <= 1e9; unit *= 1000 {
		if seconds := value / unit; seconds >= 1e9 && seconds < 1e10 {
			return epochTime{seconds, unit}
		}
	}
	return epochTime{}
}

func (c *comparison) objects(path []string, p *place, was, is map[string]any) {
	r := p.resource(c.nodes, was)
	if r != nil {
		one := c.entity(p, r, was)
		one.depth = len(path)
		c.entities = append(c.entities, one)
		c.agree(trait{Entity: one.Entity})
		defer func() { c.entities = c.entities[:len(c.entities)-1] }()
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		at := append(slices.Clip(path), name)
		value, found := is[name]
		if !found {
			c.add(Shape, at, was[name], absent, "%s was recorded, and is missing in the answer", name)
			continue
		}
		next, before := p.below(c.nodes, was, name), len(c.list)+c.omitted
		c.other = append(c.other, name)
		c.values(at, &next, was[name], value)
		c.other = c.other[:len(c.other)-1]
		if r != nil && before == len(c.list)+c.omitted {
			c.agree(trait{c.entities[len(c.entities)-1].Entity, name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, found := was[name]; !found {
			c.add(Shape, append(slices.Clip(path), name), absent, is[name],
				"%s is in the answer, and was not recorded", name)
		}
	}
}

// entity returns the entity that a recorded object is, with texts of its own: it stays when the body goes.
func (c *comparison) entity(p *place, r *specs.Resource, object map[string]any) inside {
	key, _ := textOf(r.Keys[0].FirstIn(object))
	one := inside{Entity: sight.Entity{Kind: kindOf(r.Name), ID: strings.Clone(key)}}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		next := p.below(c.nodes, object, name)
		if text, isID := textOf(object[name]); isID && next.id(c.nodes) != "" {
			one.refers = append(one.refers, sight.Entity{Kind: kindOf(next.id(c.nodes)), ID: strings.Clone(text)})
		}
	}
	return one
}

// lists compares two lists, item by item; those of entities in pairs that correspond.
func (c *comparison) lists(path []string, p *place, was, is []any) {
	item := p.below(c.nodes, was, items)
	pairs, isMoved := c.pair(&item, was, is)
	if isMoved && !c.isOrderUnknown(&item, was, pairs) {
		c.add(Value, path, was, is, "the items are in another order")
	}
	taken, isTooLong := map[int]bool{}, len(was) != len(is) && c.isPageTooLong(path, max(len(was), len(is)))
	lacks := func(at []string, was, is any) {
		c.isTooLong = isTooLong
		c.missing(at, &item, was, is)
		c.isTooLong = false
	}
	for i, j := range pairs {
		at := append(slices.Clip(path), strconv.Itoa(i))
		if j < 0 {
			lacks(at, was[i], absent)
			continue
		}
		taken[j] = true
		c.other = append(c.other, strconv.Itoa(j))
		c.values(at, &item, was[i], is[j])
		c.other = c.other[:len(c.other)-1]
	}
	for j := range is {
		if !taken[j] {
			lacks(append(slices.Clip(path), strconv.Itoa(j)), absent, is[j])
		}
	}
}

// isPageTooLong reports whether a list is a page with more items than the request asks for.
func (c *comparison) isPageTooLong(path []string, n int) bool {
	at, most := facts.MostOnPage(c.exchange.Operation(), c.exchange.Owner.Query)
	return most >= 0 && int64(n) > most && (slices.Equal(path, at) || at == nil && len(path) <= 1)
}

// missing notes that one of two lists lacks an item.
func (c *comparison) missing(path []string, p *place, was, is any) {
	value := was
	if value == absent {
		value = is
	}
	if r := p.resource(c.nodes, value); r != nil {
		object, _ := value.(map[string]any)
		one := c.entity(p, r, object)
		if was == absent { // an id of the other side
			one.ID, _ = c.ids.lookup(answeredSide, keyOf(r.Name, one.ID))
		}
		one.depth = len(path)
		c.entities = append(c.entities, one)
		defer func() { c.entities = c.entities[:len(c.entities)-1] }()
	}
	message, shown := "an item was recorded that the answer lacks", recordedSide
	if was == absent {
		message, shown = "the answer has an item more than was recorded", answeredSide
	}
	if c.isTooLong {
		message += ", on a page with more than were asked for"
	}
	c.add(Value, path, was, is, message+": %s", shown)
}
