package dig_test

import (
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
)

func TestTruncateSessionTime(t *testing.T) {
	t.Parallel()
	daily := schedule(t, "daily", "07:00:00", "Asia/Tokyo")
	tests := []struct{ name, time, zone, mode, want string }{
		{"no mode only converts", "2024-01-02T03:04:05.678Z", "Asia/Tokyo", "", "2024-01-02T12:04:05.678+09:00"},
		{"second", "2024-01-02T03:04:05.678Z", "Asia/Tokyo", "second", "2024-01-02T12:04:05+09:00"},
		{"minute", "2024-01-02T03:04:05.678Z", "Asia/Tokyo", "minute", "2024-01-02T12:04:00+09:00"},
		{"hour", "2024-01-02T03:04:05.678Z", "Asia/Tokyo", "hour", "2024-01-02T12:00:00+09:00"},
		{"hour in a zone with half hours", "2024-01-02T03:04:05Z", "Asia/Kolkata", "hour", "2024-01-02T08:00:00+05:30"},
		{"day", "2024-01-02T20:00:00Z", "Asia/Tokyo", "day", "2024-01-03T00:00:00+09:00"},
		{
			"the second of two equal hours stays the second", "2024-11-03T06:30:00Z", "America/New_York", "hour",
			"2024-11-03T01:00:00-05:00",
		},
		{"the first stays the first", "2024-11-03T05:30:00Z", "America/New_York", "hour", "2024-11-03T01:00:00-04:00"},
		{
			"an hour cut by a change begins before it", "2024-04-06T15:15:00Z", "Australia/Lord_Howe", "hour",
			"2024-04-07T01:00:00+11:00",
		},
		{
			"a day without midnight begins at one", "2018-11-04T12:00:00Z", "America/Sao_Paulo", "day",
			"2018-11-04T01:00:00-02:00",
		},
		{
			"a day with two midnights begins at the first", "2024-11-03T12:00:00Z", "America/Havana", "day",
			"2024-11-03T00:00:00-04:00",
		},
		{"schedule is the last slot", "2024-01-02T20:00:00Z", "Asia/Tokyo", "schedule", "2024-01-03T00:00:00+09:00"},
		{"schedule takes a slot itself", "2024-01-02T15:00:00Z", "Asia/Tokyo", "schedule", "2024-01-03T00:00:00+09:00"},
		{
			"next_schedule is the first slot after", "2024-01-02T20:00:00Z", "Asia/Tokyo", "next_schedule",
			"2024-01-04T00:00:00+09:00",
		},
		{
			"next_schedule goes on from a slot", "2024-01-02T15:00:00Z", "Asia/Tokyo", "next_schedule",
			"2024-01-04T00:00:00+09:00",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := dig.TruncateSessionTime(at(t, test.time), zone(t, test.zone), test.mode, &daily)
			check(t, err)
			if got := got.Format(time.RFC3339Nano); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTruncateSessionTimeRefuses(t *testing.T) {
	t.Parallel()
	never := schedule(t, "cron", "0 0 30 2 *", "UTC")
	tests := []struct {
		name, mode, says string
		time             time.Time
		schedule         *dig.Schedule
	}{
		{"an unknown mode", "week", `unknown mode "week"`, at(t, "2024-01-01"), &never},
		{"schedule without a schedule", "schedule", "requires a workflow with a schedule", at(t, "2024-01-01"), nil},
		{
			"next_schedule without a schedule", "next_schedule", "requires a workflow with a schedule",
			at(t, "2024-01-01"), nil,
		},
		{"schedule without a slot", "schedule", "has no slot at that time", at(t, "2024-01-01"), &never},
		{"next_schedule without a slot", "next_schedule", "has no slot at that time", at(t, "2024-01-01"), &never},
		{"a year of five digits", "", "years 1 to 9999", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.TruncateSessionTime(test.time, time.UTC, test.mode, test.schedule)
			refused(t, err, test.says)
		})
	}
}

func TestParseSessionTime(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, zone, want string }{
		{"2024-01-02T03:04:05Z", "Asia/Tokyo", "2024-01-02T12:04:05+09:00"},
		{"2024-01-02T03:04:05+05:30", "UTC", "2024-01-01T21:34:05Z"},
		{"2024-01-02T03:04:05+0530", "UTC", "2024-01-01T21:34:05Z"},
		{"2024-01-02T03:04:05-08", "UTC", "2024-01-02T11:04:05Z"},
		{"2024-01-02T03:04:05.123456789Z", "UTC", "2024-01-02T03:04:05.123456789Z"},
		{"2024-01-02T03:04Z", "UTC", "2024-01-02T03:04:00Z"},
		{"2024-01-02T03:04:05", "Asia/Tokyo", "2024-01-02T03:04:05+09:00"},
		{"2024-01-02T03:04:05.5", "Asia/Tokyo", "2024-01-02T03:04:05.5+09:00"},
		{"2024-01-02T03:04", "Asia/Tokyo", "2024-01-02T03:04:00+09:00"},
		{"2024-01-02 03:04:05", "Asia/Tokyo", "2024-01-02T03:04:05+09:00"},
		{"2024-01-02 03:04:05+09:00", "UTC", "2024-01-01T18:04:05Z"},
		{"2024-01-02", "Asia/Tokyo", "2024-01-02T00:00:00+09:00"},
		{"2024-03-10T02:30:00", "America/New_York", "2024-03-10T03:30:00-04:00"},
		{"2024-03-10T12:00:00", "America/New_York", "2024-03-10T12:00:00-04:00"},
		{"2024-11-03T01:30:00", "America/New_York", "2024-11-03T01:30:00-04:00"},
	}
	for _, test := range tests {
		got, err := dig.ParseSessionTime(test.text, zone(t, test.zone))
		check(t, err)
		if got := got.Format(time.RFC3339Nano); got != test.want {
			t.Errorf("%s in %s: got %s, want %s", test.text, test.zone, got, test.want)
		}
	}
	for _, text := range []string{
		"", "now", "2024-13-01", "2024-01-02T25:00:00Z", "1704164645", "2024-01-02T03:04:05 09:00",
		"0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+09:00",
	} {
		_, err := dig.ParseSessionTime(text, time.UTC)
		refused(t, err, "session time")
	}
}
