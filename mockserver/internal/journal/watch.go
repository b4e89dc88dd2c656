package journal

import (
	"context"
	"errors"
	"slices"
)

// News holds what a journal has entered after some exchange.
type News struct {
	Entries []*Entry // oldest first
	Lost    int64    // how many came before these that the journal no longer has
	// More is closed by the next change, if Entries is empty.
	More     <-chan struct{}
	IsClosed bool // the journal takes no more, because its world was deleted
}

// After returns at most limit exchanges that were entered after the one with a number. The journal itself is the
// buffer of those who follow it: one who is slow finds that some are lost, and holds up nobody.
func (j *Journal) After(number int64, limit int) News {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := j.seq.Load() + 1 // that the journal has, or will have
	if len(j.entries) > 0 {
		first = j.entries[0].Seq
	}
	news := News{IsClosed: j.limit == 0, Lost: max(0, first-number-1)}
	skip := min(max(0, number+1-first), int64(len(j.entries)))
	if rest := j.entries[skip:]; len(rest) > 0 {
		news.Entries = slices.Clone(rest[:min(limit, len(rest))])
		return news
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	news.More = j.changed
	return news
}

// announce wakes those who wait for more. The journal is locked.
func (j *Journal) announce() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// ErrClosed is the error of waiting for exchanges in a world that was deleted.
var ErrClosed = errors.New("the world was deleted")

// batch is the number of exchanges that are looked at, at a time.
const batch = 64

// WaitFor waits until n exchanges after the one with a number fit, and returns them, oldest first. With the error of
// the context, or ErrClosed, it returns those that came until then. Lost is the number of exchanges that the journal
// had dropped before they could be looked at.
func (j *Journal) WaitFor(
	ctx context.Context, number int64, n int, fits func(*Entry) bool,
) (found []*Entry, lost int64, err error) {
	for {
		news := j.After(number, batch)
		number, lost = number+news.Lost, lost+news.Lost
		for _, e := range news.Entries {
			number = e.Seq
			if !fits(e) {
				continue
			}
			if found = append(found, e); len(found) == n {
				return found, lost, nil
			}
		}
		if len(news.Entries) > 0 {
			continue
		}
		if news.IsClosed {
			return found, lost, ErrClosed
		}
		select {
		case <-news.More:
		case <-ctx.Done():
			return found, lost, ctx.Err()
		}
	}
}
