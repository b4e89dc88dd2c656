package dig_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/dig"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	z, err := time.LoadLocation(name)
	check(tb, err)
	return z
}

func schedule(tb testing.TB, kind, spec, zoneName string) dig.Schedule {
	tb.Helper()
	s, err := dig.NewSchedule(kind, spec, zone(tb, zoneName))
	check(tb, err)
	return s
}

// at reads a time; without an offset it is UTC.
func at(tb testing.TB, text string) time.Time {
	tb.Helper()
	t, err := dig.ParseSessionTime(text, time.UTC)
	check(tb, err)
	return t
}

func text(slot dig.Slot) [2]string {
	if slot.IsZero() {
		return [2]string{}
	}
	return [2]string{slot.Time.Format(time.RFC3339), slot.Run.Format(time.RFC3339)}
}

func TestScheduleKinds(t *testing.T) {
	t.Parallel()
	const now = "2024-02-28T12:34:56Z" // a Wednesday
	tests := []struct{ kind, spec, zone, time, run string }{
		{"hourly", "05:30", "UTC", "2024-02-28T13:00:00Z", "2024-02-28T13:05:30Z"},
		{"hourly", "50:00", "UTC", "2024-02-28T12:00:00Z", "2024-02-28T12:50:00Z"},
		{"daily", "07:00:00", "Asia/Tokyo", "2024-02-29T00:00:00+09:00", "2024-02-29T07:00:00+09:00"},
		{"daily", "23:59:59", "Asia/Tokyo", "2024-02-28T00:00:00+09:00", "2024-02-28T23:59:59+09:00"},
		{"daily", "12:34:56", "UTC", "2024-02-28T00:00:00Z", "2024-02-28T12:34:56Z"},
		{"daily", "12:34:55", "UTC", "2024-02-29T00:00:00Z", "2024-02-29T12:34:55Z"},
		{"weekly", "Sun,09:00:00", "UTC", "2024-03-03T00:00:00Z", "2024-03-03T09:00:00Z"},
		{"weekly", "wednesday, 13:00:00", "UTC", "2024-02-28T00:00:00Z", "2024-02-28T13:00:00Z"},
		{"weekly", "3,12:00:00", "UTC", "2024-03-06T00:00:00Z", "2024-03-06T12:00:00Z"},
		{"weekly", "6,00:00:00", "UTC", "2024-03-02T00:00:00Z", "2024-03-02T00:00:00Z"},
		{"monthly", "1,09:00:00", "UTC", "2024-03-01T00:00:00Z", "2024-03-01T09:00:00Z"},
		{"monthly", "31,09:00:00", "UTC", "2024-03-31T00:00:00Z", "2024-03-31T09:00:00Z"},
		{"minutes_interval", "30", "UTC", "2024-02-28T13:00:00Z", "2024-02-28T13:00:00Z"},
		{"minutes_interval", "7", "UTC", "2024-02-28T12:35:00Z", "2024-02-28T12:35:00Z"},
		{"cron", "42 4 1 * *", "UTC", "2024-03-01T04:42:00Z", "2024-03-01T04:42:00Z"},
		{"cron", "0 0 29 feb *", "UTC", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"cron", "0 0 * * 7", "UTC", "2024-03-03T00:00:00Z", "2024-03-03T00:00:00Z"},
		{"cron", "0 0 * * 6-7", "UTC", "2024-03-02T00:00:00Z", "2024-03-02T00:00:00Z"},
		{"cron", "*/15 9-17 * * mon-fri", "America/New_York", "2024-02-28T09:00:00-05:00", "2024-02-28T09:00:00-05:00"},
	}
	for _, test := range tests {
		t.Run(test.kind+" "+test.spec, func(t *testing.T) {
			t.Parallel()
			s := schedule(t, test.kind, test.spec, test.zone)
			if diff := cmp.Diff([2]string{test.time, test.run}, text(s.First(at(t, now)))); diff != "" {
				t.Errorf("first slot (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScheduleSteps(t *testing.T) {
	t.Parallel()
	s := schedule(t, "daily", "07:00:00", "UTC")
	day := func(d string) [2]string {
		return [2]string{"2024-01-" + d + "T00:00:00Z", "2024-01-" + d + "T07:00:00Z"}
	}
	tests := []struct {
		name string
		got  dig.Slot
		want [2]string
	}{
		{"Next is strictly after", s.Next(at(t, "2024-01-02")), day("03")},
		{"Next of a moment before", s.Next(at(t, "2024-01-02").Add(-1)), day("02")},
		{"At takes the time itself", s.At(at(t, "2024-01-02")), day("02")},
		{"At of a moment later", s.At(at(t, "2024-01-02").Add(1)), day("03")},
		{"Last takes the time itself", s.Last(at(t, "2024-01-02")), day("02")},
		{"Last of a moment before", s.Last(at(t, "2024-01-03").Add(-1)), day("02")},
		{"First takes the run time itself", s.First(at(t, "2024-01-02T07:00:00")), day("02")},
		{"First of a moment later", s.First(at(t, "2024-01-02T07:00:00").Add(1)), day("03")},
		{"the zero schedule has no slots", dig.Schedule{}.Next(at(t, "2024-01-02")), [2]string{}},
		{"nor a last one", dig.Schedule{}.Last(at(t, "2024-01-02")), [2]string{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, text(test.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestScheduleWithoutFurtherSlots(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"0 0 30 2 *", "0 0 31 2,4,6,9,11 *"} {
		s := schedule(t, "cron", spec, "America/New_York")
		if !s.Next(at(t, "2024-01-01")).IsZero() || !s.Last(at(t, "2024-01-01")).IsZero() {
			t.Errorf("%s has a slot", spec)
		}
	}
	leap := schedule(t, "cron", "0 0 29 2 *", "UTC")
	if got := leap.Next(at(t, "2096-03-01")).Time.Year(); got != 2104 {
		t.Errorf("29 February after 2096 is in %d", got)
	}
	if got := leap.Last(at(t, "2104-02-28")).Time.Year(); got != 2096 {
		t.Errorf("29 February before 2104 is in %d", got)
	}
	if !leap.Next(at(t, "9999-12-31")).IsZero() {
		t.Error("there is a slot after the year 9999")
	}
}

func TestScheduleStartAndEnd(t *testing.T) {
	t.Parallel()
	s := read(t, `
timezone: Asia/Tokyo
schedule:
  daily>: 07:00:00
  start: 2024-01-10
  end: 2024-01-12
`).Schedule
	day := func(d string) [2]string {
		return [2]string{"2024-01-" + d + "T00:00:00+09:00", "2024-01-" + d + "T07:00:00+09:00"}
	}
	tests := []struct {
		name string
		got  dig.Slot
		want [2]string
	}{
		{"the first slot is on the day of start", s.First(at(t, "2020-01-01")), day("10")},
		{"the last slot is on the day of end", s.Next(at(t, "2024-01-11T00:00:00+09:00")), day("12")},
		{"after the day of end there is none", s.Next(at(t, "2024-01-12T00:00:00+09:00")), [2]string{}},
		{"the last slot stays the last", s.Last(at(t, "2030-01-01")), day("12")},
		{"before the day of start there is none", s.Last(at(t, "2024-01-09T23:59:59+09:00")), [2]string{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, text(test.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestScheduleOptions(t *testing.T) {
	t.Parallel()
	s := read(t, `
schedule:
  hourly>: 30:00
  skip_on_overtime: true
  skip_delayed_by: 1h 30m
  another: 1
`).Schedule
	got := []any{s.Kind, s.Spec, s.Zone.String(), s.SkipOnOvertime, s.SkipDelayedBy, s.Start, s.End}
	want := []any{"hourly", "30:00", "UTC", true, 90 * time.Minute, time.Time{}, time.Time{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schedule (-want +got):\n%s", diff)
	}
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "60s": time.Minute, "2d": 48 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		got := read(t, "schedule: {hourly>: '00:00', skip_delayed_by: "+text+"}\n").Schedule.SkipDelayedBy
		if got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	if s := read(t, "schedule: {minutes_interval>: 30}\n").Schedule; s.Spec != "30" {
		t.Errorf("the interval is %q", s.Spec)
	}
}

func TestScheduleErrorsSayTheLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, block, says string }{
		{"no mapping", "schedule: daily\n", "w.dig:1: schedule must be a mapping"},
		{"no kind", "schedule:\n  start: 2024-01-01\n", "w.dig:2: the schedule has no kind"},
		{
			"two kinds", "schedule:\n  daily>: 07:00:00\n  cron>: '* * * * *'\n",
			"w.dig:3: a schedule has one kind, but this one has daily> and cron>",
		},
		{"an unknown kind", "schedule:\n  yearly>: 1\n", `w.dig:2: unknown kind of schedule "yearly"`},
		{"a kind that is a list", "schedule:\n  daily>: [x]\n", "w.dig:2: daily> must be text"},
		{
			"an hour that is none", "schedule:\n  daily>: 24:00:00\n",
			`w.dig:2: daily> must be written as HH:MM:SS, not "24:00:00"`,
		},
		{"daily without seconds", "schedule:\n  daily>: 07:00\n", "HH:MM:SS"},
		{"daily with a sign", "schedule:\n  daily>: 07:+1:00\n", "HH:MM:SS"},
		{"hourly with hours", "schedule:\n  hourly>: 01:00:00\n", "hourly> must be written as MM:SS"},
		{"hourly with 60 minutes", "schedule:\n  hourly>: '60:00'\n", "hourly> must be written as MM:SS"},
		{"weekly without a day", "schedule:\n  weekly>: 09:00:00\n", "weekly> must be written as Sun,HH:MM:SS"},
		{"weekly on day 7", "schedule:\n  weekly>: 7,09:00:00\n", "weekly> must be"},
		{"weekly at no time", "schedule:\n  weekly>: Sun\n", "weekly> must be"},
		{"monthly on day 0", "schedule:\n  monthly>: 0,09:00:00\n", "monthly> must be written as D,HH:MM:SS"},
		{"monthly on day 32", "schedule:\n  monthly>: 32,09:00:00\n", "monthly> must be"},
		{"no minutes", "schedule:\n  minutes_interval>: 0\n", "minutes_interval> must be written as M"},
		{"sixty minutes", "schedule:\n  minutes_interval>: 60\n", "minutes_interval> must be"},
		{
			"cron of four fields", "schedule:\n  cron>: '* * * *'\n",
			"w.dig:2: cron> must have five fields, minute hour day month weekday, not \"* * * *\": it has 4 fields",
		},
		{"cron of six fields", "schedule:\n  cron>: '0 * * * * *'\n", "it has 6 fields"},
		{"cron with a name", "schedule:\n  cron>: '@daily'\n", "it has 1 field"},
		{"cron with a zone", "schedule:\n  cron>: 'TZ=UTC * * * *'\n", "is not a valid field"},
		{"cron with only a zone", "schedule:\n  cron>: 'TZ='\n", "it has 1 field"},
		{"cron with an empty list", "schedule:\n  cron>: ', * * * *'\n", "is not a valid field"},
		{"cron with minute 60", "schedule:\n  cron>: '60 * * * *'\n", "above maximum"},
		{
			"a wrong boolean", "schedule:\n  hourly>: 00:00\n  skip_on_overtime: often\n",
			"w.dig:3: skip_on_overtime must be true or false",
		},
		{
			"a wrong duration", "schedule:\n  hourly>: 00:00\n  skip_delayed_by: 1 week\n",
			"w.dig:3: skip_delayed_by must be a duration",
		},
		{
			"a duration beyond all", "schedule:\n  hourly>: 00:00\n  skip_delayed_by: 999999999d\n",
			"skip_delayed_by must be",
		},
		{"an empty duration", "schedule:\n  hourly>: 00:00\n  skip_delayed_by: ''\n", "skip_delayed_by must be"},
		{"a wrong start", "schedule:\n  hourly>: 00:00\n  start: tomorrow\n", "w.dig:3: start must be a day"},
		{"a wrong end", "schedule:\n  hourly>: 00:00\n  end: 2024-02-30\n", "w.dig:3: end must be a day"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.ReadDefinition("w.dig", []byte(test.block))
			refused(t, err, test.says)
		})
	}
}
