package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
)

var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

func TestClock(t *testing.T) {
	t.Parallel()
	for _, mode := range []clock.Mode{clock.Frozen, clock.Auto} {
		t.Run(string(mode)+" moves only when it is told to", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := clock.New(mode, noon)
				time.Sleep(time.Hour)
				if !c.Now().Equal(noon) {
					t.Errorf("it is %s, want %s", c.Now(), noon)
				}
				if got, want := c.To(noon.Add(time.Minute)).Now(), noon.Add(time.Minute); !got.Equal(want) {
					t.Errorf("it is %s, want %s", got, want)
				}
				if !c.Now().Equal(noon) {
					t.Error("moving a copy moved the original")
				}
			})
		})
	}
	t.Run("real keeps its distance from the wall clock", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := clock.New(clock.Real, noon)
			time.Sleep(time.Hour)
			if got, want := c.Now(), noon.Add(time.Hour); !got.Equal(want) {
				t.Errorf("it is %s, want %s", got, want)
			}
			ahead := c.To(c.Now().Add(24 * time.Hour))
			time.Sleep(time.Minute)
			if got, want := ahead.Now(), noon.Add(25*time.Hour+time.Minute); !got.Equal(want) {
				t.Errorf("it is %s, want %s", got, want)
			}
		})
	})
	t.Run("does not go back", func(t *testing.T) {
		t.Parallel()
		c := clock.New(clock.Frozen, noon)
		if got := c.To(noon.Add(-time.Hour)).Now(); !got.Equal(noon) {
			t.Errorf("it is %s, want %s", got, noon)
		}
	})
	t.Run("without a time begins at the wall clock's", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			for _, mode := range []clock.Mode{clock.Real, clock.Frozen, clock.Auto} {
				if got := clock.New(mode, time.Time{}).Now(); !got.Equal(time.Now()) {
					t.Errorf("%s: it is %s, want %s", mode, got, time.Now())
				}
			}
		})
	})
	t.Run("has three modes", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"", "Real", "fast"} {
			if _, err := clock.ParseMode(name); err == nil {
				t.Errorf("mode %q is accepted", name)
			}
		}
	})
}
