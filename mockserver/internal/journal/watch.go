package journal

import (
	"context"
	"errors"
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
// buffer of those who follow it: one who is slow finds that some are lost, and does not hold up others.
func (j *Journal) After(number int64, limit int) News {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := j.first()
	news := News{IsClosed: j.limit == 0, Lost: max(0, first-number-1)}
	if news.Entries = j.next(number, limit); len(news.Entries) > 0 {
		return news
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	news.More = j.changed
	return news
}

// Len returns the number of exchanges that the journal has.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries)
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
