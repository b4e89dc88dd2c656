package llm

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// toolTarget is what a tool of an agent can point at: another resource, under its id. Nothing of it is stored, so it
// comes and goes with what is behind it.
type toolTarget struct {
	Type      string // as in answers
	Kind      string // in the words of an agent's tools
	ProjectID string
	Name      string
	Shown     map[string]any // its attributes
}

var toolTargetKind = kind[toolTarget]{
	Type: "toolTargets", Noun: "tool target", Unlinked: true,
	Rows: toolTargetRows,
	View: func(_ *op.Call, r world.Resource[toolTarget]) any { return r.Attributes.Shown },
	Filters: map[string]filter[toolTarget]{
		"name":        equal(func(t toolTarget) string { return t.Name }),
		"project_id":  equal(func(t toolTarget) string { return t.ProjectID }),
		"target_type": ofKind,
	},
}

var toolTargets = newToolTargets()

// newToolTargets are the generic rules, with the type of each target in place of one for all.
func newToolTargets() *resource.Of[world.Resource[toolTarget]] {
	of := toolTargetKind.resource()
	of.View = func(c *op.Call, r world.Resource[toolTarget]) any {
		one := toolTargetKind.item(c, r)
		one.Type = r.Attributes.Type
		return one
	}
	of.Match = func(c *op.Call) (func(world.Resource[toolTarget]) bool, error) {
		passes, err := toolTargetKind.match(c)
		if err != nil || !c.Has("targetType") { // the older name of filter[target_type] (public)
			return passes, err
		}
		fits, err := ofKind(c, c.Text("targetType"))
		return func(r world.Resource[toolTarget]) bool { return passes(r) && fits(r) }, err
	}
	return of
}

// ofKind takes the words of an agent's tools, knowledge_base, and the types of targets, in either spelling (assumed).
func ofKind(_ *op.Call, text string) (func(world.Resource[toolTarget]) bool, error) {
	wanted := strings.ReplaceAll(strings.ToLower(text), "_", "")
	return func(r world.Resource[toolTarget]) bool {
		t := r.Attributes
		return wanted == strings.ReplaceAll(t.Kind, "_", "") || wanted == strings.ToLower(t.Type)
	}, nil
}

// toolTargetRows finds all targets, in the order in which they were made. Agents are targets of each other.
func toolTargetRows(l *world.LLM) *table.Table[world.Resource[toolTarget]] {
	all := slices.Concat(
		targets("knowledgeBaseToolTargets", knowledgeBaseTarget, &l.KnowledgeBases),
		targets("textKnowledgeBaseToolTargets", "text_knowledge_base", &l.TextKnowledgeBases),
		targets("datastoreQueryToolTargets", "datastore_query_tool", &l.DatastoreQueryTools),
		targets("imageGeneratorToolTargets", "image_generator", &l.ImageGenerators),
		targets("presentationArtifactToolTargets", "presentation_artifact_tool", &l.PresentationArtifactTools),
		targets("webSearchToolTargets", "web_search_tool", &l.WebSearchTools),
		targets("workflowExecutorToolTargets", "workflow_executor", &l.WorkflowExecutors),
		targets("agentToolTargets", agentTarget, &l.Agents),
	)
	rows := &table.Table[world.Resource[toolTarget]]{}
	for _, r := range all {
		rows.Put(r.ID, r)
	}
	return rows
}

// targets are the targets of one kind of resources.
func targets[A any](wireType, kind string, from *table.Table[world.Resource[A]]) []world.Resource[toolTarget] {
	var all []world.Resource[toolTarget]
	for _, r := range from.All() {
		all = append(all, newToolTarget(wireType, kind, r))
	}
	return all
}

func newToolTarget[A any](wireType, kind string, r world.Resource[A]) world.Resource[toolTarget] {
	shown := map[string]any{"createdAt": millis(r.CreatedAt), "updatedAt": millis(r.UpdatedAt)}
	all := fields(r.Attributes)
	for _, name := range targetAttributes() {
		if value, ok := all[name]; ok {
			shown[name] = value
		}
	}
	t := toolTarget{Type: wireType, Kind: kind, Shown: shown}
	t.ProjectID, _ = all["projectId"].(string)
	t.Name, _ = all["name"].(string)
	return world.Resource[toolTarget]{
		ID: r.ID, UUID: r.UUID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy, Attributes: t,
	}
}

// onToolTarget adds to a blank name the same error on the name of the tool target, for the kinds where the platform is
// known to (public): the two are saved together, and each of them finds it blank.
func onToolTarget(o *specs.Operation, list op.Errors) op.Errors {
	switch o.ID {
	case "createPresentationArtifactTool", "updatePresentationArtifactTool",
		"createTextKnowledgeBase", "updateTextKnowledgeBase":
	default:
		return list
	}
	const name = attributesField + ".name"
	i := slices.IndexFunc(list, func(e *op.Error) bool {
		return e.Field == name && validationCode(e.Reason) == cannotBeBlank
	})
	if i < 0 {
		return list
	}
	twin := *list[i]
	twin.Field = attributesField + ".toolTarget.name"
	return slices.Insert(list, i+1, &twin)
}

// targetAttributes are those that a target has from what is behind it (public).
func targetAttributes() []string {
	return []string{
		"projectId", "name", "isManaged", "svcDatabaseName", "formatType", "maxRows", "timeoutSeconds", "tables", "lastJob",
		"text", "svcAccountId", "createdByUserId", "updatedByUserId",
	}
}
