package dwh_test

import (
	"fmt"
	"testing"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, option, zone, next string }{
		{"daily", "10:00", "UTC", "2026-01-15T10:00:00Z"},
		{"daily", "10:00", "Asia/Tokyo", "2026-01-16T01:00:00Z"},
		{"daily", "10:00:30", "UTC", "2026-01-15T10:00:30Z"},
		{"hourly", "45", "UTC", "2026-01-15T09:45:00Z"},
		{"hourly", "15:30", "UTC", "2026-01-15T10:15:30Z"},
		{"weekly", "Mon,10:00", "UTC", "2026-01-19T10:00:00Z"},
		{"monthly", "1,10:00", "Europe/Berlin", "2026-02-01T09:00:00Z"},
		{"minutes_interval", "20", "UTC", "2026-01-15T09:40:00Z"},
		{"cron", "5 4 * * 0", "UTC", "2026-01-18T04:05:00Z"},
	} {
		t.Run(fmt.Sprint(test.kind, " ", test.option, " in ", test.zone, " runs the workflow"), func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			path := c.create(`"name"`, fmt.Sprintf(`"schedule_type": %q, "schedule_option": %q, "timezone": %q, "name"`,
				test.kind, test.option, test.zone))
			c.Get(path).Wants("schedule_type", test.kind, "schedule_option", test.option, "timezone", test.zone)
			c.At("workflow").Get(c.project(path)+"/schedules").Want(200).Wants("schedules.#", "1",
				"schedules.0.workflow.name", "orders_from_warehouse", "schedules.0.nextRunTime", test.next)
		})
	}
	for _, test := range [][2]string{
		{"daily", "25:00"},
		{"daily", "10"},
		{"daily", "Mon,10:00"},
		{"hourly", "60"},
		{"hourly", ""},
		{"weekly", "10:00"},
		{"monthly", "32,10:00"},
		{"minutes_interval", "60"},
		{"minutes_interval", "5:00"},
		{"cron", "@daily"},
		{"cron", "* * *"},
	} {
		t.Run(test[0]+" "+test[1]+" is refused", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			body := with(t, orders, `"name"`,
				fmt.Sprintf(`"schedule_type": %q, "schedule_option": %q, "name"`, test[0], test[1]))
			c.Post("/v1/dwh/", body).Refused(400, "schedule_option", test[0]+" needs a value such as",
				fmt.Sprintf(`not \"%s\"`, test[1]))
		})
	}
	for _, zone := range []string{"Mars/Olympus", "Local", "+09:00", ""} {
		t.Run("a time zone "+zone+" is refused", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.Post("/v1/dwh/", with(t, orders, `"name"`, fmt.Sprintf(`"timezone": %q, "name"`, zone))).
				Refused(400, "timezone", "IANA")
		})
	}
	t.Run("one that changes runs at its new times, one that stays is not moved, and none ends it", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create(`"name"`, `"schedule_type": "daily", "schedule_option": "10:00", "name"`)
		schedules := c.project(path) + "/schedules"
		next := func(want string) {
			t.Helper()
			c.At("workflow").Get(schedules).Want(200).Wants("schedules.0.id", "1", "schedules.0.nextRunTime", want)
		}
		next("2026-01-15T10:00:00Z")
		c.Put(path, `{"name": "renamed", "schedule_option": "10:00"}`).Want(200)
		next("2026-01-15T10:00:00Z")
		c.Put(path, `{"timezone": "Asia/Tokyo"}`).Want(200)
		next("2026-01-16T01:00:00Z")
		c.Put(path, `{"schedule_type": "minutes_interval", "schedule_option": "15"}`).Want(200)
		next("2026-01-15T09:45:00Z")
		c.Put(path, `{"schedule_type": "none"}`).Want(200).Wants("schedule_option", "15")
		c.At("workflow").Get(schedules).Want(200).Wants("schedules.#", "0")
	})
}
