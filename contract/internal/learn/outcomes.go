package learn

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// outcome describes the end of tasks of the recording.
type outcome struct {
	project, workflow, task string
	sessionTime             string // of the only attempts that it is for, or empty
	takes                   time.Duration
	message                 string
	guessed                 string // the reason for a guess
}

// outcomes script the attempts that begin in the recording, or end in it, from what answers show of their tasks.
func (l *learner) outcomes(p *projects) *sequence {
	general, s := newSequence(), newSequence()
	seen := map[outcome]bool{}
	for _, t := range l.things.all(attemptKind) {
		for _, o := range l.outcomesOf(t) {
			if seen[o] {
				continue
			}
			seen[o] = true
			m := newMapping()
			m.set("project", o.project)
			m.set("workflow", o.workflow)
			m.set("sessionTime", o.sessionTime)
			m.set("task", o.task)
			if o.guessed != "" {
				m.guess("takes", durationText(o.takes), o.guessed)
			} else {
				m.set("takes", durationText(o.takes))
			}
			m.set("error", o.message)
			if !p.has(o.project, o.workflow) {
				m.set("later", true)
			}
			if o.sessionTime != "" {
				s.add(m)
			} else {
				general.add(m)
			}
		}
	}
	s.node.Content = append(s.node.Content, general.node.Content...)
	return s
}

// has reports whether a project has a workflow at the beginning.
func (p *projects) has(project, workflow string) bool {
	for id, name := range p.names {
		if name == project && p.workflows[id][workflow] != "" {
			return true
		}
	}
	return false
}

// outcomesOf returns how the tasks of an attempt that were not over at the beginning end.
func (l *learner) outcomesOf(t *thing) (list []outcome) {
	o := l.attemptObject(t)
	base := outcome{project: o.Get("project.name").String(), workflow: o.Get("workflow.name").String()}
	if base.project == "" {
		return nil
	}
	finished := instant(t.last().Get("finishedAt").String())
	if t.wasThere() && !finished.IsZero() && !finished.After(l.begin) {
		return nil
	}
	leaves := 0
	for _, task := range byNumber(l.tasksOf(t)) {
		if task.last().Get("group").Bool() {
			continue
		}
		leaves++
		end, started := l.endOf(task), instant(task.last().Get("startedAt").String())
		if end.IsZero() || started.IsZero() || t.wasThere() && !started.After(l.begin) {
			continue
		}
		full := task.last().Get("fullName").String()
		one := base
		one.task, one.takes = full[strings.LastIndex(full, "+"):], end.Sub(started)
		one.message = task.last().Get("error.message").String()
		list = append(list, one)
	}
	status := t.last().Get("status").String()
	if first := t.first().Get("status").String(); t.wasThere() && first == "running" && finished.IsZero() {
		return list // it runs on
	}
	if finished.IsZero() && status == "running" {
		if o := l.unfinished(t, base); o.guessed != "" {
			list = append(list, o)
		}
		return list
	}
	if leaves > 0 || finished.IsZero() || t.wasThere() {
		return list
	}
	created := instant(t.last().Get("createdAt").String())
	if status == "killed" {
		base.sessionTime = timeOf(o.Get("sessionTime"))
		base.takes, base.guessed = finished.Sub(created)+12*time.Hour, "it was killed before its end"
		return append(list, base)
	}
	base.takes = finished.Sub(created)
	if first, n := l.leavesOf(o); n > 0 {
		base.task, base.takes = first, base.takes-time.Duration(n-1)*time.Second
	}
	if status == "error" {
		base.message = "the task failed"
	}
	if base.takes == time.Second && base.message == "" {
		return list // as usual
	}
	return append(list, base)
}

// unfinished returns how the tasks of an attempt end that runs in the last answer that shows it: as long after their
// start as in other attempts of the workflow, or later than that answer. An attempt that was only seen when it started
// is left to the usual times.
func (l *learner) unfinished(t *thing, o outcome) outcome {
	start, seen := l.startOf(t), t.sights[len(t.sights)-1].At
	const later = 12 * time.Hour
	if usual := 10 * time.Second; seen.Sub(start) < usual && !t.wasThere() {
		return o
	}
	o.takes, o.guessed = seen.Sub(start)+later, "no answer shows its end"
	for _, other := range l.things.all(attemptKind) {
		of := l.attemptObject(other)
		end := instant(other.last().Get("finishedAt").String())
		isSame := of.Get("project.name").String() == o.project && of.Get("workflow.name").String() == o.workflow
		if took := end.Sub(l.startOf(other)); isSame && !end.IsZero() && start.Add(took).After(seen) {
			o.takes, o.guessed = took, "another attempt of the workflow took as long"
		}
	}
	return o
}

// leavesOf returns the first task of an attempt's workflow that has no tasks in it, and how many there are, as the
// definition of the workflow shows them.
func (l *learner) leavesOf(o gjson.Result) (first string, n int) {
	var count func(prefix string, config gjson.Result)
	count = func(prefix string, config gjson.Result) {
		isGroup := false
		config.ForEach(func(name, value gjson.Result) bool {
			if strings.HasPrefix(name.Str, "+") && value.IsObject() {
				isGroup = true
				count(prefix+name.Str, value)
			}
			return true
		})
		if isGroup || prefix == "" {
			return
		}
		if n++; n == 1 {
			first = prefix
		}
	}
	for _, t := range l.things.all(workflowKind) {
		w := t.first()
		if w.Get("name").String() == o.Get("workflow.name").String() &&
			w.Get("project.id").String() == o.Get("project.id").String() {
			n = 0
			count("", w.Get("config"))
		}
	}
	return first, n
}
