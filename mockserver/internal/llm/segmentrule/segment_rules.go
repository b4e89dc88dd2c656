// Package segmentrule converts the short form of a segment rule to the full form.
package segmentrule

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
)

// ruleField is the member of the body with the rule. Errors in the body are 400, errors in the rule 422 (public).
const ruleField = "simplifiedIonRule"

// IsInRule reports whether an error is about the rule in the body, which is 422 (public).
func IsInRule(e *op.Error) bool { return strings.HasPrefix(e.Field, ruleField+".") }

// shortRule is a segment's rule in the form that agents write.
type shortRule struct {
	Logic        string           `json:"logic"`
	Conditions   []shortCondition `json:"conditions"`
	BaseSegments *struct {
		Logic      string   `json:"logic"`
		SegmentIDs []string `json:"segmentIds"`
	} `json:"baseSegmentIds"`
}

// shortCondition is a test of a column, or a group.
type shortCondition struct {
	Column     string           `json:"attribute_column"`
	LeftValue  string           `json:"left_value"` // the column under another name
	Operator   string           `json:"operator"`
	RightValue jsontext.Value   `json:"right_value"`
	Logic      string           `json:"logic"`
	Conditions []shortCondition `json:"conditions"`
}

// fullRule is a rule, or a group of conditions within one, in the form of the audience interface.
type fullRule struct {
	Type       string          `json:"type"`
	Conditions []fullCondition `json:"conditions"`
}

// fullCondition is a group, And or Or with conditions, or a single condition, Value or Reference. Groups directly
// within a rule have no exclude (public); that deeper ones have it is assumed.
type fullCondition struct {
	Type          string          `json:"type"`
	Exclude       *bool           `json:"exclude,omitzero"`
	ID            string          `json:"id,omitzero"`
	LeftValue     *columnName     `json:"leftValue,omitzero"`
	Operator      *fullOperator   `json:"operator,omitzero"`
	ArrayMatching jsontext.Value  `json:"arrayMatching,omitzero"`
	Conditions    []fullCondition `json:"conditions,omitzero"`
}

type columnName struct {
	Name string `json:"name"`
}

// ConvertSegmentRule returns the full form of a short rule, and stores nothing.
var ConvertSegmentRule = op.Sent(func(
	_ *op.Call, body struct {
		Name        string    `json:"name"`
		Description string    `json:"description"`
		Rule        shortRule `json:"simplifiedIonRule"`
	},
) (op.Reply, error) {
	rule, err := body.Rule.convert()
	if err != nil {
		return op.Reply{}, err
	}
	return jsonapi.PlainReply(struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Rule        fullRule `json:"fullIonRule"`
	}{body.Name, body.Description, rule})
})

// convert returns the full rule, with its groups joined by its logic. Base segments always narrow the rule, even if any
// one of its conditions is enough (assumed).
func (r shortRule) convert() (fullRule, error) {
	var rule fullRule
	joined, err := joinOperator(ruleField+".logic", r.Logic)
	if err != nil {
		return rule, err
	}
	if len(r.Conditions) == 0 && (r.BaseSegments == nil || len(r.BaseSegments.SegmentIDs) == 0) {
		return rule, op.Unprocessable(ruleField+".conditions", "is missing: want conditions or baseSegmentIds")
	}
	conditions, err := convertAll(ruleField, r.Conditions)
	if err != nil {
		return rule, err
	}
	rule = fullRule{Type: joined, Conditions: grouped(joined, conditions)}
	if r.BaseSegments == nil || len(r.BaseSegments.SegmentIDs) == 0 {
		return rule, nil
	}
	if joined == anyOf && len(conditions) > 0 {
		rule.Conditions = []fullCondition{{Type: anyOf, Conditions: nested(conditions)}}
	}
	base, err := r.base()
	rule.Type, rule.Conditions = allOf, append(rule.Conditions, base)
	return rule, err
}

// base returns the group of a rule's base segments.
func (r shortRule) base() (fullCondition, error) {
	joined, err := joinOperator(ruleField+".baseSegmentIds.logic", r.BaseSegments.Logic)
	group := fullCondition{Type: joined}
	for _, id := range r.BaseSegments.SegmentIDs {
		group.Conditions = append(group.Conditions, fullCondition{Type: "Reference", Exclude: new(false), ID: id})
	}
	return group, err
}

// The ways to join conditions.
const (
	allOf = "And"
	anyOf = "Or"
)

// joinOperator returns how the conditions of a group are joined; without logic, all of them must hold (assumed).
func joinOperator(field, logic string) (string, error) {
	switch cmp.Or(logic, "ALL") {
	case "ALL":
		return allOf, nil
	case "ANY":
		return anyOf, nil
	}
	return "", op.Unprocessable(field, "want ALL or ANY, not %q", logic)
}

