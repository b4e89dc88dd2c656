package mockserver_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// No clock goes beyond the year 9998, and one that is moved there stays where it is.
func TestClocksEnd(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("frozen"))
	before := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/clock", "").Want(http.StatusOK).Body
	for path, body := range map[string]string{
		"/worlds/default/clock":  `{"mode":"frozen","now":"9999-06-01T00:00:00Z"}`,
		"/worlds/default/clock/": `{"mode":"real","now":"9999-12-31T23:59:59Z"}`,
		"/worlds":                `{"now":"9999-06-01T00:00:00Z","clock":"frozen"}`,
	} {
		if a := mocktest.Call(t, s, "POST", "/_understudy"+path, body).Want(http.StatusBadRequest); !strings.Contains(a.Body,
			"9999-01-01") {
			t.Errorf("%s: %s", body, a.Body)
		}
	}
	if after := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/clock", "").Body; after != before {
		t.Errorf("the clock was %s and is %s", before, after)
	}
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"mode":"frozen","now":"9998-12-31T00:00:00Z"}`).Want(http.StatusOK)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"48h"}`).Want(http.StatusBadRequest)
	for _, path := range []string{"/workflow/api/schedules", "/core/v3/database/list", "/_understudy/worlds"} {
		mocktest.Call(t, s, "GET", path, "").Want(http.StatusOK)
	}
}

// A clock that would pass more events than are settled at once stands before the next one, and says so.
func TestAClockLeavesNoEventBehind(t *testing.T) {
	t.Parallel()
	var failures []string
	s := mocktest.NewServer(t, mockserver.WithClock("frozen"),
		mockserver.WithLogger(slog.New(slog.DiscardHandler)),
		mockserver.WithFailure(func(text string) { failures = append(failures, text) }))
	s.SettleAtMost(100)
	type clock struct {
		Now            time.Time
		NextEvent      *time.Time
		Settled        int
		Idle, Complete bool
	}
	begin := s.World("").Now()
	at := mocktest.Decode[clock](mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"87600h"}`).Want(http.StatusOK))
	if at.Complete || at.Idle || at.Settled != 100 || at.NextEvent == nil || at.NextEvent.Before(at.Now) {
		t.Errorf("after too many events the clock is %+v", at)
	}
	if !at.Now.After(begin) || at.Now.After(begin.Add(10*24*time.Hour)) {
		t.Errorf("it is %s, and was %s", at.Now, begin)
	}
	shown := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/clock", "").Want(http.StatusOK)
	again := mocktest.Decode[clock](shown)
	if !again.Now.Equal(at.Now) {
		t.Errorf("it moved on to %s by itself", again.Now)
	}
	s.World("").Advance(24 * 3650 * time.Hour)
	if len(failures) != 1 || !strings.Contains(failures[0], "too many events") {
		t.Errorf("the test is told %q", failures)
	}
}

// A world is idle when nothing is due, not even what recurs, and no query is left to be run.
func TestAWorldWithSomethingDueIsNotIdle(t *testing.T) {
	t.Parallel()
	type clock struct{ Idle bool }
	t.Run("a schedule that was not reached", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("frozen"))
		s.SettleAtMost(3) // the schedule, and the begin and the end of its job
		mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(http.StatusOK)
		mocktest.Call(t, s, "POST", "/core/v3/schedule/create/every",
			`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"shop"}`).Want(http.StatusOK)
		for i, body := range []string{`{"advance":"10m"}`, `{"untilIdle":true}`} {
			got := mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", body).Want(http.StatusOK)
			if mocktest.Decode[clock](got).Idle != (i == 1) {
				t.Errorf("after %s: %s", body, got.Body)
			}
		}
	})
	t.Run("a query that nobody has waited for", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("real"),
				mockserver.WithQueryEngine(instant))
			mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(http.StatusOK)
			issueJobs(t, s, 1)
			time.Sleep(time.Minute)
			for _, want := range []bool{false, true} {
				got := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/clock", "").Want(http.StatusOK)
				if mocktest.Decode[clock](got).Idle != want {
					t.Errorf("want idle %v: %s", want, got.Body)
				}
				mocktest.Call(t, s, "GET", "/core/v3/job/show/1", "").Want(http.StatusOK)
			}
		})
	})
}

// Nor does one that has to wait for queries on its way, because their jobs would be tried again.
func TestAClockThatWaitsLeavesNoEventBehind(t *testing.T) {
	t.Parallel()
	for what, body := range map[string]string{
		"set": `{"mode":"frozen","now":"2026-01-16T09:30:00Z"}`, "advanced": `{"advance":"24h"}`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithClock("frozen"), mockserver.WithScenario("empty"),
				mockserver.WithQueryEngine(newStuckEngine()))
			s.SettleAtMost(100)
			mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(http.StatusOK)
			mocktest.Call(t, s, "POST", "/core/v3/schedule/create/often",
				`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"shop","retry_limit":1}`).Want(http.StatusOK)
			at := mocktest.Decode[struct {
				Settled        int
				Idle, Complete bool
			}](mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", body).Want(http.StatusOK))
			if at.Complete || at.Idle || at.Settled != 100 {
				t.Errorf("after too many events the clock is %+v", at)
			}
		})
	}
}
