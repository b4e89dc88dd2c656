package world

import (
	"math"
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
)

// workflowDump is the workflow interface's part of a dump. Lengths of time are in nanoseconds.
type workflowDump struct {
	AccountLimit int           `json:"accountLimit"`
	TaskTime     time.Duration `json:"taskTime"`
	Outcomes     []Outcome     `json:"outcomes"`
	Pools        []Pool        `json:"pools"`
	PoolRules    []PoolRule    `json:"poolRules"`
	Projects     []Project     `json:"projects"`
	Revisions    []Revision    `json:"revisions"`
	Schedules    []Schedule    `json:"schedules"`
	Sessions     []Session     `json:"sessions"`
	Attempts     []Attempt     `json:"attempts"`
	Tasks        []tasksDump   `json:"tasks"`
}

type tasksDump struct {
	Attempt int64  `json:"attempt"`
	Tasks   []Task `json:"tasks"`
}

func (x *Workflow) dump() workflowDump {
	d := workflowDump{
		AccountLimit: x.AccountLimit, TaskTime: x.TaskTime, Outcomes: append([]Outcome{}, x.Outcomes...),
		Pools: rowsOf(&x.Pools), PoolRules: rowsOf(&x.PoolRules),
		Projects: rowsOf(&x.Projects), Revisions: rowsOf(&x.Revisions), Schedules: rowsOf(&x.Schedules),
		Sessions: rowsOf(&x.Sessions), Attempts: rowsOf(&x.Attempts), Tasks: []tasksDump{},
	}
	for attempt, tasks := range x.Tasks.All() {
		d.Tasks = append(d.Tasks, tasksDump{attempt, tasks})
	}
	return d
}

func (l *loader) workflow(d *workflowDump) {
	x := &l.w.Workflow
	x.AccountLimit, x.TaskTime, x.Outcomes = d.AccountLimit, d.TaskTime, d.Outcomes
	if d.AccountLimit < 1 || d.AccountLimit > math.MaxInt32 || d.TaskTime < 0 {
		l.wrong("accountLimit", d.AccountLimit, "want 1 to %d, and a taskTime of 0 or more", math.MaxInt32)
	}
	rows(l, "workflow.pool", d.Pools, &x.Pools, func(r Pool) int64 { return r.ID })
	rows(l, "workflow.pool_rule", d.PoolRules, &x.PoolRules, func(r PoolRule) int64 { return r.ID })
	rows(l, "workflow.project", d.Projects, &x.Projects, func(r Project) int64 { return r.ID })
	rows(l, "workflow.revision", d.Revisions, &x.Revisions, func(r Revision) int64 { return r.ID })
	rows(l, "workflow.schedule", d.Schedules, &x.Schedules, func(r Schedule) int64 { return r.ID })
	rows(l, "workflow.session", d.Sessions, &x.Sessions, func(r Session) int64 { return r.ID })
	rows(l, "workflow.attempt", d.Attempts, &x.Attempts, func(r Attempt) int64 { return r.ID })
	for _, t := range d.Tasks {
		x.Tasks.Put(t.Attempt, t.Tasks)
	}
	// Each of these relies on what those before it have found to be right.
	for _, check := range []func(*workflowDump){
		l.revisions, l.projects, l.schedules, l.pools, l.sessions, l.attempts, l.tasks, l.outcomes,
	} {
		if check(d); len(l.errs) > 0 {
			return
		}
	}
}

// maxLoaded bounds what all definitions of a dump may take once they are read, so that a small dump cannot become a
// big world.
const maxLoaded = 256 << 20

