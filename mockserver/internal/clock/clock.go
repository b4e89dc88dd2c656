// Package clock gives a world its time. It is the only package that reads the wall clock.
package clock

import (
	"fmt"
	"time"
)

// Mode is the mode of a clock, which decides what moves it.
type Mode string

// The three modes.
const (
	Real   Mode = "real"   // the wall clock moves it
	Frozen Mode = "frozen" // it moves only when it is set or advanced
	Auto   Mode = "auto"   // asking for something that is under way moves it to the moment that changes it
)

// ParseMode accepts the name of a mode.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case Real, Frozen, Auto:
		return mode, nil
	}
	return "", fmt.Errorf("unknown clock %q; want real, frozen or auto", name)
}

// Clock is a value: a copy goes its own way. Its zero value is not a clock; make one with New.
type Clock struct {
	mode   Mode
	at     time.Time     // the time, when the wall clock does not move it
	offset time.Duration // ahead of the wall clock, when it does
}

// New makes a clock that stands at a time; at the wall clock's when now is zero.
func New(mode Mode, now time.Time) Clock {
	c := Clock{mode: mode}
	if now.IsZero() {
		now = time.Now()
	} else if mode == Real {
		c.offset = time.Until(now)
	}
	c.at = now.UTC().Round(0)
	return c
}

// Mode returns the mode, which decides what moves the clock.
func (c Clock) Mode() Mode { return c.mode }

// Now returns the clock's time, in UTC.
func (c Clock) Now() time.Time {
	if c.mode == Real {
		return c.At(time.Now())
	}
	return c.at
}

// At returns the clock's time when the wall clock has a time.
func (c Clock) At(wall time.Time) time.Time {
	if c.mode == Real {
		return wall.Add(c.offset).UTC().Round(0)
	}
	return c.at
}

// Wall returns the wall clock's time, for connections and for unused worlds.
func Wall() time.Time { return time.Now() }

// To returns the clock moved forward to a time. A time that has passed leaves it where it is.
func (c Clock) To(t time.Time) Clock {
	if ahead := t.Sub(c.Now()); ahead > 0 {
		c.offset += ahead
		c.at = t.UTC().Round(0)
	}
	return c
}
