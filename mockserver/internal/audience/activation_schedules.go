package audience

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
)

// activationSchedule describes when an activation runs: by a type and its settings, or by a unit and a frequency,
// which is the newer form (public). Both are taken at once (assumed).
type activationSchedule struct {
	Type         *string `json:"scheduleType,omitzero"`
	Option       *string `json:"scheduleOption,omitzero"`
	RunAt        *string `json:"runAt,omitzero"`
	Cron         *string `json:"cron,omitzero"`
	Timezone     *string `json:"timezone,omitzero"`
	Unit         *string `json:"repeatUnit,omitzero"`
	Frequency    *int64  `json:"repeatFrequency,omitzero"`
	SubFrequency []int64 `json:"repeatSubFrequency,omitzero"`
	StartAt      *string `json:"startAt,omitzero"`
}

// check refuses what no schedule can be made of. What texts look like is assumed, as far as the document leaves it
// open; an empty one is none.
func (s activationSchedule) check() error {
	return errors.Join(s.checkZone(), s.checkType(), s.checkRunAt(), s.checkRepetition(), s.checkStart())
}

func (s activationSchedule) checkZone() error {
	name := trimmedText(s.Timezone)
	if name == "" {
		return nil
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return op.Invalid("timezone", "want the name of an IANA time zone, such as Asia/Tokyo, not %q", name)
	}
	return nil
}

// checkType requires what the type leaves open.
func (s activationSchedule) checkType() error {
	switch expression := trimmedText(s.Cron); {
	case trimmedText(s.Type) == "cron" && expression == "":
		return op.Invalid("cron", "is missing: want a cron expression for the schedule type cron")
	case expression != "":
		if _, err := dig.NewSchedule("cron", expression, nil); err != nil {
			return op.Invalid("cron", "%s", strings.TrimPrefix(err.Error(), "cron> "))
		}
	}
	if n, err := strconv.Atoi(trimmedText(s.Option)); trimmedText(s.Type) == "minutes_interval" && (err != nil || n < 1) {
		return op.Invalid("scheduleOption", "want a number of minutes, 1 or more, for the schedule type minutes_interval, "+
			"not %q", trimmedText(s.Option))
	}
	return nil
}

// checkRunAt requires a time of day; an hourly schedule runs at minutes and seconds of the hour.
func (s activationSchedule) checkRunAt() error {
	at := trimmedText(s.RunAt)
	forms, want := []string{time.TimeOnly, "15:04"}, "a time of day, such as 07:30 or 07:30:00"
	if trimmedText(s.Type) == "hourly" {
		forms, want = append(forms, "04:05"), "minutes and seconds, such as 30:00, or a time of day"
	}
	for _, form := range forms {
		if _, err := time.Parse(form, at); err == nil || at == "" {
			return nil
		}
	}
	return op.Invalid("runAt", "want %s, not %q", want, at)
}

func (s activationSchedule) checkRepetition() error {
	if s.Frequency != nil && *s.Frequency < 1 {
		return op.Invalid("repeatFrequency", "want 1 or more units between runs, not %d", *s.Frequency)
	}
	for i, day := range s.SubFrequency {
		if day < 1 || day > 7 {
			return op.Invalid("repeatSubFrequency."+strconv.Itoa(i), "want a day from 1 to 7, not %d", day)
		}
	}
	return nil
}

// checkStart requires local time: that it has no offset is public.
func (s activationSchedule) checkStart() error {
	at := trimmedText(s.StartAt)
	if _, err := time.Parse("2006-01-02T15:04:05", at); err != nil && at != "" {
		return op.Invalid("startAt", "want local time without an offset, such as 2026-01-16T06:00:00, not %q", at)
	}
	return nil
}

// trimmedText returns a text that was sent, without the white space around it.
func trimmedText(text *string) string {
	if text == nil {
		return ""
	}
	return strings.TrimSpace(*text)
}
