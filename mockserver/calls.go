package mockserver

import (
	"context"
	"errors"
	"fmt"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/specs/recording"
)

// Exchanges returns the exchanges of the world that fit a description, oldest first, without secrets. It fails if the
// description can fit no call, such as one with the name of an operation that does not exist, and if the journal has
// had to forget exchanges to stay within its bound.
func (w *World) Exchanges(calls fixtures.Calls) ([]recording.Exchange, error) {
	described, err := w.live.Calls(calls, w.server.served())
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	return w.render(described.Seen()), w.droppedError()
}

// WaitFor waits until the world has answered n calls that fit a description, and returns their exchanges, oldest
// first, without secrets. Calls that are in the journal already count. An exchange is there before the first byte of
// its answer leaves. With an error WaitFor returns what it has seen: the error wraps that of the context when that ends
// first. It fails, as Exchanges does, if the description can fit no call, and if the world is deleted or the server is
// closed.
func (w *World) WaitFor(ctx context.Context, calls fixtures.Calls, n int) ([]recording.Exchange, error) {
	if n < 1 {
		return nil, fmt.Errorf("wait for %d calls: want a number above 0", n)
	}
	described, err := w.live.Calls(calls, w.server.served())
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.server.stopping, func() { cancel(errClosed) })()
	found, lost, err := described.WaitFor(ctx, 0, n)
	if err != nil {
		if closed := context.Cause(ctx); errors.Is(closed, errClosed) {
			err = closed
		}
		err = fmt.Errorf("world %s: saw %d of %d calls: %w", w.live.ID, len(found), n, err)
		if lost > 0 {
			err = errors.Join(err, w.droppedError())
		}
	}
	return w.render(found), err
}

func (w *World) render(entries []*journal.Entry) []recording.Exchange {
	list := make([]recording.Exchange, len(entries))
	for i, e := range entries {
		list[i] = *w.server.redacted(e)
	}
	return list
}

// droppedError returns the error that says that the journal has forgotten exchanges, or nil if it has not.
func (w *World) droppedError() error {
	dropped := w.live.Journal.Dropped()
	if dropped == (journal.Dropped{}) {
		return nil
	}
	return fmt.Errorf("the journal of world %s has dropped its first %d exchanges; raise WithJournalLimit",
		w.live.ID, dropped.Entries)
}
