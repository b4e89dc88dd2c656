package contract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs/recording"
)

// maxLiveExchanges bounds what a LiveComparison compares: it remembers ids, and which exchanges changed something.
const maxLiveExchanges = 100_000

// LiveComparison compares the answers of a service with those of a mock as they come, as Compare does with a recording.
// Exchanges are replayed in the order in which they come, and clocks are left alone. It compares up to 100,000
// exchanges. It is safe for concurrent use.
type LiveComparison struct {
	subject      Subject
	maxExchanges int

	mu     sync.Mutex
	x      *comparing
	worlds map[string]*liveWorld
}

// liveWorld is the comparison of a world since it began, or was reset.
type liveWorld struct {
	epoch   int64
	session *compare.Session
}

// CompareLive begins a comparison with what handlers answer. The subject has the keys for these, and the name for the
// report. A checker that guesses addresses cannot do this: guessing takes the whole recording.
func (c *Checker) CompareLive(subject Subject) (*LiveComparison, error) {
	if c.config.guess {
		return nil, errors.New("answers cannot be compared as they come with WithGuess")
	}
	return &LiveComparison{
		subject: subject, maxExchanges: maxLiveExchanges, x: c.newComparing(), worlds: map[string]*liveWorld{},
	}, nil
}

// Compare has the mock answer the request of an exchange, and returns the differences in words.
func (l *LiveComparison) Compare(ctx context.Context, mock http.Handler, e *recording.Exchange) (differences []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alone := *e
	alone.Seq = 0 // the exchanges between are of interfaces that the mock answers
	r := l.x.match(l.x.g.checker.judge, Record{record.Of(&alone, "world "+e.World, int(e.Seq))}, nil)
	if r == nil || r.Owner.State != ownership.Matched {
		return nil
	}
	if l.x.comparison.Compared >= l.maxExchanges {
		l.x.skipped[fmt.Sprintf("only the first %d are compared", l.maxExchanges)]++
		return nil
	}
	w := l.worlds[e.World]
	if w == nil || w.epoch != e.Epoch {
		if w != nil {
			l.x.addMasks(w.session.Masks())
		}
		subject := l.subject
		subject.Handler = mock
		w = &liveWorld{epoch: e.Epoch, session: compare.NewSession(l.x.g.checker.comparison(), subject)}
		l.worlds[e.World] = w
	}
	done, err := w.session.Next(ctx, r)
	if err != nil {
		l.x.skipped[err.Error()]++
		return nil
	}
	l.x.add(done)
	for i := range done.Differences {
		f := l.x.finding(done, &done.Differences[i])
		differences = append(differences, f.Pointer+": "+f.Message)
	}
	return differences
}

// Report returns the report of what was compared so far, as Compare returns it.
func (l *LiveComparison) Report() *Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := *l.x // which goes on
	x.comparison.With, x.comparison.Masks = l.subject.Name, slices.Clone(x.comparison.Masks)
	for _, w := range l.worlds {
		x.addMasks(w.session.Masks())
	}
	return x.report(x.g.checker.judge)
}
