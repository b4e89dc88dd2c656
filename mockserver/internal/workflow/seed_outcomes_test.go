package workflow_test

import (
	"strings"
	"testing"
)

// pipeline is a fixture with a workflow of two revisions, one that loops, and a place for outcomes.
const pipeline = `
workflow:
  projects:
  - name: shop
    revisions:
    - {name: v1, createdAt: now-1d, files: {etl.dig: "+old: {echo>: a}\n"}}
    - name: v2
      files:
        etl.dig: "+group:\n  +extract: {echo>: a}\n  +load: {echo>: b}\n"
        loops.dig: "+twice: {loop>: 2, _do: {+say: {echo>: x}}}\n"
  - {name: crm, revisions: [{name: v1, files: {sync.dig: "+pull: {echo>: a}\n"}}]}
  outcomes:
`

func TestSeededOutcomes(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]string{
		"the end of a name":             "{project: shop, workflow: etl, task: +load}",
		"more of a name":                "{task: +group+load}",
		"any workflow of a project":     "{project: shop, task: +say}",
		"any workflow":                  "{task: +pull}",
		"a task of an earlier revision": "{workflow: etl, task: +old}",
		"a task that a loop makes":      "{workflow: loops, task: +loop-1+say}",
		"no task":                       "{project: crm, error: down}",
		"what comes later":              "{project: next, workflow: etl, task: +laod, later: true}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newClient(t).load(pipeline + "  - " + outcome + "\n")
		})
	}
	const no = ": does not match the end of the full name of a task that runs an operator; want "
	for name, test := range map[string]struct{ outcome, want string }{
		"a task that is not there": {
			"{project: shop, workflow: etl, task: +laod}",
			":13: workflow.outcomes[0].task: outcome 1: task +laod" + no + "+load, or one of +extract, +old",
		},
		"more of such a name": {
			"{workflow: etl, task: +group+laod}", "task +group+laod" + no + "+group+load, or one of +etl+old, +group+extract",
		},
		"a task of another workflow": {"{workflow: sync, task: +load}", "task +load" + no + "+pull"},
		"a task of another project":  {"{project: crm, task: +load}", "task +load" + no + "+pull"},
		"a task of no workflow":      {"{task: +purge}", "task +purge" + no + "one of +extract, +load, +old, +pull, +say"},
		"a group":                    {"{task: +group}", "task +group" + no},
		"a project": {
			"{project: shopp, task: +load}",
			`:13: workflow.outcomes[0].project: unknown project "shopp"; want shop`,
		},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			err := newClient(t).World().Load([]byte(pipeline + "  - " + test.outcome + "\n"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	t.Run("where there is no project, tasks come with an upload", func(t *testing.T) {
		t.Parallel()
		newClient(t).load("workflow: {outcomes: [{task: +load}]}")
	})
}
