package main

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

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
		"one long turn":           {0.1, 1, 10_000, 200 * time.Microsecond, 1},
		"many short turns":        {0.1, 10_000, 1, 200 * time.Microsecond, 1},
		"steps that take longer":  {0.1, 3, 50, 40 * time.Millisecond, 1},
		"several at a time":       {0.1, 50, 200, 200 * time.Microsecond, 4},
		"half of the time":        {0.5, 20, 200, 500 * time.Microsecond, 2},
		"all of the time, or two": {1, 20, 200, 500 * time.Microsecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, over, began := newWorkShare(tt.share), make(chan struct{}), time.Now()
				var workers sync.WaitGroup
				for range tt.workers {
					workers.Go(func() {
						for range tt.turns {
							s.begin(over)
							for range tt.steps {
								s.pause(over)
								time.Sleep(tt.step)
							}
							s.end()
						}
					})
				}
				workers.Wait()
				s.begin(over) // who comes next rests for those before
				s.end()
				worked := tt.step * time.Duration(tt.workers*tt.turns*tt.steps)
				all := time.Since(began)
				most := time.Duration(float64(all)*tt.share) + workStep + tt.step
				if worked > most || tt.share < 1 && worked < most*9/10-2*workStep {
					t.Errorf("worked for %s of %s, want %s", worked, all, most)
				}
				if tt.share == 1 && all > worked {
					t.Errorf("rested for %s", all-worked)
				}
			})
		})
	}
}

// When nothing was done for a while, nobody has to rest for what was done before; and nothing is saved up.
func TestWorkShareAfterIdleness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const work = 100 * time.Millisecond
		s, over := newWorkShare(0.1), make(chan struct{})
		turn := func() (rested time.Duration) {
			began := time.Now()
			s.begin(over)
			time.Sleep(work)
			s.end()
			return time.Since(began) - work
		}
		turn()
		time.Sleep(time.Hour)
		if rested := turn(); rested > 0 {
			t.Errorf("rested for %s after an hour", rested)
		}
		if rested := turn(); rested < 850*time.Millisecond {
			t.Errorf("rested for %s only", rested)
		}
		close(over)
		if rested := turn(); rested > 0 {
			t.Errorf("rested for %s in the end", rested)
		}
	})
}
