package learn

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// revision is a revision of a project at the beginning.
type revision struct {
	name, createdAt, user string
	until                 string // the next one was created

	past      map[string]string // by name, the ids of workflows that only attempts show
	isUnseen  bool              // no answer shows it
	isGuessed bool              // when it was created
}

// unknownRevision is the name of a revision of which no answer shows any.
const unknownRevision = "unknown"

// addRevisions adds the revisions of a project with the files of its workflows. An attempt has the workflow of the
// revision that was the latest when it began.
func (p *projects) addRevisions(m *mapping, project string) {
	list := p.revisionsOf(project)
	earlier := p.earlierThan(&list[len(list)-1], project)
	for i := range len(list) - 1 {
		p.guessTime(&list[i], project)
	}
	for i := range len(list) - 1 {
		list[i].until = list[i+1].createdAt
	}
	list = p.withEarlier(project, list, earlier)
	s := newSequence()
	for i := range list {
		r, one := &list[i], newMapping()
		one.guess("name", scalar(r.name), when(r.name == unknownRevision, unseen))
		one.guess("createdAt", r.createdAt, when(r.isGuessed, "attempts show about when it was made"))
		one.set("user", r.user)
		p.addFiles(one, project, r, i == len(list)-1)
		s.addGuessed(one, when(r.isUnseen, "attempts show workflows of a revision that no answer shows"))
	}
	m.set("revisions", s)
}

// pastWorkflow is a workflow that only attempts show, with the times at which the first and the last of them began
// before the recording did.
type pastWorkflow struct {
	id, name    string
	first, last time.Time
}

// earlierThan returns the workflows that only attempts show, and that a project's latest revision need not have, in the
// order of their ids: those of which a higher id is shown, or whose attempts began before it was made. If no answer
// shows when that was, it is after these, and workflows with higher ids are shown.
func (p *projects) earlierThan(latest *revision, project string) (list []pastWorkflow) {
	add := func(id, name string, isPast func(w pastWorkflow) bool) {
		w := p.pastWorkflow(project, id, name)
		if p.entities.find(workflowKind, id) == nil && !w.first.IsZero() && isPast(w) {
			list = append(list, w)
		}
	}
	highest := int64(0)
	for _, t := range p.workflowsIn(project, latest.name) {
		highest = max(highest, number(t.id))
	}
	at := instant(latest.createdAt)
	for name, id := range p.workflows[project] {
		add(id, name, func(w pastWorkflow) bool { return w.last.Before(at) || at.IsZero() && number(id) < highest })
	}
	for _, w := range list {
		delete(p.workflows[project], w.name)
	}
	for id, name := range p.earlier[project] {
		add(id, name, func(pastWorkflow) bool { return true })
	}
	slices.SortFunc(list, func(a, b pastWorkflow) int { return cmp.Compare(number(a.id), number(b.id)) })
	for _, w := range list {
		if at.IsZero() && !w.last.Before(instant(latest.createdAt)) {
			latest.createdAt, latest.isGuessed = timeText(w.last.Add(time.Second)), true
		}
	}
	return list
}

func (p *projects) pastWorkflow(project, id, name string) pastWorkflow {
	w := pastWorkflow{id: id, name: name}
	for _, r := range p.runsOf(project, name) {
		at := r.time("createdAt")
		if at.IsZero() || at.After(p.begin) || r.object.Get("workflow", "id").Text() != id {
			continue
		}
		if w.first.IsZero() || at.Before(w.first) {
			w.first = at
		}
		if at.After(w.last) {
			w.last = at
		}
	}
	return w
}

