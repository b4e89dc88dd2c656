package workflow_test

import (
	"net/http"
	"testing"
	"time"
)

func TestSchedulesOverRevisions(t *testing.T) {
	t.Parallel()
	const at0900 = "schedule:\n  daily>: 09:00:00\n" + plain
	t.Run("keep their ids while the workflow keeps its name, and follow its definition", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"b": dailyUTC, "c": dailyUTC})
		h.upload("shop", "v2", map[string]string{"a": dailyUTC, "c": dailyUTC})
		schedules := list(h.get("/api/schedules"), "schedules")
		wantEqual(t, "ids", pick(schedules, "id"), []any{"2", "3"})
		wantEqual(t, "workflows", pick(schedules, "workflow"),
			[]any{object{"id": "4", "name": "c"}, object{"id": "3", "name": "a"}})
		h.send("GET", "/api/schedules/1", nil).Refused(http.StatusNotFound, "schedule")
	})
	t.Run("go with the schedule block, and come back as new ones", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"a": dailyUTC})
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		h.upload("shop", "v2", map[string]string{"a": plain})
		wantEqual(t, "schedules", h.get("/api/schedules"), object{"schedules": []any{}})
		h.Advance(48 * time.Hour)
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
		h.upload("shop", "v3", map[string]string{"a": dailyUTC})
		s := h.get("/api/schedules/2")
		wantEqual(t, "disabledAt", s["disabledAt"], nil)
	})
	t.Run("stay where they are when their definition has not changed", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/skip", object{"nextTime": "2026-02-01T00:00:00Z", "dryRun": false})
		h.upload("shop", "v2", map[string]string{"daily": dailyUTC + "+more:\n  echo>: 1\n"})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-02-01T07:00:00Z", "2026-02-01T00:00:00+00:00"})
		wantEqual(t, "definition", h.get("/api/schedules/1")["workflow"], any(object{"id": "2", "name": "daily"}))
	})
	for name, test := range map[string]struct {
		workflow string
		query    []string
		want     [2]any
	}{
		"jump to now when they have changed": {
			at0900, nil, [2]any{"2026-01-19T09:00:00Z", "2026-01-19T00:00:00+00:00"},
		},
		"go on from their last run without skip_schedule": {
			hourlyUTC, []string{"skip_schedule", "false"}, [2]any{"2026-01-18T09:30:00Z", "2026-01-16T01:00:00+00:00"},
		},
		"start anew when cleared": {
			dailyUTC, []string{"clear_schedule", "daily"}, [2]any{"2026-01-19T07:00:00Z", "2026-01-19T00:00:00+00:00"},
		},
		"start anew from schedule_from when cleared": {
			dailyUTC,
			[]string{"clear_schedule", "daily", "schedule_from", "2026-02-01T00:00:00Z", "skip_schedule", "false"},
			[2]any{"2026-02-01T07:00:00Z", "2026-02-01T00:00:00+00:00"},
		},
		"start anew when all are cleared": {
			at0900,
			[]string{"clear_schedule_all", "true", "skip_schedule", "false"},
			[2]any{"2026-01-19T09:00:00Z", "2026-01-19T00:00:00+00:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := dailyShop(t)
			h.Advance(24 * time.Hour) // the run of the 16th
			h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
			h.Advance(48 * time.Hour) // to 2026-01-18T09:30
			h.upload("shop", "v2", map[string]string{"daily": test.workflow}, test.query...)
			before := h.next("1")
			if before[1] != test.want[1] {
				t.Errorf("next %v, want %v", before, test.want)
			}
			h.do(http.StatusOK, "POST", "/api/schedules/1/enable", object{"skipSchedule": false})
			if test.want[0] != "2026-01-18T09:30:00Z" {
				wantEqual(t, "next", h.next("1"), test.want)
				return
			}
			// The missed hours are run at once, from the one after the last run on.
			wantEqual(t, "sessions", h.sessionTimes()[1], test.want[1])
			wantEqual(t, "next", h.next("1"), [2]any{"2026-01-18T10:05:00Z", "2026-01-18T10:00:00+00:00"})
		})
	}
	t.Run("go on from now without skip_schedule when they have never run", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.upload("shop", "v2", map[string]string{"daily": hourlyUTC}, "skip_schedule", "false")
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-15T10:05:00Z", "2026-01-15T10:00:00+00:00"})
	})
	t.Run("that are new count from schedule_from", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyUTC}, "schedule_from", "2026-02-01T08:00:00Z")
		wantEqual(t, "next", h.next("1"), [2]any{"2026-02-02T07:00:00Z", "2026-02-02T00:00:00+00:00"})
	})
	t.Run("that are new catch up on a schedule_from in the past, as far as the limits let them", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyUTC}, "schedule_from", "2026-01-13T00:00:00Z")
		wantEqual(t, "sessions", h.sessionTimes(), []any{
			"2026-01-13T00:00:00+00:00", "2026-01-14T00:00:00+00:00", "2026-01-15T00:00:00+00:00",
		})
		h = newClient(t)
		h.upload("shop", "v1", map[string]string{"w": "schedule:\n  minutes_interval>: 1\n" + plain},
			"schedule_from", "1970-01-01T00:00:00Z")
		s := h.get("/api/schedules/1")
		wantEqual(t, "next run", s["nextRunTime"], any("2026-01-15T09:40:00Z"))
	})
}
