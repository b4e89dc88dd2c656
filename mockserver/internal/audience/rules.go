package audience

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// condition is a part of a rule, and the rule itself, as on the wire. Its type says which of the members count.
type condition struct {
	Type          string         `json:"type"`
	Conditions    []condition    `json:"conditions"`
	Expr          string         `json:"expr"`
	LeftValue     *leftValue     `json:"leftValue"`
	Operator      *operator      `json:"operator"`
	ArrayMatching jsontext.Value `json:"arrayMatching"`
	Exclude       bool           `json:"exclude"`
	Limit         *limit         `json:"limit"`
	ID            string         `json:"id"`
}

type leftValue struct {
	Name          string         `json:"name"`
	CustomerGroup string         `json:"customerGroup"`
	Attribute     string         `json:"attribute"`
	Aggregation   jsontext.Value `json:"aggregation"`
}

type limit struct {
	Number       float64       `json:"number"`
	Type         string        `json:"type"`
	OrderColumns []orderColumn `json:"orderColumns"`
}

type orderColumn struct {
	Type   string `json:"type"`
	Order  string `json:"order"`
	Column string `json:"column"`
}

// Words of limits.
const (
	percent    = "Percent"
	descending = "descending"
)

const (
	maxRuleDepth  = 50   // of conditions within conditions
	maxConditions = 1000 // of a rule, and words of an expression
	maxRuleErrors = 5    // that one answer lists
)

// node is a valid condition. It returns the profiles that fit the condition, or nil if the mock cannot
// evaluate it, and then the condition counts as if it were absent (assumed).
type node func(*profiles) set

func unknownSet(*profiles) set { return nil }

// ruleReader checks rules and makes nodes of them. It gathers what is wrong, and what the mock cannot evaluate.
type ruleReader struct {
	world    *world.State
	audience int64
	columns  columns // nil: not known
	segments map[int64]node
	read     int // conditions so far
	notes    []string
	errs     []error
	failed   int
}

func newRuleReader(w *world.State, a world.ParentSegment) *ruleReader {
	return &ruleReader{world: w, audience: a.ID, columns: columnsOf(w, a), segments: map[int64]node{}}
}

func (r *ruleReader) fail(at, format string, args ...any) { r.refuse(op.Invalid(at, format, args...)) }

func (r *ruleReader) refuse(err error) {
	if r.failed++; r.failed <= maxRuleErrors {
		r.errs = append(r.errs, err)
	}
}

func (r *ruleReader) err() error {
	if more := r.failed - maxRuleErrors; more > 0 {
		return errors.Join(append(slices.Clip(r.errs), op.Invalid("rule", "and %d more", more))...)
	}
	return errors.Join(r.errs...)
}

// unsupported notes what the mock cannot evaluate.
func (r *ruleReader) unsupported(at, why string) node {
	note := fmt.Sprintf("%s was left out of the count: %s", at, why)
	if !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
	return unknownSet
}

// isEmptyRule reports whether a rule is none: absent, null or an empty object (public).
func isEmptyRule(rule []byte) bool {
	return slices.Contains([]string{"", "null", "{}"}, string(bytes.Join(bytes.Fields(rule), nil)))
}

// rule reads a whole rule.
func (r *ruleReader) rule(text []byte) node {
	if isEmptyRule(text) {
		return unknownSet
	}
	var c condition
	if err := json.Unmarshal(text, &c); err != nil {
		r.fail("rule", "%s", strings.TrimPrefix(err.Error(), "json: "))
		return unknownSet
	}
	if !c.combines() {
		r.fail("rule.type", "want And, Or or Composite, not %q", c.Type)
		return unknownSet
	}
	return r.condition("rule", c, 0)
}

// combines reports whether a condition is made of others.
func (c condition) combines() bool {
	return slices.Contains([]string{"And", "Or", "Composite"}, c.Type)
}

func (r *ruleReader) condition(at string, c condition, depth int) node {
	if r.read++; depth == maxRuleDepth || r.read > maxConditions {
		r.fail("rule", "want at most %d conditions, at most %d deep", maxConditions, maxRuleDepth)
		return unknownSet
	}
	n := r.kind(at, c, depth)
	if c.Exclude && !c.combines() { // those only (public)
		inner := n
		n = func(p *profiles) set { return inner(p).complement() }
	}
	if c.Limit != nil {
		n = r.limitedCondition(at+".limit", n, *c.Limit)
	}
	return n
}