// revisions reads the definitions out of the archives.
func (l *loader) revisions(d *workflowDump) {
	x, loaded := &l.w.Workflow, 0
	for _, r := range d.Revisions {
		if p, ok := x.Projects.Get(r.Project); !ok || p.ID == 0 {
			l.wrong("revision", r.ID, "there is no project %d", r.Project)
		}
		if before, ok := x.Revisions.Get(r.Previous); r.Previous != 0 &&
			(!ok || r.Previous >= r.ID || before.Project != r.Project) {
			l.wrong("revision", r.ID, "previous is %d: want a smaller id of the same project, or 0", r.Previous)
		}
		project, err := dig.ReadArchive(r.Archive, dig.DefaultLimits())
		if err != nil {
			l.wrong("revision", r.ID, "its archive is refused: %v", err)
			continue
		}
		for _, w := range project.Workflows {
			loaded += len(w.Config)
		}
		if loaded > maxLoaded {
			l.wrong("revision", r.ID, "the definitions up to this one take more than %d bytes", maxLoaded)
			return
		}
		l.definitions(r, project.Workflows)
	}
}

func (l *loader) definitions(r Revision, workflows []dig.Workflow) {
	x, n := &l.w.Workflow, int64(len(workflows))
	if r.Definitions != n || r.FirstDefinition < 1 || r.FirstDefinition > maxID-n {
		l.wrong("revision", r.ID, "has %d definitions from id %d on, but %d workflows in its archive", r.Definitions,
			r.FirstDefinition, n)
		return
	}
	for id := r.FirstDefinition; id < r.FirstDefinition+n; id++ {
		if other, taken := x.Definitions.Get(id); taken {
			l.wrong("revision", r.ID, "the id %d of a definition belongs to revision %d", id, other.Revision)
			return
		}
	}
	x.AddRevision(r, workflows)
	l.w.Reserve("workflow.definition", r.FirstDefinition+n-1)
}

func (l *loader) projects(d *workflowDump) {
	x := &l.w.Workflow
	for _, p := range d.Projects {
		if err := dig.CheckProjectName(p.Name); err != nil {
			l.wrong("project", p.ID, "%v", err)
		}
		if r, ok := x.Revisions.Get(p.Revision); !ok || r.Project != p.ID {
			l.wrong("project", p.ID, "its revision %d is none of its own", p.Revision)
		}
		if !p.DeletedAt.IsZero() {
			continue
		}
		if other, twice := x.ProjectNames.Get(p.Name); twice {
			l.wrong("project", p.ID, "project %d has the name %s already", other, p.Name)
		}
		x.ProjectNames.Put(p.Name, p.ID)
	}
}

// schedules also gives each project its schedules, and plans their next runs.
func (l *loader) schedules(*workflowDump) {
	x := &l.w.Workflow
	for id, s := range x.Schedules.All() {
		p, _ := x.Projects.Get(s.Project)
		d, _ := x.Definitions.Get(s.Definition)
		switch {
		case p.ID == 0 || !p.DeletedAt.IsZero():
			l.wrong("schedule", id, "there is no live project %d", s.Project)
			continue
		case d.ID == 0 || d.Revision != p.Revision || d.Workflow.Schedule == nil || d.Workflow.Name != s.Name:
			l.wrong("schedule", id, "definition %d is no workflow %q with a schedule in the latest revision of project %s",
				s.Definition, s.Name, p.Name)
			continue
		case s.Time.IsZero() != s.Run.IsZero() || s.PlannedAt.IsZero() != (s.Run.IsZero() || !s.DisabledAt.IsZero()):
			l.wrong("schedule", id, "want nextScheduleTime together with nextRunTime, and plannedAt with both unless it "+
				"is disabled")
		}
		if slices.ContainsFunc(p.Schedules, func(other int64) bool {
			o, _ := x.Schedules.Get(other)
			return o.Definition == s.Definition
		}) {
			l.wrong("schedule", id, "workflow %s of project %s has another schedule", s.Name, p.Name)
		}
		p.Schedules = append(slices.Clip(p.Schedules), id)
		x.Projects.Put(p.ID, p)
		if !s.PlannedAt.IsZero() {
			l.w.Plan(Event{At: s.PlannedAt, Kind: ScheduleEvent, ID: id})
		}
	}
}
