package workflow_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

const (
	dailyUTC   = "schedule:\n  daily>: 07:00:00\n" + plain
	hourlyUTC  = "schedule:\n  hourly>: \"05:00\"\n" + plain
	dailyTokyo = "timezone: Asia/Tokyo\nschedule:\n  daily>: 07:00:00\n" + plain
)

// next gives the next run time and the next schedule time of a schedule.
func (h client) next(id string) [2]any {
	h.Helper()
	s := h.get("/api/schedules/" + id)
	return [2]any{s["nextRunTime"], s["nextScheduleTime"]}
}

// sessionTimes gives the times of all sessions, oldest first.
func (h client) sessionTimes() []any {
	h.Helper()
	sessions := list(h.get("/api/sessions"), "sessions")
	times := make([]any, len(sessions))
	for i, s := range sessions {
		times[len(sessions)-1-i] = s["sessionTime"]
	}
	return times
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	t.Run("come out of the definitions", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"a_daily": dailyTokyo, "b_plain": plain, "c_hourly": hourlyUTC})
		daily := object{
			"id": "1", "project": object{"id": "1", "name": "shop"}, "workflow": object{"id": "1", "name": "a_daily"},
			"nextRunTime": "2026-01-15T22:00:00Z", "nextScheduleTime": "2026-01-16T00:00:00+09:00", "disabledAt": nil,
		}
		hourly := object{
			"id": "2", "project": object{"id": "1", "name": "shop"}, "workflow": object{"id": "3", "name": "c_hourly"},
			"nextRunTime": "2026-01-15T10:05:00Z", "nextScheduleTime": "2026-01-15T10:00:00+00:00", "disabledAt": nil,
		}
		both := object{"schedules": []any{daily, hourly}}
		wantEqual(t, "one", h.get("/api/schedules/1"), daily)
		wantEqual(t, "all", h.get("/api/schedules"), both)
		wantEqual(t, "of the project", h.get("/api/projects/1/schedules"), both)
		wantEqual(t, "of a workflow", h.get("/api/projects/1/schedules?workflow=c_hourly"),
			object{"schedules": []any{hourly}})
		wantEqual(t, "of none", h.get("/api/projects/1/schedules?workflow=b_plain"), object{"schedules": []any{}})
		wantEqual(t, "above", h.get("/api/projects/1/schedules?last_id=1"), object{"schedules": []any{hourly}})
	})
	t.Run("are listed 100 at a time", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		workflows := map[string]string{}
		for n := range 130 {
			workflows[fmt.Sprintf("w%03d", n)] = dailyUTC
		}
		h.upload("shop", "v1", workflows)
		for _, path := range []string{"/api/schedules", "/api/projects/1/schedules"} {
			wantEqual(t, "first page", len(list(h.get(path), "schedules")), 100)
			rest := list(h.get(path+"?last_id=100"), "schedules")
			wantEqual(t, "rest", []any{len(rest), rest[0]["id"]}, []any{30, "101"})
			h.send("GET", path+"?last_id=x", nil).Refused(http.StatusBadRequest, "last_id")
		}
	})
	t.Run("that are unknown are named", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		for _, id := range []string{"1", "0", "x"} {
			h.send("GET", "/api/schedules/"+id, nil).Refused(http.StatusNotFound, "schedule", id)
			h.send("POST", "/api/schedules/"+id+"/disable", nil).Refused(http.StatusNotFound, "schedule", id)
			h.send("POST", "/api/schedules/"+id+"/enable", nil).Refused(http.StatusNotFound, "schedule", id)
			h.send("POST", "/api/schedules/"+id+"/skip",
				object{"nextTime": "2026-02-01T00:00:00Z", "dryRun": false}).Refused(http.StatusNotFound, "schedule", id)
			h.send("POST", "/api/schedules/"+id+"/backfill",
				object{"fromTime": "2026-01-01T00:00:00Z", "dryRun": false}).Refused(http.StatusNotFound, "schedule", id)
		}
	})
}

