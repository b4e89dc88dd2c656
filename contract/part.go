package contract

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"iter"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
)

// A Checker checks a recording in steps, which are here for whoever has them taken by many machines:
//
//  1. A Part judges the exchanges of a run of the recording, each alone, and returns an Event for each that the rules
//     between exchanges look at. Runs can be judged anywhere, at the same time.
//  2. Parts add up, in any order (Merge).
//  3. Watch shows the events of one key to the rules, once all of them are known, and returns a further part. Keys can
//     be watched anywhere, at the same time.
//  4. The sum of all parts makes the report.
//
// Check takes the same steps, and gives the same report.

// partVersion is the version of the encoded forms of Part and Event. Another one cannot be read.
const partVersion = 2

// Part holds all that is known of a part of a recording. Checker.Part makes one, which knows nothing yet, and is the
// identity of Merge; the zero value is not valid. It is used by one goroutine.
type Part struct {
	g       *gatherer
	problem error // of the record that was judged last
}

// Part returns a part that knows nothing yet, of a recording of which so many exchanges come before it.
func (c *Checker) Part(before int) *Part {
	g := newGatherer(c)
	g.last = before
	return &Part{g: g}
}

// Event holds the facts of one exchange that the rules between exchanges need, not its bodies. The zero value is not
// valid.
type Event struct{ event *facts.Exchange }

// Judge judges an exchange alone, or takes the problem in its place. Records come in the order of the recording, and
// those of a part are a run of it, without others in between. The event is for Watch; there is none if no rule between
// exchanges looks at the exchange.
func (p *Part) Judge(r Record, problem error) (e Event, isEvent bool) {
	v := p.g.checker.judgeRecord(p.g.checker.judge.Sampling(isSampled), r, problem)
	event := v.event
	v.event = nil // whoever watches sees it
	p.problem = v.err
	p.g.collect(&v)
	return Event{event}, event != nil
}

// Problem returns why the record that Judge was given last is lost, with its place, or nil.
func (p *Part) Problem() *report.Problem {
	var one problems
	if p.problem == nil || !one.take(p.problem, 0) {
		return nil
	}
	if len(one.Fatal) == 0 { // an entry that is too large
		return &one.Minor[0].Problem
	}
	return &one.Fatal[0].Problem
}

// Counts returns how many exchanges and verdicts the part knows of.
func (p *Part) Counts() (report.Exchanges, report.Checks) { return p.g.Exchanges, p.g.Checks }

// Key is the same for exchanges that may have to do with each other: those at one installation of the platform, in one
// world of a mock. It is empty for an exchange that belongs to all keys: the reset of a world, as whoever controls a
// mock sends it.
//
// The account that an exchange belongs to is finer, but is known only when it is clear whose the callers are, which
// other exchanges show; Watch finds out, and judges the accounts of a key side by side.
func (e Event) Key() string {
	if e.event.Forget {
		return ""
	}
	return e.event.World + "\x00" + e.event.Address
}

// Number is the number of the exchange in the recording, from 1.
func (e Event) Number() int { return e.event.Number }

// MarshalBinary encodes the event, in some hundred bytes.
func (e Event) MarshalBinary() ([]byte, error) {
	return facts.Append([]byte{partVersion}, e.event), nil
}

// UnmarshalBinary decodes an event. It fails if another version of this package encoded it.
func (e *Event) UnmarshalBinary(text []byte) (err error) {
	if err := ofThisVersion("event", text); err != nil {
		return err
	}
	e.event, err = facts.Decode(text[1:])
	return err
}

func ofThisVersion(what string, text []byte) error {
	switch {
	case len(text) == 0:
		return fmt.Errorf("decode the %s: nothing is there", what)
	case text[0] != partVersion:
		return fmt.Errorf("decode the %s: it has version %d, want %d: use the same release on all machines", what, text[0],
			partVersion)
	}
	return nil
}

// Merge adds what another part knows. Nothing is shared with it. Both are of checkers with the same options.
func (p *Part) Merge(other *Part) { p.g.merge(&other.g.sum, p.g.checker.breaks) }

// MarshalBinary encodes the part.
func (p *Part) MarshalBinary() ([]byte, error) {
	text := bytes.NewBuffer([]byte{partVersion})
	err := gob.NewEncoder(text).Encode(&p.g.sum)
	return text.Bytes(), err
}

// UnmarshalBinary decodes a part into one that knows nothing yet. It fails if another version of this package encoded
// it.
func (p *Part) UnmarshalBinary(text []byte) error {
	if p.g == nil {
		return errors.New("decode the part: want one that Checker.Part has made")
	}
	if err := ofThisVersion("part", text); err != nil {
		return err
	}
	decoded := newSum()
	if err := gob.NewDecoder(bytes.NewReader(text[1:])).Decode(&decoded); err != nil {
		return fmt.Errorf("decode the part: %w", err)
	}
	p.g.merge(&decoded, p.g.checker.breaks)
	return nil
}

// Gaps returns the numbers that are missing in the parts that were merged into this one. Watch wants those of the whole
// recording.
func (p *Part) Gaps() []report.Gap { return p.g.Sequences.gaps(false) }

// Watch shows the events of one key to the rules between exchanges, with those of no key, and returns what they find.
// Events come in any order; they wait on disk if they are many. Gaps are those of the whole recording. The error is
// that of the context, of the disk, or of the events.
func (c *Checker) Watch(ctx context.Context, gaps []report.Gap, events iter.Seq2[Event, error]) (*Part, error) {
	p := c.Part(0)
	var shuffled history.Shuffled
	defer func() { _ = shuffled.Close() }() // what was in it is lost anyway
	for e, err := range events {
		if err == nil {
			err = shuffled.Put(e.event)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	for e, err := range shuffled.InOrder() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		p.g.watcher.See(e)
	}
	p.g.watcher.Missing(gaps)
	if err := p.g.watcher.End(ctx); err != nil {
		return nil, err
	}
	p.g.noteApart()
	return p, nil
}

// Report returns the report on all parts that were merged into this one, with the errors of a Check. Nothing may be
// added afterwards.
func (p *Part) Report() (*Report, error) {
	p.g.judgePendingCredentials()
	p.g.noteGuesses(p.g.checker.judge, p.g.checker.guessed)
	r, err := p.g.conclude(p.g.checker.judge), errors.Join(p.g.Problems.errs()...)
	if err == nil {
		err = nothingChecked(r)
	}
	return r, err
}
