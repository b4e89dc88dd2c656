// Package capture reads recorded traffic as a stream of exchanges, each with its place in the file: HTTP Archives 1.2
// as browsers, proxies and test tools write them, our own NDJSON, cassettes, and the recordings of other tools, plain
// or in gzip and zip. Memory does not grow with the recording: one entry is held at a time, and a larger one than
// MaxEntry is skipped and reported. Collections of Postman and Insomnia are read whole, up to MaxEntry.
//
// Each format has an adapter, which function formats lists: it recognises an input by how it begins, and yields
// records, whose decoder makes a draft of what the tool wrote, and an item of the draft. To add a format, write such a
// file, add it there, and add a recording to the tests.
//
// Recordings come from many tools and from killed processes, so reading is forgiving where nothing is lost by it (byte
// order marks, invalid numbers, pseudo headers) and exact about what was lost (bodies left out or damaged, a file cut
// short).
package capture

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"svc.example/understudy/specs/recording"
)

// MaxEntry bounds the bytes of one entry. A longer one is reported as a ReadError of kind TooLarge and skipped.
const MaxEntry = 64 << 20

// Place is the place of an exchange in a recording.
type Place struct {
	File   string
	Number int   // counts the exchanges of a source, from 1
	Entry  int   // likewise those of the file
	Line   int   // from 1, 0 for the file as a whole
	Offset int64 // of its first byte
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d (byte %d)", p.File, p.Line, p.Offset)
}

// Item is one exchange as a recording holds it, with what the recording leaves open.
type Item struct {
	*recording.Exchange
	Place

	// A doubt says why a body is not, or not certainly, what went over the wire: left out by the tool, cut, damaged.
	// Verdicts on a body in doubt are inconclusive. Empty when there is none.
	RequestDoubt, ResponseDoubt string

	// Sizes of the bodies on the wire, -1 where the recording does not show them.
	RequestSize, ResponseSize int64
}

// Record is one exchange of a source, not yet decoded, so that decoding can be spread over processors.
type Record struct {
	Place
	raw      []byte
	attached attached // bodies that an archive keeps in files beside it
	decode   decoder
	item     *recording.Exchange
}

// Size is about how many bytes the record holds.
func (r Record) Size() int {
	size := len(r.raw)
	for _, body := range r.attached {
		size += len(body)
	}
	return size
}

// Decode reads the record. An error is a *ReadError.
func (r Record) Decode() (Item, error) {
	if r.item != nil {
		return ofExchange(r.item, r.Place), nil
	}
	return r.decode(r)
}

func ofExchange(e *recording.Exchange, place Place) Item {
	item := Item{Exchange: e, Place: place, RequestSize: size(e.Request.Body), ResponseSize: -1}
	item.RequestDoubt = truncated(e.Request.Body)
	if e.Response != nil {
		item.ResponseDoubt, item.ResponseSize = truncated(e.Response.Body), size(e.Response.Body)
	}
	return item
}

func truncated(body *recording.Body) string {
	if body != nil && body.Truncated {
		return "the recording has only the beginning of the body"
	}
	return ""
}

func size(body *recording.Body) int64 {
	switch {
	case body == nil:
		return 0
	case body.Truncated:
		return -1
	}
	return int64(len(body.Bytes))
}

// Source is a recording: records and problems in the order of the file. Reading goes on after a problem where it can.
type Source iter.Seq2[Record, error]

// Kind distinguishes problems by their effect on the verdict.
type Kind int

// Kinds of problems.
const (
	Malformed   Kind = iota // something there is not an exchange: the recording cannot be judged in full
	Cut                     // the last line of an NDJSON recording is not complete, as after a kill, or nothing is there
	Truncated               // an archive ends before its end
	TooLarge                // one entry is longer than MaxEntry
	NoRecording             // nothing in the file is one, though it was named as one
	Skipped                 // nothing in a file that was only found is a recording: a note, not a fault
)

// ReadError is a part of a recording that could not be read.
type ReadError struct {
	Place
	Kind Kind
	Err  error
}

func (p *ReadError) Error() string { return p.Place.String() + ": " + p.Err.Error() }

func (p *ReadError) Unwrap() error { return p.Err }

// Read reads one recording, or those in a zip archive. The format follows from the content, never from the name.
func Read(name string, r io.Reader) Source {
	return func(yield func(Record, error) bool) {
		opened{name: name}.read(r, numbered(yield))
	}
}

// numbered counts records, over all files and in each. An entry that is too large to be read counts in its file.
func numbered(yield func(Record, error) bool) func(Record, error) bool {
	var last Place
	return func(record Record, err error) bool {
		place := &record.Place
		problem, failed := errors.AsType[*ReadError](err)
		if failed {
			place = &problem.Place
		}
		if place.File != last.File {
			last.File, last.Entry = place.File, 0
		}
		switch {
		case err == nil:
			last.Number++
			last.Entry++
			place.Number, place.Entry = last.Number, last.Entry
		case failed && problem.Kind == TooLarge:
			last.Entry++
			place.Entry = last.Entry
		}
		return yield(record, err)
	}
}

// Exchanges makes a source of exchanges that are in memory.
func Exchanges(name string, exchanges iter.Seq[*recording.Exchange]) Source {
	return func(yield func(Record, error) bool) {
		number := 0
		for e := range exchanges {
			number++
			if !yield(Record{Place: Place{File: name, Number: number, Entry: number, Line: number}, item: e}, nil) {
				return
			}
		}
	}
}

// Items decodes a source, for those who need no second processor.
func (s Source) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for record, err := range s {
			if err != nil {
				if !yield(Item{}, err) {
					return
				}
				continue
			}
			if !yield(record.Decode()) {
				return
			}
		}
	}
}

// IsFatal reports whether an error of a source means that a part of the recording could not be judged that a user
// would expect to be.
func IsFatal(err error) bool {
	var problem *ReadError
	return !errors.As(err, &problem) ||
		problem.Kind == Malformed || problem.Kind == Truncated || problem.Kind == NoRecording
}
