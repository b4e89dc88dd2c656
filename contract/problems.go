package contract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
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

// take keeps an error that came after an exchange, and reports whether it cost an exchange. Errors that cost nothing a
// user would miss become notes.
func (p *problems) take(err error, after int) (isBroken bool) {
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
