// Package record holds what all formats of recordings have in common: the input with its place, the entry as it was
// read and not decoded yet (Raw), the exchange that it becomes (Item) with the doubts about its bodies, and the errors.
package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// Decoder reads an entry.
type Decoder func(Raw) (Item, error)

// MaxEntry bounds the bytes of one entry. A longer one is reported as a ReadError of kind TooLarge and skipped.
const MaxEntry = 64 << 20

// Position is the place of an exchange in a recording.
type Position struct {
	File   string
	Number int   // counts the exchanges of a source, from 1
	Entry  int   // likewise those of the file
	Line   int   // from 1, 0 for the file as a whole
	Offset int64 // of its first byte
}

func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d (byte %d)", p.File, p.Line, p.Offset)
}

// Item is one exchange as a recording holds it, with what the recording leaves open.
type Item struct {
	*recording.Exchange
	Position

	// A doubt says why a body is not, or not certainly, what went over the wire: left out by the tool, cut, damaged.
	// Verdicts on a body in doubt are inconclusive. Empty when there is none.
	RequestDoubt, ResponseDoubt string

	// Sizes of the bodies on the wire, -1 where the recording does not show them.
	RequestSize, ResponseSize int64
}

// Raw is one exchange of a source, not yet decoded, so that decoding can be spread over processors.
type Raw struct {
	Position
	Bytes    []byte
	Attached Attached // bodies that an archive keeps in files beside it
	Decoder  Decoder
	item     *recording.Exchange
}

// Size returns about how many bytes the record holds.
func (r Raw) Size() int {
	size := len(r.Bytes)
	for _, body := range r.Attached {
		size += len(body)
	}
	return size
}

// Decode reads the record. An error is a *ReadError.
func (r Raw) Decode() (item Item, err error) {
	switch {
	case r.item != nil:
		item = OfExchange(r.item, r.Position)
	case r.Decoder == nil:
		return item, &ReadError{r.Position, Malformed, errors.New("the source has nil in the place of an exchange")}
	default:
		if item, err = r.Decoder(r); err != nil {
			return item, err
		}
	}
	item.findFault()
	return item, nil
}

// OfExchange returns an item of an exchange that is in memory.
func OfExchange(e *recording.Exchange, place Position) Item {
	item := Item{Exchange: e, Position: place, RequestSize: size(e.Request.Body), ResponseSize: -1}
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
	case body.Size > 0:
		return body.Size
	case body.Truncated:
		return -1
	}
	return int64(len(body.Bytes))
}

// Source is a recording: records and problems in the order of the file. Reading goes on after a problem where it can.
type Source iter.Seq2[Raw, error]

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
	Position
	Kind Kind
	Err  error
}

func (p *ReadError) Error() string { return p.Position.String() + ": " + p.Err.Error() }

func (p *ReadError) Unwrap() error { return p.Err }

// Exchanges makes a source of exchanges that are in memory.
func Exchanges(name string, exchanges iter.Seq[*recording.Exchange]) Source {
	return func(yield func(Raw, error) bool) {
		number := 0
		for e := range exchanges {
			number++
			if !yield(Of(e, name, number), nil) {
				return
			}
		}
	}
}

// Of makes a record of an exchange that is in memory, with its number in a source of that name.
func Of(e *recording.Exchange, name string, number int) Raw {
	return Raw{Position: Position{File: name, Number: number, Entry: number, Line: number}, item: e}
}

// Items decodes a source, for those who need no second processor.
func (s Source) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for raw, err := range s {
			if err != nil {
				if !yield(Item{}, err) {
					return
				}
				continue
			}
			if !yield(raw.Decode()) {
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

// ErrTooLarge is the error of an entry that is longer than MaxEntry.
var ErrTooLarge = fmt.Errorf("the entry is longer than %d MiB: it was not read", MaxEntry>>20)

// ErrNotRecorded is in the error of an entry that stands for unrecorded requests: a note, not a fault.
var ErrNotRecorded = errors.New("not a recorded exchange")

// Malformed returns the error of an entry that cannot be decoded.
func (r Raw) Malformed(err error) error {
	kind := Malformed
	if errors.Is(err, ErrNotRecorded) {
		kind = Skipped
	}
	return &ReadError{Position: r.Position, Kind: kind, Err: fmt.Errorf("interaction %d: %w", r.Entry, err)}
}

// Lenient are the options for JSON that tools wrote: names may be given twice, texts may be invalid UTF-8.
var Lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ParseJSON reads a value of JSON.
func ParseJSON(raw []byte) (tree.Value, error) {
	v, err := new(tree.Builder).OfJSON(jsontext.NewDecoder(bytes.NewReader(raw), Lenient), 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}
