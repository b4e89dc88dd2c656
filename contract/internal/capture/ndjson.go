package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// exchangeKeys are the keys of a line of NDJSON. One that begins with another key is taken for an archive.
var exchangeKeys = map[string]bool{
	"seq": true, "start": true, "end": true, "overlaps": true, "world": true, "operation": true,
	"request": true, "response": true, "redacted": true, "notes": true,
}

func isNDJSON(h *head) bool { return exchangeKeys[h.first] }

func readNDJSON(in *input, yield func(Record, error) bool) bool {
	return readLines(in, decodeLine, yield)
}

// readLines yields the lines of an input, each an entry.
func readLines(in *input, decode decoder, yield func(Record, error) bool) bool {
	for {
		place := in.place()
		line, complete, err := in.readLine()
		if err != nil {
			if !errors.Is(err, errTooLarge) {
				return yield(Record{}, in.broken(err))
			}
			if !yield(Record{}, &ReadError{Place: place, Kind: TooLarge, Err: err}) {
				return false
			}
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if !yieldLine(Record{Place: place, raw: line, decode: decode}, complete, yield) {
				return false
			}
		}
		if !complete {
			return true
		}
	}
}

// yieldLine yields a line that may be the last one, cut off by a kill. One that is whole but for its end, and wrong, is
// wrong.
func yieldLine(record Record, complete bool, yield func(Record, error) bool) bool {
	if !complete {
		if _, err := record.Decode(); errors.Is(err, io.ErrUnexpectedEOF) {
			return yield(Record{}, &ReadError{Place: record.Place, Kind: Cut, Err: errors.New("the last line is cut off")})
		}
	}
	return yield(record, nil)
}

var errTooLarge = fmt.Errorf("the entry is longer than %d MiB: it was not read", MaxEntry>>20)

// readLine returns the next line without its end. It is complete when it has one.
func (in *input) readLine() (line []byte, complete bool, err error) {
	var read int
	for {
		part, err := in.r.ReadSlice('\n')
		in.offset += int64(len(part))
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
			in.line++
		}
		if read > MaxEntry {
			return nil, err == nil, errTooLarge
		}
		return bytes.TrimSuffix(line, []byte("\n")), err == nil, nil
	}
}
