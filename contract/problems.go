package contract

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

const (
	maxErrors   = 20   // of a source, reported in full
	maxProblems = 1000 // of a source, kept in the report
)

// problems holds the first problems of a source, in order, and counts them.
type problems struct {
	Fatal, Minor []problem
	FatalCount   int // also of those that are not kept
}

// problem is a part of a source that could not be read.
type problem struct {
	After int // the number of the exchange before it
	report.Problem
	Text string // with the place
	err  error  // nil in a part of a recording that was judged elsewhere
}

func compareProblems(a, b problem) int {
	return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
}

// add keeps an error that came after an exchange, and reports whether it cost an exchange. Errors that cost nothing a
// user would miss become notes.
func (p *problems) add(err error, after int) (isBroken bool) {
	one := problem{after, report.Problem{Message: err.Error()}, err.Error(), err}
	readError, isRead := errors.AsType[*record.ReadError](err)
	if isRead {
		one.Problem = report.Problem{
			File: readError.File, Line: readError.Line, Offset: readError.Offset, Message: readError.Err.Error(),
		}
	}
	if !record.IsFatal(err) {
		p.Minor = inOrder(append(p.Minor, one), maxErrors)
		return isRead && readError.Kind == record.TooLarge
	}
	p.FatalCount++
	p.Fatal = inOrder(append(p.Fatal, one), maxProblems)
	return true
}

// inOrder returns the first of some problems, the last of which may not be in order.
func inOrder(list []problem, most int) []problem {
	if n := len(list); n > 1 && compareProblems(list[n-2], list[n-1]) > 0 {
		slices.SortStableFunc(list, compareProblems)
	}
	return list[:min(len(list), most)]
}

func (p *problems) merge(other *problems) {
	p.FatalCount += other.FatalCount
	for _, one := range other.Fatal {
		p.Fatal = inOrder(append(p.Fatal, one), maxProblems)
	}
	for _, one := range other.Minor {
		p.Minor = inOrder(append(p.Minor, one), maxErrors)
	}
}

// errs returns an error for each of the first fatal problems, and one that counts the others.
func (p *problems) errs() (list []error) {
	for _, one := range p.Fatal[:min(len(p.Fatal), maxErrors)] {
		list = append(list, cmp.Or(one.err, errors.New(one.Text)))
	}
	if more := p.FatalCount - len(list); more > 0 {
		list = append(list, fmt.Errorf("and %d more", more))
	}
	return list
}

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

// RuleDocs returns the documentation of every rule, in the order of reports.
func RuleDocs() []report.RuleDoc { return slices.Concat(judge.Docs(), rule.Docs()) }
