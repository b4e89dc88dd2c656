package learn

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
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
	m := newMapping()
	pools := l.pools()
	p := l.projects()
	attempts, rules := l.attempts(p, pools), l.poolRules(pools)
	l.accountLimit(m, pools)
	m.set("projects", p.list())
	m.set("pools", pools.list())
	m.set("poolRules", rules)
	m.set("outcomes", l.outcomes(p))
	m.set("attempts", attempts)
	return m
}

// byNumber orders things by their ids, which are numbers that count up.
func byNumber(list []*thing) []*thing {
	slices.SortStableFunc(list, func(a, b *thing) int { return cmp.Compare(number(a.key()), number(b.key())) })
	return list
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// pools are the pools of the beginning, by id.
type pools struct {
	*learner
	names   map[string]string
	defined []*thing
	assumed []string // ids that things refer to, and no answer shows
	held    []string // ids of those that something must keep from being deleted
}

func (l *learner) pools() *pools {
	p := &pools{learner: l, names: map[string]string{}}
	for _, t := range l.things.all(poolKind) {
		if name := t.first().Get("name").String(); name != "" && p.names[t.id] == "" {
			p.names[t.id] = name
		}
	}
	p.defined = byNumber(l.things.of(poolKind))
	p.assumeDefault()
	return p
}

// assumeDefault takes the one pool that attempts refer to, and that no answer shows, for the default one, if no answer
// shows which that is.
func (p *pools) assumeDefault() {
	for _, t := range p.things.all(poolKind) {
		if t.first().Get("default").Bool() {
			return
		}
	}
	only := ""
	for _, t := range p.things.all(attemptKind) {
		switch id := t.first().Get("poolId").String(); {
		case id == "" || p.names[id] != "" || id == only:
		case only != "":
			return // there are several
		default:
			only = id
		}
	}
	if only != "" {
		p.names[only] = defaultPool
		p.assumed = append(p.assumed, only)
	}
}

const defaultPool = "default"

// name returns the name of a pool that a thing of the beginning refers to.
func (p *pools) name(id string) string {
	if id == "" {
		return ""
	}
	if p.names[id] == "" {
		p.names[id] = "pool-" + id
		p.assumed = append(p.assumed, id)
	}
	return p.names[id]
}

const unseen = "no answer shows it"

func (p *pools) list() *sequence {
	s := newSequence()
	for _, t := range p.defined {
		m := newMapping()
		m.set("id", idOf(t.id))
		name, isChanged := t.value("name")
		switch {
		case !name.Exists():
			m.guess("name", p.name(t.id), unseen)
		case isChanged:
			m.guess("name", name, "it was set before an answer showed it")
		default:
			m.set("name", name)
		}
		if t.first().Get("default").Bool() {
			s.add(m)
			continue
		}
		limit, isChanged := t.value("concurrencyLimit")
		switch {
		case !limit.Exists():
			m.guess("concurrencyLimit", p.limitOf(t.id), unseen)
		case isChanged:
			m.guess("concurrencyLimit", limit, "it was set before an answer showed it")
		default:
			m.set("concurrencyLimit", limit)
		}
		s.add(m)
	}
	for _, id := range p.assumed {
		if p.things.find(poolKind, id) != nil {
			continue
		}
		m := newMapping()
		m.set("id", idOf(id))
		m.set("name", p.names[id])
		if p.names[id] != defaultPool {
			m.set("concurrencyLimit", p.limitOf(id))
		}
		s.addGuessed(m, "something refers to it, and no answer shows it")
	}
	return s
}

// limitOf guesses the limit of a pool: the number of attempts that ran in it if others waited.
func (p *pools) limitOf(id string) int {
	const usual = 10
	running, waiting := 0, false
	for _, t := range p.things.of(attemptKind) {
		if t.first().Get("poolId").String() != id {
			continue
		}
		switch t.first().Get("status").String() {
		case "running", "canceling":
			running++
		case "queued":
			waiting = true
		}
	}
	if waiting {
		return max(1, running)
	}
	return max(usual, running)
}

// isFull reports whether attempts ran in a pool at the beginning.
func (p *pools) isFull(id string) bool {
	return slices.ContainsFunc(p.things.of(attemptKind), func(t *thing) bool {
		status := t.first().Get("status").String()
		return t.first().Get("poolId").String() == id && (status == "running" || status == "canceling")
	})
}

// accountLimit sets the limit of all pools together, of which the default pool has what the others leave.
func (l *learner) accountLimit(m *mapping, p *pools) {
	for _, e := range l.exchanges {
		if e.name() != "workflow.listPools" || !e.ok() {
			continue
		}
		body, ok := e.JSONResponse()
		total := int64(0)
		for _, pool := range body.Get("pools").Array() {
			total += pool.Get("concurrencyLimit").Int()
		}
		if ok && total > 0 {
			m.set("accountLimit", total)
			return
		}
	}
	total := int64(0)
	for _, id := range p.assumed {
		if p.names[id] != defaultPool {
			total += int64(p.limitOf(id))
		}
	}
	isKnown := false
	for _, t := range p.defined {
		limit, _ := t.value("concurrencyLimit")
		total += limit.Int()
		isKnown = isKnown || t.first().Get("default").Bool()
	}
	switch {
	case isKnown:
		m.guess("accountLimit", total, "there may be pools that no answer shows")
	case l.mostOfDefault() >= 0:
		m.guess("accountLimit", total+l.mostOfDefault(), "pools of a higher limit were refused")
	case total > 0:
		m.guess("accountLimit", total+100, "no answer shows the default pool")
	}
}

// mostOfDefault returns the highest limit that the default pool may have had at the beginning, as no pool could be made
// out of more, or -1 if none was refused.
func (l *learner) mostOfDefault() int64 {
	made := int64(0)
	for _, e := range l.exchanges {
		body, ok := e.JSONRequest()
		if e.name() != "workflow.createPool" || !ok {
			continue
		}
		limit := body.Get("concurrencyLimit").Int()
		switch {
		case e.ok():
			made += limit
		case e.Status() == 400 && limit > 0 && body.Get("name").String() != "":
			return made + limit - 1
		}
	}
	return -1
}

func (l *learner) poolRules(p *pools) *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(poolRuleKind)) {
		if len(t.sights) == 0 {
			l.notes = append(l.notes, "pool rule "+t.id+": no answer shows it")
			continue
		}
		m := newMapping()
		m.set("id", idOf(t.id))
		for _, name := range []string{"priority", "poolId", "conditions"} {
			value, isChanged := t.value(name)
			if name == "poolId" {
				name, value = "pool", gjson.Parse(strconv.Quote(p.name(value.String())))
			}
			if isChanged {
				m.guess(name, value, "it was set before an answer showed it")
				continue
			}
			m.set(name, value)
		}
		s.add(m)
	}
	for _, e := range l.exchanges {
		t := l.things.find(poolKind, param(e, "poolId"))
		isRefused := e.name() == "workflow.deletePool" && e.Status() == 400 && t != nil && t.wasThere()
		if !isRefused || t.first().Get("default").Bool() || p.isUsed(t.id) || slices.Contains(p.held, t.id) {
			continue
		}
		p.held = append(p.held, t.id)
		m := newMapping()
		m.set("priority", 9_000+len(p.held))
		m.set("pool", p.name(t.id))
		m.set("conditions", gjson.Parse(`[{"type":"project_name","operator":"starts_with","values":["unknown_"]}]`))
		s.addGuessed(m, "the deletion of the pool was refused, and no answer shows why")
	}
	return s
}

