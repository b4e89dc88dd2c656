package control

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs/recording"
)

// heartbeat is the time after which a stream without events sends a comment, so that nobody on the way takes it for
// dead.
const heartbeat = 15 * time.Second

// batch is the number of exchanges that a stream takes out of the journal at a time.
const batch = 64

// streamJournal sends exchanges as server-sent events while they are entered into the journal.
func (h Host) streamJournal(c *op.Call, w *worlds.World) (op.Reply, error) {
	after, err := h.streamFrom(c, w)
	if err != nil {
		return op.Reply{}, err
	}
	if !h.admitWatcher(c.Context) {
		return tooManyWatchers(), nil
	}
	s := &stream{host: h, world: w, wanted: c.Query["operation"], number: after, sent: after}
	return op.Reply{
		Type: "text/event-stream", Header: [][2]string{{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
		Stream: func(send func([]byte) error, isLive bool) error {
			s.send = send
			return s.run(c.Context, isLive)
		},
	}, nil
}

// streamFrom returns the number of the exchange after which a stream begins: of the last one that the client has, or
// of the last one that there was. A number that is still to come is one of another server, whose numbers ended higher.
func (h Host) streamFrom(c *op.Call, w *worlds.World) (int64, error) {
	last := w.Journal.Last()
	after, err := c.Int("after", last)
	if err != nil {
		return 0, err
	}
	if id := c.Header("Last-Event-ID"); id != "" {
		if after, err = strconv.ParseInt(id, 10, 64); err != nil || after < 0 {
			return 0, op.Invalid("Last-Event-ID", "want the number of an exchange, not %q", id)
		}
	}
	if after > last {
		return 0, nil
	}
	return after, nil
}

type stream struct {
	host   Host
	world  *worlds.World
	wanted []string // names of operations; none: all
	number int64    // of the last exchange that was looked at
	sent   int64    // the number that the client knows of
	send   func([]byte) error
}

// run sends events until the client leaves, the context ends or the world is deleted; to a client that gets nothing
// before the end of the answer, it sends what there is.
func (s *stream) run(ctx context.Context, isLive bool) error {
	if err := s.send(fmt.Appendf(nil, ": exchanges of the world %s\n\n", s.world.ID)); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for ctx.Err() == nil {
		news := s.world.Journal.After(s.number, batch)
		if err := s.sendNews(news); err != nil {
			return err
		}
		if len(news.Entries) > 0 {
			continue
		}
		if news.IsClosed || !isLive {
			return nil
		}
		select {
		case <-news.More:
		case <-ctx.Done():
		case <-beat.C:
			if err := s.beat(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendNews sends what the journal has lost, and what it has, in one part.
func (s *stream) sendNews(news journal.News) error {
	var b bytes.Buffer
	if news.Lost > 0 {
		fmt.Fprintf(&b, "id: %d\nevent: gap\ndata: {\"world\":%q,\"after\":%d,\"lost\":%d}\n\n",
			s.number+news.Lost, s.world.ID, s.number, news.Lost)
		s.number += news.Lost
		s.sent = s.number
	}
	for _, e := range news.Entries {
		s.number = e.Seq
		if !s.wants(e) {
			continue
		}
		line, err := recording.Line(s.host.Render(e)) // one line, with its end
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "id: %d\nevent: exchange\ndata: %s\n", e.Seq, line)
		s.sent = e.Seq
	}
	if b.Len() == 0 {
		return nil
	}
	return s.send(b.Bytes())
}

func (s *stream) wants(e *journal.Entry) bool {
	return len(s.wanted) == 0 || e.Operation != nil && slices.Contains(s.wanted, e.Operation.Name())
}

// beat sends a comment and, if the client does not know it, the number of the last exchange that it did not want: what
// it resumes from without missing any.
func (s *stream) beat() error {
	b := []byte(": still here\n")
	if s.number > s.sent {
		b = fmt.Appendf(b, "id: %d\n", s.number)
		s.sent = s.number
	}
	return s.send(append(b, '\n'))
}
