// Package capture finds recordings and reads them as one stream of exchanges, each with its place in its file: plain,
// in gzip and in zip. Memory does not grow with the recording: one entry is held at a time, and one that is longer than
// record.MaxEntry is skipped and reported. Collections of Postman and Insomnia are read whole, up to record.MaxEntry.
//
// Package format knows the forms that tools write, record what all of them have in common, and tree their generic
// values.
package capture

import (
	"errors"
	"io"

	"svc.example/understudy/contract/internal/capture/format"
	"svc.example/understudy/contract/internal/capture/record"
)

// Read reads one recording, or those in a zip archive. The format follows from the content, never from the name.
func Read(name string, r io.Reader) record.Source {
	return func(yield func(record.Raw, error) bool) {
		opened{name: name}.read(r, numbered(yield))
	}
}

// ReadLines reads one recording in NDJSON that may still be written.
func ReadLines(name string, r io.Reader) record.Source {
	return func(yield func(record.Raw, error) bool) {
		format.ReadLines(record.NewInput(name, r), numbered(yield))
	}
}

// numbered counts records, over all files and in each. An entry that is too large to be read counts in its file.
func numbered(yield func(record.Raw, error) bool) func(record.Raw, error) bool {
	var last record.Position
	return func(raw record.Raw, err error) bool {
		place := &raw.Position
		problem, failed := errors.AsType[*record.ReadError](err)
		if failed {
			place = &problem.Position
		}
		if place.File != last.File {
			last.File, last.Entry = place.File, 0
		}
		switch {
		case err == nil:
			last.Number++
			last.Entry++
			place.Number, place.Entry = last.Number, last.Entry
		case failed && problem.Kind == record.TooLarge:
			last.Entry++
			place.Entry = last.Entry
		}
		return yield(raw, err)
	}
}
