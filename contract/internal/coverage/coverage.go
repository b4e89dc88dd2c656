// Package coverage measures how much of the documents a recording touches: operations, media types, statuses,
// parameters, properties and the values of enumerations. A Set holds what one message touches; a Collector adds sets up
// and makes the coverage of a report.
package coverage

import (
	"strconv"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Collector gathers what of the documents a recording touches. It is used by one goroutine. Its members are exported to
// be encoded.
type Collector struct {
	Operations map[string]*OperationCoverage // by name
}

// OperationCoverage counts the exchanges of one operation, and holds the touched parts.
type OperationCoverage struct {
	Exchanges int
	Statuses  map[int]int
	Touched   []uint64 // by number, as a bit set
}

// NewCollector returns a collector that has gathered nothing.
func NewCollector() *Collector { return &Collector{Operations: map[string]*OperationCoverage{}} }

// Add adds an exchange of an operation by its status, 0 if it has no response, and what its messages touch.
func (c *Collector) Add(op *specs.Operation, status int, sets []*Set) {
	t := c.operation(op.Name())
	t.Exchanges++
	if status > 0 {
		t.Statuses[status]++
	}
	for _, set := range sets {
		t.Touched = set.touched.into(t.Touched)
	}
}

func (c *Collector) operation(name string) *OperationCoverage {
	t := c.Operations[name]
	if t == nil {
		t = &OperationCoverage{Statuses: map[int]int{}}
		c.Operations[name] = t
	}
	return t
}

// Merge adds what another collector has gathered. Nothing is shared with it.
func (c *Collector) Merge(other *Collector) {
	for name, from := range other.Operations {
		t := c.operation(name)
		t.Exchanges += from.Exchanges
		for status, n := range from.Statuses {
			t.Statuses[status] += n
		}
		t.Touched = bitset(from.Touched).into(t.Touched)
	}
}

// axisOf returns the axis of coverage that an aspect of operations belongs to.
func axisOf(a Aspect) string {
	return [Aspects]string{
		report.Requests, report.Responses, report.Parameters, report.Enums, report.Properties,
	}[a]
}

// Report returns the coverage of documents, with that of rules.
func (c *Collector) Report(documents []*specs.Document, rules []report.Rule) report.Coverage {
	operations := 0
	for _, d := range documents {
		operations += len(d.Operations)
	}
	r := report.Coverage{
		Operations: map[string]report.Touched{}, Untouched: make(map[string][]string, operations),
		Totals: map[specs.Interface]map[string]int{}, Documented: operations,
	}
	var covered, documented [Aspects]int
	r.Extras = c.extras(documents)
	for _, d := range documents {
		totals := map[string]int{report.Operations: len(d.Operations)}
		r.Totals[d.Interface] = totals
		for _, op := range d.Operations {
			extent := ExtentOf(op)
			for aspect, n := range extent.Parts {
				documented[aspect] += n
				totals[axisOf(Aspect(aspect))] += n
			}
			t := c.Operations[op.Name()]
			if t == nil {
				r.Untouched[op.Name()] = extent.Responses
				continue
			}
			r.Covered++
			parts := c.Parts(op)
			for aspect := range parts {
				covered[aspect] += len(parts[aspect].Covered)
			}
			r.Operations[op.Name()] = t.report(parts)
		}
	}
	r.Axes = append(r.Axes, report.Axis{Name: report.Operations, Covered: r.Covered, Documented: r.Documented})
	for aspect := range Aspects {
		r.Axes = append(r.Axes, report.Axis{Name: axisOf(aspect), Covered: covered[aspect], Documented: documented[aspect]})
	}
	r.Axes = append(r.Axes, report.AxisOfRules(rules))
	return r
}

// extras returns the extras that were called.
func (c *Collector) extras(documents []*specs.Document) map[string]report.Called {
	var extras map[string]report.Called
	for _, d := range documents {
		if d.Extras == nil {
			continue
		}
		for _, op := range d.Extras.Operations {
			t := c.Operations[op.Name()]
			if t == nil {
				continue
			}
			if extras == nil {
				extras = map[string]report.Called{}
			}
			called := t.report([Aspects]report.Parts{})
			extras[op.Name()] = report.Called{Exchanges: called.Exchanges, Statuses: called.Statuses}
		}
	}
	return extras
}

// Parts returns the documented parts of an operation: those that were touched, and those that were not.
func (c *Collector) Parts(op *specs.Operation) [Aspects]report.Parts {
	s := NewSet(op)
	if t := c.Operations[op.Name()]; t != nil {
		copy(s.touched, t.Touched)
	}
	return s.parts()
}

func (t *OperationCoverage) report(parts [Aspects]report.Parts) report.Touched {
	r := report.Touched{
		Exchanges: t.Exchanges, Statuses: map[string]int{},
		Requests: parts[RequestParts], Responses: parts[ResponseParts], Parameters: parts[ParameterParts],
		Enums: parts[EnumParts], Properties: parts[PropertyParts],
	}
	for status, n := range t.Statuses {
		r.Statuses[strconv.Itoa(status)] = n
	}
	return r
}

// Thresholds returns the thresholds with what was reached of each.
func Thresholds(wanted []report.Threshold, c report.Coverage) []report.Threshold {
	list := make([]report.Threshold, 0, len(wanted))
	for _, t := range wanted {
		for _, axis := range c.Axes {
			if axis.Name == t.Axis {
				t.Got = axis.Percent()
			}
		}
		list = append(list, t)
	}
	return list
}
