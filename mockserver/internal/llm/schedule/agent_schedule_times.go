package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/world"
)

// scheduleTimes holds the times at which a schedule runs.
type scheduleTimes struct {
	zone  *time.Location
	start time.Time // in the zone
	end   time.Time // its last day, as a midnight in UTC; zero: never ends
	unit  string
	every int   // units
	on    []int // days of the week or of the month
}

// noRepeat is the unit of a schedule that runs once.
const noRepeat = "no_repeat"

const localForm = "2006-01-02T15:04:05" // fractions of seconds are read as well, and dropped

// normalizeTimes rewrites the start of a schedule as a local time without offset, and its end as a date (public). It
// leaves unreadable times for timesOf to refuse.
func normalizeTimes(a *world.AgentSchedule) {
	zone, err := time.LoadLocation(a.Timezone)
	if err != nil { // timesOf refuses it
		zone = time.UTC
	}
	if start, ok := localTime(a.StartAt, zone); ok {
		a.StartAt = start.Format(localForm)
	}
	if a.EndAt == nil {
		return
	}
	if end, ok := localTime(*a.EndAt, zone); ok {
		a.EndAt = new(end.Format(time.DateOnly))
	}
}

// localTime reads a date, or a date and a time. It ignores a Z (public); with another offset the text is an instant,
// which stands for its local time (assumed).
func localTime(text string, zone *time.Location) (time.Time, bool) {
	for _, form := range []string{localForm, time.DateOnly} {
		if t, err := time.Parse(form, strings.TrimSuffix(text, "Z")); err == nil {
			return t, true
		}
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.In(zone), err == nil
}

// timesOf returns the times of a schedule, and refuses invalid ones.
func timesOf(a world.AgentSchedule) (scheduleTimes, error) {
	t := scheduleTimes{unit: a.RepeatUnit, every: a.RepeatFrequency, on: a.RepeatSubFrequency}
	var errs []error
	var err error
	if t.zone, err = time.LoadLocation(a.Timezone); err != nil || a.Timezone == "" || a.Timezone == "Local" {
		errs = append(errs, jsonapi.Unprocessable("timezone", jsonapi.InvalidFormat,
			"want the IANA name of a time zone, such as Asia/Tokyo, not %q", a.Timezone))
		t.zone = time.UTC
	}
	if t.start, err = time.ParseInLocation(localForm, a.StartAt, t.zone); err != nil {
		errs = append(errs, jsonapi.Unprocessable("startAt", jsonapi.InvalidFormat,
			"want a local time, such as 2026-01-16T07:00:00, not %q", a.StartAt))
	}
	if a.EndAt != nil {
		t.end, err = time.Parse(time.DateOnly, *a.EndAt)
		switch {
		case err != nil:
			errs = append(errs, jsonapi.Unprocessable("endAt", jsonapi.InvalidFormat,
				"want a date, such as 2026-12-31, not %q", *a.EndAt))
		case *a.EndAt < t.start.Format(time.DateOnly):
			errs = append(errs, jsonapi.Unprocessable("endAt", jsonapi.InvalidFormat, "%s comes before the start, %s",
				*a.EndAt, a.StartAt))
		}
	}
	return t, errors.Join(append(errs, t.checkRepetition())...)
}

// checkRepetition refuses an invalid frequency and invalid days. Days are those of the week, from 0 or 7 for Sunday, or
// of the month; with other units they are ignored (assumed).
func (t scheduleTimes) checkRepetition() error {
	var errs []error
	if t.every < 1 && t.unit != noRepeat {
		errs = append(errs, jsonapi.Unprocessable("repeatFrequency", jsonapi.InvalidFormat, "want at least 1, not %d",
			t.every))
	}
	least, most := 0, 7
	switch t.unit {
	case "monthly":
		least, most = 1, 31
	case "weekly":
	default:
		return errors.Join(errs...)
	}
	for _, day := range t.on {
		if day < least || day > most {
			errs = append(errs, jsonapi.Unprocessable("repeatSubFrequency", jsonapi.InvalidFormat,
				"%s needs days from %d to %d, not %d", t.unit, least, most, day))
		}
	}
	return errors.Join(errs...)
}

// lastDay returns the date of the last day, or the empty text if there is none. Without repetition it is the day of the
// start (assumed).
func (t scheduleTimes) lastDay() string {
	switch {
	case t.unit == noRepeat:
		return t.start.Format(time.DateOnly)
	case t.end.IsZero():
		return ""
	}
	return t.end.Format(time.DateOnly)
}

// isOver reports whether the last day is over.
func (t scheduleTimes) isOver(now time.Time) bool {
	last := t.lastDay()
	return last != "" && now.In(t.zone).Format(time.DateOnly) > last
}

// cron returns the cron text for the times at which runs may start. Cron has no seconds, so those of the start are left
// out (assumed).
func (t scheduleTimes) cron() string {
	day, weekday := "*", "*"
	switch t.unit {
	case "weekly":
		weekday = days(t.on, int(t.start.Weekday()))
	case "monthly":
		day = days(t.on, t.start.Day())
	}
	return fmt.Sprintf("%d %d %s * %s", t.start.Minute(), t.start.Hour(), day, weekday)
}

// days returns a list of days for cron: the given ones, else that of the start (assumed).
func days(given []int, fallback int) string {
	if len(given) == 0 {
		given = []int{fallback}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(given)))
	texts := make([]string, len(sorted))
	for i, day := range sorted {
		texts[i] = strconv.Itoa(day)
	}
	return strings.Join(texts, ",")
}

// condition returns the condition for a run in a slot, as an expression of workflows, or the empty text if every slot
// has a run. Cron cannot count units from the start.
func (t scheduleTimes) condition() string {
	unit, known := map[string]string{"daily": "day", "weekly": "week", "monthly": "month"}[t.unit]
	if !known || t.every < 2 {
		return ""
	}
	const since = `${moment(session_time).startOf("%[1]s").diff(moment("%[2]s").startOf("%[1]s"), "%[1]ss") %% %[3]d == 0}`
	return fmt.Sprintf(since, unit, t.start.Format(time.DateOnly), t.every)
}
