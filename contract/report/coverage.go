package report

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Coverage describes how much of the documents the recordings touched, along several axes.
type Coverage struct {
	Operations map[string]Touched  `json:"operations"` // by name, such as workflow.getPool; only those touched
	Untouched  map[string][]string `json:"untouched"`  // the other ones, and their documented responses
	Covered    int                 `json:"covered"`    // operations
	Documented int                 `json:"documented"`
	Axes       []Axis              `json:"axes"`

	// Totals counts what is documented, by interface and axis.
	Totals map[specs.Interface]map[string]int `json:"totals"`

	// Extras are the operations beside those of the platform that were called, by name. No axis counts them.
	Extras map[string]Called `json:"extras,omitempty"`
}

// Called describes how often an operation was called.
type Called struct {
	Exchanges int            `json:"exchanges"`
	Statuses  map[string]int `json:"statuses"` // answers, by status
}

// Axes of coverage, in the order of reports.
const (
	Operations = "operations"
	Requests   = "requests"   // operation and media type
	Responses  = "responses"  // operation, status and media type
	Parameters = "parameters" // that were given
	Enums      = "enums"      // values of enumerations that were seen
	Properties = "properties" // of bodies, that were seen, and not only as null
	RulesAxis  = "rules"      // that were exercised
)

// Axes lists the axes of coverage.
func Axes() []string {
	return []string{Operations, Requests, Responses, Parameters, Enums, Properties, RulesAxis}
}

// Axis describes how much of one kind of thing was touched.
type Axis struct {
	Name       string `json:"name"`
	Covered    int    `json:"covered"`
	Documented int    `json:"documented"`
}

// Percent returns the covered share of an axis in percent, or 100 if nothing is documented.
func (a Axis) Percent() float64 {
	if a.Documented == 0 {
		return 100
	}
	return 100 * float64(a.Covered) / float64(a.Documented)
}

// Touched describes what was seen of an operation.
type Touched struct {
	Exchanges  int            `json:"exchanges"`
	Statuses   map[string]int `json:"statuses"`   // answers, by status
	Requests   Parts          `json:"requests"`   // such as application/json
	Responses  Parts          `json:"responses"`  // such as 200 application/json
	Parameters Parts          `json:"parameters"` // such as query page[limit]
	Enums      Parts          `json:"enums"`      // such as 200 /status=running, request /kind=0, or query format=json
	Properties Parts          `json:"properties"` // such as 200 /pools/*/name, or request /name
}

// Parts are the documented parts of one kind, sorted: those that an exchange had, and those that none had.
type Parts struct {
	Covered   []string `json:"seen"`
	Uncovered []string `json:"missed"`
}

// AxisOfRules returns how many of the rules were triggered.
func AxisOfRules(rules []Rule) Axis {
	axis := Axis{Name: RulesAxis, Documented: len(rules)}
	for _, rule := range rules {
		if rule.Triggered > 0 {
			axis.Covered++
		}
	}
	return axis
}

// MergeRules adds up what became of the rules in several reports, in the order in which they come.
func MergeRules(lists ...[]Rule) []Rule {
	var merged []Rule
	for _, list := range lists {
		for _, rule := range list {
			i := slices.IndexFunc(merged, func(r Rule) bool { return r.ID == rule.ID })
			if i < 0 {
				merged = append(merged, rule)
				continue
			}
			m := &merged[i]
			m.Triggered += rule.Triggered
			m.Pass += rule.Pass
			m.Fail += rule.Fail
			m.Inconclusive += rule.Inconclusive
		}
	}
	return merged
}

// MergeCoverage returns the coverage of several reports together: a part counts as seen when any of them saw it, and
// exchanges are added up. Coverage alone does not show which rules were exercised, so that their axis is the best of
// the single ones; AxisOfRules of MergeRules is exact. Reports of different documents have the parts of all of them.
func MergeCoverage(list ...Coverage) Coverage {
	merged := Coverage{
		Operations: map[string]Touched{}, Untouched: map[string][]string{}, Totals: map[specs.Interface]map[string]int{},
	}
	for _, c := range list {
		for iface, totals := range c.Totals {
			merged.total(iface, totals)
		}
		for name, touched := range c.Operations {
			merged.Operations[name] = mergeTouched(merged.Operations[name], touched)
		}
		merged.Documented = max(merged.Documented, c.Documented)
		for name, called := range c.Extras {
			merged.call(name, called)
		}
	}
	for _, c := range list {
		for name, responses := range c.Untouched {
			if _, isTouched := merged.Operations[name]; !isTouched {
				merged.Untouched[name] = union(merged.Untouched[name], responses)
			}
		}
	}
	merged.Covered = len(merged.Operations)
	merged.Documented = max(merged.Documented, merged.Covered+len(merged.Untouched))
	merged.Axes = mergeAxes(&merged, list)
	return merged
}

