package mockserver

import (
	"fmt"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
)

// Outcome describes how the tasks of workflows that it fits end, in place of a success after the usual time. Empty
// names fit everything.
type Outcome struct {
	Project  string
	Workflow string
	Attempt  int64  // its id
	Nth      int    // which of the attempts to come that it fits, from 1; 0: all of them
	Task     string // the end of the full name of the task, such as +load

	Takes time.Duration // 0: the usual time
	Error string        // the message that the task fails with; empty: it succeeds
	Times int           // how many tasks it is for; 0: all that it fits

	Later bool // what it names is uploaded later, and so is not looked for now
}

// QueueOutcome queues an outcome for tasks that begin from now on. Of several that fit a task, the one that was queued
// first counts. A project, workflow or task that the world does not have is an error.
func (w *World) QueueOutcome(o Outcome) error {
	err := w.live.Write(0, func(tx *world.State) error {
		return workflow.QueueOutcome(tx, fixtures.Outcome{
			Project: o.Project, Workflow: o.Workflow, Attempt: fixtures.ID(o.Attempt), Nth: o.Nth, Task: o.Task,
			Takes: fixtures.Duration(o.Takes), Error: o.Error, Times: o.Times, Later: o.Later,
		})
	})
	if err != nil {
		return fmt.Errorf("queue an outcome: %w", err)
	}
	return nil
}
