package dwh

import (
	"fmt"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// never is the schedule type of an integration that only runs on request.
const never = "none"

// optionForms returns an example of the option for each schedule type. Only that of daily is public, the others are
// assumed after the directives of workflows.
func optionForms() map[string]string {
	return map[string]string{
		"daily": "10:00", "hourly": "30, the minute", "weekly": "Mon,10:00", "monthly": "1,10:00",
		"minutes_interval": "15, from 1 to 59", "cron": "0 10 * * *",
	}
}

// checkSchedule holds the option against its type. Without a type it is kept, and means nothing.
func checkSchedule(s world.WarehouseSchedule) error {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil || s.Timezone == "" || s.Timezone == "Local" { // the machine's own zone is not accepted
		return op.Invalid("timezone", "want the name of an IANA time zone, such as Asia/Tokyo, not %q", s.Timezone)
	}
	if s.Type == never {
		return nil
	}
	shape, known := optionForms()[s.Type]
	if !known {
		return op.Invalid("schedule_type", "want %s, daily, hourly, weekly, monthly, minutes_interval or cron, not %q",
			never, s.Type)
	}
	if _, err := dig.NewSchedule(s.Type, directiveValue(s), zone); err != nil {
		return op.Invalid("schedule_option", "%s needs a value such as %s, not %q", s.Type, shape, s.Option)
	}
	return nil
}

// directiveValue returns the option in the form of a workflow's schedule directive: with seconds, which may be left out
// here.
func directiveValue(s world.WarehouseSchedule) string {
	colons := 2
	switch s.Type {
	case "minutes_interval", "cron":
		return s.Option
	case "hourly":
		colons = 1
	}
	if strings.Count(s.Option, ":") == colons-1 {
		return s.Option + ":00"
	}
	return s.Option
}

// scheduleDirective returns the part of a workflow that makes it run by itself.
func scheduleDirective(s world.WarehouseSchedule) string {
	if s.Type == never {
		return ""
	}
	return fmt.Sprintf("schedule:\n  %s>: %s\n\n", s.Type, quoteYAML(directiveValue(s)))
}
