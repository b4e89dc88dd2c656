package contract

import (
	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
)

// How much of a source is looked at before any of it is judged.
const (
	headRecords = 2000
	headBytes   = 16 << 20
)

// yielded is what a source yields.
type yielded struct {
	record  capture.Record
	problem error
}

// guessing is a source of which the head is read first, for the addresses in it: with these comes the judge of the
// whole, before the first record. The head is held in memory meanwhile, and yielded then as it was.
func (c *Checker) guessing(source Source, decide func(*judge.Judge)) Source {
	return func(yield func(capture.Record, error) bool) {
		h := &head{guesser: c.judge.Guesser()}
		settle := func() bool {
			decide(c.judge.With(h.guesser.Bases()))
			return h.replay(yield)
		}
		isSettled := false
		for record, err := range source {
			switch {
			case isSettled:
				if !yield(record, err) {
					return
				}
			case h.take(record, err):
				isSettled = true
				if !settle() {
					return
				}
			}
		}
		if !isSettled {
			settle()
		}
	}
}

// head is the beginning of a source.
type head struct {
	guesser *judge.Guesser
	entries []yielded
	size    int
}

// take adds to the head, and reports whether that is enough.
func (h *head) take(record capture.Record, problem error) bool {
	h.entries = append(h.entries, yielded{record, problem})
	h.size += record.Size()
	if problem == nil {
		if item, err := record.Decode(); err == nil {
			h.guesser.See(&item)
		}
	}
	return len(h.entries) >= headRecords || h.size >= headBytes
}

func (h *head) replay(yield func(capture.Record, error) bool) bool {
	entries := h.entries
	h.entries, h.guesser = nil, nil
	for i := range entries {
		if !yield(entries[i].record, entries[i].problem) {
			return false
		}
		entries[i] = yielded{}
	}
	return true
}

// judgeOf is the judge that a report was made with: it knows the bases that were guessed then.
func (c *Checker) judgeOf(r *Report) *judge.Judge {
	var guessed []*judge.Base
	for _, base := range r.Bases {
		if b, ok := c.judge.Guessed(base.Interface, base.URL); ok && base.Source == report.Guessed {
			guessed = append(guessed, b)
		}
	}
	if len(guessed) == 0 {
		return c.judge
	}
	return c.judge.With(guessed)
}

// bases says where the interfaces were, and how many exchanges each address had. Guesses that nothing came of are left
// out.
func (c *covering) bases(j *judge.Judge) []report.Base {
	var list []report.Base
	for _, b := range j.Bases() {
		base := report.Base{Interface: b.Interface, URL: b.URL, Source: report.Given, Exchanges: c.at[b]}
		if b.Guessed {
			base.Source = report.Guessed
		}
		if base.Exchanges > 0 || !b.Guessed {
			list = append(list, base)
		}
	}
	return list
}
