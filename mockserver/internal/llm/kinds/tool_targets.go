package kinds

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// toolTarget is a possible target of an agent's tool: another resource, under its id. It is not stored but derived from
// that resource, so it exists as long as that does.
type toolTarget struct {
	Type      string // as in answers
	Kind      string // in the words of an agent's tools
	ProjectID string
	Name      string
	Shown     map[string]any // its attributes
}

// ToolTargets is the kind of the possible targets of agents' tools.
var ToolTargets = newToolTargets()

// newToolTargets returns a kind in which each target has a type of its own.
func newToolTargets() *jsonapi.Kind {
	k := jsonapi.NewKind(jsonapi.KindOf[toolTarget]{
		Type: "toolTargets", Noun: "tool target", Unlinked: true,
		Rows: func(l *world.LLM) table.Rows { return TargetsOf(l).Rows() },
		View: func(_ *op.Call, r world.Resource[toolTarget]) any { return r.Attributes.Shown },
		Filters: map[string]jsonapi.Filter[toolTarget]{
			"name":        jsonapi.Equal(func(t toolTarget) string { return t.Name }),
			"project_id":  jsonapi.Equal(func(t toolTarget) string { return t.ProjectID }),
			"target_type": isOfKind,
		},
	})
	k.View = func(c *op.Call, row any) any {
		one := k.Item(c, row)
		one.Type = row.(*world.Resource[toolTarget]).Attributes.Type
		return one
	}
	k.Match = func(c *op.Call) (func(any) bool, error) {
		passes, err := k.MatchFilters(c)
		if err != nil || !c.Has("targetType") { // the older name of filter[target_type] (public)
			return passes, err
		}
		fits, err := isOfKind(c, c.Text("targetType"))
		return func(row any) bool { return passes(row) && fits(*row.(*world.Resource[toolTarget])) }, err
	}
	return k
}

// isOfKind returns a test that passes the targets of a kind, in the spelling of an agent's tools, knowledge_base, or in
// that of the types of targets, in either case (assumed).
func isOfKind(_ *op.Call, text string) (func(world.Resource[toolTarget]) bool, error) {
	wanted := strings.ReplaceAll(strings.ToLower(text), "_", "")
	return func(r world.Resource[toolTarget]) bool {
		t := r.Attributes
		return wanted == strings.ReplaceAll(t.Kind, "_", "") || wanted == strings.ToLower(t.Type)
	}, nil
}

// TargetsOf returns all targets, in the order of their creation. Agents are targets of each other.
func TargetsOf(l *world.LLM) *table.Table[world.Resource[toolTarget]] {
	rows := &table.Table[world.Resource[toolTarget]]{}
	for _, k := range world.LLMKinds() {
		if k.Target == "" {
			continue
		}
		for id, row := range k.Rows(l).All() {
			rows.Put(id, newToolTarget(k.Target, row))
		}
	}
	return rows
}

func newToolTarget(kind string, row any) world.Resource[toolTarget] {
	head, attributes := world.Parts(row)
	shown := map[string]any{"createdAt": jsonapi.Millis(head.CreatedAt), "updatedAt": jsonapi.Millis(head.UpdatedAt)}
	all := jsonapi.WireFields(attributes)
	for _, name := range targetAttributes() {
		if value, ok := all[name]; ok {
			shown[name] = value
		}
	}
	t := toolTarget{Type: strings.TrimSuffix(jsonapi.Camel(kind), "Tool") + "ToolTargets", Kind: kind, Shown: shown}
	t.ProjectID, _ = all["projectId"].(string)
	t.Name, _ = all["name"].(string)
	return world.Resource[toolTarget]{Head: *head, Attributes: t}
}

// RepeatOnToolTarget repeats the error on a blank name for the name of the tool target, for the kinds of which this is
// known (public): the platform saves the two together, and finds both names blank.
func RepeatOnToolTarget(o *specs.Operation, list op.Errors) op.Errors {
	switch o.ID {
	case "createPresentationArtifactTool", "updatePresentationArtifactTool",
		"createTextKnowledgeBase", "updateTextKnowledgeBase":
	default:
		return list
	}
	const name = jsonapi.AttributesField + ".name"
	i := slices.IndexFunc(list, func(e *op.Error) bool {
		return e.Field == name && jsonapi.ValidationCode(e.Reason) == jsonapi.CannotBeBlank
	})
	if i < 0 {
		return list
	}
	twin := *list[i]
	twin.Field = jsonapi.AttributesField + ".toolTarget.name"
	return slices.Insert(list, i+1, &twin)
}

// targetAttributes returns the names of the attributes that a target has from the resource behind it (public).
func targetAttributes() []string {
	return []string{
		"projectId", "name", "isManaged", "svcDatabaseName", "formatType", "maxRows", "timeoutSeconds", "tables",
		"lastJob",
		"text", "svcAccountId", "createdByUserId", "updatedByUserId",
	}
}

// ToolsWith returns the agents whose tools point at a tool target, other than the target itself. They stand for the
// tools, which have no ids of their own (assumed).
func ToolsWith(w *world.State, target string) []jsonapi.Identifier {
	var list []jsonapi.Identifier
	for _, agent := range table.All(&w.LLM.Agents) {
		if refersTo(agent, target) {
			list = append(list, jsonapi.Identifier{Type: "agents", ID: agent.UUID})
		}
	}
	return list
}

// VariablesWith returns the agents with variables that point at a tool target. They stand for the variables, which have
// no ids of their own (assumed).
func VariablesWith(w *world.State, target string) []jsonapi.Identifier {
	return jsonapi.IdentifiersWhere("agents", &w.LLM.Agents, func(a world.Agent) bool {
		return slices.ContainsFunc(a.Variables, func(v world.AgentVariable) bool { return v.ToolTargetID == target })
	})
}