func (r *ruleReader) kind(at string, c condition, depth int) node {
	switch c.Type {
	case "And":
		return joinNodes(r.parts(at, c, depth), andTest)
	case "Or":
		return joinNodes(r.parts(at, c, depth), orTest)
	case "Composite":
		return r.composite(at, c, r.parts(at, c, depth))
	case "Value":
		return r.valueCondition(at, c)
	case "Reference":
		return r.referenceCondition(at, c)
	case "MlAttributeReference":
		r.comparison(at+".operator", c.Operator, false)
		if c.LeftValue == nil || c.LeftValue.Attribute == "" {
			r.fail(at+".leftValue", "want the attribute of a model")
		}
		return r.unsupported(at, "the mock does not support models")
	case "FunnelStageReference", "AbTestVariantReference", "PredictiveScoreReference":
		if c.ID == "" {
			r.fail(at+".id", "is missing: want the id of the referenced object")
		}
		return r.unsupported(at, "the mock does not support references of the type "+c.Type)
	}
	r.fail(at+".type", "want And, Or, Composite, Value, or a kind of reference, not %q", c.Type)
	return unknownSet
}

func (r *ruleReader) parts(at string, c condition, depth int) []node {
	if c.Conditions == nil {
		r.fail(at+".conditions", "is missing: want a list, which may be empty")
	}
	nodes := make([]node, len(c.Conditions))
	for i, part := range c.Conditions {
		if r.read > maxConditions {
			return nodes[:i]
		}
		nodes[i] = r.condition(fmt.Sprintf("%s.conditions.%d", at, i), part, depth+1)
	}
	return nodes
}

func joinNodes(nodes []node, join func(a, b bool) bool) node {
	return func(p *profiles) (s set) {
		for _, n := range nodes {
			s = joinSets(s, n(p), join)
		}
		return s
	}
}

// referenceCondition returns a segment of the same audience (that it must be there is assumed).
func (r *ruleReader) referenceCondition(at string, c condition) node {
	id, err := strconv.ParseInt(c.ID, 10, 64)
	segment, ok := r.world.Audience.Segments.Get(id)
	if err != nil || !ok || segment.Audience != r.audience {
		r.fail(at+".id", "segment %q not found in audience %d", c.ID, r.audience)
		return unknownSet
	}
	return r.segment(segment)
}

// segment returns the condition of a segment. However often rules refer to it, it is read and counted once.
func (r *ruleReader) segment(s world.Segment) node {
	if n, known := r.segments[s.ID]; known {
		return n
	}
	inner := *r
	inner.notes, inner.errs, inner.failed, inner.read = nil, nil, 0, 0
	r.segments[s.ID] = unknownSet // while it is read
	rule := inner.rule(s.Rule)
	for _, note := range inner.notes {
		r.notes = append(r.notes, fmt.Sprintf("segment %d: %s", s.ID, note))
	}
	if err := inner.err(); err != nil {
		r.fail("rule", "segment %d: %v", s.ID, err)
	}
	if s.Kind == world.FunnelStage {
		r.unsupported(fmt.Sprintf("the funnel stage of segment %d", s.ID), "the mock does not support funnels")
	}
	r.segments[s.ID] = evaluatedOnce(func(p *profiles) set { return p.evaluate(rule) })
	return r.segments[s.ID]
}

// evaluatedOnce returns a node that keeps its result, however often rules refer to it.
func evaluatedOnce(n node) node {
	var result set
	done := false
	return func(p *profiles) set {
		if !done {
			result, done = n(p), true
		}
		return result
	}
}

func (r *ruleReader) limitedCondition(at string, n node, l limit) node {
	switch {
	case l.Type != percent && l.Type != "Count":
		r.fail(at+".type", "want Count or Percent, not %q", l.Type)
	case l.Number < 0 || l.Type == percent && l.Number > 100:
		r.fail(at+".number", "want 0 or more, and at most 100 for Percent, not %v", l.Number)
	case l.Type != percent && l.Number != math.Trunc(l.Number):
		r.fail(at+".number", "want an integer number of profiles, not %v", l.Number)
	}
	var by []orderColumn
	for i, column := range l.OrderColumns {
		at := fmt.Sprintf("%s.orderColumns.%d", at, i)
		switch {
		case column.Order != "ascending" && column.Order != descending:
			r.fail(at+".order", "want ascending or descending, not %q", column.Order)
		case column.Type == "Aggregation":
			r.unsupported(at, "the mock does not support aggregations of behavior tables")
		case column.Type != "Column":
			r.fail(at+".type", "want Column or Aggregation, not %q", column.Type)
		case r.requireColumn(at+".column", column.Column):
			by = append(by, column)
		}
	}
	l.OrderColumns = by
	return func(p *profiles) set { return p.limited(p.evaluate(n), l) }
}

