package dig

import (
	"strings"
	"time"

	// Two libraries were at hand. This one compiles an expression into bit sets once: a next time is a walk over bits,
	// without allocation. The other, gronx, takes the expression apart again, as text, for every step. Neither gets
	// changes of the clock right: a midnight that a zone leaves out is a day without a slot, and where the clock is set
	// back half an hour the hour behind it is missed. So the library is only asked about wall clock times, where there
	// are no changes, and slots.next puts them on the time line.
	"github.com/robfig/cron/v3"
)

// slots is a compiled cron expression in a zone.
type slots struct {
	spec cron.SpecSchedule
	zone *time.Location
	// everyHour distinguishes a schedule that runs through the hours from one at fixed hours. The first follows elapsed
	// time: an hour that comes twice has its slots twice, one that is left out has none. The second happens once a day: in
	// the first of two equal hours, and at the end of a gap when its time falls into one (assumed, as cron does).
	everyHour bool
	never     bool // like 30 February
}

func compile(expression string, zone *time.Location) (*slots, error) {
	fields := strings.Fields(expression)
	wrong := func(why string) error {
		return failf("", 0, "cron> must have five fields, minute hour day month weekday, not %s: %s", quote(expression), why)
	}
	if len(fields) != 5 {
		return nil, wrong("it has " + plural(len(fields), "field"))
	}
	for i, f := range fields {
		// The library takes an empty list for no time at all, and a field with TZ= for a time zone.
		if strings.Contains(","+f+",", ",,") || strings.Contains(f, "=") {
			return nil, wrong(quote(f) + " is not a valid field")
		}
		if i == 4 {
			fields[i] = foldSunday(f)
		}
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	parsed, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, wrong(err.Error())
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, wrong("it is not a schedule of five fields")
	}
	s := &slots{spec: *spec, zone: zone, everyHour: strings.HasPrefix(fields[1], "*")}
	s.spec.Location = time.UTC
	s.never = s.wallAfter(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero()
	return s, nil
}

// foldSunday writes the weekday 7, which the library does not know, as 0.
func foldSunday(f string) string {
	items := strings.Split(f, ",")
	for i, item := range items {
		if item == "7" {
			items[i] = "0"
		} else if from, isRange := strings.CutSuffix(item, "-7"); isRange {
			items[i] = from + "-6,0"
		}
	}
	return strings.Join(items, ",")
}

// wallAfter returns the next match strictly after a wall clock time, both labelled UTC; zero when there is none. The
// library looks five years ahead: twice that passes 2100, which has no 29 February.
func (s *slots) wallAfter(wall time.Time) time.Time {
	if next := s.spec.Next(wall); !next.IsZero() {
		return next
	}
	return s.spec.Next(wall.AddDate(5, 0, 0))
}

// period is a stretch of time in which a zone keeps its offset; start and end are zero where it has none.
type period struct {
	start, end time.Time
	offset     time.Duration
}

func periodOf(t time.Time, zone *time.Location) period {
	t = t.In(zone)
	_, seconds := t.Zone()
	start, end := t.ZoneBounds()
	return period{start: start, end: end, offset: time.Duration(seconds) * time.Second}
}

func (p period) wall(t time.Time) time.Time    { return t.UTC().Add(p.offset) }
func (p period) instant(w time.Time) time.Time { return w.Add(-p.offset) }
func (p period) holds(t time.Time) bool        { return p.end.IsZero() || t.Before(p.end) }

// next returns the first slot strictly after t; zero when there is none before the year 10000.
func (s *slots) next(t time.Time) time.Time {
	if s.never || t.Year() > 9999 {
		return time.Time{}
	}
	if t.Year() < 1 {
		t = time.Time{}
	}
	p := periodOf(t, s.zone)
	wall := s.skipRepeated(p, p.wall(t))
	for {
		wall = s.wallAfter(wall)
		if wall.IsZero() || wall.Year() > 9999 {
			return time.Time{}
		}
		at := p.instant(wall)
		if p.holds(at) {
			return at.In(s.zone)
		}
		// Leap over the periods in between: no zone is set by more than two days.
		from := p.end
		if near := at.Add(-48 * time.Hour); near.After(from) {
			from = near
		}
		after := periodOf(from, s.zone)
		if gapEnd := after.wall(from); !s.everyHour && from.Equal(p.end) && wall.Before(gapEnd) {
			return from.In(s.zone)
		}
		p, wall = after, s.skipRepeated(after, after.wall(from).Add(-time.Second))
	}
}

// skipRepeated returns a wall clock time that is not before the time at which the clock was set back into p, for
// schedules whose times must not come twice.
func (s *slots) skipRepeated(p period, wall time.Time) time.Time {
	if s.everyHour || p.start.IsZero() {
		return wall
	}
	before := periodOf(p.start.Add(-1), s.zone)
	if seen := before.wall(p.start).Add(-time.Second); seen.After(wall) {
		return seen
	}
	return wall
}

// last returns the last slot at or before t, zero when there is none for ten years. Cron only looks ahead, so it widens
// a window until a slot is in it and then halves the window.
func (s *slots) last(t time.Time) time.Time {
	holds := func(at time.Time) bool { return !at.IsZero() && !at.After(t) }
	low := time.Time{}
	for back := time.Hour; back < 20*365*24*time.Hour && !holds(low); back *= 2 {
		low = s.next(t.Add(-back))
	}
	if !holds(low) {
		return time.Time{}
	}
	high := t
	for {
		next := s.next(low)
		if !holds(next) {
			return low
		}
		if middle := s.next(low.Add(high.Sub(low) / 2)); holds(middle) {
			low = middle
		} else {
			high = low.Add(high.Sub(low) / 2)
			low = next
		}
	}
}
