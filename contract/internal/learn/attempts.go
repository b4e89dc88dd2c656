package learn

import (
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
)

// Kinds of the workflow interface.
const (
	poolKind     = "workflow.pool"
	poolRuleKind = "workflow.pool-rule"
	projectKind  = "workflow.project"
	workflowKind = "workflow.workflow"
	scheduleKind = "workflow.schedule"
	sessionKind  = "workflow.session"
	attemptKind  = "workflow.attempt"
	taskKind     = "workflow.task"
	secretKind   = "workflow.secret"
)

// workflow returns the section of the workflow interface.
func (l *learner) workflow() *mapping {
	m, pools, p := newMapping(), l.pools(), l.projects()
	attempts, rules := l.attempts(p, pools), l.poolRules(pools) // which name pools
	l.accountLimit(m, pools)
	m.set("projects", p.list())
	m.set("pools", pools.list())
	m.set("poolRules", rules)
	m.set("outcomes", l.outcomes(p))
	m.set("attempts", attempts)
	return m
}

// attempts lists the attempts of the beginning, in the order in which they were made.
func (l *learner) attempts(p *projects, pools *pools) *sequence {
	s := newSequence()
	places := map[string]int{} // of the last attempt of a workflow that is not over, from 1
	for _, t := range byNumber(l.entities.of(attemptKind)) {
		o := l.attemptObject(t)
		if !o.Exists() || p.isUploaded(o) {
			continue
		}
		m := l.attempt(t, o, pools)
		of := o.Get("project", "name").Text() + "\n" + o.Get("workflow", "name").Text()
		if t.text("status") == "blocked" && places[of] > 0 {
			m.guess("after", places[of], "no answer shows what it waits for")
		}
		s.add(m)
		if !t.first().Get("done").Bool() {
			places[of] = len(s.node.Content)
		}
	}
	return s
}

// runs holds what is known of attempts, by the attempts and by the names of their workflows.
type runs struct {
	objects map[*entity]jsontree.Value // as attemptObject returns them
	of      map[string][]*run
	starts  map[*entity]time.Time
}

// run is an attempt of a workflow.
type run struct {
	*entity
	object jsontree.Value // as attemptObject returns it
	end    time.Time
	took   time.Duration
}

// findRuns finds the workflows of all attempts.
func (l *learner) findRuns() {
	l.runs = &runs{
		objects: map[*entity]jsontree.Value{}, of: map[string][]*run{}, starts: map[*entity]time.Time{},
	}
	bySession := map[string]jsontree.Value{}
	for _, session := range l.entities.byKind[sessionKind] {
		for _, s := range session.sights {
			if id := s.object.Get("lastAttempt", "id").Text(); !bySession[id].Exists() {
				bySession[id] = s.object
			}
		}
	}
	for _, t := range l.entities.byKind[attemptKind] {
		object := bySession[t.id]
		for _, s := range slices.Backward(t.sights) {
			if s.object.Get("project", "name").Exists() {
				object = s.object
			}
		}
		l.runs.objects[t] = object
		name := object.Get("workflow", "name").Text()
		l.runs.of[name] = append(l.runs.of[name], &run{
			entity: t, object: object, end: instant(t.last().Get("finishedAt").Text()),
		})
	}
	for _, list := range l.runs.of {
		for _, r := range list {
			r.took = r.end.Sub(l.startOf(r.entity))
		}
	}
}

// attemptObject returns the first object of an attempt that says whose it is: the one of a session does not, but then
// the session does.
func (l *learner) attemptObject(t *entity) jsontree.Value { return l.runs.objects[t] }

// runsOf lists the attempts of a workflow of a project.
func (l *learner) runsOf(project, workflow string) (list []*run) {
	for _, r := range l.runs.of[workflow] {
		if r.object.Get("project", "id").Text() == project {
			list = append(list, r)
		}
	}
	return list
}

