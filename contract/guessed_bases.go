package contract

import (
	"context"
	"fmt"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
)

// How much of a source is read before any of it is judged.
const (
	headRecords = 2000
	headBytes   = 16 << 20
)

// sourceEntry is an element of a source.
type sourceEntry struct {
	record  Record
	problem error
}

// withGuessedBases returns a source that reads the head first, and guesses base addresses from it. Before the first
// record it passes the judge that knows them to decide. The head is held in memory until then, and is yielded
// unchanged.
func (c *Checker) withGuessedBases(ctx context.Context, source Source, decide func(*judge.Judge, []string)) Source {
	return func(yield func(Record, error) bool) {
		h := &sourceHead{config: &c.config, guesser: ownership.NewGuesser(c.judge.Addresses())}
		conclude := func() bool {
			held, notes := c.tryGuesses(ctx, h)
			decide(c.judge.At(c.judge.Addresses().With(held)), notes)
			return h.replay(yield)
		}
		isConcluded := false
		for record, err := range source {
			switch {
			case isConcluded:
				if !yield(record, err) {
					return
				}
			case h.add(record, err):
				isConcluded = true
				if !conclude() {
					return
				}
			}
		}
		if !isConcluded {
			conclude()
		}
	}
}

// tryGuesses judges the head as each of the interfaces that it may belong to. It returns the guesses that hold, and
// notes on the others.
func (c *Checker) tryGuesses(ctx context.Context, h *sourceHead) (held []*ownership.Base, notes []string) {
	for _, entry := range h.entries {
		if ctx.Err() != nil || entry.problem != nil {
			continue
		}
		item, err := entry.record.Decode()
		if err != nil || c.config.ignores(&item) != "" {
			continue
		}
		h.guesser.Try(&item, func(a *ownership.Addresses) (refuted, ok bool) {
			var v exchangeResult
			c.judgeRecord(&v, c.judge.At(a), entry.record, nil)
			return v.result != nil && v.result.IsRefuted(), v.result != nil
		})
	}
	return h.guesser.Conclude()
}

// sourceHead is the beginning of a source.
type sourceHead struct {
	config  *config
	guesser *ownership.Guesser
	entries []sourceEntry
	size    int
}

// add adds to the head, and reports whether that is enough.
func (h *sourceHead) add(record Record, problem error) bool {
	h.entries = append(h.entries, sourceEntry{record, problem})
	h.size += record.Size()
	if problem == nil {
		if item, err := record.Decode(); err == nil && h.config.ignores(&item) == "" {
			h.guesser.Collect(&item)
		}
	}
	return len(h.entries) >= headRecords || h.size >= headBytes
}

func (h *sourceHead) replay(yield func(Record, error) bool) bool {
	entries := h.entries
	h.entries, h.guesser = nil, nil
	for i := range entries {
		if !yield(entries[i].record, entries[i].problem) {
			return false
		}
		entries[i] = sourceEntry{}
	}
	return true
}

// guessedBases counts the exchanges and findings below guessed base addresses.
type guessedBases struct {
	Trials  map[string]*ownership.Trial // by the option that confirms the base
	Lowered map[string]int              // findings that would be errors otherwise, likewise
}

// add counts an exchange below a base that was guessed.
func (g *guessedBases) add(r *judge.Result) {
	if b := r.Owner.Base; b != nil && b.Guessed {
		g.trial(b.Confirmation()).Add(&r.Item, r.IsRefuted())
	}
}

func (g *guessedBases) trial(confirmation string) *ownership.Trial {
	t := g.Trials[confirmation]
	if t == nil {
		t = &ownership.Trial{}
		g.Trials[confirmation] = t
	}
	return t
}

func (g *guessedBases) merge(other *guessedBases) {
	for confirmation, from := range other.Trials {
		t := g.trial(confirmation)
		t.Claimed += from.Claimed
		t.Refuted += from.Refuted
	}
	addCounts(g.Lowered, other.Lowered)
}

// lowerSeverity turns an error into a warning if the interface of the exchanges was guessed, and so needs confirmation.
func (g *guessedBases) lowerSeverity(f *report.Finding, lines []report.ExchangeLine) {
	for _, line := range lines {
		if line.Guess != "" && f.Severity == report.Error {
			f.Severity = report.Warning
			if f.Verdict == report.Fail {
				g.Lowered[line.Guess]++
			}
		}
	}
}

// notes returns what a user must know of the guesses.
func (g *guessedBases) notes(j *judge.Judge) (list []string) {
	for _, b := range j.Addresses().Bases() {
		if n := g.Lowered[b.Confirmation()]; n > 0 {
			list = append(list, fmt.Sprintf(
				"%s was guessed to be at %s, so %d errors there count as warnings: confirm it with %s",
				b.Interface, b.URL, n, b.Confirmation()))
		}
		if t := g.Trials[b.Confirmation()]; t != nil && t.IsLost() {
			list = append(list, fmt.Sprintf(
				"%s was guessed to be at %s, but %d of %d exchanges do not fit: it may be something else",
				b.Interface, b.URL, t.Refuted, t.Claimed))
		}
	}
	return list
}

// judgeForReport returns the judge that a report was made with: it knows the bases that were guessed then.
func (c *Checker) judgeForReport(r *Report) *judge.Judge {
	var guessed []*ownership.Base
	for _, base := range r.Bases {
		if b, ok := c.judge.Addresses().Guessed(base.Interface, base.URL); ok && base.Source == report.Guessed {
			guessed = append(guessed, b)
		}
	}
	if len(guessed) == 0 {
		return c.judge
	}
	return c.judge.At(c.judge.Addresses().With(guessed))
}

// Guess holds the base addresses that were not given, as far as the beginning of a recording shows them.
type Guess struct {
	Bases []report.Base `json:"bases"`
	Notes []string      `json:"notes"`
}

// Guess reads the beginning of a recording, and guesses base addresses from it as a Check does that WithGuess allows.
// It returns nothing if guessing is not allowed.
func (c *Checker) Guess(ctx context.Context, source Source) Guess {
	var g Guess
	if !c.config.guess {
		return g
	}
	guessing := c.withGuessedBases(ctx, source, func(j *judge.Judge, notes []string) {
		g.Notes = notes
		for _, b := range j.Addresses().Bases() {
			if b.Guessed {
				g.Bases = append(g.Bases, report.Base{Interface: b.Interface, URL: b.URL, Source: report.Guessed})
			}
		}
	})
	guessing(func(Record, error) bool { return false })
	return g
}

// WithGuessed returns a checker that knows guessed base addresses, and guesses no others. Its reports are those of a
// Check that guesses the same.
func (c *Checker) WithGuessed(g Guess) *Checker {
	var bases []*ownership.Base
	for _, base := range g.Bases {
		if b, ok := c.judge.Addresses().Guessed(base.Interface, base.URL); ok {
			bases = append(bases, b)
		}
	}
	knowing := *c
	knowing.config.guess, knowing.guessed = false, g.Notes
	knowing.judge = c.judge.At(c.judge.Addresses().With(bases))
	return &knowing
}
