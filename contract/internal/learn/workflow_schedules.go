package learn

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

// guessSchedule writes the schedule of a workflow of which answers show a next run, or attempts that no request
// started.
func (p *projects) guessSchedule(project, name string) (zone string, schedule *mapping) {
	isIt := func(o gjson.Result) bool {
		return o.Get("project.id").String() == project && o.Get("workflow.name").String() == name
	}
	for _, t := range p.things.of(scheduleKind) {
		if isIt(t.first()) {
			return p.scheduleOf(t, isIt)
		}
	}
	for _, t := range p.things.all(attemptKind) {
		if o := p.attemptObject(t); t.late && isIt(o) && p.isHourly(isIt) {
			zone, place := zoneOf(o.Get("sessionTime").String())
			schedule = newMapping()
			schedule.set("cron>", hourly(instant(t.first().Get("createdAt").String()).In(place)))
			return zone, schedule
		}
	}
	return "", nil
}

// scheduleOf writes a schedule: hourly if its times are hours apart, or else as seldom as the longest wait for its next
// run shows, at that time.
func (p *projects) scheduleOf(t *thing, isIt func(gjson.Result) bool) (zone string, schedule *mapping) {
	shown, longest := t.first(), time.Duration(0)
	for _, s := range t.sights {
		since := s.At
		if disabled := instant(s.object.Get("disabledAt").String()); !disabled.IsZero() {
			since = disabled // its next run stays the one of then
		}
		if wait := instant(s.object.Get("nextRunTime").String()).Sub(since); wait > longest {
			shown, longest = s.object, wait
		}
	}
	const day = 24 * time.Hour
	zone, place := zoneOf(shown.Get("nextScheduleTime").String())
	next := instant(shown.Get("nextRunTime").String()).In(place)
	clock := next.Format("15:04:05")
	schedule = newMapping()
	switch {
	case p.isHourly(isIt):
		schedule.set("cron>", hourly(next))
	case longest > 7*day:
		schedule.set("monthly>", fmt.Sprintf("%d,%s", next.Day(), clock))
	case longest > day:
		schedule.set("weekly>", next.Format("Mon")+","+clock)
	default:
		schedule.set("daily>", clock)
	}
	return zone, schedule
}

// hourly returns the text of a schedule that runs at the minute of a time in each hour.
func hourly(t time.Time) string { return fmt.Sprintf("%d * * * *", t.Minute()) }

// isHourly reports whether two session times of a workflow are an hour apart, of which one may be the next of its
// schedule, or two next ones are some hours apart, but not a day.
func (p *projects) isHourly(isIt func(gjson.Result) bool) bool {
	var times, next []time.Time
	for _, t := range p.things.of(scheduleKind) {
		for _, s := range t.sights {
			if isIt(t.first()) {
				next = append(next, instant(s.object.Get("nextScheduleTime").String()))
			}
		}
	}
	for _, t := range p.things.all(attemptKind) {
		if o := p.attemptObject(t); isIt(o) {
			times = append(times, instant(o.Get("sessionTime").String()))
		}
	}
	const day = 24 * time.Hour
	return areApart(next, func(by time.Duration) bool { return by%time.Hour == 0 && by > 0 && by < day }) ||
		areApart(append(times, next...), func(by time.Duration) bool { return by == time.Hour })
}

// areApart reports whether two times that follow each other are apart as is asked for.
func areApart(times []time.Time, isSo func(by time.Duration) bool) bool {
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		if isSo(times[i].Sub(times[i-1])) {
			return true
		}
	}
	return false
}

// zoneOf returns a time zone with the offset of a time.
func zoneOf(text string) (name string, place *time.Location) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "UTC", time.UTC
	}
	_, offset := t.Zone()
	const hour = 3600
	if offset == 0 || offset%hour != 0 {
		return "UTC", time.UTC
	}
	name = fmt.Sprintf("Etc/GMT%+d", -offset/hour) // whose sign is the other way round
	return name, time.FixedZone(name, offset)
}
