package workflow_test

import (
	"maps"
	"net/http"
	"testing"
	"time"
)

// dailyShop is a server with a project whose one workflow runs daily at 07:00 UTC.
func dailyShop(t *testing.T) client {
	t.Helper()
	h := newClient(t)
	h.upload("shop", "v1", map[string]string{"daily": dailyUTC})
	return h
}

func summaryOf(changes object) object {
	s := object{
		"id": "1", "project": object{"id": "1", "name": "shop"}, "workflow": object{"id": "1", "name": "daily"},
		"nextRunTime": "2026-01-16T07:00:00Z", "nextScheduleTime": "2026-01-16T00:00:00+00:00", "disabledAt": nil,
		"createdAt": "2026-01-15T09:30:00Z", "updatedAt": "2026-01-15T09:30:00Z",
	}
	maps.Copy(s, changes)
	return s
}

func TestDisabledSchedules(t *testing.T) {
	t.Parallel()
	t.Run("do not run, and their next times stay", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.Advance(time.Hour)
		wantEqual(t, "answer", h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil),
			summaryOf(object{"disabledAt": "2026-01-15T10:30:00Z"}))
		h.Advance(96 * time.Hour)
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
		wantEqual(t, "listed", len(list(h.get("/api/schedules"), "schedules")), 1)
	})
	t.Run("take the time of the last disabling", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		h.Advance(time.Hour)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		wantEqual(t, "disabledAt", h.get("/api/schedules/1")["disabledAt"], any("2026-01-15T10:30:00Z"))
	})
	t.Run("stay disabled over revisions", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		h.upload("shop", "v2", map[string]string{"daily": hourlyUTC}, "clear_schedule_all", "true")
		wantEqual(t, "disabledAt", h.get("/api/schedules/1")["disabledAt"], any("2026-01-15T09:30:00Z"))
		h.Advance(24 * time.Hour)
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
	})
}

