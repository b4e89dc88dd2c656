package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
)

// maxWatchers is the number of clients that may wait for exchanges, or follow them, at a time.
const maxWatchers = 1000

// Defaults of a request to wait.
const (
	defaultCount = 1
	defaultWait  = 10 * time.Second
	maxWait      = 10 * time.Minute
)

type callCount struct {
	World     string  `json:"world"`
	Count     int     `json:"count"`
	Exchanges []int64 `json:"exchanges"`
}

func countOf(w *worlds.World, entries []*journal.Entry) callCount {
	count := callCount{World: w.ID, Count: len(entries), Exchanges: make([]int64, len(entries))}
	for i, e := range entries {
		count.Exchanges[i] = e.Seq
	}
	return count
}

// countCalls counts the calls that the body describes among those that the journal still has.
func (h Host) countCalls(c *op.Call, w *worlds.World) (op.Reply, error) {
	var described match.Calls
	if err := c.Decode(&described); err != nil {
		return op.Reply{}, err
	}
	calls, err := w.Calls(described, h.Documents)
	if err != nil {
		return op.Reply{}, err
	}
	dropped := w.Journal.Extent().Dropped
	return op.OK(struct {
		callCount
		Dropped journal.Dropped `json:"dropped"`
	}{countOf(w, calls.Seen()), dropped})
}

// waitRequest describes calls, how many of them to wait for, and for how long.
type waitRequest struct {
	match.Calls
	Count   int    `json:"count"`
	After   int64  `json:"after"`
	Timeout string `json:"timeout"`
}

func (r *waitRequest) timeout() (time.Duration, error) {
	if r.Timeout == "" {
		return defaultWait, nil
	}
	timeout, err := time.ParseDuration(r.Timeout)
	if err != nil || timeout < 0 || timeout > maxWait {
		return 0, op.Invalid("timeout", "want a duration up to %v, such as 500ms or 1m30s, not %q", maxWait, r.Timeout)
	}
	return timeout, nil
}

// waitForCalls waits until so many calls were seen as the body says, or its time is over.
func (h Host) waitForCalls(c *op.Call, w *worlds.World) (op.Reply, error) {
	body := waitRequest{Count: defaultCount}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	timeout, err := body.timeout()
	if err != nil {
		return op.Reply{}, err
	}
	calls, err := w.Calls(body.Calls, h.Documents)
	if err != nil {
		return op.Reply{}, err
	}
	if !h.admitWatcher(c.Context) {
		return tooManyWatchers(), nil
	}
	ctx, cancel := context.WithTimeout(c.Context, timeout)
	defer cancel()
	found, lost, err := calls.WaitFor(ctx, body.After, body.Count)
	count := countOf(w, found)
	switch {
	case err == nil:
		return op.OK(count)
	case errors.Is(err, journal.ErrClosed):
		return op.Reply{}, op.NotFound("world", "id", w.ID)
	case c.Context.Err() != nil: // the client has left, or the server stops
		return refusal(http.StatusServiceUnavailable, "the server is shutting down"), nil
	}
	return waitIsOver(count, fmt.Sprintf("saw %d of %d calls in %v", count.Count, body.Count, timeout), lost), nil
}

// admitWatcher counts one client more among those who wait, until the context of its call ends. It reports whether
// there may be one more.
func (h Host) admitWatcher(ctx context.Context) bool {
	if h.Watchers.Add(1) > maxWatchers {
		h.Watchers.Add(-1)
		return false
	}
	context.AfterFunc(ctx, func() { h.Watchers.Add(-1) })
	return true
}

func tooManyWatchers() op.Reply {
	return refusal(http.StatusTooManyRequests,
		fmt.Sprintf("%d clients wait for exchanges already; try again when some have ended", maxWatchers))
}

// waitIsOver returns the answer to a client whose time is over: the error form, and what was seen until then.
func waitIsOver(count callCount, message string, lost int64) op.Reply {
	if lost > 0 {
		message += fmt.Sprintf("; the journal dropped %d exchanges before: raise --journal-limit or WithJournalLimit", lost)
	}
	return op.Reply{Status: http.StatusRequestTimeout, Body: struct {
		Error errorBody `json:"error"`
		callCount
	}{errorBody{Message: message}, count}}
}
