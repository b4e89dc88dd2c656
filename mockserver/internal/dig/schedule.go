package dig

import (
	"strconv"
	"time"
)

// Schedule describes when a workflow starts by itself. Start and End are midnights in the zone, zero when not given;
// the day of End still counts. It is made by NewSchedule or out of a definition; its zero value has no slots.
type Schedule struct {
	Kind, Spec     string // "daily", "07:00:00"
	Zone           *time.Location
	SkipOnOvertime bool          // leave a slot out while the session before it runs
	SkipDelayedBy  time.Duration // leave a slot out when it comes later than this; 0 for never
	Start, End     time.Time

	delay time.Duration
	slots *slots
}

// Slot is one planned session: Time is its session time, Run when it is started, both in the schedule's zone. For a
// daily schedule Time is 00:00 of the day of Run (client). The zero Slot means that no further one follows.
type Slot struct {
	Time, Run time.Time
}

// IsZero reports whether a schedule has no further slot.
func (s Slot) IsZero() bool { return s.Time.IsZero() }

// NewSchedule compiles a schedule without options: kind is one of hourly, daily, weekly, monthly, minutes_interval and
// cron, spec its value as a definition has it. A nil zone is UTC.
func NewSchedule(kind, spec string, zone *time.Location) (Schedule, error) {
	if zone == nil {
		zone = time.UTC
	}
	shape, err := shapeOf(kind, spec)
	if err != nil {
		return Schedule{}, err
	}
	slots, err := compile(shape.cron, zone)
	if err != nil {
		return Schedule{}, err
	}
	return Schedule{Kind: kind, Spec: spec, Zone: zone, delay: shape.delay, slots: slots}, nil
}

// First returns the first slot that runs at or after from.
func (s Schedule) First(from time.Time) Slot { return s.At(from.Add(-s.delay)) }

// Next returns the first slot with a session time strictly after the given one.
func (s Schedule) Next(after time.Time) Slot {
	if s.slots == nil {
		return Slot{}
	}
	if !s.Start.IsZero() && after.Before(s.Start) {
		after = s.Start.Add(-1)
	}
	at := s.slots.next(after)
	if s.over(at) {
		return Slot{}
	}
	return s.slot(at)
}

// At returns the first slot with a session time at or after t.
func (s Schedule) At(t time.Time) Slot { return s.Next(t.Add(-1)) }

// Last returns the last slot with a session time at or before t.
func (s Schedule) Last(t time.Time) Slot {
	if s.slots == nil {
		return Slot{}
	}
	if s.over(t) {
		t = dayAfter(s.End).Add(-1)
	}
	at := s.slots.last(t)
	if at.Before(s.Start) {
		return Slot{}
	}
	return s.slot(at)
}

func (s Schedule) over(t time.Time) bool {
	return !s.End.IsZero() && !t.Before(dayAfter(s.End))
}

// slot adds the delay as elapsed time, as the engine does: on a day that is an hour short or long, a session runs an
// hour off its usual time of day (client).
func (s Schedule) slot(at time.Time) Slot {
	if at.IsZero() {
		return Slot{}
	}
	return Slot{Time: at, Run: at.Add(s.delay)}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
