// Package contract checks recorded traffic against the documents of the platform's interfaces: each exchange by
// itself, and what exchanges say together, such as that a pool was deleted while a rule referenced it.
//
// A Checker reads recordings of any length; a Recorder records the traffic of a Go client under test, and
// AssertConforms checks it; MatchShape keeps the shapes of responses as snapshots.
//
// Verdicts are based on evidence in the recording. What it does not show is inconclusive; a recording without an
// exchange of any interface is an error (ErrNothingMatched), never a pass.
package contract

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// ErrNothingMatched reports that no exchange of a recording belongs to an interface: the base addresses are wrong, or
// it is the recording of something else.
var ErrNothingMatched = errors.New("no exchange belongs to an interface")

// ErrNothingJudged reports that exchanges belong to an interface, but that nothing of substance in them could be
// judged: no body, no parameter, and nothing by the rules between exchanges.
var ErrNothingJudged = errors.New("nothing could be judged")

// Report is the result of a check. See package report for its forms.
type Report = report.Report

// Finding is a verdict worth showing.
type Finding = report.Finding

// Source is one or more recordings: their exchanges, or errors in the place of those that cannot be read, in the order
// of the files. A source that reads files can be ranged over again.
type Source iter.Seq2[Record, error]

// Record is an exchange of a Source, before its body is decoded. Sources of this package make them; the zero value
// stands for one that is missing.
type Record struct{ record.Raw }

// Items iterates over the exchanges of a source as they are decoded, and over the errors in the places of others.
func (s Source) Items() iter.Seq2[record.Item, error] {
	return record.Source(func(yield func(record.Raw, error) bool) {
		for r, err := range s {
			if !yield(r.Raw, err) {
				return
			}
		}
	}).Items()
}

// sourceOf returns a source of what is read in some format.
func sourceOf(raws record.Source) Source {
	return func(yield func(Record, error) bool) {
		for raw, err := range raws {
			if !yield(Record{raw}, err) {
				return
			}
		}
	}
}

// Input is a place to look for recordings in: a file, a folder with all that is below it, a pattern, or a stream.
type Input = capture.Input

// Inputs are recordings that were found. Their Size is known before they are read, and their Source counts what it
// reads.
type Inputs struct{ *capture.Inputs }

// Source reads what was found. Count, if it is not nil, is called with the bytes that were read, as they are read.
func (i *Inputs) Source(count func(bytes int)) Source { return sourceOf(i.Inputs.Source(count)) }

// Find looks for recordings. Errors are reported while the source is read.
func Find(inputs ...Input) *Inputs { return &Inputs{capture.Find(inputs...)} }

// Read returns a source of one recording, whose format is detected. The name is used in messages.
func Read(name string, r io.Reader) Source { return sourceOf(capture.Read(name, r)) }

// ReadLines returns a source of one recording in NDJSON, such as one that is being written: each exchange comes as
// soon as its line is complete. To recognise a format, Read waits for more.
func ReadLines(name string, r io.Reader) Source { return sourceOf(capture.ReadLines(name, r)) }

// Files returns a source of recordings on disk, one after the other: files, folders with everything below them, and
// patterns such as recordings/**/*.har. A file that is not a recording is an error if it was named, and a note if it
// was found in a folder or by a pattern.
func Files(paths ...string) Source { return sourceOf(capture.Files(paths...)) }

// Exchanges returns a source of exchanges in memory.
func Exchanges(exchanges iter.Seq[*recording.Exchange]) Source {
	return sourceOf(record.Exchanges("memory", exchanges))
}

// Rules lists the names of all rules, in the order of reports.
func Rules() []string { return append(judge.Rules(), rule.Names()...) }

// Checker checks recordings. It is safe for concurrent use.
type Checker struct {
	config    config
	documents []*specs.Document
	judge     *judge.Judge
	redactor  *recording.Redactor
	changes   map[facts.Kind][]history.ChangeRule
	guessed   []string // notes on bases that were guessed before
}

// NewChecker returns a checker for all interfaces. Its error joins all mistakes in the options. WithShapeDir and
// WithShapeLabel are not allowed here.
func NewChecker(opts ...Option) (*Checker, error) { return newChecker(checking, opts) }

func newChecker(purpose optionUse, opts []Option) (*Checker, error) {
	c := newConfig()
	var errs []error
	for _, opt := range opts {
		errs = append(errs, opt(&c))
	}
	errs = append(errs, purpose.check(c))
	documents, err := c.load()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	changes, errChanges := c.changeRules(documents)
	limits, err := c.limits(documents)
	if err := errors.Join(c.validateOperations(documents), c.validateMasks(documents), c.ignoredCredentials(documents),
		err, errChanges); err != nil {
		return nil, err
	}
	redactor := &recording.Redactor{Brand: c.brand, Salt: c.salt, Documents: documents}
	if redactor.Salt == nil {
		redactor.Salt = make([]byte, 16)
		_, _ = rand.Read(redactor.Salt)
	}
	j, err := judge.New(judge.Config{
		Documents: documents, Bases: c.bases, Brand: c.brand, Trust: c.trust, Engine: c.engine, Redactor: redactor,
		Rewrites: c.rewrites, MockOnAllHosts: c.mockOnAll, IgnoresHeader: c.ignoresHeader, Limits: limits,
		Undeclared: c.undeclared,
	})
	if err != nil {
		return nil, err
	}
	return &Checker{config: c, documents: documents, judge: j, redactor: redactor, changes: changes}, nil
}

