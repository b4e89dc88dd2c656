package contract

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// severity is a level that the user sets for findings, regardless of the provenance of their facts.
type severity struct {
	rule, operation string // patterns, as path.Match has them
	level           report.Severity
}

// Off is the severity of what is not checked.
const Off report.Severity = "off"

// Severities lists what WithSeverity takes, the loudest first.
func Severities() []report.Severity {
	return []report.Severity{report.Error, report.Warning, report.Notice, Off}
}

// WithSeverity sets how loud the findings of a rule on an operation are: error, warning, notice, or off, which leaves
// them out and counts their checks as skipped. Both names may be patterns, as in schema, core.*, and *; the first
// option that fits a finding decides. A pattern that fits no rule or no operation is an error. What belongs to no
// operation fits the operation * only.
func WithSeverity(rule, operation string, level report.Severity) Option {
	return func(c *config) error {
		if !slices.Contains(Severities(), level) {
			return fmt.Errorf("unknown severity %q of %s; want error, warning, notice or off", level, rule)
		}
		if rule == "" || operation == "" {
			return fmt.Errorf("severity %s of the rule %q on the operation %q: want a rule and an operation; * stands for all",
				level, rule, operation)
		}
		for _, pattern := range []string{rule, operation} {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("severity of %s on %s: %q is not a valid pattern: %w", rule, operation, pattern, err)
			}
		}
		fits := func(id string) bool { ok, _ := path.Match(rule, id); return ok }
		if !slices.ContainsFunc(Rules(), fits) {
			return knownRules([]string{rule})
		}
		c.severities = append(c.severities, severity{rule, operation, level})
		return nil
	}
}

// validateOperations returns an error if a severity has an unknown operation, and so no effect.
func (c *config) validateOperations(documents []*specs.Document) error {
	var errs []error
	for _, s := range c.severities {
		fits := func(op *specs.Operation) bool { ok, _ := path.Match(s.operation, op.Name()); return ok }
		isOne := func(d *specs.Document) bool { return slices.ContainsFunc(d.All(), fits) }
		if s.operation != "*" && !slices.ContainsFunc(documents, isOne) {
			errs = append(errs, fmt.Errorf("severity of %s on %s: %s", s.rule, s.operation,
				noOperation(s.operation, operationNames(documents))))
		}
	}
	return errors.Join(errs...)
}

// severity returns the level that the user set for a rule on an operation, or the empty string.
func (c *config) severity(rule, operation string) report.Severity {
	for _, s := range c.severities {
		isRule, _ := path.Match(s.rule, rule)
		isOperation, _ := path.Match(s.operation, operation)
		if isRule && (isOperation || s.operation == "*") {
			return s.level
		}
	}
	return ""
}
