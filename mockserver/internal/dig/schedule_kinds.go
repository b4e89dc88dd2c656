package dig

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timing is the common form of every kind of schedule: a cron expression for the session times, and how long after each
// the session is started (client).
type timing struct {
	cron  string
	delay time.Duration
}

// kindNames shows each kind with the form of its value, in the order of the manual.
func kindNames() string {
	return "hourly>: MM:SS, daily>: HH:MM:SS, weekly>: Sun,HH:MM:SS, monthly>: D,HH:MM:SS, minutes_interval>: M, " +
		"cron>: with five fields"
}

func timingOf(kind, spec string) (timing, error) {
	switch kind {
	case "hourly":
		return hourly(spec)
	case "daily":
		delay, err := clockTime(kind, "HH:MM:SS", spec)
		return timing{"0 0 * * *", delay}, err
	case "weekly":
		return weekly(spec)
	case "monthly":
		return monthly(spec)
	case "minutes_interval":
		return everyMinutes(spec)
	case "cron":
		return timing{cron: spec}, nil
	}
	return timing{}, failf("", 0, "unknown kind of schedule %s; want one of %s", quote(kind), kindNames())
}

func hourly(spec string) (timing, error) {
	parts := strings.Split(spec, ":")
	if len(parts) != 2 {
		return timing{}, specError("hourly", "MM:SS", spec)
	}
	minutes, ok1 := twoDigits(parts[0], 0, 59)
	seconds, ok2 := twoDigits(parts[1], 0, 59)
	if !ok1 || !ok2 {
		return timing{}, specError("hourly", "MM:SS", spec)
	}
	return timing{"0 * * * *", time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second}, nil
}

func weekly(spec string) (timing, error) {
	const form = "Sun,HH:MM:SS"
	day, at, found := strings.Cut(spec, ",")
	number, known := weekday(strings.TrimSpace(day))
	if !found || !known {
		return timing{}, specError("weekly", form, spec)
	}
	delay, err := clockTime("weekly", form, strings.TrimSpace(at))
	return timing{fmt.Sprintf("0 0 * * %d", number), delay}, err
}

func weekday(day string) (int, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(day, d.String()) || strings.EqualFold(day, d.String()[:3]) {
			return int(d), true
		}
	}
	return twoDigits(day, 0, 6)
}

func monthly(spec string) (timing, error) {
	const form = "D,HH:MM:SS"
	text, at, found := strings.Cut(spec, ",")
	day, ok := twoDigits(strings.TrimSpace(text), 1, 31)
	if !found || !ok {
		return timing{}, specError("monthly", form, spec)
	}
	delay, err := clockTime("monthly", form, strings.TrimSpace(at))
	return timing{fmt.Sprintf("0 0 %d * *", day), delay}, err
}

func everyMinutes(spec string) (timing, error) {
	minutes, ok := twoDigits(spec, 1, 59)
	if !ok {
		return timing{}, specError("minutes_interval", "M, a number of minutes from 1 to 59", spec)
	}
	return timing{cron: fmt.Sprintf("*/%d * * * *", minutes)}, nil
}

func clockTime(kind, form, spec string) (time.Duration, error) {
	parts := strings.Split(spec, ":")
	if len(parts) != 3 {
		return 0, specError(kind, form, spec)
	}
	hours, ok1 := twoDigits(parts[0], 0, 23)
	minutes, ok2 := twoDigits(parts[1], 0, 59)
	seconds, ok3 := twoDigits(parts[2], 0, 59)
	if !ok1 || !ok2 || !ok3 {
		return 0, specError(kind, form, spec)
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second, nil
}

// twoDigits reads a number of one or two digits within bounds.
func twoDigits(text string, least, most int) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 8)
	return int(n), err == nil && len(text) <= 2 && int(n) >= least && int(n) <= most
}

func specError(kind, form, spec string) error {
	return failf("", 0, "%s> must be written as %s, not %s", kind, form, quote(spec))
}
