package sqlite

import (
	"time"

	"svc.example/understudy/mockserver/internal/clock"
)

// stopwatch measures how long a query works, and calls a function when that is too long.
type stopwatch struct {
	left  time.Duration
	begin time.Time // when it was started last
	timer *time.Timer
}

func newStopwatch(limit time.Duration, end func()) *stopwatch {
	return &stopwatch{left: limit, begin: clock.Wall(), timer: time.AfterFunc(limit, end)}
}

func (w *stopwatch) stop() bool { return w.timer.Stop() }

// pause does not count the time that a function takes.
func (w *stopwatch) pause(rest func()) {
	if !w.stop() {
		return // it is too long already
	}
	w.left -= clock.Wall().Sub(w.begin)
	rest()
	w.begin = clock.Wall()
	w.timer.Reset(max(0, w.left))
}
