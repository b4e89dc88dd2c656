package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"svc.example/understudy/specs/recording"
)

// recorded holds the exchanges of a part of a recording.
type recorded struct {
	exchanges map[exchange]bool
	torn      int // bytes of half a line at the end
}

// readRecording reads the lines of a recording that one run has written.
func readRecording(text []byte) (recorded, error) {
	r := recorded{exchanges: map[exchange]bool{}}
	for number := 1; len(text) > 0; number++ {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			r.torn = len(text)
			break
		}
		var e recording.Exchange
		if err := json.Unmarshal(text[:end], &e); err != nil {
			return r, fmt.Errorf("line %d is incomplete: %w: %.100q", number, err, text[:end])
		}
		name := exchange{e.World, e.Seq}
		if e.Response == nil || r.exchanges[name] {
			return r, fmt.Errorf("line %d: exchange %d of world %s is recorded twice or without a response", number, e.Seq,
				e.World)
		}
		r.exchanges[name] = true
		text = text[end+1:]
	}
	return r, nil
}

// checkComplete returns an error if there are exchanges that were seen and that are not recorded.
func (r recorded) checkComplete(seen []exchange) error {
	var missing []exchange
	for _, e := range seen {
		if !r.exchanges[e] {
			missing = append(missing, e)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d exchanges that clients saw are not in the recording, the first is %d of world %s",
		len(missing), len(seen), missing[0].seq, missing[0].world)
}

// readSince reads what stands in a file behind its first bytes.
func readSince(file string, offset int64) (text []byte, err error) {
	text, err = os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if int64(len(text)) < offset {
		return nil, fmt.Errorf("%s became shorter than %d bytes", file, offset)
	}
	return text[offset:], nil
}

// check runs understudy check on a recording, and returns its exit code and its report.
func (t *trial) check(ctx context.Context, file string, flags ...string) (code int, report string, err error) {
	command := exec.CommandContext(ctx, t.binary, append(append([]string{"check"}, flags...), file)...)
	out, err := command.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out), nil
	}
	return 0, string(out), err
}