// call adds calls of an extra.
func (c *Coverage) call(name string, more Called) {
	if c.Extras == nil {
		c.Extras = map[string]Called{}
	}
	sum := Called{Exchanges: c.Extras[name].Exchanges + more.Exchanges, Statuses: map[string]int{}}
	for _, statuses := range []map[string]int{c.Extras[name].Statuses, more.Statuses} {
		for status, n := range statuses {
			sum.Statuses[status] += n
		}
	}
	c.Extras[name] = sum
}

// total notes how much is documented of an interface, at the least.
func (c *Coverage) total(iface specs.Interface, totals map[string]int) {
	if c.Totals[iface] == nil {
		c.Totals[iface] = map[string]int{}
	}
	for axis, n := range totals {
		c.Totals[iface][axis] = max(c.Totals[iface][axis], n)
	}
}

func mergeTouched(a, b Touched) Touched {
	merged := Touched{Exchanges: a.Exchanges + b.Exchanges, Statuses: map[string]int{}}
	for _, t := range []Touched{a, b} {
		for status, n := range t.Statuses {
			merged.Statuses[status] += n
		}
	}
	merged.Requests, merged.Responses = mergeParts(a.Requests, b.Requests), mergeParts(a.Responses, b.Responses)
	merged.Parameters, merged.Enums = mergeParts(a.Parameters, b.Parameters), mergeParts(a.Enums, b.Enums)
	merged.Properties = mergeParts(a.Properties, b.Properties)
	return merged
}

func mergeParts(a, b Parts) Parts {
	merged := Parts{Covered: union(a.Covered, b.Covered)}
	merged.Uncovered = slices.DeleteFunc(union(a.Uncovered, b.Uncovered), func(part string) bool {
		_, isSeen := slices.BinarySearch(merged.Covered, part)
		return isSeen
	})
	return merged
}

// union returns the sorted elements of both lists, each once.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// of returns the parts of an operation that an axis of coverage counts, if there is one that does.
func (t *Touched) of(axis string) *Parts {
	return map[string]*Parts{
		Requests: &t.Requests, Responses: &t.Responses, Parameters: &t.Parameters, Enums: &t.Enums, Properties: &t.Properties,
	}[axis]
}

// Parts returns the parts of an operation that an axis of coverage counts: none of the axes of operations and of rules.
func (t Touched) Parts(axis string) Parts {
	if parts := t.of(axis); parts != nil {
		return *parts
	}
	return Parts{}
}

func mergeAxes(c *Coverage, list []Coverage) []Axis {
	axes := []Axis{}
	for _, name := range Axes() {
		axis := Axis{Name: name}
		known := 0 // documented parts of the operations that were touched
		switch name {
		case Operations:
			axis.Covered, known = c.Covered, c.Documented
		case RulesAxis:
			for _, one := range list {
				axis.Covered = max(axis.Covered, one.axis(name).Covered)
			}
		default:
			for touched := range maps.Values(c.Operations) {
				parts := touched.Parts(name)
				axis.Covered, known = axis.Covered+len(parts.Covered), known+len(parts.Covered)+len(parts.Uncovered)
			}
		}
		axis.Documented = max(known, axis.Covered)
		for _, one := range list {
			axis.Documented = max(axis.Documented, one.axis(name).Documented)
		}
		axes = append(axes, axis)
	}
	return axes
}

func (c *Coverage) axis(name string) Axis {
	for _, axis := range c.Axes {
		if axis.Name == name {
			return axis
		}
	}
	return Axis{Name: name}
}

// Of returns the coverage of one interface, without rules, which do not belong to an interface.
func (c *Coverage) Of(iface specs.Interface) Coverage {
	own := Coverage{
		Operations: map[string]Touched{}, Untouched: map[string][]string{},
		Totals: map[specs.Interface]map[string]int{iface: c.Totals[iface]},
	}
	for name, touched := range c.Operations {
		if isOf(name, iface) {
			own.Operations[name] = touched
		}
	}
	for name, list := range c.Untouched {
		if isOf(name, iface) {
			own.Untouched[name] = list
		}
	}
	for name, called := range c.Extras {
		if isOf(name, iface) {
			own.call(name, called)
		}
	}
	own.Covered = len(own.Operations)
	own.Documented = own.Covered + len(own.Untouched)
	for _, axis := range mergeAxes(&own, nil) {
		axis.Documented = max(axis.Documented, c.Totals[iface][axis.Name])
		if axis.Name != RulesAxis {
			own.Axes = append(own.Axes, axis)
		}
	}
	return own
}

func isOf(operation string, iface specs.Interface) bool {
	return strings.HasPrefix(operation, string(iface)+".")
}

// Interfaces returns the interfaces with operations in a coverage, sorted.
func (c *Coverage) Interfaces() []string {
	var names []string
	for _, operations := range []iter.Seq[string]{maps.Keys(c.Operations), maps.Keys(c.Untouched)} {
		for name := range operations {
			iface, _, _ := strings.Cut(name, ".")
			names = append(names, iface)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