func TestScheduledRuns(t *testing.T) {
	t.Parallel()
	t.Run("happen when the world's clock comes by", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyTokyo})
		h.Advance(12*time.Hour + 29*time.Minute + 59*time.Second) // to one second before
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
		h.Advance(time.Second)
		wantEqual(t, "sessions", h.sessionTimes(), []any{"2026-01-16T00:00:00+09:00"})
		attempt := h.get("/api/attempts/1")
		wantEqual(t, "attempt", []any{attempt["status"], attempt["createdAt"]}, []any{"running", "2026-01-15T22:00:00Z"})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T22:00:00Z", "2026-01-17T00:00:00+09:00"})
		h.Advance(72 * time.Hour)
		wantEqual(t, "sessions", len(h.sessionTimes()), 4)
		wantEqual(t, "created", h.get("/api/attempts/4")["createdAt"], any("2026-01-18T22:00:00Z"))
	})
	t.Run("leave a session alone that exists", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyUTC})
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"workflowId": "1", "sessionTime": "2026-01-16T00:00:00Z", "params": object{}})
		h.Advance(24 * time.Hour)
		wantEqual(t, "attempts", len(list(h.get("/api/attempts?include_retried=true"), "attempts")), 1)
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-17T07:00:00Z", "2026-01-17T00:00:00+00:00"})
	})
	t.Run("are tried again ten minutes later when they hit a limit", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{
			"big": "schedule:\n  daily>: 07:00:00\n+loop:\n  loop>: 2000\n  _do:\n    +step:\n      echo>: hi\n",
		})
		h.Advance(21*time.Hour + 35*time.Minute) // to 07:05
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:10:00Z", "2026-01-16T00:00:00+00:00"})
		h.Advance(5 * time.Minute)
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:20:00Z", "2026-01-16T00:00:00+00:00"})
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
	})
	t.Run("are left out on overtime when the workflow wants it", func(t *testing.T) {
		t.Parallel()
		const slow = "  minutes_interval>: 1\n%s+a:\n  echo>: 1\n+b:\n  echo>: 1\n+c:\n  echo>: 1\n"
		for option, sessions := range map[string]int{"  skip_on_overtime: true\n": 2, "": 3} {
			h := newClient(t)
			h.upload("shop", "v1", map[string]string{"w": "schedule:\n" + fmt.Sprintf(slow, option)})
			h.Advance(time.Minute) // after the runs of 09:30 and 09:31, of which the latter takes three seconds
			h.do(http.StatusOK, "POST", "/api/schedules/1/skip", object{
				"nextTime": "2026-01-15T09:40:00Z", "nextRunTime": "2026-01-15T09:31:01Z", "dryRun": false,
			})
			h.Advance(time.Second)
			wantEqual(t, "sessions with "+option, len(h.sessionTimes()), sessions)
		}
	})
	t.Run("are left out when they come too late and the workflow wants it", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{
			"a": hourlyUTC, "b": "schedule:\n  hourly>: \"05:00\"\n  skip_delayed_by: 90m\n" + plain,
		})
		for _, id := range []string{"1", "2"} {
			h.do(http.StatusOK, "POST", "/api/schedules/"+id+"/disable", nil)
		}
		h.Advance(3 * time.Hour) // the runs of 10:05, 11:05 and 12:05 are missed by 12:30
		for _, id := range []string{"1", "2"} {
			h.do(http.StatusOK, "POST", "/api/schedules/"+id+"/enable", object{"skipSchedule": false})
		}
		times := map[any][]any{}
		for _, s := range list(h.get("/api/sessions"), "sessions") {
			name := s["workflow"].(object)["name"]
			times[name] = append(times[name], s["sessionTime"])
		}
		wantEqual(t, "sessions", times, map[any][]any{
			"a": {"2026-01-15T12:00:00+00:00", "2026-01-15T11:00:00+00:00", "2026-01-15T10:00:00+00:00"},
			"b": {"2026-01-15T12:00:00+00:00", "2026-01-15T11:00:00+00:00"},
		})
	})
}

