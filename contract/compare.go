package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/capture/record"
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

// Compare replays the requests of a recording to a subject, in their order and at their times, and compares its answers
// with the recorded ones. Each world of the recording has a fork of the subject. The report lists every difference as a
// finding; Comparison has the agreement of each operation.
//
// It fails with ErrNothingMatched if no exchange belongs to an interface, and with ErrNothingCompared if none can be
// replayed. What does not fit into some megabytes of memory waits in a temporary file.
func (c *Checker) Compare(ctx context.Context, source Source, subject Subject) (*Report, error) {
	x := c.newComparing()
	read, err := x.read(ctx, source)
	if err != nil {
		return nil, errors.Join(err, read.close())
	}
	r, err := x.compare(ctx, read, subject)
	return r, errors.Join(err, read.close())
}

func (x *comparing) compare(ctx context.Context, read *sessions, subject Subject) (*Report, error) {
	g := x.g
	x.noteSharedKey(&subject)
	for _, one := range read.order {
		if err := x.run(ctx, subject, read, one); err != nil {
			return nil, err
		}
	}
	x.comparison.With = subject.Name
	r := x.report(read.judge)
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
	keys       []string // recorded ones that were let in, by their identities
}

func (c *Checker) newComparing() *comparing {
	g := newGatherer(c)
	g.docs = DifferenceDocs()
	return &comparing{g: g, agreements: map[string]*report.Agreement{}, skipped: map[string]int{}}
}

func (x *comparing) run(ctx context.Context, subject Subject, read *sessions, one *session) error {
	if len(read.order) > 1 {
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
		fork.Keys, fork.Key, fork.First = subject.Keys, subject.Key, subject.First
		subject = fork
	}
	list := read.exchanges(one)
	if more := one.count - subject.First; subject.First > 0 && more > 0 {
		list = first(subject.First, list)
		x.skipped[fmt.Sprintf("it is not among the first %d of its world", subject.First)] += more
	}
	masks, err := compare.Run(ctx, x.g.checker.comparison(), subject, &one.keys, list, x.add)
	x.addMasks(masks)
	return err
}

// first yields the first exchanges of a list.
func first(n int, list iter.Seq2[*judge.Result, error]) iter.Seq2[*judge.Result, error] {
	return func(yield func(*judge.Result, error) bool) {
		left := n
		for r, err := range list {
			if left--; !yield(r, err) || left == 0 {
				return
			}
		}
	}
}

// comparison returns how answers are compared.
func (c *Checker) comparison() *compare.Config {
	config := c.config.comparison
	return &compare.Config{
		Documents: c.documents, Masks: config.masks, Tolerance: config.tolerance, Redactor: c.redactor,
		Timeout: config.timeout,
	}
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

// add adds an exchange to the report.
func (x *comparing) add(e *compare.Exchange) {
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
	} else if a.First == 0 || e.Item.Number < a.First {
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

func (x *comparing) lines(e *compare.Exchange, d *compare.Difference) []report.ExchangeLine {
	lines := []report.ExchangeLine{x.g.checker.lineOf(e.Result)}
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
		f.Spec.File, f.Spec.Line = place.File, place.Line
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

// Rules of differences.
const (
	DifferentStatus    = "different-status"
	DifferentShape     = "different-shape"
	DifferentValue     = "different-value"
	DifferentBehaviour = "different-behaviour"
)

// DifferenceDocs describes the kinds of differences that Compare finds, in the form of rules.
func DifferenceDocs() []report.RuleDoc {
	const same = "ids and tokens that the server chose, times that differ by no more than the tolerance, and what a " +
		"mask leaves out"
	return []report.RuleDoc{
		{
			ID: DifferentStatus, Title: "an answer has the recorded status", Watches: "every exchange that is replayed",
			Evidence: "the answer has another status; its headers and its body are then not compared",
		},
		{
			ID: DifferentShape, Title: "an answer has the recorded members and types",
			Watches: "every answer of the recorded status",
			Evidence: "a member or a documented header is missing or extra, a value has another type, or the body is of " +
				"another media type",
		},
		{
			ID: DifferentValue, Title: "an answer has the recorded values", Watches: "every answer of the recorded status",
			Evidence: "a value differs, a list has other items, or it has them in another order", Passes: same,
		},
		{
			ID: DifferentBehaviour, Title: "a later answer shows the same effect of an earlier request",
			Watches:  "every answer that shows what a recorded request made, changed or deleted",
			Evidence: "the value or the status differs, and an earlier request changed what it belongs to", Passes: same,
		},
	}
}

// comparisonConfig says how to compare.
type comparisonConfig struct {
	masks     []compare.Mask
	tolerance time.Duration
	timeout   time.Duration
}

// DefaultTolerance is the default of WithTolerance: answers mostly show whole seconds.
const DefaultTolerance = 2 * time.Second

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

// WithTolerance sets by how much times in the answers of Compare may differ, DefaultTolerance if it is not given.
func WithTolerance(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("tolerance %v: want a duration such as 2s, or 0s", d)
		}
		c.comparison.tolerance = d
		return nil
	}
}

// WithAnswerTimeout bounds how long Compare waits for an answer of its subject, a minute if it is not given. A request
// that takes longer counts as not answered, and is a difference.
func WithAnswerTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("answer timeout %v: want a duration above 0, such as 30s", d)
		}
		c.comparison.timeout = d
		return nil
	}
}

