package dig

import (
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on machines that have none installed
)

// loadZone returns a zone by its name or its offset, as +09:00 or UTC+09:00. The machine's own zone is not accepted in
// a workflow.
func loadZone(name string) (*time.Location, error) {
	offset := strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err := time.Parse(layout, offset); err == nil {
			_, seconds := t.Zone()
			return time.FixedZone(name, seconds), nil
		}
	}
	if name == "" || name == "Local" {
		return nil, &Error{Reason: "not a time zone: " + quote(name)}
	}
	return time.LoadLocation(name)
}

// moment returns the time at which a wall clock in the zone shows this time, given labelled UTC: the first moment if it
// does so twice, and as much later as the clock was set on if it never does.
func moment(wall time.Time, zone *time.Location) time.Time {
	p := periodOf(wall.Add(-36*time.Hour), zone)
	for {
		at := p.instant(wall)
		if p.holds(at) {
			return at.In(zone)
		}
		after := periodOf(p.end, zone)
		if after.instant(wall).Before(p.end) {
			return at.In(zone)
		}
		p = after
	}
}

func startOfDay(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.Date()
	return moment(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), zone)
}

func dayAfter(t time.Time) time.Time {
	year, month, day := t.Date()
	return startOfDay(time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC), t.Location())
}

// TruncateSessionTime converts a session time to the zone and cuts it down by mode: second, minute, hour and day cut
// the wall clock time; schedule gives the last slot at or before it, next_schedule the first one after it, and both
// need a schedule; an empty mode only converts.
func TruncateSessionTime(t time.Time, zone *time.Location, mode string, s *Schedule) (time.Time, error) {
	t, err := inZone(t, zone)
	if err != nil {
		return time.Time{}, err
	}
	switch mode {
	case "":
		return t, nil
	case "second":
		return truncate(t, time.Second), nil
	case "minute":
		return truncate(t, time.Minute), nil
	case "hour":
		return truncate(t, time.Hour), nil
	case "day":
		return startOfDay(t, zone), nil
	case "schedule", "next_schedule":
		return bySchedule(t, zone, mode, s)
	}
	return time.Time{}, failf("", 0, "unknown mode %s; want second, minute, hour, day, schedule or next_schedule",
		quote(mode))
}

// inZone refuses years that no answer could be written with, on either side of the conversion.
func inZone(t time.Time, zone *time.Location) (time.Time, error) {
	t = t.In(zone)
	for _, year := range []int{t.Year(), t.UTC().Year()} {
		if year < 1 || year > 9999 {
			return time.Time{}, failf("", 0, "a session time must be in the years 1 to 9999, not %d", year)
		}
	}
	return t, nil
}

// truncate rounds a time down, and keeps its offset if possible: of two hours with the same name, the second stays the
// second.
func truncate(t time.Time, to time.Duration) time.Time {
	_, seconds := t.Zone()
	wall := t.UTC().Add(time.Duration(seconds) * time.Second).Truncate(to)
	same := wall.Add(-time.Duration(seconds) * time.Second).In(t.Location())
	if _, after := same.Zone(); after == seconds {
		return same
	}
	return moment(wall, t.Location())
}

func bySchedule(t time.Time, zone *time.Location, mode string, s *Schedule) (time.Time, error) {
	if s == nil {
		return time.Time{}, failf("", 0, "the mode %s requires a workflow with a schedule", mode)
	}
	slot := s.Next(t)
	if mode == "schedule" {
		slot = s.Last(t)
	}
	if slot.IsZero() {
		return time.Time{}, failf("", 0, "the schedule has no slot at that time: choose a time between its start and its end")
	}
	return slot.Time.In(zone), nil
}

// ParseSessionTime reads ISO 8601 with an offset, or without one as a time in the zone; seconds, their fraction and
// the time of day can be left out, and a space can stand for the T. The result is in the zone.
func ParseSessionTime(text string, zone *time.Location) (time.Time, error) {
	form := strings.Replace(text, " ", "T", 1)
	for _, local := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(local, form); err == nil {
			return inZone(moment(t, zone), zone)
		}
		for _, offset := range []string{"Z07:00", "Z0700", "Z07"} {
			if t, err := time.Parse(local+offset, form); err == nil {
				return inZone(t, zone)
			}
		}
	}
	return time.Time{}, failf("", 0, "a session time must have the form 2006-01-02T15:04:05+09:00, or without the offset "+
		"in the time zone of the workflow, not %s", quote(text))
}
