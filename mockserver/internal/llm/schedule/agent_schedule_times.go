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

// scheduleTimes is when a schedule runs.
type scheduleTimes struct {
	zone  *time.Location
	start time.Time // in the zone
	end   time.Time // its last day, as a midnight in UTC; zero: never ends
	unit  string
	every int   // units
	on    []int // days of the week or of the month
}

// noRepeat runs once.
const noRepeat = "no_repeat"

const localForm = "2006-01-02T15:04:05" // fractions of seconds are read as well, and dropped

// normalizeTimes brings the start of a schedule into the form of a local time without offset, and its end into that of
// a date (public). What cannot be read stays, for timesOf to refuse.
func normalizeTimes(a *world.AgentSchedule) {
	zone, err := time.LoadLocation(a.Timezone)
	if err != nil { // which timesOf refuses
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

// localTime reads a date, or a date and a time. A Z says nothing (public); with another offset the text is an instant,
// whose local time is meant (assumed).
func localTime(text string, zone *time.Location) (time.Time, bool) {
	for _, form := range []string{localForm, time.DateOnly} {
		if t, err := time.Parse(form, strings.TrimSuffix(text, "Z")); err == nil {
			return t, true
		}
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.In(zone), err == nil
}

// timesOf reads the times of a schedule, and refuses those that cannot be.
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

// checkRepetition: days are those of the week, from 0 or 7 for Sunday, or of the month; elsewhere they mean nothing
// (assumed).
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
				"%s wants days from %d to %d, not %d", t.unit, least, most, day))
		}
	}
	return errors.Join(errs...)
}

// lastDay is the date of the last day, or empty. Without repetition that is the day of the start (assumed).
func (t scheduleTimes) lastDay() string {
	switch {
	case t.unit == noRepeat:
		return t.start.Format(time.DateOnly)
	case t.end.IsZero():
		return ""
	}
	return t.end.Format(time.DateOnly)
}

// over reports whether the last day is.
func (t scheduleTimes) over(now time.Time) bool {
	last := t.lastDay()
	return last != "" && now.In(t.zone).Format(time.DateOnly) > last
}

// cron is when runs may start. It has no seconds, so those of the start are left out (assumed).
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

// days lists days for cron: those that were given, else that of the start (assumed).
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

// condition returns, in the words of a workflow, when a slot has a run, or the empty text if every slot has one.
// Cron cannot count units from the start.
func (t scheduleTimes) condition() string {
	unit, known := map[string]string{"daily": "day", "weekly": "week", "monthly": "month"}[t.unit]
	if !known || t.every < 2 {
		return ""
	}
	const since = `${moment(session_time).startOf("%[1]s").diff(moment("%[2]s").startOf("%[1]s"), "%[1]ss") %% %[3]d == 0}`
	return fmt.Sprintf(since, unit, t.start.Format(time.DateOnly), t.every)
}