func (l *learner) attempt(t *entity, o jsontree.Value, pools *pools) *mapping {
	first := t.first()
	m := mappingOf("id", idOf(t.id))
	if index, _ := t.value("index"); index.Int() > 1 {
		m.set("index", index)
	}
	m.copy(o, "project=project.name", "workflow=workflow.name")
	m.set("sessionTime", timeOf(o.Get("sessionTime")))
	session := t.latest("sessionId")
	if !session.Exists() && o.Get("lastAttempt").Exists() {
		session = o.Get("id")
	}
	m.set("sessionId", idOf(session.Text()))
	m.copy(o, "sessionUuid")
	m.copy(first, "retryAttemptName", "createdAt")
	m.set("params", &mapping{jsonNode(first.Get("params"))})
	if pool := first.Get("poolId").Text(); pool != "" {
		m.set("pool", pools.name(pool))
	}
	l.addStatus(m, t, pools)
	return m
}

// addStatus adds where an attempt stood at the beginning.
func (l *learner) addStatus(m *mapping, t *entity, pools *pools) {
	first := t.first()
	status, finished := first.Get("status").Text(), instant(first.Get("finishedAt").Text())
	if finished.After(l.begin) {
		status = "running"
	}
	if t.sights[0].name() == "workflow.killAttempt" && status == "canceling" {
		status = "running"
	}
	switch status {
	case "success", "error", "killed":
		m.set("finishedAt", timeText(finished))
		m.set("status", status)
		l.addTaskStates(m, t)
	default:
		if running, _ := pools.inPool(t.text("poolId")); status == "queued" && running == 0 {
			m.guess("status", "running", "it waits for room in its pool, and no answer shows what runs there")
		}
		m.set("status", status)
		l.addRunningTask(m, t)
	}
}

// addTaskStates adds what answers show of the tasks of an attempt that is over.
func (l *learner) addTaskStates(m *mapping, t *entity) {
	s := newSequence()
	failed := ""
	for _, task := range byNumber(l.tasksOf(t)) {
		o := task.first()
		one := mappingOf("id", idOf(task.key()))
		one.copy(o, "name=fullName", "state", "startedAt", "updatedAt", "error=error.message")
		if o.Get("state").Text() == "error" && failed == "" {
			failed = o.Get("fullName").Text()
			m.copy(o, "task=fullName", "error=error.message")
		}
		s.add(one)
	}
	m.set("tasks", s)
}

// addRunningTask adds which task of an attempt runs, and how long it takes.
func (l *learner) addRunningTask(m *mapping, t *entity) {
	tasks := newSequence()
	for _, task := range byNumber(l.tasksOf(t)) {
		tasks.add(mappingOf("id", idOf(task.key()), "name", task.first().Get("fullName")))
	}
	if running := l.runningAtBegin(t); running != nil {
		m.set("task", running.first().Get("fullName"))
		if end := l.endOf(running); !end.IsZero() {
			m.set("takes", durationText(end.Sub(running.time("startedAt"))))
		}
	} else if end := instant(t.last().Get("finishedAt").Text()); end.After(l.begin) {
		m.guess("takes", durationText(end.Sub(l.startOf(t))), "no answer shows its tasks while it ran")
	}
	m.set("tasks", tasks)
}

// startOf returns when an attempt that was not over at the beginning started: when it was made, or, if it waited, when
// the one before it ended.
func (l *learner) startOf(t *entity) time.Time {
	start, isKnown := l.runs.starts[t]
	if !isKnown {
		start = l.findStart(t)
		l.runs.starts[t] = start
	}
	return start
}

func (l *learner) findStart(t *entity) time.Time {
	start := t.time("createdAt")
	status := t.text("status")
	if status != "blocked" && status != "queued" {
		return start
	}
	until := instant(t.last().Get("finishedAt").Text())
	if until.IsZero() {
		until = t.sights[len(t.sights)-1].At
	}
	for _, other := range l.runs.of[l.attemptObject(t).Get("workflow", "name").Text()] {
		if number(other.id) < number(t.id) && other.end.After(start) && !other.end.After(until) {
			start = other.end
		}
	}
	return start
}

