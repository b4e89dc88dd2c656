package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// input is a reader that knows where it is.
type input struct {
	r       *bufio.Reader
	from    *failing
	name    string
	folders folders
	line    int
	offset  int64
}

func newInput(name string, r io.Reader) *input {
	from := &failing{r: r}
	return &input{r: bufio.NewReaderSize(from, 256<<10), from: from, name: name, line: 1}
}

// failing remembers why a reader failed, so that a disk or a compressed file that fails is not taken for a recording
// that ends.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// failed returns the error that kept the input from being read to its end, or nil.
func (in *input) failed() error { return in.from.err }

// broken returns the error for an input that could not be read to its end.
func (in *input) broken(err error) *ReadError {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return in.problem(Truncated, errors.New("the compressed data is cut off here"))
	}
	return in.problem(Malformed, fmt.Errorf("cannot read on: %w", err))
}

func (in *input) place() Place { return Place{File: in.name, Line: in.line, Offset: in.offset} }

func (in *input) problem(kind Kind, err error) *ReadError {
	return &ReadError{Place: in.place(), Kind: kind, Err: err}
}

func (in *input) readByte() (byte, error) {
	c, err := in.r.ReadByte()
	if err == nil {
		in.offset++
		if c == '\n' {
			in.line++
		}
	}
	return c, err
}

func (in *input) skipMark() {
	if mark, _ := in.r.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.r.Discard(3)
		in.offset += 3
	}
}

// peekSpace returns the next byte that is not white space, without taking it.
func (in *input) peekSpace() (byte, error) {
	for {
		c, err := in.r.Peek(1)
		if err != nil {
			return 0, err
		}
		if !isSpace(c[0]) {
			return c[0], nil
		}
		_, _ = in.readByte()
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// firstKey is the first key of the object that the input begins with, or empty when it begins with none. Nothing but
// white space is taken.
func (in *input) firstKey() string {
	if c, err := in.peekSpace(); err != nil || c != '{' {
		return ""
	}
	const enough = 4 << 10
	head, _ := in.r.Peek(enough)
	head = bytes.TrimLeft(head[1:], " \t")
	if len(head) > 1 && (head[0] == '\n' || head[0] == '\r') {
		return "\n" // an exchange stands in one line
	}
	head = bytes.TrimLeft(head, "\r\n")
	if len(head) == 0 {
		return "seq" // a first line that is cut after its first byte
	}
	if head[0] != '"' {
		return string(head[:1])
	}
	key, _, found := bytes.Cut(head[1:], []byte{'"'})
	if !found {
		return "seq" // a first line that is cut within its first key
	}
	return string(key)
}

var errEmpty = errors.New("the recording is empty")

// empty says of an input that nothing is in it. That is the recording of nothing.
func (in *input) empty() *ReadError {
	return &ReadError{Place: Place{File: in.name}, Kind: Cut, Err: errEmpty}
}

// foreign returns the error for an input that is not a recording.
func (in *input) foreign() *ReadError {
	c, err := in.peekSpace()
	switch {
	case in.failed() != nil:
		return in.broken(in.failed())
	case errors.Is(err, io.EOF):
		return in.empty()
	}
	head, _ := in.r.Peek(64)
	hint := fmt.Sprintf("it begins with %q", rune(c))
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		hint = "it is UTF-16, as PowerShell writes it: save it as UTF-8"
	}
	return in.problem(NoRecording, fmt.Errorf("%w; %s", errNoRecording, hint))
}

var (
	errNoRecording = errors.New("neither an HTTP Archive, nor NDJSON of exchanges, nor a cassette, nor a recording in another known format")
	errNoList      = errors.New("neither an HTTP Archive (an object with log.entries), nor NDJSON of exchanges, " +
		"nor a cassette (with interactions or http_interactions)")
)
