package workflow

import (
	"encoding/json"
	"iter"
	"sort"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

type workflowForm struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Project  idAndName       `json:"project"`
	Revision string          `json:"revision"`
	Timezone string          `json:"timezone"`
	Config   json.RawMessage `json:"config"`
}

func workflowView(w *world.State, d world.Definition) workflowForm {
	p, r := projectOf(w, d), revisionOf(w, d)
	return workflowForm{
		ID: op.IDText(d.ID), Name: d.Workflow.Name, Project: idName(p.ID, p.Name), Revision: r.Name,
		Timezone: d.Workflow.Timezone, Config: d.Workflow.Config,
	}
}

// listProjectWorkflows lists the workflows of a revision, by name.
var listProjectWorkflows = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	revision, err := revisionFromQuery(c, p)
	if err != nil {
		return op.Reply{}, err
	}
	workflows := []workflowForm{}
	for d := range definitionsOf(c.World, revision.ID) {
		if !c.Has("name") || d.Workflow.Name == c.Text("name") {
			workflows = append(workflows, workflowView(c.World, d))
		}
	}
	return op.OK(map[string]any{"workflows": workflows})
})

var getProjectWorkflow = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	revision, err := revisionFromQuery(c, p)
	if err != nil {
		return op.Reply{}, err
	}
	d, err := definitionIn(c.World, revision.ID, c.Param("name"))
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(workflowView(c.World, d))
})

// listWorkflows lists the latest revisions of live projects. last_id continues in the direction of order.
var listWorkflows = op.OnTwo(pageOf, func(c *op.Call, last, count int64) (op.Reply, error) {
	rows, err := orderedDefinitions(c, last)
	if err != nil {
		return op.Reply{}, err
	}
	projectsToo, err := c.Flag("search_project_name", false)
	if err != nil {
		return op.Reply{}, err
	}
	pattern := c.Text("name_pattern")
	workflows := []workflowForm{}
	for _, d := range rows {
		p := projectOf(c.World, d)
		if p.Revision != d.Revision || !p.DeletedAt.IsZero() ||
			!strings.Contains(d.Workflow.Name, pattern) && !(projectsToo && strings.Contains(p.Name, pattern)) {
			continue
		}
		if workflows = append(workflows, workflowView(c.World, d)); int64(len(workflows)) == count {
			break
		}
	}
	return op.OK(map[string]any{"workflows": workflows})
})

func orderedDefinitions(c *op.Call, last int64) (iter.Seq2[int64, world.Definition], error) {
	switch order := c.Text("order"); order {
	case "", "asc":
		return table.After(&c.World.Workflow.Definitions, last), nil
	case "desc":
		return table.Before(&c.World.Workflow.Definitions, last), nil
	default:
		return nil, op.Invalid("order", "want asc or desc, not %q", order)
	}
}

// getWorkflow also reads workflows of older revisions and of deleted projects, which attempts refer to.
var getWorkflow = op.On(definitionFromQuery, func(c *op.Call, d world.Definition) (op.Reply, error) {
	return op.OK(workflowView(c.World, d))
})

func definitionFromQuery(c *op.Call) (world.Definition, error) {
	return op.ByID(c, "workflow", "id", c.World.Workflow.Definitions.Get)
}

// definitionByID finds a workflow of a live project, of any revision.
func definitionByID(w *world.State, id int64) (world.Definition, error) {
	d, ok := w.Workflow.Definitions.Get(id)
	if !ok {
		return d, op.NotFound("workflow", "id", id)
	}
	return d, requireLive(projectOf(w, d))
}

// definitionByName finds a workflow in the latest revision of a live project.
func definitionByName(w *world.State, project, workflow string) (world.Definition, error) {
	p, err := projectByName(w, project)
	if err != nil {
		return world.Definition{}, err
	}
	return definitionIn(w, p.Revision, workflow)
}

func definitionIn(w *world.State, revision int64, name string) (world.Definition, error) {
	r, _ := w.Workflow.Revisions.Get(revision)
	at := sort.Search(int(r.Definitions), func(i int) bool {
		d, _ := w.Workflow.Definitions.Get(r.DefinitionID(i))
		return d.Workflow.Name >= name
	})
	if at < int(r.Definitions) {
		if d, _ := w.Workflow.Definitions.Get(r.DefinitionID(at)); d.Workflow.Name == name {
			return d, nil
		}
	}
	return world.Definition{}, op.NotFound("workflow", "name", name)
}

func definitionsOf(w *world.State, revision int64) iter.Seq[world.Definition] {
	return func(yield func(world.Definition) bool) {
		r, _ := w.Workflow.Revisions.Get(revision)
		for i := range int(r.Definitions) {
			if d, _ := w.Workflow.Definitions.Get(r.DefinitionID(i)); !yield(d) {
				return
			}
		}
	}
}

func revisionOf(w *world.State, d world.Definition) world.Revision {
	r, _ := w.Workflow.Revisions.Get(d.Revision)
	return r
}

// zoneOf returns the time zone of a workflow.
func zoneOf(d world.Definition) *time.Location { return d.Workflow.Zone }
