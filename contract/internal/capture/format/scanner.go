package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// scanner copies one JSON value without understanding more of it than its nesting and its strings.
type scanner struct {
	*archive
	out   *bytes.Buffer
	limit int
	size  int
	depth int
	word  bytes.Buffer // a number or a literal that has not ended
}

// run reads in slices of what is buffered; a byte at a time would cost more than decoding does.
func (s *scanner) run() error {
	if _, err := s.PeekSpace(); err != nil {
		return err
	}
	for {
		if s.Reader.Buffered() == 0 {
			if _, err := s.Reader.Peek(1); err != nil {
				return s.end(err)
			}
		}
		chunk, _ := s.Reader.Peek(s.Reader.Buffered())
		used, done, err := s.chunk(chunk)
		s.advance(used)
		if done || err != nil {
			return err
		}
	}
}

func (s *scanner) advance(n int) {
	used, _ := s.Reader.Peek(n)
	s.LineNumber += bytes.Count(used, []byte{'\n'})
	s.Offset += int64(n)
	_, _ = s.Reader.Discard(n)
}

func (s *scanner) end(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	return io.ErrUnexpectedEOF
}

// chunk takes bytes up to the end of the value, of the chunk, or of the string that begins in it.
func (s *scanner) chunk(chunk []byte) (used int, done bool, err error) {
	for i, c := range chunk {
		switch {
		case c == '"':
			s.flush()
			s.advance(i)
			return 0, s.depth == 0, s.string()
		case isWord(c):
			if s.word.WriteByte(c); s.word.Len() == longestLiteral {
				s.flush()
			}
			continue
		}
		hadWord := s.word.Len() > 0
		s.flush()
		if hadWord && s.depth == 0 {
			return i, true, nil
		}
		switch c {
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case ',', ':', ' ', '\t', '\r', '\n':
		default:
			return i, true, fmt.Errorf("unexpected %q", rune(c))
		}
		if s.depth < 0 {
			return i, true, fmt.Errorf("unexpected %q", rune(c))
		}
		s.write(c)
		if s.depth == 0 && (c == '}' || c == ']') {
			return i + 1, true, nil
		}
	}
	return len(chunk), false, nil
}

// string takes a string, in pieces if it is longer than the buffer.
func (s *scanner) string() error {
	_, _ = s.ReadByte()
	s.write('"')
	escaped := false
	for {
		if s.Reader.Buffered() == 0 {
			if _, err := s.Reader.Peek(1); err != nil {
				return s.end(err)
			}
		}
		chunk, _ := s.Reader.Peek(s.Reader.Buffered())
		n, ended := endOfString(chunk, &escaped)
		s.write(chunk[:n]...)
		s.advance(n)
		if ended {
			return nil
		}
	}
}

func endOfString(chunk []byte, escaped *bool) (n int, ended bool) {
	for n < len(chunk) {
		if *escaped {
			*escaped = false
			n++
			continue
		}
		i := bytes.IndexAny(chunk[n:], `"\`)
		if i < 0 {
			return len(chunk), false
		}
		n += i + 1
		if chunk[n-1] == '"' {
			return n, true
		}
		*escaped = true
	}
	return n, false
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// longestLiteral bounds what is held of a number or a literal. Longer numbers are written in parts.
const longestLiteral = 64

// flush writes the word that has ended. NaN and the infinities are what some tools write for times unknown.
func (s *scanner) flush() {
	switch word := s.word.String(); word {
	case "":
		return
	case "NaN", "-NaN", "Infinity", "-Infinity", "+Infinity", "undefined", "nan", "inf", "-inf":
		s.write([]byte("null")...)
	default:
		s.write([]byte(word)...)
	}
	s.word.Reset()
}

func (s *scanner) write(b ...byte) {
	s.size += len(b)
	if s.out == nil {
		return
	}
	if s.size > s.limit {
		s.out.Reset() // what is too large is read on, but not kept
		return
	}
	s.out.Write(b)
}
