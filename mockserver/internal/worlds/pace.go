package worlds

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// pace counts requests per second. It stands beside the world's value, so that a request which only reads changes
// nothing. A fork, and a world that was reset, begin anew.
type pace struct {
	mu      sync.Mutex
	limiter *rate.Limiter
}

// Admit counts a request at a time of the world's clock against a limit per second, of which as many may come at once.
// It returns 0, or how long the request would have to wait, and then does not count it.
func (w *World) Admit(perSecond int, now time.Time) (wait time.Duration) {
	w.pace.mu.Lock()
	defer w.pace.mu.Unlock()
	if l := w.pace.limiter; l == nil || l.Burst() != perSecond {
		w.pace.limiter = rate.NewLimiter(rate.Limit(perSecond), perSecond)
	}
	r := w.pace.limiter.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (p *pace) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limiter = nil
}
