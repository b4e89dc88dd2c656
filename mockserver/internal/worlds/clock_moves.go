package worlds

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ClockChange is the result of moving the clock.
type ClockChange struct {
	World    *world.State
	Settled  int
	Complete bool // the clock came as far as it was asked to
}

// lastTime is the latest time of a clock: a year before the year has five digits.
var lastTime = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

func clockLimitError(field string) error {
	return op.Invalid(field, "the clock cannot go beyond %s", lastTime.Format(time.RFC3339))
}

// Advance moves the clock forward by a length of time and settles what is due by then, results of queries included. The
// world itself does not wait for them: until they are there, it stands where it needs the first of them, or at the end.
// Of more than a hundred thousand events it settles as many, and stands before the next one.
func (w *World) Advance(ctx context.Context, by time.Duration) (ClockChange, error) {
	var to time.Time
	var refusal error
	moved, err := w.runSteps(ctx, false, func(value *world.State, left int) int {
		if to.IsZero() {
			to = value.Now().Add(by)
		}
		if to.After(lastTime) {
			refusal = clockLimitError("advance")
			return 0
		}
		return w.moveClock(value, to, left)
	})
	if refusal != nil {
		return moved, refusal
	}
	moved.Complete = !moved.World.Now().Before(to)
	return moved, err
}

// AdvanceUntilIdle moves the clock from event to event until only recurring ones, such as those of schedules, are
// left. It gives up after a hundred thousand events, for a world whose schedules outrun it.
func (w *World) AdvanceUntilIdle(ctx context.Context) (ClockChange, error) {
	moved, err := w.runSteps(ctx, false, func(value *world.State, left int) int {
		return w.moveToEvents(value, left, func() (time.Time, bool) {
			event, ok := value.NextOnce()
			if next, found := value.Next(); found && isDue(value, value.Now()) { // one that recurs, too
				event, ok = next, true
			}
			_, held := value.Held()
			return event.At, ok && !held
		})
	})
	moved.Complete = moved.World.Idle()
	return moved, err
}

// SetClock changes what moves the clock and, unless now is zero, its time, which cannot go back: what has happened has
// happened. Like Advance, it settles at most a hundred thousand events, however many queries it waits for meanwhile.
func (w *World) SetClock(ctx context.Context, mode clock.Mode, now time.Time) (moved ClockChange, err error) {
	var refusal error
	set, complete := false, false
	moved, err = w.runSteps(ctx, false, func(value *world.State, left int) int {
		switch at := value.Now(); {
		case set || refusal != nil:
			return 0
		case now.IsZero():
			now = at
		case now.After(lastTime):
			refusal = clockLimitError("now")
			return 0
		case now.Before(at):
			refusal = op.Invalid("now", "the clock cannot go back: it is already %s", at.Format(time.RFC3339))
			return 0
		}
		n := w.moveClock(value, now, left)
		if _, held := value.Held(); !held {
			set = true
			if complete = !value.Now().Before(now); !complete {
				now = value.Now()
			}
			value.Clock = clock.New(mode, now)
		}
		return n
	})
	moved.Complete = complete
	return moved, cmp.Or(refusal, err)
}

// runSteps repeats a step until no event needs the result of a query. With holding, it runs only the queries that hold
// the clock. A step returns how many events it has settled, of as many as are left to all steps.
func (w *World) runSteps(
	ctx context.Context, holding bool, step func(value *world.State, left int) int,
) (ClockChange, error) {
	n := 0
	for {
		value, settled := w.runStep(func(value *world.State) int { return step(value, w.MaxSettled-n) })
		n += settled
		waiting := value.Waiting()
		if holding {
			waiting = value.Holding()
		}
		if waiting.Len() == 0 {
			return ClockChange{World: value, Settled: n}, nil
		}
		if err := w.Finish(ctx, waiting.First(maxAwaited)); err != nil {
			return ClockChange{World: value, Settled: n}, err
		}
	}
}

func (w *World) runStep(step func(*world.State) int) (*world.State, int) {
	w.lock()
	defer w.mu.Unlock()
	next := *w.value.Load()
	n := step(&next)
	w.store(&next, int64(n)*eventCost)
	return &next, n
}

// Await serves an auto clock: as long as pending says that what is asked for is under way and in the state it was
// in at first, the clock moves to the moment that pending names.
func (w *World) Await(
	ctx context.Context, pending func(*world.State) (state string, at time.Time, pending bool),
) error {
	first, at, waits := pending(w.Read())
	if !waits || at.IsZero() {
		return nil
	}
	_, err := w.runSteps(ctx, true, func(value *world.State, left int) int {
		return w.moveToEvents(value, left, func() (time.Time, bool) {
			state, at, waits := pending(value)
			return at, waits && !at.IsZero() && state == first
		})
	})
	return err
}

// moveToEvents moves the clock from event to event as long as next names one, and returns how many it has settled: at
// most limit, and fewer if room is missing.
func (w *World) moveToEvents(value *world.State, limit int, next func() (time.Time, bool)) int {
	n := 0
	for n < limit {
		at, ok := next()
		if !ok {
			break
		}
		settled := w.moveClock(value, at, limit-n)
		if n += settled; settled == 0 {
			break
		}
	}
	return n
}

// moveClock moves the clock to a time, and settles at most limit events on the way, as long as there is room for what
// they create. It stops at an event that depends on a query.
func (w *World) moveClock(value *world.State, to time.Time, limit int) int {
	at, held := value.Held()
	n := 0
	for ; !held && n < limit && isDue(value, to) && !w.isFull(value); n++ {
		w.settleNext(value)
		at, held = value.Held()
	}
	if held && at.Before(to) {
		to = at
	}
	if event, ok := value.Next(); ok && event.At.Before(to) { // there are too many: no clock leaves one behind
		to = event.At
	}
	value.Clock = value.Clock.To(to)
	return n
}

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
