package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Subject is a server that Compare holds against a recording. See compare.Subject for its members.
type Subject = compare.Subject

// KeyDigest returns the digest by which Subject knows a recorded key, or the mark in its place.
func KeyDigest(key string) string { return compare.KeyDigest(key) }

// Mask leaves a place of answers out of a comparison: the values there may differ.
type Mask = report.Mask

// Compare replays the requests of a recording to a subject, in their order and at their times, and compares its answers
// with the recorded ones. Each world of the recording has a fork of the subject. The report lists every difference as a
// finding; Comparison has the agreement of each operation.
//
// It fails with ErrNothingMatched if no exchange belongs to an interface, and with ErrNothingCompared if none can be
// replayed. The recording is held in memory.
func (c *Checker) Compare(ctx context.Context, source Source, subject Subject) (*Report, error) {
	g := newGatherer(c)
	g.docs = DifferenceDocs()
	x := &comparing{g: g, agreements: map[string]*report.Agreement{}, skipped: map[string]int{}}
	sessions, j, err := x.read(ctx, source)
	if err != nil {
		return nil, err
	}
	x.noteSharedKey(&subject, sessions)
	for _, list := range sessions {
		if err := x.run(ctx, subject, list, len(sessions) > 1); err != nil {
			return nil, err
		}
	}
	x.comparison.With = subject.Name
	r := x.report(j)
	switch {
	case g.Problems.FatalCount > 0:
		return r, errors.Join(g.Problems.errs()...)
	case r.Exchanges.Matched == 0:
		return r, fmt.Errorf("%w: exchanges read: %d", ErrNothingMatched, r.Exchanges.Read)
	case r.Comparison.Compared == 0:
		return r, fmt.Errorf("%w: %s", ErrNothingCompared, r.Comparison.Skipped[0].Reason)
	}
	return r, nil
}

// ErrNothingCompared reports that exchanges belong to an interface, but that none could be replayed.
var ErrNothingCompared = errors.New("no answer could be compared")

// report returns the report of a comparison, without what belongs to a check alone.
func (x *comparing) report(j *judge.Judge) *Report {
	r := x.g.conclude(j)
	r.Comparison = x.conclude()
	r.Engines, r.Coverage, r.Thresholds, r.MaxInconclusive = nil, report.Coverage{}, nil, nil
	return r
}

// comparing is a comparison under way.
type comparing struct {
	g          *gatherer
	comparison report.Comparison
	agreements map[string]*report.Agreement
	skipped    map[string]int
}

func (x *comparing) run(ctx context.Context, subject Subject, list []*judge.Result, isOneOfMany bool) error {
	if isOneOfMany {
		if subject.Fork == nil {
			return errors.New("the recording has several worlds: want a subject that can be forked")
		}
		fork, err := subject.Fork()
		if err != nil {
			return fmt.Errorf("fork the subject: %w", err)
		}
		if fork.Close != nil {
			defer fork.Close()
		}
		fork.Keys, fork.Key = subject.Keys, subject.Key
		subject = fork
	}
	config := x.g.checker.config.comparison
	done, masks, err := compare.Run(ctx, &compare.Config{
		Documents: x.g.checker.documents, Masks: config.masks, Tolerance: config.tolerance,
		Redactor: x.g.checker.redactor, Timeout: config.timeout,
	}, subject, list)
	if err != nil {
		return err
	}
	x.addMasks(masks)
	slices.SortStableFunc(done, func(a, b *compare.Exchange) int { return cmp.Compare(a.Item.Number, b.Item.Number) })
	for _, e := range done {
		x.take(e)
	}
	return nil
}

func (x *comparing) addMasks(masks []compare.Mask) {
	for i, m := range masks {
		if i == len(x.comparison.Masks) {
			none := report.Mask{Operation: m.Operation, Pointer: m.Pointer, Reason: m.Reason}
			x.comparison.Masks = append(x.comparison.Masks, none)
		}
		x.comparison.Masks[i].Count += m.Count
	}
}

// take adds an exchange to the report.
func (x *comparing) take(e *compare.Exchange) {
	if e.Skipped != "" {
		x.skipped[x.g.checker.redactor.Text(e.Skipped)]++
		return
	}
	name := e.Operation().Name()
	a := x.agreements[name]
	if a == nil {
		a = &report.Agreement{Operation: name}
		x.agreements[name] = a
	}
	a.Compared++
	x.comparison.Compared++
	if e.Agrees() {
		a.Agree++
		x.comparison.Agree++
	} else if a.First == 0 {
		a.First = e.Item.Number
		a.Sides = x.sides(e)
	}
	seen := map[compare.Kind]bool{}
	for i := range e.Differences {
		seen[e.Differences[i].Kind] = true
		x.g.keepFinding(x.finding(e, &e.Differences[i]), int64(i), x.lines(e, &e.Differences[i])...)
	}
	x.g.Omitted += e.Omitted
	for _, kind := range []compare.Kind{compare.Status, compare.Shape, compare.Value, compare.Behaviour} {
		verdict := report.Pass
		if seen[kind] {
			verdict = report.Fail
		}
		x.g.countCheck(e.Item.Number, "different-"+string(kind), name, verdict, 1)
	}
}

func (x *comparing) lines(e *compare.Exchange, d *compare.Difference) []report.Line {
	lines := []report.Line{x.g.checker.lineOf(e.Result)}
	if d.Since != nil {
		lines = append(lines, x.g.checker.lineOf(d.Since.Result))
	}
	return lines
}

func (x *comparing) finding(e *compare.Exchange, d *compare.Difference) report.Finding {
	op := e.Operation()
	f := report.Finding{
		Rule: "different-" + string(d.Kind), Severity: report.Error, Verdict: report.Fail, Interface: op.Interface,
		Operation: op.Name(), Exchange: e.Item.Number, Evidence: []int{e.Item.Number}, Message: d.Message,
		Pointer: d.Pointer, Found: d.Answered, Provenance: specs.Documented,
		Spec: report.Spec{File: op.Document.File, Pointer: op.Pointer},
	}
	if place, err := op.Document.Place(op.Pointer); err == nil {
		f.Spec.Line = place.Line
	}
	if d.Since != nil {
		f.Evidence = []int{d.Since.Item.Number, e.Item.Number}
		f.Message += "; " + sinceInWords(d)
	}
	f.ID = report.Fingerprint(&f)
	return f
}

// sinceInWords returns the earlier exchange whose effect a difference shows.
func sinceInWords(d *compare.Difference) string {
	text := fmt.Sprintf("exchange %d (%s) ", d.Since.Item.Number, d.Since.Operation().Name())
	if d.IsUnsure {
		text += "may have changed it"
	} else {
		text += "changed it"
	}
	if !d.Since.Agrees() {
		text += ", and differs itself"
	}
	return text
}

// sides returns the two answers of an exchange as text.
func (x *comparing) sides(e *compare.Exchange) *report.Sides {
	recorded, answered := e.Texts(x.g.checker.redactor)
	return &report.Sides{Recorded: recorded, Answered: answered}
}

// conclude returns the comparison with its lists in order.
func (x *comparing) conclude() *report.Comparison {
	for _, a := range x.agreements {
		x.comparison.Operations = append(x.comparison.Operations, *a)
	}
	report.SortAgreements(x.comparison.Operations)
	for reason, n := range x.skipped {
		x.comparison.Skipped = append(x.comparison.Skipped, report.Reason{Reason: reason, Count: n})
	}
	slices.SortFunc(x.comparison.Skipped, func(a, b report.Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return &x.comparison
}
