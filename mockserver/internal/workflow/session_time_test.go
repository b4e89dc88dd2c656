package workflow_test

import (
	"net/http"
	"net/url"
	"testing"
)

func TestTruncatedSessionTime(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	h.upload("shop", "v1", map[string]string{
		"a_tokyo":  "timezone: Asia/Tokyo\nschedule:\n  daily>: 07:00:00\n" + plain,
		"b_plain":  plain,
		"c_york":   "timezone: America/New_York\nschedule:\n  hourly>: 05:00\n" + plain,
		"d_bounds": "schedule:\n  daily>: 07:00:00\n  start: 2026-02-01\n  end: 2026-02-10\n" + plain,
	})
	path := func(id, at, mode string) string {
		query := url.Values{"session_time": {at}}
		if mode != "" {
			query.Set("mode", mode)
		}
		return "/api/workflows/" + id + "/truncated_session_time?" + query.Encode()
	}
	t.Run("tells project, revision and zone", func(t *testing.T) {
		t.Parallel()
		wantEqual(t, "answer", h.in(t).get(path("1", "2026-05-04T10:20:05Z", "day")), object{
			"project": object{"id": "1", "name": "shop"}, "revision": "v1", "timezone": "Asia/Tokyo",
			"sessionTime": "2026-05-04T00:00:00+09:00",
		})
	})
	for name, test := range map[string]struct{ id, at, mode, want string }{
		"is only converted without mode":  {"1", "2026-05-04T16:20:05Z", "", "2026-05-05T01:20:05+09:00"},
		"is local time without an offset": {"1", "2026-05-04T10:20:05", "", "2026-05-04T10:20:05+09:00"},
		"is cut to the second":            {"1", "2026-05-04T10:20:05.9Z", "second", "2026-05-04T19:20:05+09:00"},
		"is cut to the minute":            {"1", "2026-05-04T10:20:05Z", "minute", "2026-05-04T19:20:00+09:00"},
		"is cut to the hour":              {"1", "2026-05-04T10:20:05Z", "hour", "2026-05-04T19:00:00+09:00"},
		"is cut to the day of the zone":   {"1", "2026-05-04T16:20:05Z", "day", "2026-05-05T00:00:00+09:00"},
		"is the slot before":              {"1", "2026-05-04T16:20:05Z", "schedule", "2026-05-05T00:00:00+09:00"},
		"is the slot itself": {
			"1", "2026-05-05T00:00:00+09:00", "schedule", "2026-05-05T00:00:00+09:00",
		},
		"is the slot after": {
			"1", "2026-05-05T00:00:00+09:00", "next_schedule", "2026-05-06T00:00:00+09:00",
		},
		"is UTC with +00:00":               {"2", "2026-05-04T10:20:05+02:00", "", "2026-05-04T08:20:05+00:00"},
		"is the second of two equal hours": {"3", "2026-11-01T06:20:00Z", "hour", "2026-11-01T01:00:00-05:00"},
		"leaps over the hour that the clock leaps": {
			"3", "2026-03-08T06:59:00Z", "next_schedule", "2026-03-08T03:00:00-04:00",
		},
		"is midnight on the day the clock is set on": {"3", "2026-03-08T12:00:00-04:00", "day", "2026-03-08T00:00:00-05:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantEqual(t, "time", h.in(t).get(path(test.id, test.at, test.mode))["sessionTime"], any(test.want))
		})
	}
	without := lenient(t)
	without.upload("shop", "v1", map[string]string{"a": plain, "b": plain})
	for name, test := range map[string]struct{ id, at, mode string }{
		"a schedule mode without a schedule":      {"2", "2026-05-04T10:20:05Z", "schedule"},
		"a next_schedule mode without a schedule": {"2", "2026-05-04T10:20:05Z", "next_schedule"},
		"another mode":            {"2", "2026-05-04T10:20:05Z", "week"},
		"what is no time":         {"2", "yesterday", "day"},
		"a time beyond all years": {"2", "9999-12-31T23:00:00-05:00", ""},
		"an empty time":           {"2", "", ""},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []client{h.in(t), without.in(t)} {
				h.send("GET", path(test.id, test.at, test.mode), nil).Refused(http.StatusBadRequest)
			}
		})
	}
	t.Run("refuses slots before the start and after the end", func(t *testing.T) {
		t.Parallel()
		h.in(t).send("GET", path("4", "2026-01-20T00:00:00Z", "schedule"), nil).Refused(http.StatusBadRequest, "slot")
		h.in(t).send("GET", path("4", "2026-02-20T00:00:00Z", "next_schedule"), nil).Refused(http.StatusBadRequest, "slot")
	})
	t.Run("needs a time and a workflow", func(t *testing.T) {
		t.Parallel()
		h.in(t).send("GET", "/api/workflows/2/truncated_session_time", nil).Refused(http.StatusBadRequest, "session_time")
		without.in(t).send("GET", "/api/workflows/2/truncated_session_time", nil).Refused(http.StatusBadRequest,
			"session_time")
		h.in(t).send("GET", path("9", "2026-01-20T00:00:00Z", ""), nil).Refused(http.StatusNotFound, "workflow", "9")
	})
}
