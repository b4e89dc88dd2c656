package worlds

import (
	"context"
	"slices"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
)

// Calls are the exchanges of a world that fit a description.
type Calls struct {
	world   *World
	matcher *match.Matcher
}

// Calls returns the exchanges that fit a description. It fails, with an *op.Error or several joined, if none ever can.
func (w *World) Calls(described match.Calls, documents match.Documents) (Calls, error) {
	matcher, err := match.Compile(described, documents)
	return Calls{w, matcher}, err
}

// Seen returns those that the journal has, oldest first.
func (c Calls) Seen() []*journal.Entry {
	return slices.DeleteFunc(c.world.Journal.Entries(), func(e *journal.Entry) bool { return !c.fit(e) })
}

// WaitFor waits until there are n after the exchange with a number, as the journal does.
func (c Calls) WaitFor(ctx context.Context, number int64, n int) (found []*journal.Entry, lost int64, err error) {
	return c.world.Journal.WaitFor(ctx, number, n, c.fit)
}

// fit reports whether an exchange is one of them. Its caller is looked up among the users that there are now.
func (c Calls) fit(e *journal.Entry) bool { return c.matcher.Exchange(e, &c.world.Peek().Account) }
