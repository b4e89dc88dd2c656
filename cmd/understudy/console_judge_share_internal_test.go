package main

import (
	"sync"
	"testing"
	"time"
)

// workClock is a clock that moves when somebody works or rests.
type workClock struct {
	mu             sync.Mutex
	at             time.Time
	worked, rested time.Duration
}

func (c *workClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *workClock) work(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.worked = c.at.Add(d), c.worked+d
}

func (c *workClock) rest(d time.Duration, _ <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.rested = c.at.Add(d), c.rested+d
}

// Whatever is judged, and by however many, all of it takes its share of the time.
func TestWorkShare(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		share   float64
		turns   int
		steps   int           // of each turn
		step    time.Duration // that it takes
		workers int
	}{
		"one long turn":           {0.1, 1, 100_000, 20 * time.Microsecond, 1},
		"many short turns":        {0.1, 10_000, 1, 200 * time.Microsecond, 1},
		"steps that take longer":  {0.1, 3, 50, 40 * time.Millisecond, 1},
		"several at a time":       {0.1, 50, 2000, 20 * time.Microsecond, 4},
		"half of the time":        {0.5, 20, 2000, 50 * time.Microsecond, 2},
		"all of the time, or two": {1, 20, 2000, 50 * time.Microsecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &workClock{at: time.Unix(0, 0)}
			s := &workShare{share: tt.share, now: clock.now, rest: clock.rest}
			over := make(chan struct{})
			var workers sync.WaitGroup
			for range tt.workers {
				workers.Go(func() {
					for range tt.turns {
						s.begin(over)
						for range tt.steps {
							s.pause(over)
							clock.work(tt.step)
						}
						s.end()
					}
				})
			}
			workers.Wait()
			s.begin(over) // who comes next rests for those before
			defer s.end()
			all := clock.worked + clock.rested
			most := time.Duration(float64(all)*tt.share) + workStep + tt.step
			if clock.worked > most || tt.share < 1 && clock.worked < most*9/10-2*workStep {
				t.Errorf("worked for %s of %s, want %s", clock.worked, all, most)
			}
			if tt.share == 1 && clock.rested > 0 {
				t.Errorf("rested for %s", clock.rested)
			}
		})
	}
}

// When nothing was done for a while, nobody has to rest for what was done before; and nothing is saved up.
func TestWorkShareAfterIdleness(t *testing.T) {
	t.Parallel()
	clock := &workClock{at: time.Unix(0, 0)}
	s := &workShare{share: 0.1, now: clock.now, rest: clock.rest}
	over := make(chan struct{})
	turn := func() {
		s.begin(over)
		clock.work(100 * time.Millisecond)
		s.end()
	}
	turn()
	clock.rest(time.Hour, over)
	clock.rested = 0
	if turn(); clock.rested > 0 {
		t.Errorf("rested for %s after an hour", clock.rested)
	}
	if turn(); clock.rested < 850*time.Millisecond {
		t.Errorf("rested for %s only", clock.rested)
	}
	close(over)
	clock.rested = 0
	if turn(); clock.rested > 0 {
		t.Errorf("rested for %s in the end", clock.rested)
	}
}
