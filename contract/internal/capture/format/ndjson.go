package format

import (
	"bytes"
	"errors"
	"io"

	"svc.example/understudy/contract/internal/capture/record"
)

// exchangeKeys are the keys of a line of NDJSON. One that begins with another key is taken for an archive.
var exchangeKeys = map[string]bool{
	"seq": true, "start": true, "end": true, "overlaps": true, "world": true, "operation": true,
	"request": true, "response": true, "redacted": true, "notes": true, "fault": true,
}

// IsNDJSON reports whether the beginning is that of a recording in NDJSON.
func IsNDJSON(h *record.Head) bool { return exchangeKeys[h.First] }

// isOwnJournal recognises the answer to GET /_understudy/journal.
func isOwnJournal(h *record.Head) bool { return h.First == "world" && h.Has("/entries") }

// ReadLines reads an input that is known to be NDJSON, and yields each line as soon as it is complete.
func ReadLines(in *record.Input, yield func(record.Raw, error) bool) bool {
	return readNDJSON(in, yield)
}

func readNDJSON(in *record.Input, yield func(record.Raw, error) bool) bool {
	return readLines(in, decodeLine, yield)
}

// readLines yields the lines of an input, each an entry.
func readLines(in *record.Input, decode record.Decoder, yield func(record.Raw, error) bool) bool {
	for {
		place := in.Place()
		line, complete, err := in.ReadLine()
		if err != nil {
			if !errors.Is(err, record.ErrTooLarge) {
				return yield(record.Raw{}, in.Broken(err))
			}
			if !yield(record.Raw{}, &record.ReadError{Position: place, Kind: record.TooLarge, Err: err}) {
				return false
			}
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if !yieldLine(record.Raw{Position: place, Bytes: line, Decoder: decode}, complete, yield) {
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
func yieldLine(raw record.Raw, complete bool, yield func(record.Raw, error) bool) bool {
	if !complete {
		if _, err := raw.Decode(); errors.Is(err, io.ErrUnexpectedEOF) {
			return yield(record.Raw{},
				&record.ReadError{Position: raw.Position, Kind: record.Cut, Err: errors.New("the last line is cut off")})
		}
	}
	return yield(raw, nil)
}
