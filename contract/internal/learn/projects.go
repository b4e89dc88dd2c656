package learn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// projects are the projects of the beginning, by id.
type projects struct {
	*learner
	order     []string
	names     map[string]string
	workflows map[string]map[string]string // by project and name, an id
	earlier   map[string]map[string]string // by project and id, the names of workflows of earlier revisions
	uploads   map[string]*Exchange         // in the recording, by name and revision
}

func (l *learner) projects() *projects {
	p := &projects{
		learner: l, names: map[string]string{}, workflows: map[string]map[string]string{}, uploads: map[string]*Exchange{},
		earlier: map[string]map[string]string{},
	}
	for _, e := range l.exchanges {
		if e.name() == "workflow.putProject" && e.ok() {
			query := queryOf(e)
			p.uploads[query.Get("project")+"\n"+query.Get("revision")] = e
		}
	}
	for _, t := range l.things.of(projectKind) {
		p.see(t.id, t.first().Get("name").String())
	}
	for _, kind := range []string{workflowKind, scheduleKind, sessionKind, attemptKind} {
		for _, t := range l.things.of(kind) {
			o := t.first()
			if kind == attemptKind {
				o = l.attemptObject(t)
			}
			project := o.Get("project")
			p.see(project.Get("id").String(), project.Get("name").String())
			name, id := o.Get("workflow.name").String(), o.Get("workflow.id").String()
			if kind == workflowKind {
				name, id = t.first().Get("name").String(), t.id
			}
			p.seeWorkflow(project.Get("id").String(), name, id)
		}
	}
	p.seeStarted()
	p.seeIntegrations()
	slices.SortFunc(p.order, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return p
}

// seeStarted takes the projects and workflows of which only attempts that requests start are shown.
func (p *projects) seeStarted() {
	for _, t := range p.things.all(attemptKind) {
		o := p.attemptObject(t)
		project, name := o.Get("project"), o.Get("workflow.name").String()
		id := project.Get("id").String()
		isUploaded := slices.ContainsFunc(slices.Collect(maps.Keys(p.uploads)), func(upload string) bool {
			return strings.HasPrefix(upload, project.Get("name").String()+"\n")
		})
		if t.made == nil || t.made.name() != "workflow.startAttempt" || isUploaded || p.workflows[id][name] != "" {
			continue
		}
		p.see(id, project.Get("name").String())
		p.seeWorkflow(id, name, o.Get("workflow.id").String())
	}
}

func (p *projects) see(id, name string) {
	if id == "" {
		return
	}
	if t := p.things.find(projectKind, id); t != nil && !t.wasThere() || p.isOfNewIntegration(id) {
		return
	}
	if !slices.Contains(p.order, id) {
		p.order = append(p.order, id)
	}
	if p.names[id] == "" {
		p.names[id] = name
	}
}

// isOfNewIntegration reports whether a project was made for an integration that the recording makes.
func (l *learner) isOfNewIntegration(project string) bool {
	return slices.ContainsFunc(l.things.all(integrationKind), func(t *thing) bool {
		return !t.wasThere() && t.first().Get("workflow_project_id").String() == project
	})
}

// showsProject reports whether an answer shows something of a project.
func (l *learner) showsProject(id string) bool {
	return slices.ContainsFunc(l.things.list, func(t *thing) bool {
		return t.kind == projectKind && t.id == id || strings.HasPrefix(t.kind, "workflow.") &&
			t.first().Get("project.id").String() == id
	})
}

func (p *projects) seeWorkflow(project, name, id string) {
	if project == "" || name == "" {
		return
	}
	if p.workflows[project] == nil {
		p.workflows[project] = map[string]string{}
	}
	known := p.workflows[project][name]
	if number(id) > number(known) {
		p.workflows[project][name], id = id, known
	}
	if id == "" || id == p.workflows[project][name] || p.things.find(workflowKind, id) != nil {
		return
	}
	if p.earlier[project] == nil {
		p.earlier[project] = map[string]string{}
	}
	p.earlier[project][id] = name
}

func (p *projects) list() *sequence {
	s := newSequence()
	for _, id := range p.order {
		m := newMapping()
		m.set("id", idOf(id))
		t := p.things.find(projectKind, id)
		if p.names[id] == "" {
			p.names[id] = "project-" + id
			m.guess("name", p.names[id], unseen)
		} else {
			m.set("name", p.names[id])
		}
		deleted := ""
		if t != nil {
			m.set("createdAt", timeOf(t.first().Get("createdAt")))
			deleted = timeOf(t.first().Get("deletedAt"))
		}
		p.addRevisions(m, id)
		m.set("secrets", p.secrets(id))
		m.set("schedules", p.schedules(id))
		m.set("deletedAt", deleted)
		s.add(m)
	}
	return s
}

func (p *projects) secrets(project string) (keys []string) {
	for _, t := range p.things.of(secretKind) {
		if in, key, _ := strings.Cut(t.id, "/"); in == project {
			keys = append(keys, key)
		}
	}
	return keys
}

// schedules lists what is known of the schedules of a project.
func (p *projects) schedules(project string) *sequence {
	s := newSequence()
	for _, t := range byNumber(p.things.of(scheduleKind)) {
		first := t.first()
		if first.Get("project.id").String() != project || p.isUploaded(first) {
			continue
		}
		m := newMapping()
		m.set("id", idOf(t.id))
		m.set("workflow", first.Get("workflow.name"))
		if created, _ := t.value("createdAt"); created.Exists() { // lists do not show it
			m.set("createdAt", timeOf(created))
		}
		isChanged := len(t.sights) > 0 && t.sights[0].N > 1 && t.made == nil && p.wasTurned(t)
		disabled := timeOf(first.Get("disabledAt"))
		switch {
		case disabled == "" || instant(disabled).After(p.begin):
		case isChanged:
			m.guess("disabledAt", disabled, "it was turned on or off before an answer showed it")
		default:
			m.set("disabledAt", disabled)
		}
		if at := instant(first.Get("nextScheduleTime").String()); !at.IsZero() && (disabled != "" || !p.hasRunSince(first)) {
			m.set("nextScheduleTime", timeText(at))
			m.set("nextRunTime", timeOf(first.Get("nextRunTime")))
		}
		s.add(m)
	}
	return s
}

// hasRunSince reports whether a schedule has started an attempt since the recording began.
func (p *projects) hasRunSince(schedule gjson.Result) bool {
	return slices.ContainsFunc(p.things.all(attemptKind), func(t *thing) bool {
		o := p.attemptObject(t)
		return t.late && o.Get("project.id").String() == schedule.Get("project.id").String() &&
			o.Get("workflow.name").String() == schedule.Get("workflow.name").String()
	})
}

// wasTurned reports whether a request of the recording turned a schedule on or off before it was first shown.
func (p *projects) wasTurned(t *thing) bool {
	switch t.sights[0].name() {
	case "workflow.enableSchedule", "workflow.disableSchedule", "workflow.skipSchedule":
		return true
	}
	return false
}

// isUploaded reports whether an object belongs to a project's revision that the recording uploads.
func (p *projects) isUploaded(object gjson.Result) bool {
	t := p.things.find(projectKind, object.Get("project.id").String())
	return t != nil && !t.wasThere() || p.isOfNewIntegration(object.Get("project.id").String())
}
