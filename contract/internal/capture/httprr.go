package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const httprrMark = "httprr trace v1"

// isHTTPRR recognises the traces of Go's httprr: "httprr trace v1", then for each exchange a line with the lengths of
// its request and response, and these, one behind the other, as they were sent.
func isHTTPRR(h *head) bool { return h.begins(httprrMark) }

func readHTTPRR(in *input, yield func(Record, error) bool) bool {
	if _, _, err := in.readLine(); err != nil {
		return yield(Record{}, in.broken(err))
	}
	for {
		place := in.place()
		line, _, err := in.readLine()
		switch text := strings.TrimSpace(string(line)); {
		case err != nil:
			return yield(Record{}, in.broken(err))
		case text == "" && in.isAtEnd():
			return in.failed() == nil || yield(Record{}, in.broken(in.failed()))
		case text == "":
			continue
		default:
			request, response, err := lengths(text)
			if err != nil {
				return yield(Record{}, &ReadError{Place: place, Kind: Malformed, Err: err})
			}
			if more, ok := in.trace(place, request, response, yield); !more || !ok {
				return ok
			}
		}
	}
}

func (in *input) isAtEnd() bool {
	_, err := in.r.Peek(1)
	return err != nil
}

// lengths reads "212 1034".
func lengths(text string) (request, response int64, err error) {
	first, second, _ := strings.Cut(text, " ")
	request, err = strconv.ParseInt(first, 10, 32)
	if err == nil {
		response, err = strconv.ParseInt(second, 10, 32)
	}
	if err != nil || request < 0 || response < 0 {
		return 0, 0, fmt.Errorf("unexpected %.40q; want the lengths of a request and its response", text)
	}
	return request, response, nil
}

// trace takes an exchange of known lengths. More is false at the end of the file, ok when yield was.
func (in *input) trace(place Place, request, response int64, yield func(Record, error) bool) (more, ok bool) {
	raw, err := in.take(request + response)
	switch {
	case errors.Is(err, errTooLarge):
		return true, yield(Record{}, &ReadError{Place: place, Kind: TooLarge, Err: err})
	case in.failed() != nil:
		return false, yield(Record{}, in.broken(in.failed()))
	case err != nil:
		return false, yield(Record{}, in.problem(Truncated, errors.New("the recording ends within an exchange")))
	}
	return true, yield(Record{Place: place, raw: raw, decode: func(r Record) (Item, error) {
		d, err := ofWire(r.raw[:request], r.raw[request:])
		if err != nil {
			return Item{}, r.malformed(err)
		}
		return r.itemOf(d)
	}}, nil)
}

// take reads a number of bytes. Beyond MaxEntry they are passed over.
func (in *input) take(n int64) ([]byte, error) {
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
		return nil, errTooLarge
	}
	return b.Bytes(), err
}

// lineCounter reads an input and counts its lines.
type lineCounter struct{ *input }

func (l lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.offset += int64(n)
	l.line += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}