func TestSchedulesOverChangesOfTheClock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		now, workflow string
		next          [][2]any
	}{
		"daily runs keep to the local day in spring": {
			"2026-03-07T00:00:00Z", "timezone: America/New_York\nschedule:\n  daily>: 07:00:00\n" + plain, [][2]any{
				{"2026-03-07T12:00:00Z", "2026-03-07T00:00:00-05:00"},
				{"2026-03-08T12:00:00Z", "2026-03-08T00:00:00-05:00"}, // seven elapsed hours into a day of 23
				{"2026-03-09T11:00:00Z", "2026-03-09T00:00:00-04:00"},
			},
		},
		"daily runs keep to the local day in autumn": {
			"2026-10-24T00:00:00Z", "timezone: Europe/Berlin\nschedule:\n  daily>: 07:00:00\n" + plain, [][2]any{
				{"2026-10-24T05:00:00Z", "2026-10-24T00:00:00+02:00"},
				{"2026-10-25T05:00:00Z", "2026-10-25T00:00:00+02:00"},
				{"2026-10-26T06:00:00Z", "2026-10-26T00:00:00+01:00"},
			},
		},
		"an hour that comes twice has two hourly runs": {
			"2026-10-25T00:00:00Z", "timezone: Europe/Berlin\nschedule:\n  hourly>: \"00:00\"\n" + plain, [][2]any{
				{"2026-10-25T00:00:00Z", "2026-10-25T02:00:00+02:00"},
				{"2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"},
				{"2026-10-25T02:00:00Z", "2026-10-25T03:00:00+01:00"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			if err != nil {
				t.Fatal(err)
			}
			h := newClient(t, mockserver.WithNow(now.Add(-time.Second)))
			h.upload("shop", "v1", map[string]string{"w": test.workflow})
			for i, want := range test.next {
				wantEqual(t, fmt.Sprint("slot ", i), h.next("1"), want)
				run, _ := time.Parse(time.RFC3339, want[0].(string))
				h.Advance(run.Sub(now.Add(-time.Second)))
				now = run.Add(time.Second)
			}
			wantEqual(t, "sessions", h.sessionTimes(), []any{test.next[0][1], test.next[1][1], test.next[2][1]})
		})
	}
}

func TestSchedulesWithAnEnd(t *testing.T) {
	t.Parallel()
	const ending = "schedule:\n  daily>: 07:00:00\n  start: 2026-01-10\n  end: 2026-01-17\n" + plain
	h := newClient(t)
	const ended = "schedule:\n  daily>: 07:00:00\n  end: 2026-01-01\n" + plain
	const beyond = "schedule:\n  daily>: 07:00:00\n  start: 9999-12-31\n" + plain
	h.upload("shop", "v1", map[string]string{"past": ended, "w": ending, "zz_beyond": beyond})
	over := [2]any{"9999-01-01T00:00:00Z", "9999-01-01T00:00:00+00:00"}
	wantEqual(t, "ended before it began", h.next("1"), over)
	wantEqual(t, "begins beyond all times", h.next("3"), over)
	wantEqual(t, "next", h.next("2"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
	h.Advance(240 * time.Hour)
	wantEqual(t, "sessions", h.sessionTimes(), []any{"2026-01-16T00:00:00+00:00", "2026-01-17T00:00:00+00:00"})
	wantEqual(t, "next", h.next("2"), over)
	h.send("POST", "/api/schedules/2/skip",
		object{"nextTime": "2026-02-01T00:00:00Z", "dryRun": false}).Refused(http.StatusBadRequest, "nextTime", "no slot")
	h.send("POST", "/api/schedules/2/skip",
		object{"nextTime": "2026-01-17T00:00:00Z", "dryRun": false}).Refused(http.StatusConflict)
	h.do(http.StatusOK, "POST", "/api/schedules/2/disable", nil)
	h.do(http.StatusOK, "POST", "/api/schedules/2/enable", nil)
	wantEqual(t, "next", h.next("2"), over)
}
