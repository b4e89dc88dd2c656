package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

func TestAutoClock(t *testing.T) {
	t.Parallel()
	c := newClient(t, mockserver.WithClock("auto"))
	c.upload("shop", "v1", map[string]string{"etl": etl, "wait": wait})
	p := c.createPool("small", 1)
	c.createRule(1, p.ID, onDemand)
	first := c.start("shop", "etl")
	second := c.start("shop", "wait", map[string]any{"allowQueueing": true})
	if first.Status != "running" || second.Status != "queued" {
		t.Fatalf("they begin as %s and %s", first.Status, second.Status)
	}
	var states []string
	for range 6 {
		states = append(states, fmt.Sprint(strings.Count(c.states(first.ID), "success")))
	}
	if got := strings.Join(states, " "); got != "1 2 4 6 6 6" {
		t.Errorf("tasks done at each look at the tasks: %s", got)
	}
	if got := c.attempt(second.ID).Status; got != "success" {
		t.Errorf("who polls a running attempt sees it %s next", got)
	}
	third := c.start("shop", "wait", map[string]any{"retryAttemptName": "3"})
	fourth := c.start("shop", "wait", map[string]any{"retryAttemptName": "4", "allowQueueing": true})
	if got := c.attempt(fourth.ID).Status; got != "running" {
		t.Errorf("who polls a queued attempt sees it %s next", got)
	}
	if got := c.attempt(third.ID).Status; got != "success" {
		t.Errorf("the one before it is %s", got)
	}
	if got := c.attempt(fourth.ID).Status; got != "success" {
		t.Errorf("the next poll sees it %s", got)
	}
	for _, path := range []string{
		"/api/sessions/" + fourth.SessionID, "/api/attempts/" + fourth.ID + "/retries",
		"/api/sessions/" + fourth.SessionID + "/attempts",
	} {
		a := c.start("shop", "wait", map[string]any{"retryAttemptName": path})
		if got := c.Get(path).Body; strings.Contains(got, `"running"`) {
			t.Errorf("%s of attempt %s still shows it running: %s", path, a.ID, got)
		}
	}
}
