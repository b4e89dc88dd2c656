package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Subject is a server that Compare holds against a recording. See compare.Subject for its members.
type Subject = compare.Subject

// KeyDigest returns the digest by which Subject knows a recorded key, or the mark in its place.
func KeyDigest(key string) string { return compare.KeyDigest(key) }

// Mask leaves a place of answers out of a comparison: the values there may differ.
type Mask = report.Mask

// Rules of differences.
const (
	DifferentStatus    = "different-status"
	DifferentShape     = "different-shape"
	DifferentValue     = "different-value"
	DifferentBehaviour = "different-behaviour"
)

// DifferenceDocs describes the kinds of differences that Compare finds, in the form of rules.
func DifferenceDocs() []report.RuleDoc {
	doc := func(id, title, watches string) report.RuleDoc {
		return report.RuleDoc{ID: id, Title: title, Watches: watches, Provenance: specs.Documented}
	}
	return []report.RuleDoc{
		doc(DifferentStatus, "an answer has the recorded status", "every exchange that is replayed"),
		doc(DifferentShape, "an answer has the recorded members, with values of the recorded types",
			"every answer of the recorded status"),
		doc(DifferentValue, "an answer has the recorded values", "every answer of the recorded status"),
		doc(DifferentBehaviour, "a later answer shows the same effect of an earlier request",
			"every answer that shows what a recorded request made, changed or deleted"),
	}
}

// Compare replays the requests of a recording to a subject, in their order and at their times, and compares its answers
// with the recorded ones. Each world of the recording has a fork of the subject. The report lists every difference as a
// finding; Comparison has the agreement of each operation.
//
// It fails with ErrNothingMatched if no exchange can be replayed. The recording is held in memory.
func (c *Checker) Compare(ctx context.Context, source Source, subject Subject) (*Report, error) {
	g := newGatherer(c)
	g.docs = DifferenceDocs()
	for _, doc := range g.docs {
		g.tallies[doc.ID] = &report.Rule{ID: doc.ID}
	}
	x := &comparing{g: g, agreements: map[string]*report.Agreement{}, skipped: map[string]int{}}
	sessions, err := x.read(ctx, source)
	if err != nil {
		return nil, err
	}
	for _, list := range sessions {
		if err := x.run(ctx, subject, list, len(sessions) > 1); err != nil {
			return nil, err
		}
	}
	r := g.finish()
	r.Comparison = x.conclude()
	if r.Comparison.Compared == 0 && len(g.errs) == 0 {
		return r, ErrNothingMatched
	}
	return r, errors.Join(g.errs...)
}

// comparing is a comparison under way.
type comparing struct {
	g          *gatherer
	comparison report.Comparison
	agreements map[string]*report.Agreement
	skipped    map[string]int
}

// read reads the exchanges of a recording, by world and installation.
func (x *comparing) read(ctx context.Context, source Source) ([][]*judge.Result, error) {
	c := x.g.checker
	j := c.judge
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(guessed *judge.Judge, notes []string) {
			j = guessed
			x.g.r.Notes = append(x.g.r.Notes, notes...)
		})
	}
	type key struct{ world, site string }
	var order []key
	sessions := map[key][]*judge.Result{}
	for raw, err := range source {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			x.g.keepProblem(err)
			continue
		}
		item, err := raw.Decode()
		if err != nil {
			x.g.keepProblem(err)
			continue
		}
		x.g.r.Exchanges.Read++
		if ignored := c.config.ignores(&item); ignored != "" {
			x.g.r.Exchanges.Ignored++
			x.g.ignored[ignored]++
			continue
		}
		r := j.Match(item)
		x.count(r)
		if r.Owner.State != ownership.Matched {
			continue
		}
		at := key{r.Owner.World, r.Owner.Site}
		if sessions[at] == nil {
			order = append(order, at)
		}
		sessions[at] = append(sessions[at], r)
	}
	var list [][]*judge.Result
	for _, at := range order {
		list = append(list, sessions[at])
	}
	return list, nil
}

// count counts an exchange as check does.
func (x *comparing) count(r *judge.Result) {
	switch r.Owner.State {
	case ownership.Matched:
		x.g.r.Exchanges.Matched++
	case ownership.Ignored:
		x.g.r.Exchanges.Ignored++
	case ownership.Unmatched, ownership.Several:
		x.g.r.Exchanges.Unmatched++
		x.g.unmatched.take(r)
	}
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
		x.skipped[e.Skipped]++
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
		x.g.keepFinding(x.finding(e, &e.Differences[i]), x.lines(e, &e.Differences[i])...)
	}
	x.g.r.Omitted += e.Omitted
	for _, kind := range []compare.Kind{compare.Status, compare.Shape, compare.Value, compare.Behaviour} {
		verdict := report.Pass
		if seen[kind] {
			verdict = report.Fail
		}
		x.g.countCheck("different-"+string(kind), name, verdict)
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
		f.Message += fmt.Sprintf("; exchange %d (%s) changed it", d.Since.Item.Number, d.Since.Operation().Name())
		if !d.Since.Agrees() {
			f.Message += ", which differs itself"
		}
	}
	f.ID = report.Fingerprint(&f)
	return f
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

// comparisonConfig says how to compare.
type comparisonConfig struct {
	masks     []compare.Mask
	tolerance time.Duration
}

// defaultTolerance is by how much times may differ: answers mostly show whole seconds.
const defaultTolerance = 2 * time.Second

// WithMask leaves a place of answers out of Compare: values there may differ, their types may not. The operation is a
// pattern, such as core.* or workflow.getPool; the pointer leads into the body, and * in it stands for any name or
// index, ** for any number of them.
func WithMask(operation, pointer, reason string) Option {
	return func(c *config) error {
		if operation == "" || !strings.HasPrefix(pointer, "/") {
			return fmt.Errorf("mask of %q at %q: want a pattern of operations, such as core.*, and a pointer such as "+
				"/pools/*/name", operation, pointer)
		}
		c.comparison.masks = append(c.comparison.masks, compare.Mask{Operation: operation, Pointer: pointer, Reason: reason})
		return nil
	}
}

// WithTolerance sets by how much times in the answers of Compare may differ; 2 s by default.
func WithTolerance(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("tolerance %v: want a duration such as 2s, or 0s", d)
		}
		c.comparison.tolerance = d
		return nil
	}
}
