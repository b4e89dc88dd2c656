package dig_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"

	"svc.example/understudy/mockserver/internal/dig"
)

func TestScheduleWhereTheClockChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, spec, zone, from string
		want                         []string
	}{
		{
			"an hour left out has no hourly slot",
			"hourly", "00:00", "America/New_York", "2024-03-10T00:30:00-05:00",
			[]string{"2024-03-10T01:00:00-05:00", "2024-03-10T03:00:00-04:00"},
		},
		{
			"an hour that comes twice has two",
			"hourly", "00:00", "America/New_York", "2024-11-03T00:30:00-04:00",
			[]string{"2024-11-03T01:00:00-04:00", "2024-11-03T01:00:00-05:00", "2024-11-03T02:00:00-05:00"},
		},
		{
			"a fixed time in the gap moves to its end",
			"cron", "30 2 * * *", "America/New_York", "2024-03-09T12:00:00-05:00",
			[]string{"2024-03-10T03:00:00-04:00", "2024-03-11T02:30:00-04:00"},
		},
		{
			"a fixed time that comes twice counts once",
			"cron", "30 1 * * *", "America/New_York", "2024-11-02T12:00:00-04:00",
			[]string{"2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"},
		},
		{
			"midnight keeps its day through both changes",
			"daily", "07:00:00", "America/New_York", "2024-03-09T12:00:00-05:00",
			[]string{"2024-03-10T00:00:00-05:00", "2024-03-11T00:00:00-04:00"},
		},
		{
			"a midnight left out moves to the first moment of its day",
			"daily", "07:00:00", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00",
			[]string{"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"},
		},
		{
			"a midnight that comes twice counts once",
			"daily", "07:00:00", "America/Havana", "2024-11-02T12:00:00-04:00",
			[]string{"2024-11-03T00:00:00-04:00", "2024-11-04T00:00:00-05:00"},
		},
		{
			"a change of half an hour hides no hour",
			"cron", "0 2 * * *", "Australia/Lord_Howe", "2024-04-06T12:00:00+11:00",
			[]string{"2024-04-07T02:00:00+10:30", "2024-04-08T02:00:00+10:30"},
		},
		{
			"a day left out moves to the next and meets its slot",
			"daily", "07:00:00", "Pacific/Apia", "2011-12-29T00:00:00-10:00",
			[]string{"2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00"},
		},
		{
			"zones with half hours",
			"hourly", "00:00", "Asia/Kolkata", "2024-01-01T00:00:00Z",
			[]string{"2024-01-01T06:00:00+05:30", "2024-01-01T07:00:00+05:30"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := schedule(t, test.kind, test.spec, test.zone)
			got, slot := []string{}, dig.Slot{Time: at(t, test.from)}
			for range test.want {
				slot = s.Next(slot.Time)
				got = append(got, slot.Time.Format(time.RFC3339))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("slots (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScheduleDelayIsElapsedTime(t *testing.T) {
	t.Parallel()
	s := schedule(t, "daily", "07:00:00", "America/New_York")
	got := s.Next(at(t, "2024-03-09T12:00:00-05:00"))
	if want := "2024-03-10T08:00:00-04:00"; got.Run.Format(time.RFC3339) != want {
		t.Errorf("on the day that is an hour short it runs at %v, want %s", got.Run, want)
	}
}

// TestSlotsAgainstEveryMinute compares with a clock that is watched minute by minute.
func TestSlotsAgainstEveryMinute(t *testing.T) {
	t.Parallel()
	spans := []struct{ zone, from string }{
		{"America/New_York", "2024-03-09T00:00:00Z"},
		{"America/New_York", "2024-11-02T00:00:00Z"},
		{"Australia/Lord_Howe", "2024-04-05T00:00:00Z"},
		{"Australia/Lord_Howe", "2024-10-04T00:00:00Z"},
		{"America/Sao_Paulo", "2018-11-03T00:00:00Z"},
		{"America/Sao_Paulo", "2018-02-17T00:00:00Z"},
		{"America/Havana", "2024-11-02T00:00:00Z"},
		{"Antarctica/Troll", "2024-03-30T00:00:00Z"},
		{"Antarctica/Troll", "2024-10-26T00:00:00Z"},
		{"Pacific/Apia", "2011-12-29T00:00:00Z"},
		{"America/St_Johns", "2006-10-28T00:00:00Z"},
		{"Asia/Kathmandu", "2024-01-01T00:00:00Z"},
		{"Europe/Dublin", "2024-03-30T00:00:00Z"},
		{"Africa/Casablanca", "2024-03-09T00:00:00Z"},
	}
	for _, span := range spans {
		for _, spec := range []string{
			"* * * * *", "*/7 * * * *", "0 * * * *", "45 * * * *", "0 0 * * *", "30 0 * * *", "0 1 * * *", "0 2 * * *",
			"15,45 1,2 * * *", "30 2 * * *", "0 3 * * *", "*/20 0-3 * * *", "59 23 * * *", "30 1 * * 0", "10 */2 * * *",
		} {
			t.Run(span.zone+" "+span.from[:10]+" "+spec, func(t *testing.T) {
				t.Parallel()
				from := at(t, span.from)
				want := watched(t, spec, zone(t, span.zone), from)
				compare(t, schedule(t, "cron", spec, span.zone), from, want)
			})
		}
	}
}

const watch = 72 * time.Hour

func watched(tb testing.TB, spec string, zone *time.Location, from time.Time) []time.Time {
	tb.Helper()
	parsed, err := cron.ParseStandard("TZ=UTC " + spec)
	check(tb, err)
	due := func(wall time.Time) bool { return parsed.Next(wall.Add(-time.Second)).Equal(wall) }
	everyHour := strings.HasPrefix(strings.Fields(spec)[1], "*")
	wallOf := func(t time.Time) time.Time {
		t = t.In(zone)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	slots := []time.Time{}
	shown := wallOf(from.Add(-3 * time.Hour)) // the latest time the clock has shown
	for t := from.Add(-3 * time.Hour).Add(time.Minute); t.Before(from.Add(watch)); t = t.Add(time.Minute) {
		wall, hit := wallOf(t), false
		switch {
		case everyHour:
			hit = due(wall)
		case wall.After(shown):
			for w := shown.Add(time.Minute); !w.After(wall); w = w.Add(time.Minute) {
				hit = hit || due(w)
			}
		}
		if wall.After(shown) {
			shown = wall
		}
		if hit && t.After(from) {
			slots = append(slots, t.In(zone))
		}
	}
	return slots
}

func compare(t *testing.T, s dig.Schedule, from time.Time, want []time.Time) {
	t.Helper()
	got := []time.Time{}
	for slot := s.Next(from); slot.Time.Before(from.Add(watch)); slot = s.Next(slot.Time) {
		got = append(got, slot.Time)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("slots (-want +got):\n%s", diff)
	}
	for i := 0; i < len(got); i += 1 + len(got)/100 {
		slot := got[i]
		if last := s.Last(slot).Time; !last.Equal(slot) {
			t.Fatalf("the last slot at %v is %v", slot, last)
		}
		if last := s.Last(slot.Add(-1)).Time; i > 0 && !last.Equal(got[i-1]) {
			t.Fatalf("the last slot before %v is %v", slot, last)
		}
		if first := s.At(slot).Time; !first.Equal(slot) {
			t.Fatalf("the first slot at %v is %v", slot, first)
		}
	}
}
