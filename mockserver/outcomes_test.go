package mockserver_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// A queued outcome decides how the next tasks end, as often as it says.
func TestQueueOutcome(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
	w := s.World("")
	outcome := mockserver.Outcome{Project: "reporting", Takes: time.Minute, Error: "no space left", Times: 1}
	if err := w.QueueOutcome(outcome); err != nil {
		t.Fatal(err)
	}
	var statuses []string
	for _, day := range []string{"01", "02"} {
		started := mocktest.Call(t, s, "PUT", "/workflow/api/attempts", `{"projectName":"reporting","workflowName":"weekly_summary",
			"sessionTime":"2025-06-`+day+`T00:00:00+00:00","params":{}}`).Want(200)
		w.AdvanceUntilIdle()
		ended := mocktest.Call(t, s, "GET", "/workflow/api/attempts/"+jsontree.Find(started.Body, "id").Text(),
			"").Want(200)
		statuses = append(statuses, jsontree.Find(ended.Body, "status").Text())
	}
	if got := strings.Join(statuses, ", "); got != "error, success" {
		t.Errorf("the attempts end with %s, want error, success", got)
	}
	for name, wrong := range map[string]mockserver.Outcome{
		"task +nowhere: does not match the end of the full name of a task": {Task: "+nowhere"},
		"project reportin: want reporting":                                 {Project: "reportin"},
		"workflow daily: want":                                             {Project: "reporting", Workflow: "daily"},
		"-1: want 0 or more":                                               {Times: -1},
	} {
		if err := w.QueueOutcome(wrong); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
	if err := w.QueueOutcome(mockserver.Outcome{Project: "later", Task: "+load", Later: true}); err != nil {
		t.Errorf("for what is uploaded later: %v", err)
	}
}

// A fork for a test is deleted with the test.
func TestForkFor(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	var id string
	t.Run("it is there while the test runs", func(t *testing.T) { // not parallel: what follows waits for its end
		id = s.World("").ForkFor(t).ID()
		if s.World(id) == nil {
			t.Error("it is not there")
		}
	})
	if s.World(id) != nil {
		t.Error("it is there after the test")
	}
}
