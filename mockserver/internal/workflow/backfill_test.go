package workflow_test

import (
	"net/http"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestBackfill(t *testing.T) {
	t.Parallel()
	const path = "/api/schedules/1/backfill"
	two := []any{"2026-01-14T00:00:00+00:00", "2026-01-15T00:00:00+00:00"}
	times := func(answer object) []any { return pick(list(answer, "attempts"), "sessionTime") }
	t.Run("starts the slots up to the next schedule time, one behind the other", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		answer := h.do(http.StatusOK, "POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": false})
		attempts := list(answer, "attempts")
		wantEqual(t, "times", times(answer), two)
		wantEqual(t, "statuses", pick(attempts, "status"), []any{"running", "blocked"})
		wantEqual(t, "attempt", h.get("/api/attempts/1"), attempts[0])
		delete(answer, "attempts")
		wantEqual(t, "answer", answer, object{
			"id": "1", "project": object{"id": "1", "name": "shop"}, "workflow": object{"id": "1", "name": "daily"},
		})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
		h.Advance(time.Second)
		wantEqual(t, "first", h.get("/api/attempts/1")["status"], any("success"))
		wantEqual(t, "second", h.get("/api/attempts/2")["status"], any("running"))
		h.Advance(time.Second)
		wantEqual(t, "second", h.get("/api/attempts/2")["status"], any("success"))
	})
	t.Run("shows ids of 0 in a dry run, and starts nothing", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		body := object{"fromTime": "2026-01-14T00:00:00Z", "attemptName": "refill", "dryRun": true}
		answer := h.do(http.StatusOK, "POST", path, body)
		attempts := list(answer, "attempts")
		wantEqual(t, "times", times(answer), two)
		wantEqual(t, "ids", pick(attempts, "id"), []any{"0", "0"})
		wantEqual(t, "sessions", pick(attempts, "sessionId"), []any{"0", "0"})
		wantEqual(t, "names", pick(attempts, "retryAttemptName"), []any{"refill", "refill"})
		wantEqual(t, "nothing", h.sessionTimes(), []any{})
		body["dryRun"] = false
		wantEqual(t, "ids", pick(list(h.do(http.StatusOK, "POST", path, body), "attempts"), "id"), []any{"1", "2"})
	})
	t.Run("without fromTime begins with the next run, which is not in the past", func(t *testing.T) {
		t.Parallel()
		for _, body := range []object{{"dryRun": true}, {"dryRun": false}, {"dryRun": false, "fromTime": nil}} {
			h := dailyShop(t)
			wantEqual(t, "times", times(h.do(http.StatusOK, "POST", path, body)), []any{})
			wantEqual(t, "sessions", h.sessionTimes(), []any{})
			wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
		}
	})
	t.Run("without fromTime starts what a disabled schedule has missed when it moves on", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		h.Advance(48 * time.Hour) // to 2026-01-17T09:30
		body := object{"skipExisting": true, "advanceSchedule": true, "dryRun": false}
		answer := h.do(http.StatusOK, "POST", path, body)
		wantEqual(t, "times", times(answer), []any{"2026-01-16T00:00:00+00:00", "2026-01-17T00:00:00+00:00"})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-18T07:00:00Z", "2026-01-18T00:00:00+00:00"})
	})
	t.Run("without fromTime and without a next run starts nothing", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{
			"daily": "schedule:\n  daily>: 07:00:00\n  end: 2026-01-10\n" + plain,
		})
		wantEqual(t, "next", h.next("1"), [2]any{"9999-01-01T00:00:00Z", "9999-01-01T00:00:00+00:00"})
		wantEqual(t, "times", times(h.do(http.StatusOK, "POST", path, object{"dryRun": false})), []any{})
	})
	t.Run("takes count slots", func(t *testing.T) {
		t.Parallel()
		answer := dailyShop(t).do(http.StatusOK, "POST", path,
			object{"fromTime": "2026-01-10T00:00:00Z", "count": 2, "dryRun": false})
		wantEqual(t, "times", times(answer), []any{"2026-01-10T00:00:00+00:00", "2026-01-11T00:00:00+00:00"})
	})
	t.Run("begins with the first slot at or after fromTime", func(t *testing.T) {
		t.Parallel()
		answer := dailyShop(t).do(http.StatusOK, "POST", path,
			object{"fromTime": "2026-01-13T00:00:01Z", "dryRun": false})
		wantEqual(t, "times", times(answer), two)
	})
	t.Run("finds nothing behind the next schedule time", func(t *testing.T) {
		t.Parallel()
		answer := dailyShop(t).do(http.StatusOK, "POST", path,
			object{"fromTime": "2026-03-01T00:00:00Z", "dryRun": false})
		wantEqual(t, "times", times(answer), []any{})
	})
	t.Run("queues when the pool is full", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyUTC, "hourly": hourlyUTC})
		pools := list(h.get("/api/pools"), "pools")
		limit, _ := pools[0]["concurrencyLimit"].(float64)
		h.do(http.StatusCreated, "POST", "/api/pools", object{"name": "small", "concurrencyLimit": limit - 1})
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"workflowId": "2", "sessionTime": "2025-01-01T00:00:00Z", "params": object{}})
		answer := h.do(http.StatusOK, "POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": false})
		wantEqual(t, "statuses", pick(list(answer, "attempts"), "status"), []any{"queued", "blocked"})
	})
	t.Run("works for a disabled schedule", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
		answer := h.do(http.StatusOK, "POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": false})
		wantEqual(t, "times", times(answer), two)
	})
	t.Run("is a conflict when a session has the name already, and then starts nothing", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"workflowId": "1", "sessionTime": "2026-01-15T00:00:00Z", "params": object{}, "retryAttemptName": "again"})
		for _, dry := range []bool{true, false} {
			h.send("POST", path,
				object{"fromTime": "2026-01-14T00:00:00Z", "attemptName": "again", "dryRun": dry}).Refused(http.StatusConflict,
				"again", "2026-01-15")
		}
		wantEqual(t, "sessions", h.sessionTimes(), []any{"2026-01-15T00:00:00+00:00"})
		answer := h.do(http.StatusOK, "POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": true})
		wantEqual(t, "index", pick(list(answer, "attempts"), "index"), []any{1.0, 2.0})
		wantEqual(t, "session", pick(list(answer, "attempts"), "sessionId"), []any{"0", "1"})
		h.do(http.StatusOK, "POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "attemptName": "", "dryRun": false})
		h.send("POST", path, object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": false}).Refused(http.StatusConflict)
	})
	t.Run("leaves out sessions that exist when asked to, and counts them all the same", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"workflowId": "1", "sessionTime": "2026-01-14T00:00:00Z", "params": object{}})
		answer := h.do(http.StatusOK, "POST", path,
			object{"fromTime": "2026-01-13T00:00:00Z", "count": 2, "skipExisting": true, "dryRun": false})
		wantEqual(t, "times", times(answer), []any{"2026-01-13T00:00:00+00:00"})
		wantEqual(t, "sessions", len(h.sessionTimes()), 2)
	})
	t.Run("moves the schedule on over what it has missed when asked to", func(t *testing.T) {
		t.Parallel()
		for _, dry := range []bool{true, false} {
			h := dailyShop(t)
			h.do(http.StatusOK, "POST", "/api/schedules/1/disable", nil)
			h.Advance(48 * time.Hour) // to 2026-01-17T09:30; the 16th and the 17th are missed
			answer := h.do(http.StatusOK, "POST", path, object{
				"fromTime": "2026-01-15T00:00:00Z", "skipExisting": true, "advanceSchedule": true, "dryRun": dry,
			})
			wantEqual(t, "times", times(answer), []any{
				"2026-01-15T00:00:00+00:00", "2026-01-16T00:00:00+00:00", "2026-01-17T00:00:00+00:00",
			})
			next := [2]any{"2026-01-18T07:00:00Z", "2026-01-18T00:00:00+00:00"}
			if dry {
				next = [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"}
			}
			wantEqual(t, "next", h.next("1"), next)
		}
	})
	t.Run("leaves the schedule where it is when it takes in nothing of its future", func(t *testing.T) {
		t.Parallel()
		h := dailyShop(t)
		h.do(http.StatusOK, "POST", path, object{
			"fromTime": "2026-01-14T00:00:00Z", "skipExisting": true, "advanceSchedule": true, "dryRun": false,
		})
		wantEqual(t, "next", h.next("1"), [2]any{"2026-01-16T07:00:00Z", "2026-01-16T00:00:00+00:00"})
	})
}

