package kinds

import (
	"errors"
	"slices"
	"strconv"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// unmanaged is the managedType of projects that the platform does not manage (public).
const unmanaged = "NONE"

// Projects is the kind of projects.
var Projects = jsonapi.NewKind(jsonapi.KindOf[world.LLMProject]{
	Type: "projects", Noun: "project",
	New:    func(_ *op.Call, p *world.LLMProject) { p.ManagedType = unmanaged },
	Set:    setProject,
	Remove: removeProject,
	Filters: map[string]jsonapi.Filter[world.LLMProject]{
		"fulltext": jsonapi.Containing(func(p world.LLMProject) []string {
			return []string{p.Name, jsonapi.OrEmpty(p.Description)}
		}),
		"has_form_interfaces": jsonapi.IsTrue("has_form_interfaces",
			func(w *world.State, p world.Resource[world.LLMProject]) bool {
				return len(formsOf(w, p.UUID)) > 0
			}),
		"hasInterfaces": hasInterfaces,
		"is_managed": jsonapi.IsTrue("is_managed", func(_ *world.State, p world.Resource[world.LLMProject]) bool {
			return p.Attributes.IsManaged
		}),
		"manage_type": jsonapi.OneOf(func(p world.LLMProject) string { return p.ManagedType }),
	},
	Related: func(w *world.State, p world.Resource[world.LLMProject], relation string) []jsonapi.Identifier {
		switch relation {
		case "overview":
			return []jsonapi.Identifier{{Type: OverviewType, ID: p.UUID}}
		case "formInterfaces":
			return formsOf(w, p.UUID)
		case "chatInterfaces":
			return chatInterfacesOf(w, p.UUID)
		}
		return nil
	},
})

func setProject(c *op.Call, before, after *world.Resource[world.LLMProject]) error {
	p := after.Attributes
	errs := []error{jsonapi.RequireText("name", p.Name)}
	for id, other := range table.All(&c.World.LLM.Projects) {
		if id != after.ID && other.Attributes.Name == p.Name {
			errs = append(errs, jsonapi.Unprocessable("name", jsonapi.NotUnique,
				"the name %q is already used by another project", p.Name))
		}
	}
	had := world.LLMProject{}
	if before != nil {
		had = before.Attributes
	}
	if p.UseWorkflowExecutor != had.UseWorkflowExecutor {
		switchExecutor(c, after.UUID, p.UseWorkflowExecutor)
	}
	if p.UseRuntimeTextResource != had.UseRuntimeTextResource {
		switchTextTool(c, after.UUID, p.UseRuntimeTextResource)
	}
	return errors.Join(errs...)
}

// switchExecutor creates the workflow executor of a project, or deletes it.
func switchExecutor(c *op.Call, project string, on bool) {
	rows := &c.World.LLM.WorkflowExecutors
	if !on {
		jsonapi.DeleteWhere(c.World, rows, func(x world.WorkflowExecutor) bool { return x.ProjectID == project })
		return
	}
	executor := jsonapi.NewResource[world.WorkflowExecutor](c, c.World.NewID(jsonapi.Sequence))
	user := jsonapi.UserUUID(c.World, c.Caller.User.ID)
	executor.Attributes = world.WorkflowExecutor{
		AccountID: strconv.FormatInt(c.World.Account.ID, 10), ProjectID: project, Name: "Workflow executor",
		CreatedByUserID: user, UpdatedByUserID: user,
	}
	rows.Put(executor.ID, executor)
}

// switchTextTool creates the managed text tool of a project, or deletes it (that it is a text knowledge base is
// assumed).
func switchTextTool(c *op.Call, project string, on bool) {
	rows := &c.World.LLM.TextKnowledgeBases
	if !on {
		jsonapi.DeleteWhere(c.World, rows,
			func(k world.TextKnowledgeBase) bool { return k.ProjectID == project && k.IsManaged })
		return
	}
	tool := jsonapi.NewResource[world.TextKnowledgeBase](c, c.World.NewID(jsonapi.Sequence))
	tool.Attributes = world.TextKnowledgeBase{
		ProjectID: project, Name: "Runtime text resource", Text: "The text resource of the chat.", IsManaged: true,
	}
	rows.Put(tool.ID, tool)
}

func removeProject(c *op.Call, p world.Resource[world.LLMProject]) error {
	dropProjectContents(c.World, p.UUID)
	return nil
}

// hasInterfaces returns a test that passes the projects that have interfaces of one of the kinds that the filter
// lists.
func hasInterfaces(c *op.Call, text string) (func(world.Resource[world.LLMProject]) bool, error) {
	kinds := jsonapi.Words(text)
	for _, kind := range kinds {
		if kind != "form" && kind != "chat" {
			return nil, jsonapi.BadRequest("filter[hasInterfaces]", jsonapi.ReasonFilter,
				"want form, chat or both, not %q", kind)
		}
	}
	return func(p world.Resource[world.LLMProject]) bool {
		return slices.Contains(kinds, "form") && len(formsOf(c.World, p.UUID)) > 0 ||
			slices.Contains(kinds, "chat") && len(chatInterfacesOf(c.World, p.UUID)) > 0
	}, nil
}

func formsOf(w *world.State, project string) []jsonapi.Identifier {
	return jsonapi.IdentifiersWhere(FormInterfaceType, &w.LLM.FormInterfaces, func(f world.FormInterface) bool {
		return f.ProjectID == project
	})
}

func chatInterfacesOf(w *world.State, project string) []jsonapi.Identifier {
	return jsonapi.IdentifiersWhere(ChatInterfaceType, &w.LLM.ChatInterfaces, func(i world.ChatInterface) bool {
		return i.ProjectID == project
	})
}

// RequireProjectAndName refuses a resource without an existing project or without a name.
func RequireProjectAndName(c *op.Call, projectID, name string) error {
	return errors.Join(jsonapi.RequireRef(c, "projectId", projectID, &c.World.LLM.Projects),
		jsonapi.RequireText("name", name))
}