// validateMasks returns an error for masks of the user that fit no operation.
func (c *config) validateMasks(documents []*specs.Document) error {
	var errs []error
	for _, m := range c.comparison.masks[len(compare.DefaultMasks()):] {
		fits := func(op *specs.Operation) bool { ok, _ := path.Match(m.Operation, op.Name()); return ok }
		isOne := func(d *specs.Document) bool { return slices.ContainsFunc(d.All(), fits) }
		if m.Operation != "*" && !slices.ContainsFunc(documents, isOne) {
			errs = append(errs, fmt.Errorf("mask of %q at %q: %s", m.Operation, m.Pointer,
				noOperation(m.Operation, operationNames(documents))))
		}
	}
	return errors.Join(errs...)
}

// read reads the exchanges of a recording. The sessions are to be closed, whatever the error is.
func (x *comparing) read(ctx context.Context, source Source) (all *sessions, err error) {
	c := x.g.checker
	all = &sessions{judge: c.judge}
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(guessed *judge.Judge, notes []string) {
			all.judge = guessed
			x.g.notes = append(x.g.notes, notes...)
		})
	}
	known := map[string]bool{"": true}
	for raw, err := range source {
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		r := x.match(all.judge, raw, err)
		if r == nil || r.Owner.State != ownership.Matched {
			continue
		}
		if identity := r.Credential().Identity; !known[identity] && r.Status() != http.StatusUnauthorized {
			known[identity] = true
			x.keys = append(x.keys, identity)
		}
		if err := all.put(r); err != nil {
			return all, err
		}
	}
	return all, errors.Join(ctx.Err(), all.disk.Flush())
}

// match gives an exchange to its operation, and counts it as check does. It returns nil if there is nothing to match.
func (x *comparing) match(j *judge.Judge, raw Record, err error) *judge.Result {
	var item record.Item
	if err == nil {
		item, err = raw.Decode()
	}
	if err != nil {
		if x.g.Problems.add(err, x.g.last) {
			x.g.Exchanges.Broken++
		}
		return nil
	}
	x.g.last = item.Number
	x.g.Exchanges.Read++
	if ignored := x.g.checker.config.ignores(&item); ignored != "" {
		x.g.Exchanges.Ignored++
		x.g.Ignored[ignored]++
		return nil
	}
	x.g.Sequences.add(&item)
	r := j.Match(item)
	if r.Owner.Base != nil {
		x.g.Bases[keyOfBase(r.Owner.Base)]++
	}
	switch r.Owner.State {
	case ownership.Matched:
		x.g.Exchanges.Matched++
		if r.IsInjected {
			x.g.Exchanges.Injected++
		}
	case ownership.Ignored:
		x.g.Exchanges.Ignored++
	case ownership.Unmatched, ownership.Several:
		x.g.Exchanges.Unmatched++
		x.g.Unmatched.add(r)
	}
	return r
}

// noteSharedKey notes that several recorded keys stand for one of the subject by default.
func (x *comparing) noteSharedKey(subject *Subject) {
	config := x.g.checker.comparison()
	var others []string
	for _, identity := range x.keys {
		digest := KeyDigest(identity)
		if config.KeyFor(subject, identity) == "" && !slices.Contains(others, digest) {
			others = append(others, digest)
		}
	}
	const most = 5
	if len(others) < 2 {
		return
	}
	shown := strings.Join(others[:min(most, len(others))], ", ")
	if more := len(others) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	x.g.notes = append(x.g.notes, fmt.Sprintf("%d recorded keys are replayed as the same one, since it is not known "+
		"whose they are: those with the digests %s", len(others), shown))
}

// Begin returns the time of the server at the first exchange of a recording that has a time, or zero if none has one.
func (c *Checker) Begin(ctx context.Context, source Source) (time.Time, error) {
	clock := &compare.ServerClock{}
	for raw, err := range source {
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if err != nil {
			continue // whoever reads all of the recording reports it
		}
		item, err := raw.Decode()
		if err != nil {
			continue
		}
		item, _ = item.Genuine()
		if times := clock.Times(&judge.Result{Item: item}); len(times) > 0 && !times[0].IsZero() {
			return times[0], nil
		}
	}
	return time.Time{}, nil
}
