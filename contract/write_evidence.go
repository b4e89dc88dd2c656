package contract

import (
	"context"
	"fmt"
	"io"
	"iter"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

// WriteEvidence writes the exchanges of a finding's evidence as a recording of their own, the smallest that still shows
// what the finding says. Secrets are taken out.
func WriteEvidence(w io.Writer, source Source, f *Finding) error {
	redactor := &recording.Redactor{Salt: []byte(f.ID)}
	wanted := map[int]bool{}
	for _, number := range f.Evidence {
		wanted[number] = true
	}
	for item, err := range itemsOf(source, wanted) {
		if err != nil {
			return err
		}
		if err := recording.Write(w, redactor.Redact(item.Exchange, operationOf(item.Exchange, nil))); err != nil {
			return err
		}
		delete(wanted, item.Number)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%d exchanges of finding %s are not in the recording", len(wanted), f.ID)
	}
	return nil
}

// untilDone returns a source that ends with a context.
func untilDone(ctx context.Context, source Source) Source {
	return func(yield func(record.Raw, error) bool) {
		for record, err := range source {
			if ctx.Err() != nil || !yield(record, err) {
				return
			}
		}
	}
}

func itemsOf(source Source, wanted map[int]bool) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
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
