package workflow

import (
	"math"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

type projectForm struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	Revision    string              `json:"revision"`
	ArchiveType string              `json:"archiveType"`
	ArchiveMD5  string              `json:"archiveMd5"`
	Metadata    []map[string]string `json:"metadata"`
	CreatedAt   string              `json:"createdAt"`
	UpdatedAt   string              `json:"updatedAt"`
	DeletedAt   *string             `json:"deletedAt"`
}

func projectView(w *world.State, p world.Project) projectForm {
	revision, _ := w.Workflow.Revisions.Get(p.Revision)
	return projectForm{
		ID: op.IDText(p.ID), Name: p.Name, Revision: revision.Name,
		ArchiveType: archiveType, ArchiveMD5: revision.MD5, Metadata: []map[string]string{},
		CreatedAt: op.Instant(p.CreatedAt), UpdatedAt: op.Instant(p.UpdatedAt), DeletedAt: op.OptionalInstant(p.DeletedAt),
	}
}

var listProjects = op.OnTwo(pageOf, func(c *op.Call, last, count int64) (op.Reply, error) {
	projects := []projectForm{}
	for _, p := range table.After(&c.World.Workflow.Projects, last) {
		if !p.DeletedAt.IsZero() || c.Has("name") && p.Name != c.Text("name") ||
			!strings.Contains(p.Name, c.Text("name_pattern")) {
			continue
		}
		if projects = append(projects, projectView(c.World, p)); int64(len(projects)) == count {
			break
		}
	}
	return op.OK(map[string]any{"projects": projects})
})

var getProject = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	return op.OK(projectView(c.World, p))
})

// deleteProject answers the project as it was before, so deletedAt is null in it. Sessions and attempts stay readable,
// and those that are under way go on.
var deleteProject = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	before := projectView(c.World, p)
	removeProject(c.World, p, c.Now)
	return op.OK(before)
})

func removeProject(w *world.State, p world.Project, now time.Time) {
	for _, id := range p.Schedules {
		dropSchedule(w, id)
	}
	w.Workflow.ProjectNames.Delete(p.Name)
	p.DeletedAt, p.Schedules = now, nil
	w.Workflow.Projects.Put(p.ID, p)
}

// RemoveProject deletes a project on behalf of another interface, unless that has been done already.
func RemoveProject(w *world.State, id int64, now time.Time) {
	if p, err := projectByID(w, id); err == nil {
		removeProject(w, p, now)
	}
}

// downloadProjectArchive always sends the bytes: it has no direct address to lead to, whatever direct_download says.
var downloadProjectArchive = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	revision, err := revisionFromQuery(c, p)
	if err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Status: 200, Bytes: revision.Archive, Type: "application/gzip"}, nil
})

// projectFromPath returns the live project of the path.
func projectFromPath(c *op.Call) (world.Project, error) {
	id, err := c.ID("project", "id")
	if err != nil {
		return world.Project{}, err
	}
	return projectByID(c.World, id)
}

// projectByID finds a live project. One that was deleted says so, with the time.
func projectByID(w *world.State, id int64) (world.Project, error) {
	p, ok := w.Workflow.Projects.Get(id)
	if !ok {
		return p, op.NotFound("project", "id", id)
	}
	return p, requireLive(p)
}

func requireLive(p world.Project) error {
	if p.DeletedAt.IsZero() {
		return nil
	}
	return &op.Error{
		Code:    op.CodeNotFound,
		Message: "project with id " + op.IDText(p.ID) + " was deleted at " + op.Instant(p.DeletedAt),
	}
}

// projectByName finds a live project.
func projectByName(w *world.State, name string) (world.Project, error) {
	id, ok := w.Workflow.ProjectNames.Get(name)
	if !ok {
		return world.Project{}, op.NotFound("project", "name", name)
	}
	return projectByID(w, id)
}

// projectOf returns the project of a definition, deleted or not.
func projectOf(w *world.State, d world.Definition) world.Project {
	p, _ := w.Workflow.Projects.Get(d.Project)
	return p
}

// pageOf returns the id that a page continues behind, and its size. That has no upper bound: there are never more
// entries than rows.
func pageOf(c *op.Call) (last, count int64, err error) {
	if count, err = c.Int("count", 100); err == nil && count < 1 {
		err = op.Invalid("count", "want 1 or more, not %d", count)
	}
	if err == nil {
		last, err = lastIDOf(c)
	}
	return last, count, err
}

// lastIDOf returns the id that a list continues behind; 0 means from its beginning.
func lastIDOf(c *op.Call) (int64, error) {
	id, err := c.Int("last_id", 0)
	return min(max(id, 0), math.MaxInt64-1), err
}
