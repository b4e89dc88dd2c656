package contract

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// AssertConforms fails a test when what a Recorder recorded breaks the contract, or when nothing of it belongs to an
// interface. The report is written to the test's log.
func AssertConforms(tb testing.TB, r *Recorder, opts ...Option) {
	tb.Helper()
	checker, err := NewChecker(opts...)
	if err != nil {
		tb.Fatalf("contract: %v", err)
	}
	report, err := checker.Check(context.Background(), capture.Exchanges(tb.Name(), r.raw()))
	if err == nil && !report.Failed() {
		return
	}
	var text strings.Builder
	_ = report.WriteText(&text)
	if err != nil {
		tb.Errorf("contract: %v\n\n%s", err, text.String())
		return
	}
	tb.Errorf("contract: %s\n\n%s", report.Outcome(), text.String())
}

// Exchanges lists what was recorded, without secrets.
func (r *Recorder) Exchanges() []*recording.Exchange {
	var list []*recording.Exchange
	for e := range r.raw() {
		list = append(list, r.redactor.Redact(e, operationOf(e)))
	}
	return list
}

// WriteTo writes what was recorded as NDJSON, without secrets. It implements io.WriterTo.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	counter := &counter{w: w}
	for _, e := range r.Exchanges() {
		if err := recording.Write(counter, e); err != nil {
			return counter.n, err
		}
	}
	return counter.n, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// operationOf finds the operation of an exchange for the sake of the secrets in its bodies. Where the base addresses are
// unknown, any interface whose document has the path will do: rather too much is taken out than too little.
func operationOf(e *recording.Exchange) *specs.Operation {
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		if d, err := specs.Load(name, specs.Neutral); err == nil {
			documents = append(documents, d)
		}
	}
	return judge.Guess(documents, e)
}

// Cut writes the exchanges of a finding's evidence as a recording of their own, the smallest that still shows what the
// finding says. Secrets are taken out.
func Cut(w io.Writer, source Source, f *Finding) error {
	redactor := &recording.Redactor{Salt: []byte(f.ID)}
	wanted := map[int]bool{}
	for _, number := range f.Evidence {
		wanted[number] = true
	}
	for item, err := range itemsOf(source, wanted) {
		if err != nil {
			return err
		}
		if err := recording.Write(w, redactor.Redact(item.Exchange, operationOf(item.Exchange))); err != nil {
			return err
		}
		delete(wanted, item.Number)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%d exchanges of finding %s are not in the recording", len(wanted), f.ID)
	}
	return nil
}

func itemsOf(source Source, wanted map[int]bool) iter.Seq2[capture.Item, error] {
	return func(yield func(capture.Item, error) bool) {
		for record, err := range source {
			if err != nil || !wanted[record.Number] {
				continue
			}
			if !yield(record.Decode()) {
				return
			}
		}
	}
}
