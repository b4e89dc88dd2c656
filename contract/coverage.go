package contract

import (
	"strconv"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// covering gathers what of the documents a recording touched.
type covering struct {
	documents  []*specs.Document
	operations map[*specs.Operation]*covered
	at         map[*ownership.Base]int // exchanges, by the base that they were found under
}

// covered is what was touched of one operation.
type covered struct {
	*judge.Coverage
	exchanges int
	statuses  map[int]int
}

func newCovering(documents []*specs.Document) *covering {
	return &covering{documents: documents, operations: map[*specs.Operation]*covered{}, at: map[*ownership.Base]int{}}
}

func (c *covering) take(r *judge.Result) {
	if r.Owner.Base != nil {
		c.at[r.Owner.Base]++
	}
	op := r.Operation()
	if op == nil {
		return
	}
	touched := c.operations[op]
	if touched == nil {
		touched = &covered{Coverage: judge.NewCoverage(judge.CatalogueOf(op)), statuses: map[int]int{}}
		c.operations[op] = touched
	}
	touched.exchanges++
	if r.Item.Response != nil && r.Item.Response.Status > 0 {
		touched.statuses[r.Item.Response.Status]++
	}
	for _, seen := range r.Seen {
		touched.Add(seen)
	}
}

// axisOf is the axis of coverage that an aspect of operations belongs to.
func axisOf(a judge.Aspect) string {
	return [judge.Aspects]string{
		report.Requests, report.Responses, report.Parameters, report.Enums, report.Properties,
	}[a]
}

func (c *covering) report(rules []report.Rule) report.Coverage {
	r := report.Coverage{
		Operations: map[string]report.Touched{}, Untouched: map[string][]string{}, Totals: map[string]map[string]int{},
	}
	var seen, all [judge.Aspects]int
	r.Extras = c.extras()
	for _, d := range c.documents {
		totals := map[string]int{report.Operations: len(d.Operations)}
		r.Totals[d.Interface] = totals
		for _, op := range d.Operations {
			r.Documented++
			extent := judge.ExtentOf(op)
			for aspect, n := range extent.Parts {
				all[aspect] += n
				totals[axisOf(judge.Aspect(aspect))] += n
			}
			touched := c.operations[op]
			if touched == nil {
				r.Untouched[op.Name()] = extent.Responses
				continue
			}
			r.Covered++
			parts := touched.Parts()
			for aspect := range parts {
				seen[aspect] += len(parts[aspect].Seen)
			}
			r.Operations[op.Name()] = touched.report(parts)
		}
	}
	r.Axes = append(r.Axes, report.Axis{Name: report.Operations, Covered: r.Covered, Documented: r.Documented})
	for aspect := range judge.Aspects {
		r.Axes = append(r.Axes, report.Axis{Name: axisOf(aspect), Covered: seen[aspect], Documented: all[aspect]})
	}
	r.Axes = append(r.Axes, report.AxisOfRules(rules))
	return r
}

// extras returns the extras that were called.
func (c *covering) extras() map[string]report.Called {
	var extras map[string]report.Called
	for op, touched := range c.operations {
		if !op.IsExtra() {
			continue
		}
		if extras == nil {
			extras = map[string]report.Called{}
		}
		t := touched.report([judge.Aspects]report.Parts{})
		extras[op.Name()] = report.Called{Exchanges: t.Exchanges, Statuses: t.Statuses}
	}
	return extras
}

func (c *covered) report(parts [judge.Aspects]report.Parts) report.Touched {
	t := report.Touched{
		Exchanges: c.exchanges, Statuses: map[string]int{},
		Requests: parts[judge.RequestParts], Responses: parts[judge.ResponseParts], Parameters: parts[judge.ParameterParts],
		Enums: parts[judge.EnumParts], Properties: parts[judge.PropertyParts],
	}
	for status, n := range c.statuses {
		t.Statuses[strconv.Itoa(status)] = n
	}
	return t
}

// thresholds measures what was reached of what is wanted.
func thresholds(wanted []report.Threshold, c report.Coverage) []report.Threshold {
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