func TestBackfillRefusals(t *testing.T) {
	t.Parallel()
	const from = "2026-01-14T00:00:00Z"
	for name, test := range map[string]struct {
		body  any
		words []string
	}{
		"a count of what is to come": {object{"count": 1, "dryRun": false}, []string{"count", "1", "0"}},
		"no dryRun":                  {object{"fromTime": from}, []string{"dryRun"}},
		"a broken fromTime":          {object{"fromTime": "soon", "dryRun": false}, []string{"fromTime"}},
		"a fromTime of no text":      {object{"fromTime": 5, "dryRun": false}, nil},
		"a count of nothing":         {object{"fromTime": from, "count": 0, "dryRun": false}, []string{"count"}},
		"a negative count":           {object{"fromTime": from, "count": -1, "dryRun": false}, []string{"count"}},
		"a giant count":              {object{"fromTime": from, "count": 1 << 31, "dryRun": false}, []string{"count"}},
		"a count of no integer":      {object{"fromTime": from, "count": "two", "dryRun": false}, nil},
		"more than there is":         {object{"fromTime": from, "count": 3, "dryRun": false}, []string{"count", "3", "2"}},
		"more than there may be":     {object{"fromTime": "1970-01-01T00:00:00Z", "dryRun": true}, []string{"10000"}},
		"advanceSchedule without skipExisting": {
			object{"fromTime": from, "advanceSchedule": true, "dryRun": false}, []string{"skipExisting"},
		},
		"advanceSchedule with attemptName": {
			object{"fromTime": from, "advanceSchedule": true, "skipExisting": true, "attemptName": "x", "dryRun": false},
			[]string{"attemptName"},
		},
		"a body that is a list": {[]any{}, nil},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			for _, validation := range []mockserver.Validation{mockserver.Strict, mockserver.Off} {
				h := newClient(t, mockserver.WithValidation(validation))
				h.upload("shop", "v1", map[string]string{"daily": dailyUTC})
				h.send("POST", "/api/schedules/1/backfill", test.body).Refused(http.StatusBadRequest, test.words...)
				wantEqual(t, "sessions", h.sessionTimes(), []any{})
			}
		})
	}
	t.Run("refuses more attempts than may wait, and then starts none", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"hourly": hourlyUTC})
		h.send("POST", "/api/schedules/1/backfill",
			object{"fromTime": "2025-11-01T00:00:00Z", "dryRun": false}).Refused(http.StatusBadRequest, "wait")
		wantEqual(t, "sessions", h.sessionTimes(), []any{})
	})
}