// isUsed reports whether something that an answer shows keeps a pool from being deleted.
func (p *pools) isUsed(id string) bool {
	for _, kind := range []string{attemptKind, poolRuleKind} {
		isIn := func(t *thing) bool { return t.first().Get("poolId").String() == id }
		if slices.ContainsFunc(p.things.all(kind), isIn) {
			return true
		}
	}
	return false
}

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
			project := t.first().Get("project")
			p.see(project.Get("id").String(), project.Get("name").String())
			name, id := t.first().Get("workflow.name").String(), t.first().Get("workflow.id").String()
			if kind == workflowKind {
				name, id = t.first().Get("name").String(), t.id
			}
			p.seeWorkflow(project.Get("id").String(), name, id)
		}
	}
	p.seeIntegrations()
	slices.SortFunc(p.order, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return p
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
		m.set("createdAt", timeOf(first.Get("createdAt")))
		isChanged := len(t.sights) > 0 && t.sights[0].N > 1 && t.made == nil && p.wasTurned(t)
		disabled := timeOf(first.Get("disabledAt"))
		switch {
		case disabled == "" || instant(disabled).After(p.begin):
		case isChanged:
			m.guess("disabledAt", disabled, "it was turned on or off before an answer showed it")
		default:
			m.set("disabledAt", disabled)
		}
		if at := instant(first.Get("nextScheduleTime").String()); !at.IsZero() && !t.sights[0].At.After(p.begin) {
			m.set("nextScheduleTime", timeText(at))
			m.set("nextRunTime", timeOf(first.Get("nextRunTime")))
		}
		s.add(m)
	}
	return s
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

// outcome is how tasks of the recording end.
type outcome struct {
	project, workflow, task string
	takes                   time.Duration
	message                 string
	guessed                 string // the reason for a guess
}

// outcomes script the attempts that begin in the recording, or end in it, from what answers show of their tasks.
func (l *learner) outcomes(p *projects) *sequence {
	s := newSequence()
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
			s.add(m)
		}
	}
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
