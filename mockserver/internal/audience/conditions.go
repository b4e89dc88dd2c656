package audience

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver/internal/op"
)

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
	parsed := gjson.Parse(text)
	if !array || !gjson.Valid(text) || !parsed.IsArray() {
		return []string{text}
	}
	list := []string{}
	for _, element := range parsed.Array() {
		if element.Type != gjson.Null {
			list = append(list, element.String())
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