func TestEnabledSchedules(t *testing.T) {
	t.Parallel()
	missed := func(t *testing.T) client {
		t.Helper()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		h.Advance(72 * time.Hour) // to 2026-01-18T09:30; three runs are missed
		return h
	}
	enable := func(h client, mediaType, body string) object {
		return h.Call("POST", "/api/schedules/1/enable", body, "Content-Type", mediaType).Want(http.StatusOK).Object()
	}
	fromNow := [2]any{"2026-01-19T07:00:00Z", "2026-01-19T00:00:00+00:00"}
	for name, body := range map[string][2]string{
		"go on from now when there is no body":            {"", ""},
		"go on from now with an empty object":             {"application/json", "{}"},
		"go on from now with skipSchedule":                {"application/json", `{"skipSchedule":true}`},
		"read the body whatever its type":                 {"text/plain", `{"skipSchedule":true}`},
		"take a nextTime of null for absent":              {"application/json", `{"nextTime":null}`},
		"go on from a nextTime":                           {"application/json", `{"nextTime":"2026-01-18T12:00:00Z"}`},
		"read a nextTime without an offset in their zone": {"application/json", `{"nextTime":"2026-01-19T00:00:00"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := missed(t)
			answer := enable(h, body[0], body[1])
			wantEqual(t, "answer", answer, summaryOf(object{"nextRunTime": fromNow[0], "nextScheduleTime": fromNow[1]}))
			wantEqual(t, "next", h.next("1"), fromNow)
			h.Advance(24 * time.Hour)
			wantEqual(t, "sessions", h.sessionTimes(), []any{"2026-01-19T00:00:00+00:00"})
		})
	}
	t.Run("catch up on what they missed without skipSchedule", func(t *testing.T) {
		t.Parallel()
		h := missed(t)
		enable(h, "application/json", `{"skipSchedule":false}`)
		wantEqual(t, "sessions", h.sessionTimes(), []any{
			"2026-01-16T00:00:00+00:00", "2026-01-17T00:00:00+00:00", "2026-01-18T00:00:00+00:00",
		})
		wantEqual(t, "next", h.next("1"), fromNow)
		wantEqual(t, "started", h.get("/api/attempts/1")["createdAt"], any("2026-01-18T09:30:00Z"))
	})
	t.Run("are left as they are when they were enabled", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		wantEqual(t, "answer", enable(h, "", ""), summaryOf(nil))
	})
	t.Run("cannot go back", func(t *testing.T) {
		t.Parallel()
		h := missed(t)
		before := h.get("/api/schedules/1")
		for _, at := range []string{"2026-01-15T00:00:00Z", "2026-01-16T00:00:00Z"} {
			h.send("POST", "/api/schedules/1/enable", object{"nextTime": at}).Refused(http.StatusConflict)
		}
		wantEqual(t, "schedule", h.get("/api/schedules/1"), before)
	})
	t.Run("refuse a body that says nothing", func(t *testing.T) {
		t.Parallel()
		h := missed(t)
		before := h.get("/api/schedules/1")
		for _, body := range []string{
			`{"nextTime":"soon"}`, `{"nextTime":5}`, `{"skipSchedule":"yes"}`, `[]`, `{`, `{"nextTime":"99999-01-01T00:00:00Z"}`,
		} {
			for _, mediaType := range []string{"application/json", "text/plain"} {
				h.Call("POST", "/api/schedules/1/enable", body, "Content-Type", mediaType).Refused(http.StatusBadRequest)
			}
		}
		wantEqual(t, "schedule", h.get("/api/schedules/1"), before)
	})
}

func TestSkippedSchedules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body      object
		run, next string
	}{
		"go to the slot at a time": {
			object{"nextTime": "2026-01-18T00:00:00Z"}, "2026-01-18T07:00:00Z", "2026-01-18T00:00:00+00:00",
		},
		"go to the first slot after a time between": {
			object{"nextTime": "2026-01-18T00:00:01"}, "2026-01-19T07:00:00Z", "2026-01-19T00:00:00+00:00",
		},
		"go over a number of slots": {
			object{"fromTime": "2026-01-16T00:00:00Z", "count": 2}, "2026-01-18T07:00:00Z", "2026-01-18T00:00:00+00:00",
		},
		"count from the first slot at or after fromTime": {
			object{"fromTime": "2026-01-15T10:00:00Z", "count": 1}, "2026-01-17T07:00:00Z", "2026-01-17T00:00:00+00:00",
		},
		"prefer nextTime to fromTime and count": {
			object{"nextTime": "2026-01-18T00:00:00Z", "fromTime": "2026-01-16T00:00:00Z", "count": 5},
			"2026-01-18T07:00:00Z", "2026-01-18T00:00:00+00:00",
		},
		"run when nextRunTime says": {
			object{"nextTime": "2026-01-18T00:00:00Z", "nextRunTime": "2026-01-15T12:00:00+01:00"},
			"2026-01-15T11:00:00Z", "2026-01-18T00:00:00+00:00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := dailyShop(t)
			want := summaryOf(object{"nextRunTime": test.run, "nextScheduleTime": test.next})
			before := h.get("/api/schedules/1")
			test.body["dryRun"] = true
			wantEqual(t, "dry run", h.do(http.StatusOK, "POST", "/api/schedules/1/skip", test.body), want)
			wantEqual(t, "after the dry run", h.get("/api/schedules/1"), before)
			test.body["dryRun"] = false
			wantEqual(t, "answer", h.do(http.StatusOK, "POST", "/api/schedules/1/skip", test.body), want)
			wantEqual(t, "next", h.next("1"), [2]any{test.run, test.next})
			h.Advance(96 * time.Hour)
			wantEqual(t, "first session", h.sessionTimes()[0], any(test.next))
		})
	}
	t.Run("stay disabled", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		s := h.do(http.StatusOK, "POST", "/api/schedules/1/skip", object{"nextTime": "2026-01-18T00:00:00Z", "dryRun": false})
		wantEqual(t, "disabledAt", s["disabledAt"], any("2026-01-15T09:30:00Z"))
		h.Advance(240 * time.Hour)
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
	})
	for name, body := range map[string]object{
		"to where they are": {"nextTime": "2026-01-16T00:00:00Z"},
		"back":              {"nextTime": "2026-01-10T00:00:00Z"},
		"over no slots":     {"fromTime": "2026-01-16T00:00:00Z", "count": 0},
		"from the past":     {"fromTime": "2026-01-01T00:00:00Z", "count": 15},
	} {
		t.Run("cannot go "+name, func(t *testing.T) {
			t.Parallel()
			h := dailyShop(t)
			for _, dry := range []bool{true, false} {
				body["dryRun"] = dry
				h.send("POST", "/api/schedules/1/skip", body).Refused(http.StatusConflict, "2026-01-16T00:00:00+00:00")
			}
			wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
		})
	}
	for name, body := range map[string]any{
		"nothing":                     object{"dryRun": false},
		"fromTime alone":              object{"fromTime": "2026-01-16T00:00:00Z", "dryRun": false},
		"count alone":                 object{"count": 2, "dryRun": false},
		"a negative count":            object{"fromTime": "2026-01-16T00:00:00Z", "count": -1, "dryRun": false},
		"a giant count":               object{"fromTime": "2026-01-16T00:00:00Z", "count": 1 << 31, "dryRun": false},
		"more than a week of minutes": object{"fromTime": "2026-01-16T00:00:00Z", "count": 10001, "dryRun": false},
		"a broken nextTime":           object{"nextTime": "soon", "dryRun": false},
		"a broken fromTime":           object{"fromTime": "soon", "count": 1, "dryRun": false},
		"a broken nextRunTime":        object{"nextTime": "2026-01-18T00:00:00Z", "nextRunTime": "soon", "dryRun": false},
		"a nextTime of no text":       object{"nextTime": 5, "dryRun": false},
		"a count of no integer":       object{"fromTime": "2026-01-16T00:00:00Z", "count": 1.5, "dryRun": false},
		"a body that is a list":       []any{},
		"a time beyond the last":      object{"nextTime": "9999-12-31T00:00:00Z", "dryRun": false},
	} {
		t.Run("refuse "+name, func(t *testing.T) {
			t.Parallel()
			without := lenient(t)
			without.upload("shop", "v1", map[string]string{"daily": dailyUTC})
			for _, h := range []client{dailyShop(t), without} {
				h.send("POST", "/api/schedules/1/skip", body).Refused(http.StatusBadRequest)
				wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
			}
		})
	}
	t.Run("refuse an empty body", func(t *testing.T) {
		t.Parallel()
		without := lenient(t)
		without.upload("shop", "v1", map[string]string{"daily": dailyUTC})
		for _, h := range []client{dailyShop(t), without} {
			h.send("POST", "/api/schedules/1/skip", nil).Refused(http.StatusBadRequest)
			h.send("POST", "/api/schedules/1/backfill", nil).Refused(http.StatusBadRequest)
		}
	})
}
