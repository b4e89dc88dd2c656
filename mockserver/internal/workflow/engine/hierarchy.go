package engine

import (
	"slices"

	"svc.example/understudy/mockserver/internal/world"
)

// atStart stands for the task that has made the tasks which are there from the start.
const atStart = -1

// addTasks adds the tasks that have come into being: all that no run of another must make first, or what the run of one
// task has made. A task that was taken over has made its own already.
func (p *progress) addTasks(by int) {
	places := make([]int, len(p.plan)) // among the tasks, by place in the plan
	for i := range places {
		places[i] = -1
	}
	for i, t := range p.tasks {
		places[t.Plan] = i
	}
	whole := p.takenOver()
	for i, planned := range p.plan {
		parent := -1
		if planned.Parent >= 0 {
			parent = places[planned.Parent]
		}
		if places[i] >= 0 || !p.appearsNow(i, parent, by) {
			continue
		}
		places[i] = len(p.tasks)
		t := world.Task{
			ID: p.w.NewID("workflow.task"), Plan: i, Name: planned.Name, Parent: parent, State: world.TaskBlocked,
			CancelRequested: p.attempt.CancelRequested, UpdatedAt: p.at, Copied: whole[i],
		}
		if t.Copied {
			t.State = world.TaskSuccess
		}
		for _, up := range planned.Upstreams {
			if places[up] >= 0 {
				t.Upstreams = append(t.Upstreams, places[up])
			}
		}
		p.tasks = append(p.tasks, t)
	}
}

// appearsNow reports whether a task of the plan, whose parent has a place among the tasks, comes into being now.
func (p *progress) appearsNow(i, parent, by int) bool {
	if planned := p.plan[i]; planned.Parent < 0 || parent >= 0 && !planned.Generated {
		return true
	}
	return parent >= 0 && (parent == by || p.tasks[parent].Copied || p.plan[p.tasks[parent].Plan].Group)
}

// takenOver returns which tasks of the plan are taken over: those that the resumed attempt has done, subtasks included.
// A group that has got another subtask in a newer revision is not among them.
func (p *progress) takenOver() []bool {
	whole := make([]bool, len(p.plan))
	for i := range whole {
		_, whole[i] = slices.BinarySearch(p.attempt.Copies, p.plan[i].Name)
	}
	for i := len(p.plan) - 1; i > 0; i-- {
		if parent := p.plan[i].Parent; parent >= 0 && !whole[i] {
			whole[parent] = false
		}
	}
	return whole
}
