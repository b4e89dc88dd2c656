package own

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// bound chooses objects by the order of a member's values and one that a query has: min_price, created_after.
type bound struct {
	parameter, member string
	fits              func(order int) bool
	value             string // as a query has it
}

// The words by which parameters say that they are bounds, before the name of a member or after it.
var (
	boundName = regexp.MustCompile(`^(?:(min|max|minimum|maximum)_(.+)|(.+)_` +
		`(gte?|lte?|ge|le|min|max|minimum|maximum|after|before|since|until|from|to))$`)
	boundWords = map[string]func(order int) bool{
		"gt": isAbove, "after": isAbove, "lt": isBelow, "before": isBelow,
		"gte": isFrom, "ge": isFrom, "min": isFrom, "minimum": isFrom, "since": isFrom, "from": isFrom,
		"lte": isUpTo, "le": isUpTo, "max": isUpTo, "maximum": isUpTo, "until": isUpTo, "to": isUpTo,
	}
	newWord   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	wordBreak = regexp.MustCompile(`[^A-Za-z0-9]+`)
	timeWord  = regexp.MustCompile(`_(at|on|date|time)$`)
)

func isAbove(order int) bool { return order > 0 }
func isBelow(order int) bool { return order < 0 }
func isFrom(order int) bool  { return order >= 0 }
func isUpTo(order int) bool  { return order <= 0 }

// snake writes a name in words: price[gte], priceGte and price_gte are one.
func snake(name string) string {
	name = wordBreak.ReplaceAllString(newWord.ReplaceAllString(name, "${1}_$2"), "_")
	return strings.ToLower(strings.Trim(name, "_"))
}

// boundBy returns the bound that a parameter sets on a number or a time, as its name says: created_after on created_at.
func (l *list) boundBy(parameter string) (b bound, isBound bool) {
	m := boundName.FindStringSubmatch(strings.TrimPrefix(snake(unfiltered(parameter)), "filter_"))
	if m == nil {
		return b, false
	}
	name := m[2] + m[3]
	b.parameter, b.fits = parameter, boundWords[m[1]+m[4]]
	for _, member := range slices.Sorted(maps.Keys(l.members)) {
		part := l.members[member].Value
		if part == nil || !isNumber(part) && part.Format != "date-time" && part.Format != "date" {
			continue
		}
		switch plain := snake(member); name {
		case plain:
			b.member = member
			return b, true
		case timeWord.ReplaceAllString(plain, ""):
			b.member, isBound = member, true
		}
	}
	return b, isBound
}

// bounded returns the bounds that a call asks for.
func (l *list) bounded(call *op.Call) (asked []bound) {
	for _, b := range l.bounds {
		for _, b.value = range call.Query[b.parameter] {
			if b.value != "" {
				asked = append(asked, b)
			}
		}
	}
	return asked
}

// isWithin reports whether the members of an object are within bounds. One that it lacks, or that is null, is not.
func isWithin(list []member, bounds []bound) bool {
	return !slices.ContainsFunc(bounds, func(b bound) bool {
		text, has := textOf(valueAt(list, specs.Pointer{b.member}))
		return !has || !b.fits(compareTexts(text, b.value))
	})
}

// compareTexts compares numbers and times as such.
func compareTexts(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	s, errS := time.Parse(time.RFC3339, a)
	t, errT := time.Parse(time.RFC3339, b)
	if errS == nil && errT == nil {
		return s.Compare(t)
	}
	return cmp.Compare(a, b)
}

// hiding keeps objects in some states from those who do not ask for them: include_deleted shows what is deleted.
type hiding struct {
	parameter string
	states    []specs.State
}

// The words by which parameters say that they show more, before a state, and the action that leads to that.
var (
	hidingName  = regexp.MustCompile(`^(?:include|with|show)_([a-z]+)$`)
	hidingVerbs = map[string]string{"deleted": "remove", "removed": "remove", "trashed": "trash", "archived": "archive"}
)

// hidingBy returns what a parameter shows that is hidden without it, as its name says; unless it is set by default.
func hidingBy(p *openapi3.Parameter, o *objectSchema) (h hiding, hides bool) {
	m := hidingName.FindStringSubmatch(snake(unfiltered(p.Name)))
	if m != nil && hidingVerbs[m[1]] != "" && schemaOf(p.Schema).Default != true {
		h = hiding{p.Name, specs.Entered(&openapi3.SchemaRef{Value: o.schema}, hidingVerbs[m[1]])}
	}
	return h, len(h.states) > 0
}

// hiddenFrom returns the states in which objects are hidden from a call.
func hiddenFrom(call *op.Call, hidings []hiding) (states []specs.State) {
	for _, h := range hidings {
		if value := call.Query.Get(h.parameter); value == "" || value == "0" || value == "no" || value == "false" {
			states = append(states, h.states...)
		}
	}
	return states
}

// isIn reports whether the members of an object show one of some states.
func isIn(list []member, states []specs.State) bool {
	return slices.ContainsFunc(states, func(s specs.State) bool {
		i := index(list, s.Member)
		if i < 0 || s.IsTime {
			return i >= 0 && list[i].value.Kind() != 'n'
		}
		value, err := json.Marshal(s.Value)
		return err == nil && isEqual(list[i].value, value)
	})
}
