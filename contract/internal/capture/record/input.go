package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Input is a reader that knows where it is.
type Input struct {
	Reader     *bufio.Reader
	from       *failing
	Name       string
	Folders    Folders
	LineNumber int
	Offset     int64
}

// NewInput returns a reader of the file or stream with a name.
func NewInput(name string, r io.Reader) *Input {
	from := &failing{r: r}
	return &Input{Reader: bufio.NewReaderSize(from, 256<<10), from: from, Name: name, LineNumber: 1}
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

// Err returns the error that kept the input from being read to its end, or nil.
func (in *Input) Err() error { return in.from.err }

// Broken returns the error for an input that could not be read to its end.
func (in *Input) Broken(err error) *ReadError {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return in.Problem(Truncated, errors.New("the compressed data is cut off here"))
	}
	return in.Problem(Malformed, fmt.Errorf("cannot read on: %w", err))
}

// Place returns the place of the next byte.
func (in *Input) Place() Position {
	return Position{File: in.Name, Line: in.LineNumber, Offset: in.Offset}
}

// Problem returns an error at the place of the next byte.
func (in *Input) Problem(kind Kind, err error) *ReadError {
	return &ReadError{Position: in.Place(), Kind: kind, Err: err}
}

// ReadByte reads a byte.
func (in *Input) ReadByte() (byte, error) {
	c, err := in.Reader.ReadByte()
	if err == nil {
		in.Offset++
		if c == '\n' {
			in.LineNumber++
		}
	}
	return c, err
}

// SkipMark takes a byte order mark, if there is one.
func (in *Input) SkipMark() {
	if mark, _ := in.Reader.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.Reader.Discard(3)
		in.Offset += 3
	}
}

// PeekSpace returns the next byte that is not white space, without taking it.
func (in *Input) PeekSpace() (byte, error) {
	for {
		c, err := in.Reader.Peek(1)
		if err != nil {
			return 0, err
		}
		if !isSpace(c[0]) {
			return c[0], nil
		}
		_, _ = in.ReadByte()
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// firstKey is the first key of the object that the input begins with, or empty when it begins with none. Nothing but
// white space is taken.
func (in *Input) firstKey() string {
	if c, err := in.PeekSpace(); err != nil || c != '{' {
		return ""
	}
	const enough = 4 << 10
	head, _ := in.Reader.Peek(enough)
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

// Empty says of an input that nothing is in it. That is the recording of nothing.
func (in *Input) Empty() *ReadError {
	return &ReadError{Position: Position{File: in.Name}, Kind: Cut, Err: errEmpty}
}

// Foreign returns the error for an input that is not a recording.
func (in *Input) Foreign() *ReadError {
	c, err := in.PeekSpace()
	switch {
	case in.Err() != nil:
		return in.Broken(in.Err())
	case errors.Is(err, io.EOF):
		return in.Empty()
	}
	head, _ := in.Reader.Peek(64)
	hint := fmt.Sprintf("it begins with %q", rune(c))
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		hint = "it is UTF-16, as PowerShell writes it: save it as UTF-8"
	}
	return in.Problem(NoRecording, fmt.Errorf("%w; %s", ErrNoList, hint))
}

// ErrNoList is the error of what has none of the lists of a recording: it names the tools whose formats are read.
var ErrNoList = errors.New("neither an HTTP Archive (an object with log.entries), nor NDJSON of exchanges, " +
	"nor a cassette (with interactions or http_interactions) of go-vcr, " +
	"VCR.py, Ruby's VCR, php-vcr, EasyVCR or ExVCR, nor a recording of httprr, Fiddler, mitmproxy, Hoverfly, WireMock, " +
	"MockServer, Postman, Insomnia, Kong, or an access log of nginx, Apache or Envoy in JSON; " +
	"docs/reference/formats.md describes them")

// IsAtEnd reports whether nothing is left to read.
func (in *Input) IsAtEnd() bool {
	_, err := in.Reader.Peek(1)
	return err != nil
}

// Take reads a number of bytes. Beyond MaxEntry they are passed over.
func (in *Input) Take(n int64) ([]byte, error) {
	var b bytes.Buffer
	to := io.Writer(&b)
	if n > MaxEntry {
		to = io.Discard
	}
	read, err := io.CopyN(to, lineCounter{in}, n)
	switch {
	case read < n:
		return nil, io.ErrUnexpectedEOF
	case n > MaxEntry:
		return nil, ErrTooLarge
	}
	return b.Bytes(), err
}

// ReadLine returns the next line without its end. It is complete when it has one.
func (in *Input) ReadLine() (line []byte, complete bool, err error) {
	var read int
	for {
		part, err := in.Reader.ReadSlice('\n')
		in.Offset += int64(len(part))
		if read += len(part); read <= MaxEntry {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, false, err
		}
		if err == nil {
			in.LineNumber++
		}
		if read > MaxEntry {
			return nil, err == nil, ErrTooLarge
		}
		return bytes.TrimSuffix(line, []byte("\n")), err == nil, nil
	}
}

// lineCounter reads an input and counts its lines.
type lineCounter struct{ *Input }

func (l lineCounter) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.Offset += int64(n)
	l.LineNumber += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}
