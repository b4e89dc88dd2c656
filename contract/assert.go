package contract

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// AssertConforms fails a test when what a Recorder recorded breaks the contract, or when nothing of it belongs to an
// interface. The test's log says which findings break it, with the exchanges in question.
func AssertConforms(tb testing.TB, r *Recorder, opts ...Option) {
	tb.Helper()
	checker, err := NewChecker(opts...)
	if err := errors.Join(r.err, err); err != nil {
		tb.Fatalf("contract: %v", err)
	}
	recorded := slices.Collect(r.unredacted())
	source := record.Exchanges(tb.Name(), slices.Values(recorded))
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