// load loads the documents concurrently: the largest one takes as long as all others together.
func (c *config) load() ([]*specs.Document, error) {
	if err := c.overlays.Settle(c.specs); err != nil {
		return nil, err
	}
	names := c.set().Names()
	documents, errs := make([]*specs.Document, len(names)), make([]error, len(names))
	var loading routine.Group
	for i, name := range names {
		loading.GoThen(func() (err error) {
			documents[i], err = c.document(name)
			return err
		}, func(err error) { errs[i] = err })
	}
	errs = append(errs, loading.Wait())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, d := range documents {
		_, isGiven := c.bases[d.Interface]
		if !isGiven && d.IsForeign() {
			host := d.Brand.Text(string(d.Interface) + ".svc.example")
			c.bases[d.Interface] = append(d.ServerURLs(), "https://"+host+d.BasePath)
		}
		if !d.HasServersBelow() {
			continue
		}
		for _, op := range d.Operations { // they take the places of the document's (Path Item and Operation Object, servers)
			c.bases[d.Interface] = append(c.bases[d.Interface], op.ServerURLs()...)
		}
	}
	return documents, nil
}

// set returns the documents that exchanges are judged by.
func (c *config) set() *specs.Set {
	return &specs.Set{Files: c.specs, Overlays: c.overlays, Only: c.only, Brand: c.brand}
}

// document returns the document of an interface, which may be the user's own, with the extras if they are on.
func (c *config) document(name specs.Interface) (*specs.Document, error) {
	d, err := c.set().Load(name)
	if err != nil || !c.noExtras {
		return d, err
	}
	return d.WithoutExtras(), nil
}

// Check reads a recording to its end and reports on it. It returns a report also with an error: then it covers what
// could be read. Errors are those of the source, of the context, ErrNothingMatched and ErrNothingJudged, and a panic
// of the source, an engine or a rule; a recording that breaks the contract is not an error, but (*Report).Failed
// reports it.
func (c *Checker) Check(ctx context.Context, source Source) (*Report, error) {
	g := newGatherer(c)
	j, err := c.run(ctx, source, g)
	r := g.conclude(j)
	if err == nil {
		err = nothingChecked(r)
	}
	return r, err
}

// nothingChecked returns an error if a report is about nothing.
func nothingChecked(r *Report) error {
	switch {
	case r.Exchanges.Matched == 0 && r.Exchanges.Read == 0 && len(r.Notes) > 0: // such as that the recording is empty
		return fmt.Errorf("%w: exchanges read: 0; %s", ErrNothingMatched, r.Notes[0])
	case r.Exchanges.Matched == 0:
		return fmt.Errorf("%w: exchanges read: %d", ErrNothingMatched, r.Exchanges.Read)
	case r.IsNothingJudged():
		return fmt.Errorf("%w: no parameter, no rule, and none of %d bodies, because %s",
			ErrNothingJudged, r.Judged.Unjudged, r.Judged.Reasons[0].Reason)
	}
	return nil
}

// AssertConforms fails a test when what a Recorder recorded breaks the contract, or when nothing of it belongs to an
// interface. The test's log says which findings break it, with the exchanges in question.
func AssertConforms(tb testing.TB, r *Recorder, opts ...Option) {
	tb.Helper()
	checker, err := NewChecker(opts...)
	if err := errors.Join(r.err, err); err != nil {
		tb.Fatalf("contract: %v", err)
	}
	recorded := slices.Collect(r.unredacted())
	source := sourceOf(record.Exchanges(tb.Name(), slices.Values(recorded)))
	judged, err := checker.Check(context.Background(), source)
	if err == nil && !judged.Failed() {
		return
	}
	said := judged.Outcome()
	if err != nil {
		said = err.Error()
	}
	var text strings.Builder
	if err := errors.Join(checker.Evidence(context.Background(), source, judged), judged.WriteFailure(&text)); err != nil {
		tb.Logf("contract: %v", err)
	}
	tb.Errorf("contract: %s\n\n%s", report.LogText(said), text.String())
}

// Exchanges lists what was recorded, without secrets.
func (r *Recorder) Exchanges() []*recording.Exchange {
	var list []*recording.Exchange
	for e := range r.unredacted() {
		list = append(list, r.redactor.Redact(e, operationOf(e, r.redactor.Documents)))
	}
	return list
}

// WriteTo writes what was recorded as NDJSON, without secrets. It implements io.WriterTo.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	if r.err != nil {
		return 0, r.err
	}
	counter := &countingWriter{w: w}
	for _, e := range r.Exchanges() {
		if err := recording.Write(counter, e); err != nil {
			return counter.n, err
		}
	}
	return counter.n, nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// operationOf finds the operation of an exchange for the sake of the secrets in its bodies. Where the base addresses
// are unknown, any interface whose document has the path will do: rather too much is taken out than too little.
func operationOf(e *recording.Exchange, documents []*specs.Document) *specs.Operation {
	documents = slices.Clip(documents)
	for _, name := range specs.Interfaces() {
		if d, err := specs.Load(name, specs.Neutral); err == nil {
			documents = append(documents, d)
		}
	}
	return ownership.FindOperation(documents, e)
}