// withEarlier adds workflows of the past to the revisions of their times of which no answer shows any workflow, or to
// ones of their own, each of which has as many as it can.
func (p *projects) withEarlier(project string, list []revision, earlier []pastWorkflow) []revision {
	var own []revision
	for _, w := range earlier {
		place := slices.IndexFunc(list[:len(list)-1], func(r revision) bool {
			return r.createdAt != "" && !instant(r.createdAt).After(w.first) && r.past[w.name] == "" &&
				w.last.Before(instant(r.until)) && len(p.workflowsIn(project, r.name)) == 0
		})
		if place >= 0 {
			list[place].past[w.name] = w.id
			continue
		}
		if n := len(own); n == 0 || own[n-1].past[w.name] != "" {
			name := fmt.Sprintf("earlier-%d", n+1)
			for slices.ContainsFunc(list, func(r revision) bool { return r.name == name }) {
				name += "-"
			}
			own = append(own, revision{name: name, past: map[string]string{}, isUnseen: true})
		}
		r := &own[len(own)-1]
		r.past[w.name] = w.id
		r.before(w.first)
	}
	list = append(own, list...)
	slices.SortStableFunc(list[:len(list)-1], func(a, b revision) int {
		return instant(a.createdAt).Compare(instant(b.createdAt))
	})
	return list
}

// workflowsIn lists the workflows that answers show of a revision.
func (p *projects) workflowsIn(project, revision string) (list []*entity) {
	for _, t := range byNumber(p.entities.of(workflowKind)) {
		if o := t.first(); o.Get("project", "id").Text() == project && o.Get("revision").Text() == revision {
			list = append(list, t)
		}
	}
	return list
}

// guessTime guesses when a revision was created of which only workflows are shown: before their attempts.
func (p *projects) guessTime(r *revision, project string) {
	if r.createdAt != "" {
		return
	}
	for _, t := range p.workflowsIn(project, r.name) {
		if w := p.pastWorkflow(project, t.id, t.text("name")); !w.first.IsZero() {
			r.before(w.first)
		}
	}
}

// before lets a revision be created at a time, unless that was earlier.
func (r *revision) before(at time.Time) {
	if r.createdAt == "" || at.Before(instant(r.createdAt)) {
		r.createdAt, r.isGuessed = timeText(at), true
	}
}

// revisionsOf lists the revisions, oldest first.
func (p *projects) revisionsOf(project string) (list []revision) {
	add := func(r revision) {
		isKnown := slices.ContainsFunc(list, func(o revision) bool { return o.name == r.name })
		if r.name != "" && !isKnown && !p.isLate(project, r.name) {
			r.past = map[string]string{}
			list = append(list, r)
		}
	}
	for _, body := range p.successes(nameOf("workflow.listProjectRevisions", project)) {
		for r := range body.Get("revisions").List {
			add(revision{
				name: r.Get("revision").Text(), createdAt: timeOf(r.Get("createdAt")),
				user: p.people.refer(r.Get("userInfo", "svc", "user")),
			})
		}
	}
	slices.Reverse(list) // answers have the newest first
	shown := p.entities.find(projectKind, project).first()
	last := shown.Get("revision").Text()
	for _, w := range p.entities.of(workflowKind) {
		if name := w.text("revision"); w.text("project.id") == project && name != last {
			add(revision{name: name})
		}
	}
	add(revision{name: last, createdAt: timeOf(shown.Get("updatedAt"))})
	if len(list) == 0 {
		list = append(list, revision{name: unknownRevision})
	}
	return list
}

// isLate reports whether a revision was made while the recording ran: uploaded, or made for an integration.
func (p *projects) isLate(project, revision string) bool {
	if p.uploads[p.names[project]+"\n"+revision] != nil {
		return true
	}
	if t := p.entities.find(projectKind, project); t != nil {
		for _, s := range t.sights {
			if s.object.Get("revision").Text() == revision && instant(s.object.Get("updatedAt").Text()).After(p.begin) {
				return true
			}
		}
	}
	for _, body := range p.successes(nameOf("workflow.listProjectRevisions", project)) {
		for r := range body.Get("revisions").List {
			if r.Get("revision").Text() == revision && instant(r.Get("createdAt").Text()).After(p.begin) {
				return true
			}
		}
	}
	return false
}