// runningAtBegin returns the task of an attempt that ran at the beginning, or nil.
func (l *learner) runningAtBegin(t *entity) *entity {
	for _, task := range byNumber(l.tasksOf(t)) {
		started := task.time("startedAt")
		if task.first().Get("group").Bool() || started.IsZero() || started.After(l.begin) {
			continue
		}
		if end := l.endOf(task); end.IsZero() || end.After(l.begin) {
			return task
		}
	}
	return nil
}

// endOf returns when a task was over, or zero if no answer shows that.
func (l *learner) endOf(task *entity) time.Time {
	for _, s := range task.sights {
		switch s.object.Get("state").Text() {
		case "success", "error", "group_error", "canceled":
			return instant(s.object.Get("updatedAt").Text())
		}
	}
	return time.Time{}
}

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
	for _, t := range l.entities.all(attemptKind) {
		for _, o := range l.outcomesOf(t) {
			if seen[o] {
				continue
			}
			seen[o] = true
			m := mappingOf("project", o.project, "workflow", o.workflow, "sessionTime", o.sessionTime, "task", o.task)
			m.guess("takes", durationText(o.takes), o.guessed)
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
func (l *learner) outcomesOf(t *entity) (list []outcome) {
	o := l.attemptObject(t)
	base := outcome{project: o.Get("project", "name").Text(), workflow: o.Get("workflow", "name").Text()}
	if base.project == "" {
		return nil
	}
	finished := instant(t.last().Get("finishedAt").Text())
	if t.wasThere() && !finished.IsZero() && !finished.After(l.begin) {
		return nil
	}
	leaves := 0
	for _, task := range byNumber(l.tasksOf(t)) {
		if task.last().Get("group").Bool() {
			continue
		}
		leaves++
		end, started := l.endOf(task), instant(task.last().Get("startedAt").Text())
		if end.IsZero() || started.IsZero() || t.wasThere() && !started.After(l.begin) {
			continue
		}
		full := task.last().Get("fullName").Text()
		one := base
		one.task, one.takes = full[strings.LastIndex(full, "+"):], end.Sub(started)
		one.message = task.last().Get("error", "message").Text()
		list = append(list, one)
	}
	status := t.last().Get("status").Text()
	if first := t.text("status"); t.wasThere() && first == "running" && finished.IsZero() {
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
	created := instant(t.last().Get("createdAt").Text())
	if status == "killed" {
		base.sessionTime = timeOf(o.Get("sessionTime"))
		base.takes, base.guessed = finished.Sub(created)+12*time.Hour, "it was killed before its end"
		return append(list, base)
	}
	base.takes = t.within(finished.Sub(created))
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
func (l *learner) unfinished(t *entity, o outcome) outcome {
	start, seen := l.startOf(t), t.sights[len(t.sights)-1].At
	const later = 12 * time.Hour
	if usual := 10 * time.Second; seen.Sub(start) < usual && !t.wasThere() {
		return o
	}
	o.takes, o.guessed = seen.Sub(start)+later, "no answer shows its end"
	for _, other := range l.runs.of[o.workflow] {
		if !other.end.IsZero() && start.Add(other.took).After(seen) &&
			other.object.Get("project", "name").Text() == o.project {
			o.takes, o.guessed = other.took, "another attempt of the workflow took as long"
		}
	}
	return o
}

// leavesOf returns the first task of an attempt's workflow that has no tasks in it, and how many there are, as the
// definition of the workflow shows them.
func (l *learner) leavesOf(o jsontree.Value) (first string, n int) {
	var count func(prefix string, config jsontree.Value)
	count = func(prefix string, config jsontree.Value) {
		isGroup := false
		for value := range config.Each {
			if strings.HasPrefix(value.Name(), "+") && value.IsObject() {
				isGroup = true
				count(prefix+value.Name(), value)
			}
		}
		if isGroup || prefix == "" {
			return
		}
		if n++; n == 1 {
			first = prefix
		}
	}
	for _, t := range l.entities.all(workflowKind) {
		w := t.first()
		if w.Get("name").Text() == o.Get("workflow", "name").Text() &&
			w.Get("project", "id").Text() == o.Get("project", "id").Text() {
			n = 0
			count("", w.Get("config"))
		}
	}
	return first, n
}
