package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// ReadExchange returns an exchange again that was added to a Live, by its Seq, or false if it is gone.
type ReadExchange func(seq int64) (*recording.Exchange, bool)

// Errors of Live.Minimal.
var (
	ErrNoFinding     = errors.New("unknown finding; want the id of one in the report")
	ErrNotReproduced = errors.New("the exchanges that are still there do not show the finding")
)

// Minimal returns the smallest recording that still shows a finding of the last Settle, by its ID, without secrets, as
// Minimize writes it. It looks at the evidence first, and then at what was recorded near it, read again by read. It
// fails with ErrNoFinding or ErrNotReproduced, and with the error of the context.
func (l *Live) Minimal(ctx context.Context, id string, read ReadExchange) ([]*recording.Exchange, error) {
	r, _ := l.Settled() // the error says that nothing is judged
	i := slices.IndexFunc(r.Groups, func(g report.Group) bool { return g.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("finding %s: %w", id, ErrNoFinding)
	}
	f := &r.Groups[i].Finding
	for _, numbers := range [][]int{f.Evidence, l.near(f)} {
		h := &reduction{finding: f, last: slices.Max(append(slices.Clone(f.Evidence), f.Exchange))}
		m := &minimizer{
			ctx: ctx, checker: l.checker, reproducer: &reproducer{l.checker, l.checker.judge}, reductions: []*reduction{h},
			wanted: map[int][]*reduction{},
		}
		for _, number := range f.Evidence {
			m.wanted[number] = m.reductions
		}
		if err := m.read(l.source(numbers, read)); err != nil {
			return nil, fmt.Errorf("finding %s: %w", id, err)
		}
		if h.exchanges != nil {
			return h.exchanges, nil
		}
	}
	return nil, fmt.Errorf("finding %s: %w", id, ErrNotReproduced)
}

// near returns the numbers of exchanges among which a finding is looked for, if its evidence is not enough.
func (l *Live) near(f *report.Finding) []int {
	l.mu.Lock()
	added := len(l.verdicts.seqs)
	l.mu.Unlock()
	last := slices.Max(append(slices.Clone(f.Evidence), f.Exchange))
	numbers := slices.Clone(f.Evidence)
	for number := 1; number <= min(added, last+laterRecords); number++ {
		if number <= firstRecords || number >= last-nearRecords {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// source reads exchanges again by their numbers, as far as they are still there.
func (l *Live) source(numbers []int, read ReadExchange) Source {
	return func(yield func(record.Raw, error) bool) {
		for _, number := range numbers {
			l.mu.Lock()
			seq := l.verdicts.seq(number)
			l.mu.Unlock()
			if e, ok := read(seq); ok && !yield(record.Of(e, l.name, number), nil) {
				return
			}
		}
	}
}

// Evidence fills in what forms of a report need that show findings in full, as that of a Checker does. It reads the
// exchanges again by read; those that are gone are left out.
func (l *Live) Evidence(ctx context.Context, r *Report, read ReadExchange) error {
	var numbers []int
	for i := range r.Groups {
		numbers = append(numbers, r.Groups[i].Evidence...)
	}
	slices.Sort(numbers)
	return l.checker.Evidence(ctx, l.source(slices.Compact(numbers), read), r)
}
