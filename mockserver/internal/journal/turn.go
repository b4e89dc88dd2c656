package journal

import (
	"sync"
	"time"
)

// Turn is the place of an exchange in the order of its journal.
type Turn struct {
	before <-chan struct{} // closed when the turn of the exchange before is over; nil for the first
	over   chan struct{}
	once   sync.Once
}

// Wait waits until the turns of all exchanges before are over, at most for some time.
func (t *Turn) Wait(limit time.Duration) {
	if t.before == nil {
		return
	}
	select {
	case <-t.before:
		return
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.before:
	case <-timer.C:
	}
}

// End ends the turn. Whoever has a turn ends it, once or more.
func (t *Turn) End() { t.once.Do(func() { close(t.over) }) }
