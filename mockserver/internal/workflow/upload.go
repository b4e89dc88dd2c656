package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const maxRevisionName = 255 // assumed, as for projects

// upload makes an archive the next revision of a project, and makes the project when the name is free.
type upload struct {
	project, revision string
	archive           []byte
	user              int64
	from              time.Time // new schedules count from here; now when zero
	clear             []string  // workflows whose schedules start anew
	clearAll          bool
	catchUp           bool // changed schedules go on from their last run instead of jumping to now

	ids, scheduleIDs map[string]int64 // of workflows by name, where a fixture gives them
}

func putProject(c *op.Call) (op.Reply, error) {
	u := upload{
		project: c.Text("project"), revision: c.Text("revision"),
		archive: c.Body, user: c.Caller.User.ID, clear: c.Query["clear_schedule"],
	}
	var err error
	if u.clearAll, err = c.Flag("clear_schedule_all", false); err != nil {
		return op.Reply{}, err
	}
	skip, err := c.Flag("skip_schedule", true)
	if err != nil {
		return op.Reply{}, err
	}
	u.catchUp = !skip
	if text := c.Text("schedule_from"); text != "" {
		if u.from, err = parseMoment("schedule_from", text, time.UTC); err != nil {
			return op.Reply{}, err
		}
	}
	p, err := u.run(c.World, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(projectView(c.World, p))
}

// Files holds the files from which another interface makes the next revision of a project, or the first one of a new
// project, in the name of a user.
type Files struct {
	Project, Revision string
	Files             map[string]string // by path
	User              int64
}

// Upload does with files what a client does with an archive. A schedule that they change goes on from now.
func (f Files) Upload(w *world.State, now time.Time) (world.Project, error) {
	u, err := f.upload()
	if err != nil {
		return world.Project{}, err
	}
	return u.run(w, now)
}

func (f Files) upload() (upload, error) {
	archive, err := dig.WriteArchive(f.Files)
	if err != nil {
		return upload{}, op.Invalid("", "the files are invalid: %v", err)
	}
	return upload{project: f.Project, revision: f.Revision, archive: archive, user: f.User}, nil
}

func (u upload) run(w *world.State, now time.Time) (world.Project, error) {
	if err := dig.CheckProjectName(u.project); err != nil {
		return world.Project{}, op.Invalid("project", "%v", err)
	}
	if err := checkRevisionName(u.revision); err != nil {
		return world.Project{}, err
	}
	p, err := projectByName(w, u.project)
	if isNew := err != nil; isNew {
		p = world.Project{Name: u.project, CreatedAt: now}
	} else if _, used := w.Workflow.RevisionNamed(p.ID, u.revision); used {
		return p, op.Conflict("revision %s of project %s exists already: choose another name", u.revision, u.project)
	}
	workflows, err := u.read()
	if err != nil {
		return p, err
	}
	if p.ID == 0 {
		p.ID = w.NewID("workflow.project")
		w.Workflow.ProjectNames.Put(p.Name, p.ID)
	}
	p.Revision, p.UpdatedAt = u.store(w, p, workflows, now).ID, now
	u.reschedule(w, &p, now)
	w.Workflow.Projects.Put(p.ID, p)
	return p, nil
}

func checkRevisionName(name string) error {
	switch {
	case name == "":
		return op.Invalid("revision", "is missing: want a name that is new in the project")
	case len(name) > maxRevisionName:
		return op.Invalid("revision", "has %d bytes, but at most %d are allowed", len(name), maxRevisionName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return op.Invalid("revision", "want printable UTF-8, not %q", name)
	}
	return nil
}

// read finds the workflows in the archive, sorted by name.
func (u upload) read() ([]dig.Workflow, error) {
	project, err := dig.ReadArchive(u.archive, dig.DefaultLimits())
	if refused := (*dig.Error)(nil); errors.As(err, &refused) {
		return nil, op.Invalid("", "the archive is invalid: %v", refused)
	} else if err != nil {
		return nil, fmt.Errorf("read the archive of project %s: %w", u.project, err)
	}
	for _, name := range u.clear {
		if !slices.ContainsFunc(project.Workflows, func(f dig.Workflow) bool { return f.Name == name }) {
			return nil, op.Invalid("clear_schedule", "the archive has no workflow %q", name)
		}
	}
	return project.Workflows, nil
}

func (u upload) store(w *world.State, p world.Project, workflows []dig.Workflow, now time.Time) world.Revision {
	n := int64(len(workflows))
	r := world.Revision{
		ID: w.NewID("workflow.revision"), Project: p.ID, Name: u.revision, Previous: p.Revision,
		Archive: u.archive, CreatedAt: now, User: u.user, Definitions: n,
	}
	if len(u.ids) == 0 {
		r.FirstDefinition = w.NewIDs("workflow.definition", n)
	} else {
		for _, workflow := range workflows {
			id := u.ids[workflow.Name]
			if id == 0 {
				id = w.NewID("workflow.definition")
			}
			r.DefinitionIDs = append(r.DefinitionIDs, id)
		}
		r.FirstDefinition = r.DefinitionIDs[0]
	}
	w.Workflow.AddRevision(r, workflows)
	return r
}

// reschedule gives each workflow with a schedule a next slot, and drops the schedules of the others.
func (u upload) reschedule(w *world.State, p *world.Project, now time.Time) {
	before := map[string]world.Schedule{}
	for _, id := range p.Schedules {
		s, _ := w.Workflow.Schedules.Get(id)
		before[s.Name] = s
	}
	var kept []int64
	for d := range definitionsOf(w, p.Revision) {
		if d.Workflow.Schedule == nil {
			continue
		}
		s, had := before[d.Workflow.Name]
		if had {
			u.continueSchedule(w, &s, d, now)
		} else {
			s = world.Schedule{
				ID: u.scheduleID(w, d.Workflow.Name), Project: p.ID, Name: d.Workflow.Name, CreatedAt: now,
			}
			setSlot(&s, d.Workflow.Schedule.First(u.start(now)))
		}
		s.Definition = d.ID
		planSchedule(w, s, now)
		kept = append(kept, s.ID)
	}
	for _, id := range p.Schedules {
		if !slices.Contains(kept, id) {
			dropSchedule(w, id)
		}
	}
	slices.Sort(kept)
	p.Schedules = kept
}

func (u upload) scheduleID(w *world.State, workflow string) int64 {
	if id := u.scheduleIDs[workflow]; id != 0 {
		return id
	}
	return w.NewID("workflow.schedule")
}

// continueSchedule sets the next slot of a schedule that existed before the upload. If its definition has not changed,
// it keeps its slot.
func (u upload) continueSchedule(w *world.State, s *world.Schedule, d world.Definition, now time.Time) {
	before, _ := w.Workflow.Definitions.Get(s.Definition)
	schedule := d.Workflow.Schedule
	switch {
	case u.clearAll || slices.Contains(u.clear, s.Name):
		s.LastTime = time.Time{}
		setSlot(s, schedule.First(u.start(now)))
	case sameSchedule(before.Workflow.Schedule, schedule):
	case !u.catchUp:
		setSlot(s, schedule.First(laterOf(now, u.start(now))))
	case s.LastTime.IsZero():
		setSlot(s, schedule.First(u.start(now)))
	default:
		setSlot(s, schedule.Next(s.LastTime))
	}
}

func (u upload) start(now time.Time) time.Time {
	if u.from.IsZero() {
		return now
	}
	return u.from
}

func sameSchedule(a, b *dig.Schedule) bool {
	return a.Kind == b.Kind && a.Spec == b.Spec && a.Zone.String() == b.Zone.String() &&
		a.SkipOnOvertime == b.SkipOnOvertime && a.SkipDelayedBy == b.SkipDelayedBy &&
		a.Start.Equal(b.Start) && a.End.Equal(b.End)
}
