package control

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
)

// tickPause is the time between two events of a stream of ticks: there are at most five a second.
const tickPause = 200 * time.Millisecond

// tickView says how far a journal is.
type tickView struct {
	Total   int             `json:"total"`
	Last    int64           `json:"last"`
	Dropped journal.Dropped `json:"dropped"`
}

// tickJournal sends server-sent events when exchanges were entered into the journal, or it was emptied, but not each of
// them.
func (h Host) tickJournal(c *op.Call, w *worlds.World) (op.Reply, error) {
	if !h.admitWatcher(c.Context) {
		return tooManyWatchers(), nil
	}
	return op.Reply{
		Type: "text/event-stream", Header: [][2]string{{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
		Stream: func(send func([]byte) error, isLive bool) error {
			return sendTicks(c.Context, w.Journal, send, isLive)
		},
	}, nil
}

// sendTicks sends a tick at once and then for each change, until the client leaves, the context ends or the world is
// deleted; to a client that gets nothing before the end of the answer, it sends the first.
func sendTicks(ctx context.Context, j *journal.Journal, send func([]byte) error, isLive bool) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	sent := tickView{Total: -1}
	for {
		news := j.After(sent.Last, 1) // before the extent, so that no change is missed
		extent := j.Extent()
		tick := tickView{extent.Total, extent.Last, extent.Dropped}
		switch isNew := tick != sent; {
		case isNew:
			sent = tick
			data, err := json.Marshal(tick)
			if err == nil {
				err = send(fmt.Appendf(nil, "event: tick\ndata: %s\n\n", data))
			}
			if err != nil || !isLive || !pause(ctx) {
				return err
			}
			continue
		case news.IsClosed:
			return nil
		}
		select {
		case <-news.More:
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := send([]byte(": still here\n\n")); err != nil {
				return err
			}
		}
	}
}

// pause waits between two ticks, and reports whether the context has not ended.
func pause(ctx context.Context) bool {
	timer := time.NewTimer(tickPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
