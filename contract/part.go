package contract

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"

	"svc.example/understudy/contract/internal/capture/format"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
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
const partVersion = 3

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
	v := &exchangeResult{}
	p.g.checker.judgeRecord(v, p.g.checker.judge.Sampling(isSampled), r, problem)
	if isEvent = v.event != nil; isEvent {
		event := *v.event
		e.event, v.event = &event, nil // whoever watches sees it
	}
	p.problem = v.err
	p.g.collect(v)
	return e, isEvent
}

// Problem returns why the record that Judge was given last is lost, with its place, or nil.
func (p *Part) Problem() *report.Problem {
	var one problems
	if p.problem == nil || !one.add(p.problem, 0) {
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

// Place says how much of a recording comes before a piece of it.
type Place struct {
	Exchanges int   // of the recording
	Entries   int   // of the file: exchanges, and those that are too large to be read
	Lines     int   // of the file
	Bytes     int64 // of the file
}

// IsLines reports whether a file that begins with some bytes is a recording in NDJSON, not compressed, so that it can
// be cut at the end of any line. It may need some kilobytes.
func IsLines(head []byte) bool {
	in := record.NewInput("", bytes.NewReader(head))
	in.SkipMark()
	return format.IsNDJSON(in.Head())
}

// Behind returns a source that reads the same, with the places of a piece of a recording that has something before it.
func Behind(source Source, before Place) Source {
	return func(yield func(Record, error) bool) {
		for r, err := range source {
			if problem, ok := errors.AsType[*record.ReadError](err); ok {
				moved := *problem
				moved.Position = before.moved(moved.Position)
				err = &moved
			}
			r.Position = before.moved(r.Position)
			if !yield(r, err) {
				return
			}
		}
	}
}

func (p *Place) moved(at record.Position) record.Position {
	at.Offset += p.Bytes
	if at.Number > 0 {
		at.Number += p.Exchanges
	}
	if at.Entry > 0 {
		at.Entry += p.Entries
	}
	if at.Line > 0 {
		at.Line += p.Lines
	}
	return at
}

// Extent returns how much a source holds, but for lines and bytes, which it does not know. It decodes nothing.
func Extent(source Source) Place {
	var p Place
	for r, err := range source {
		if err == nil {
			p.Exchanges++
		}
		if problem, ok := errors.AsType[*record.ReadError](err); ok {
			r.Position = problem.Position
		}
		p.Entries = max(p.Entries, r.Entry)
	}
	return p
}

// ReadPiece returns a source of a piece of a recording in NDJSON, which begins and ends between lines.
func ReadPiece(name string, r io.Reader, before Place) Source {
	return Behind(ReadLines(name, r), before)
}

// sum holds what is counted and kept of a part of a recording. The sums of its parts, merged in any order, are the sum
// of the whole; newSum is the sum of nothing. The members are exported to be encoded: who changes them changes
// partVersion.
type sum struct {
	Exchanges    report.Exchanges
	Checks       report.Checks
	Judged       report.Judged // without the reasons
	Tallies      map[string]*report.Rule
	Found        foundFindings
	Omitted      int            // findings that were not even listed for their exchange
	Accepted     map[string]int // findings, by the fingerprints of the baseline
	Pending      pendingCredentials
	Coverage     *coverage.Collector
	Bases        map[baseKey]int // exchanges
	Unmatched    unmatchedAddresses
	Sequences    sequenceNumbers
	Guesses      guessedBases
	SecondEngine report.Engine
	Compiled     int            // messages of documents of a user's own that were judged
	Reasons      map[string]int // why bodies were not judged
	Ignored      map[string]int // exchanges that are left out, by the option that says so
	Problems     problems
	Apart        map[string]int // notes on accounts that were judged apart, with the numbers of watches that say so
	RulesJudged  bool           // a rule between exchanges had a chance that passed or failed
}

// baseKey identifies a base address.
type baseKey struct {
	Interface specs.Interface
	URL       string
	IsGuessed bool
}

func keyOfBase(b *ownership.Base) baseKey { return baseKey{b.Interface, b.URL, b.Guessed} }

const maxReasons = 100 // why bodies were not judged: those that are first as texts

// otherReason counts for those beyond.
const otherReason = "another reason"

func newSum() sum {
	return sum{
		Tallies: map[string]*report.Rule{}, Accepted: map[string]int{}, Pending: newPendingCredentials(),
		Coverage: coverage.NewCollector(), Bases: map[baseKey]int{},
		Guesses: guessedBases{Trials: map[string]*ownership.Trial{}, Lowered: map[string]int{}},
		Reasons: map[string]int{}, Ignored: map[string]int{}, Apart: map[string]int{},
	}
}

// tally returns the counts of a rule.
func (s *sum) tally(id string) *report.Rule {
	t := s.Tallies[id]
	if t == nil {
		t = &report.Rule{ID: id}
		s.Tallies[id] = t
	}
	return t
}

// countJudged counts what was judged of an exchange, and what was not.
func (s *sum) countJudged(r *judge.Result) {
	s.Judged.Parameters += r.Parameters
	s.Judged.Bodies += r.Bodies
	if op := r.Operation(); op != nil && op.Document.IsUsers() {
		s.Compiled += r.Parameters + r.Bodies
	}
	s.Judged.Unjudged += len(r.Unjudged)
	s.SecondEngine.Messages += r.SecondEngine
	s.SecondEngine.Lost += r.SecondEngineLost
	for _, reason := range r.Unjudged {
		s.countReason(reason, 1)
	}
}

// countReason counts a reason, and keeps those that are first as texts, whatever came first.
func (s *sum) countReason(reason string, n int) {
	s.Reasons[reason] += n
	if _, isOther := s.Reasons[otherReason]; len(s.Reasons) <= maxReasons || isOther && len(s.Reasons) == maxReasons+1 {
		return
	}
	last := ""
	for known := range s.Reasons {
		if known != otherReason {
			last = max(last, known)
		}
	}
	s.Reasons[otherReason] += s.Reasons[last]
	delete(s.Reasons, last)
}

// merge adds the sum of another part of the recording. Nothing is shared with it that changes.
func (s *sum) merge(other *sum, breaks func(*report.Finding) bool) {
	addExchanges(&s.Exchanges, &other.Exchanges)
	addChecks(&s.Checks, &other.Checks)
	s.Judged.Parameters += other.Judged.Parameters
	s.Judged.Bodies += other.Judged.Bodies
	s.Compiled += other.Compiled
	s.Judged.Unjudged += other.Judged.Unjudged
	for id, from := range other.Tallies {
		t := s.tally(id)
		t.Triggered += from.Triggered
		t.Pass += from.Pass
		t.Fail += from.Fail
		t.Inconclusive += from.Inconclusive
	}
	s.Found.merge(&other.Found, breaks)
	s.Omitted += other.Omitted
	addCounts(s.Accepted, other.Accepted)
	s.Pending.merge(&other.Pending)
	s.Coverage.Merge(other.Coverage)
	addCounts(s.Bases, other.Bases)
	s.Unmatched.merge(&other.Unmatched)
	s.Sequences.merge(&other.Sequences)
	s.Guesses.merge(&other.Guesses)
	s.SecondEngine.Messages += other.SecondEngine.Messages
	s.SecondEngine.Lost += other.SecondEngine.Lost
	for reason, n := range other.Reasons {
		s.countReason(reason, n)
	}
	addCounts(s.Ignored, other.Ignored)
	s.Problems.merge(&other.Problems)
	addCounts(s.Apart, other.Apart)
	s.RulesJudged = s.RulesJudged || other.RulesJudged
}

func addExchanges(to, from *report.Exchanges) {
	to.Read += from.Read
	to.Matched += from.Matched
	to.Unmatched += from.Unmatched
	to.Ignored += from.Ignored
	to.Broken += from.Broken
	to.Injected += from.Injected
}

func addChecks(to, from *report.Checks) {
	to.Add(report.Pass, from.Pass)
	to.Add(report.Fail, from.Fail)
	to.Add(report.Inconclusive, from.Inconclusive)
	to.Add(report.Skipped, from.Skipped)
}

func addCounts[K comparable](to, from map[K]int) {
	for key, n := range from {
		to[key] += n
	}
}
