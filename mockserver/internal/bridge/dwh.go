package bridge

import (
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// TargetDatabase returns the live database that an integration names.
func TargetDatabase(w *world.State, name string) (world.Database, bool) {
	id, ok := w.Core.DatabaseNames.Get(name)
	if !ok {
		return world.Database{}, false
	}
	return w.Core.Databases.Get(id)
}

// MayImport reports whether a caller may import into a database.
func MayImport(w *world.State, caller world.Caller, d world.Database) bool {
	return access.MayImport(w, caller, d)
}

// HasTable reports whether a database has a live table with a name.
func HasTable(w *world.State, d world.Database, name string) bool {
	_, ok := w.Core.TableNames.Get(world.TableName{Database: d.ID, Name: name})
	return ok
}

// Project returns a project, deleted or not.
func Project(w *world.State, id int64) world.Project {
	p, _ := w.Workflow.Projects.Get(id)
	return p
}

// ProjectNamed returns the live project that has a name, or an id in digits.
func ProjectNamed(w *world.State, name string) (world.Project, bool) {
	id, ok := w.Workflow.ProjectNames.Get(name)
	if !ok {
		id, _ = strconv.ParseInt(name, 10, 64)
	}
	p, ok := w.Workflow.Projects.Get(id)
	return p, ok && p.DeletedAt.IsZero()
}

// HasProject reports whether a live project has a name.
func HasProject(w *world.State, name string) bool {
	_, ok := w.Workflow.ProjectNames.Get(name)
	return ok
}

// Files holds the files of a project's next revision.
type Files = workflow.Files

// Upload stores files as a new revision of a project, which may be new.
func Upload(w *world.State, f Files, now time.Time) (world.Project, error) { return f.Upload(w, now) }

// RemoveProject deletes a project, if it exists.
func RemoveProject(w *world.State, id int64, now time.Time) { workflow.RemoveProject(w, id, now) }

// StartNow starts a workflow of a project, again if necessary.
func StartNow(w *world.State, project int64, name string) (world.Attempt, error) {
	return workflow.StartNow(w, project, name)
}

// Attempts returns the attempts of all projects.
func Attempts(w *world.State) *table.Table[world.Attempt] { return &w.Workflow.Attempts }

// OfProject reports whether an attempt belongs to a project.
func OfProject(w *world.State, a world.Attempt, project int64) bool {
	session, _ := w.Workflow.Sessions.Get(a.Session)
	return session.Project == project
}

// AttemptView returns an attempt in the form of the workflow interface.
func AttemptView(w *world.State, a world.Attempt) any { return workflow.AttemptView(w, a) }

// AttemptStatus returns an attempt's status in the words of the workflow interface.
func AttemptStatus(a world.Attempt) string { return string(engine.StatusOf(a)) }

// SessionTime returns an attempt's session time in the form of the workflow interface.
func SessionTime(w *world.State, a world.Attempt) string { return workflow.SessionTime(w, a) }

// Watch returns the state of attempts for an auto clock.
func Watch(w *world.State, attempts ...int64) (state string, at time.Time, pending bool) {
	return engine.Watch(w, attempts...)
}