// grouped puts the conditions that are not groups into one group, ahead of the others.
func grouped(joined string, conditions []fullCondition) []fullCondition {
	groups, single := []fullCondition{}, fullCondition{Type: joined}
	for _, one := range conditions {
		if one.Conditions == nil {
			single.Conditions = append(single.Conditions, one)
			continue
		}
		groups = append(groups, one)
	}
	if single.Conditions != nil {
		groups = append([]fullCondition{single}, groups...)
	}
	return groups
}

// nested returns conditions within a group, where groups have exclude, too.
func nested(conditions []fullCondition) []fullCondition {
	all := make([]fullCondition, len(conditions))
	for i, one := range conditions {
		one.Exclude = new(false)
		all[i] = one
	}
	return all
}

func convertAll(field string, conditions []shortCondition) ([]fullCondition, error) {
	var all []fullCondition
	for i, one := range conditions {
		converted, err := one.convert(fmt.Sprintf("%s.conditions.%d", field, i))
		if err != nil {
			return nil, err
		}
		all = append(all, converted)
	}
	return all, nil
}

func (s shortCondition) convert(field string) (fullCondition, error) {
	column := cmp.Or(s.Column, s.LeftValue)
	switch {
	case len(s.Conditions) > 0:
		joined, err := joinOperator(field+".logic", s.Logic)
		if err != nil {
			return fullCondition{}, err
		}
		conditions, err := convertAll(field, s.Conditions)
		return fullCondition{Type: joined, Conditions: nested(conditions)}, err
	case column == "":
		return fullCondition{}, op.Unprocessable(field, "want attribute_column and operator, or logic and conditions")
	}
	operator, err := convertOperator(field, s.Operator, s.RightValue)
	return fullCondition{
		Type: "Value", Exclude: new(false), LeftValue: &columnName{column}, Operator: operator,
		ArrayMatching: jsontext.Value("null"),
	}, err
}

// fullOperator is a comparison in the form of the audience interface. RightValue is always present (public); the bounds
// of Between and the values of In are also in the members that it reads.
type fullOperator struct {
	Type        string         `json:"type"`
	Not         bool           `json:"not"`
	RightValue  jsontext.Value `json:"rightValue"`
	RightValues jsontext.Value `json:"rightValues,omitzero"`
	MinValue    jsontext.Value `json:"minValue,omitzero"`
	MaxValue    jsontext.Value `json:"maxValue,omitzero"`
}

// convertOperator returns the comparison for an operator of the short form, with the values to compare with.
func convertOperator(field, sign string, value jsontext.Value) (*fullOperator, error) {
	operator, ok := comparisons[sign]
	switch {
	case !ok:
		return nil, op.Unprocessable(field+".operator", "want one of =, !=, >, >=, <, <=, IS NULL, IS NOT NULL, IN, "+
			"BETWEEN, REGEX and NOT REGEX, not %q", sign)
	case operator.Type == "IsNull":
		operator.RightValue = jsontext.Value("null")
		return &operator, nil
	case value.Kind() == jsontext.KindInvalid || value.Kind() == 'n':
		return nil, op.Unprocessable(field+".right_value", "is missing: %s needs a value to compare with", sign)
	}
	operator.RightValue = value
	if operator.Type != "In" && operator.Type != "Between" {
		return &operator, nil
	}
	values, err := valuesOf(field+".right_value", sign, value)
	if operator.RightValues = value; operator.Type == "Between" && err == nil {
		operator.RightValues, operator.MinValue, operator.MaxValue = nil, values[0], values[1]
	}
	return &operator, err
}

// comparisons holds the operators of the audience interface by those of the short form.
var comparisons = map[string]fullOperator{
	"=": {Type: "Equal"}, "!=": {Type: "Equal", Not: true},
	">": {Type: "Greater"}, ">=": {Type: "GreaterEqual"}, "<": {Type: "Less"}, "<=": {Type: "LessEqual"},
	"IS NULL": {Type: "IsNull"}, "IS NOT NULL": {Type: "IsNull", Not: true},
	"IN": {Type: "In"}, "BETWEEN": {Type: "Between"},
	"REGEX": {Type: "Regexp"}, "NOT REGEX": {Type: "Regexp", Not: true},
}

// valuesOf returns the values of IN, or the two bounds of BETWEEN. The audience interface takes texts and numbers
// there.
func valuesOf(field, sign string, value jsontext.Value) ([]jsontext.Value, error) {
	var values []jsontext.Value
	if value.Kind() == '[' {
		if err := json.Unmarshal(value, &values); err != nil {
			return nil, op.Unprocessable(field, "%v", err)
		}
	}
	if len(values) == 0 || sign == "BETWEEN" && len(values) != 2 {
		return nil, op.Unprocessable(field, "want an array: the values of IN, or the two bounds of BETWEEN")
	}
	for _, one := range values {
		if kind := one.Kind(); kind != '"' && kind != '0' {
			return nil, op.Unprocessable(field, "%s takes strings and numbers, not %s", sign, one)
		}
	}
	return values, nil
}
