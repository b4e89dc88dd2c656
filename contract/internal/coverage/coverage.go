// Package coverage measures how much of the documents a recording touches: operations, media types, statuses,
// parameters, properties and the values of enumerations. A Set holds what one message touches; a Collector adds sets up
// and makes the coverage of a report.
package coverage

import (
	"maps"
	"strconv"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Collector gathers what of the documents a recording touches. It is used by one goroutine.
type Collector struct {
	documents  []*specs.Document
	operations map[*specs.Operation]*operationCoverage
}

// operationCoverage holds the touched parts of one operation.
type operationCoverage struct {
	*Set
	exchanges int
	statuses  map[int]int
}

// NewCollector returns a collector for the operations of documents.
func NewCollector(documents []*specs.Document) *Collector {
	return &Collector{documents: documents, operations: map[*specs.Operation]*operationCoverage{}}
}

// Add adds an exchange of an operation by its status, 0 if it has no response, and what its messages touch.
func (c *Collector) Add(op *specs.Operation, status int, sets []*Set) {
	t := c.operations[op]
	if t == nil {
		t = &operationCoverage{Set: NewSet(op), statuses: map[int]int{}}
		c.operations[op] = t
	}
	t.exchanges++
	if status > 0 {
		t.statuses[status]++
	}
	for _, set := range sets {
		t.Union(set)
	}
}

// Clone returns a collector with what this one has so far.
func (c *Collector) Clone() *Collector {
	clone := NewCollector(c.documents)
	for op, t := range c.operations {
		set := NewSet(op)
		set.Union(t.Set)
		clone.operations[op] = &operationCoverage{Set: set, exchanges: t.exchanges, statuses: maps.Clone(t.statuses)}
	}
	return clone
}

// axisOf returns the axis of coverage that an aspect of operations belongs to.
func axisOf(a Aspect) string {
	return [Aspects]string{
		report.Requests, report.Responses, report.Parameters, report.Enums, report.Properties,
	}[a]
}

// Report returns the coverage, with that of rules.
func (c *Collector) Report(rules []report.Rule) report.Coverage {
	r := report.Coverage{
		Operations: map[string]report.Touched{}, Untouched: map[string][]string{},
		Totals: map[specs.Interface]map[string]int{},
	}
	var covered, documented [Aspects]int
	r.Extras = c.extras()
	for _, d := range c.documents {
		totals := map[string]int{report.Operations: len(d.Operations)}
		r.Totals[d.Interface] = totals
		for _, op := range d.Operations {
			r.Documented++
			extent := ExtentOf(op)
			for aspect, n := range extent.Parts {
				documented[aspect] += n
				totals[axisOf(Aspect(aspect))] += n
			}
			t := c.operations[op]
			if t == nil {
				r.Untouched[op.Name()] = extent.Responses
				continue
			}
			r.Covered++
			parts := t.Parts()
			for aspect := range parts {
				covered[aspect] += len(parts[aspect].Seen)
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
func (c *Collector) extras() map[string]report.Called {
	var extras map[string]report.Called
	for op, t := range c.operations {
		if !op.IsExtra() {
			continue
		}
		if extras == nil {
			extras = map[string]report.Called{}
		}
		called := t.report([Aspects]report.Parts{})
		extras[op.Name()] = report.Called{Exchanges: called.Exchanges, Statuses: called.Statuses}
	}
	return extras
}

func (t *operationCoverage) report(parts [Aspects]report.Parts) report.Touched {
	r := report.Touched{
		Exchanges: t.exchanges, Statuses: map[string]int{},
		Requests: parts[RequestParts], Responses: parts[ResponseParts], Parameters: parts[ParameterParts],
		Enums: parts[EnumParts], Properties: parts[PropertyParts],
	}
	for status, n := range t.statuses {
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
