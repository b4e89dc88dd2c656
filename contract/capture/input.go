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
	r      *bufio.Reader
	name   string
	line   int
	offset int64
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

// peekSpace returns the next byte that is no white space, without taking it.
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
	head = bytes.TrimLeft(head[1:], " \t\r\n")
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

// notJSON explains an input that begins with no object. An empty one is the recording of nothing.
func (in *input) notJSON() error {
	c, err := in.peekSpace()
	if errors.Is(err, io.EOF) {
		return in.problem(Cut, errEmpty)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", in.name, err)
	}
	return in.problem(Malformed, fmt.Errorf(
		"neither an HTTP Archive nor NDJSON: both begin with an object, this begins with %q", rune(c)))
}