// requireColumn refuses a column that the profiles do not have (assumed).
func (r *ruleReader) requireColumn(at, column string) bool {
	err := r.columns.check(at, column)
	if err != nil {
		r.refuse(err)
	}
	return err == nil
}

// check refuses a column that is not one of these, if they are known.
func (c columns) check(at, column string) error {
	if c == nil || c[column] != "" {
		return nil
	}
	if column == "" {
		return op.Invalid(at, "want the name of a column")
	}
	return op.Invalid(at, "unknown column %q of the profiles; want one of %s", column,
		strings.Join(slices.Sorted(maps.Keys(c)), ", "))
}

// valueCondition returns a comparison of an attribute. What is null compares with nothing, not even when the comparison
// is turned round; only IsNull takes it in (assumed, as in SQL). Other than that, exclude takes in all who are not
// taken in.
func (r *ruleReader) valueCondition(at string, c condition) node {
	left := c.LeftValue
	if left == nil {
		r.fail(at+".leftValue", "is missing: want the name of an attribute, or an aggregation")
		left = &leftValue{}
	}
	holds := r.comparison(at+".operator", c.Operator, r.columns.numeric(left.Name))
	quorum := r.quorum(at+".arrayMatching", c.ArrayMatching)
	switch {
	case c.LeftValue == nil || holds == nil:
		return unknownSet
	case left.Aggregation != nil:
		return r.unsupported(at, "the mock does not support aggregations of behavior tables")
	case left.CustomerGroup != "":
		return r.unsupported(at, "the mock does not support customer groups")
	case !r.requireColumn(at+".leftValue.name", left.Name):
		return unknownSet
	}
	not, wantsNull := c.Operator.Not, c.Operator.Type == isNull
	return func(p *profiles) set {
		array := c.ArrayMatching != nil || strings.HasPrefix(p.columns[left.Name], "array<")
		return p.matching(func(profile map[string]string) bool {
			text, present := profile[left.Name]
			if wantsNull || !present {
				return wantsNull && present == not
			}
			matches, all := 0, elements(text, array)
			for _, element := range all {
				if holds(element, p.now) != not {
					matches++
				}
			}
			return quorum(matches, len(all))
		})
	}
}

// elements returns the values of an array that are not null. A text that is not an array is one value.
func elements(text string, array bool) []string {
	parsed := jsontree.Parse(text)
	if !array || !parsed.IsArray() {
		return []string{text}
	}
	list := []string{}
	for element := range parsed.Each {
		if !element.IsNull() {
			list = append(list, element.Text())
		}
	}
	return list
}

// quorum returns a test of how many elements of an array have to match: any, unless the condition says otherwise
// (assumed).
func (r *ruleReader) quorum(at string, matching jsontext.Value) func(matches, of int) bool {
	anyOf := func(matches, _ int) bool { return matches > 0 }
	switch text := string(matching); text {
	case "", "null", `"any"`:
		return anyOf
	case `"all"`:
		return func(matches, of int) bool { return matches == of }
	}
	bounds := map[string]float64{}
	err := json.Unmarshal(matching, &bounds)
	least, hasLeast := bounds["atLeast"]
	most, hasMost := bounds["atMost"]
	just, hasJust := bounds["exactly"]
	switch {
	case err != nil || len(bounds) != 1:
	case hasLeast:
		return func(matches, _ int) bool { return float64(matches) >= least }
	case hasMost:
		return func(matches, _ int) bool { return float64(matches) <= most }
	case hasJust:
		return func(matches, _ int) bool { return float64(matches) == just }
	}
	r.fail(at, "want any, all, or an object with exactly one of the numbers atLeast, atMost and exactly")
	return anyOf
}
