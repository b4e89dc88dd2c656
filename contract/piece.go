package contract

import (
	"bytes"
	"errors"
	"io"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/format"
	"svc.example/understudy/contract/internal/capture/record"
)

// Place says how much of a recording comes before a piece of it.
type Place struct {
	Exchanges int   // of the recording
	Entries   int   // of the file: exchanges, and those that are too large to be read
	Lines     int   // of the file
	Bytes     int64 // of the file
}

// IsLines reports whether a file that begins with some bytes is a recording in NDJSON, not compressed, so that it can
// be cut at the end of any line. It may need some kilobytes.
func IsLines(head []byte) bool {
	in := record.NewInput("", bytes.NewReader(head))
	in.SkipMark()
	return format.IsNDJSON(in.Head())
}

// Behind returns a source that reads the same, with the places of a piece of a recording that has something before it.
func Behind(source Source, before Place) Source {
	return func(yield func(record.Raw, error) bool) {
		for r, err := range source {
			if problem, ok := errors.AsType[*record.ReadError](err); ok {
				moved := *problem
				moved.Position = before.moved(moved.Position)
				err = &moved
			}
			r.Position = before.moved(r.Position)
			if !yield(r, err) {
				return
			}
		}
	}
}

func (p *Place) moved(at record.Position) record.Position {
	at.Offset += p.Bytes
	if at.Number > 0 {
		at.Number += p.Exchanges
	}
	if at.Entry > 0 {
		at.Entry += p.Entries
	}
	if at.Line > 0 {
		at.Line += p.Lines
	}
	return at
}

// Extent returns how much a source holds, but for lines and bytes, which it does not know. It decodes nothing.
func Extent(source Source) Place {
	var p Place
	for r, err := range source {
		if err == nil {
			p.Exchanges++
		}
		if problem, ok := errors.AsType[*record.ReadError](err); ok {
			r.Position = problem.Position
		}
		p.Entries = max(p.Entries, r.Entry)
	}
	return p
}

// ReadPiece returns a source of a piece of a recording in NDJSON, which begins and ends between lines.
func ReadPiece(name string, r io.Reader, before Place) Source {
	return Behind(capture.ReadLines(name, r), before)
}
