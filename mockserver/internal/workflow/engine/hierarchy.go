package engine

import (
	"slices"

	"svc.example/understudy/mockserver/internal/world"
)

// atStart is passed to addTasks for the tasks that exist from the start, which no task has created.
const atStart = -1

// addTasks adds the tasks that exist from the start, or those that the run of one task has created. A task that was
// taken over has created its own already.
func (p *progress) addTasks(by int) {
	places := make([]int, len(p.plan)) // among the tasks, by place in the plan
	for i := range places {
		places[i] = -1
	}
	for i, t := range p.tasks {
		places[t.Plan] = i
	}
	whole := p.copiedTasks()
	for i, planned := range p.plan {
		parent := -1
		if planned.Parent >= 0 {
			parent = places[planned.Parent]
		}
		if places[i] >= 0 || !p.isCreatedBy(i, parent, by) {
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

// isCreatedBy reports whether a task of the plan is created at the start, or by the run of a task. Parent is the place
// of its parent among the tasks, or -1.
func (p *progress) isCreatedBy(i, parent, by int) bool {
	if planned := p.plan[i]; planned.Parent < 0 || parent >= 0 && !planned.Generated {
		return true
	}
	return parent >= 0 && (parent == by || p.tasks[parent].Copied || p.plan[p.tasks[parent].Plan].Group)
}

// copiedTasks returns which tasks of the plan are taken over: those that the resumed attempt has done, subtasks
// included. A group that has got another subtask in a newer revision is not among them.
func (p *progress) copiedTasks() []bool {
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
