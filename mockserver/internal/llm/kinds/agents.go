package kinds

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	names "svc.example/understudy/specs/source"
)

// Agents is the kind of agents.
var Agents = jsonapi.NewKind(jsonapi.KindOf[world.Agent]{
	Type: "agents", Noun: "agent",
	New:    func(_ *op.Call, a *world.Agent) { a.MaxToolIterations, a.ReasoningEffort = 4, "NONE" }, // (assumed)
	Set:    setAgent,
	Remove: removeAgent,
	Filters: map[string]jsonapi.Filter[world.Agent]{
		"project_id": jsonapi.Equal(func(a world.Agent) string { return a.ProjectID }),
	},
	Related: func(_ *world.State, a world.Resource[world.Agent], relation string) []jsonapi.Identifier {
		if relation == "overview" {
			return []jsonapi.Identifier{{Type: OverviewType, ID: a.UUID}}
		}
		return nil
	},
})

func setAgent(c *op.Call, before, after *world.Resource[world.Agent]) error {
	a, had := &after.Attributes, world.Agent{}
	if before != nil {
		had = before.Attributes
	}
	errs := []error{
		RequireProjectAndName(c, a.ProjectID, a.Name),
		setTools(c, had.Tools, a.Tools), setVariables(c, had.Variables, a.Variables), checkFunctions(a),
	}
	if a.ModelType != had.ModelType { // a retired model stays until it is changed (public)
		errs = append(errs, requireModel("modelType", a.ModelType, chatModels()))
	}
	if a.MaxToolIterations < 1 {
		errs = append(errs, jsonapi.Unprocessable("maxToolIterations", jsonapi.InvalidFormat,
			"want at least 1, not %d", a.MaxToolIterations))
	}
	return errors.Join(errs...)
}

// checkFunctions requires functions with distinct names, and schemas that are JSON.
func checkFunctions(a *world.Agent) error {
	var errs []error
	seen := jsonapi.IDSet{}
	function := func(attribute, name string) {
		errs = append(errs, jsonapi.RequireText(attribute, name))
		if seen[name] {
			errs = append(errs, jsonapi.Unprocessable(attribute, jsonapi.NotUnique,
				"the name %q is already used by another function of the agent", name))
		}
		seen[name] = true
	}
	for i, output := range a.Outputs {
		function(jsonapi.AttributeAt("outputs", i, "functionName"), output.FunctionName)
		errs = append(errs,
			jsonapi.RequireText(jsonapi.AttributeAt("outputs", i, "name"), output.Name),
			jsonapi.RequireObject(jsonapi.AttributeAt("outputs", i, "jsonSchema"), output.JSONSchema))
	}
	for i, tool := range a.Tools {
		function(jsonapi.AttributeAt("tools", i, "functionName"), tool.FunctionName)
		errs = append(errs, jsonapi.OptionalObject(jsonapi.AttributeAt("tools", i, "agentPromptSchema"),
			tool.AgentPromptSchema))
	}
	return errors.Join(errs...)
}

// removeAgent refuses the deletion while prompts or tools of other agents refer to the agent (public), or interfaces or
// schedules do (assumed). Its chats are deleted with it (assumed).
func removeAgent(c *op.Call, a world.Resource[world.Agent]) error {
	if err := jsonapi.RequireUnused(agentUsers(c.World, a.UUID)...); err != nil {
		return err
	}
	dropAgents(c.World, jsonapi.IDSet{a.UUID: true})
	return nil
}

func agentUsers(w *world.State, agent string) []jsonapi.Dependents {
	l := &w.LLM
	forms := jsonapi.IdentifiersWhere(FormInterfaceType, &l.FormInterfaces,
		func(f world.FormInterface) bool { return f.AgentID == agent })
	chats := jsonapi.IdentifiersWhere(ChatInterfaceType, &l.ChatInterfaces, func(i world.ChatInterface) bool {
		return jsonapi.OrEmpty(i.TextInputAgentID) == agent ||
			slices.ContainsFunc(i.ChatInterfaceButtons,
				func(b world.ChatInterfaceButton) bool { return b.AgentID == agent })
	})
	schedules := jsonapi.IdentifiersWhere("agentSchedules", &l.AgentSchedules, func(s world.AgentSchedule) bool {
		return s.AgentID == agent
	})
	prompts := jsonapi.IdentifiersWhere("prompts", &l.Prompts, func(p world.Prompt) bool { return p.AgentID == agent })
	return []jsonapi.Dependents{
		{Plural: "prompts", Meta: "referencedByPrompts", List: prompts},
		{Plural: "tools of agents", Meta: "referencedByTools", List: ToolsWith(w, agent)},
		{Plural: "form interfaces", List: forms},
		{Plural: "chat interfaces", List: chats},
		{Plural: "agent schedules", List: schedules},
	}
}

// The kinds of tool targets, in the spelling of requests. That of knowledge bases is public, the others are assumed.
const (
	agentTarget         = "agent"
	knowledgeBaseTarget = "knowledge_base"
)

// creatorOf returns the user who created the target of a tool, whether the target exists, and whether its kind is
// known. A tool target has the id of the resource behind it (assumed).
func creatorOf(w *world.State, kind, uuid string) (user int64, found, known bool) {
	for _, k := range world.LLMKinds() {
		if k.Target == kind && kind != "" {
			id, _ := w.LLM.UUIDs.Get(uuid)
			row := k.Rows(&w.LLM).Get(id)
			if row == nil {
				return 0, false, true
			}
			head, _ := world.Parts(row)
			return head.CreatedBy, true, true
		}
	}
	return 0, false, false
}

// checkTarget checks the target of a new tool or variable. An agent must be the caller's own (public).
func checkTarget(c *op.Call, list string, n int, kind, uuid string) error {
	user, found, known := creatorOf(c.World, kind, uuid)
	switch {
	case !known:
		return jsonapi.Unprocessable(jsonapi.AttributeAt(list, n, "toolTargetType"), jsonapi.InvalidFormat,
			"unknown kind of tool target %q; want one such as %s",
			kind, knowledgeBaseTarget)
	case !found:
		return jsonapi.Unprocessable(jsonapi.AttributeAt(list, n, "toolTargetId"), jsonapi.InvalidFormat,
			"tool target of kind %s with id %q not found", kind, uuid)
	case kind == agentTarget && user != c.Caller.User.ID:
		return op.Forbidden("agent %s, which %s refers to, belongs to another user", uuid,
			jsonapi.AttributeAt(list, n, "toolTargetId"))
	}
	return nil
}

// setTools checks the tools that an agent did not have before, and sets the targets of all. The targets of earlier
// tools may be gone: nothing protects most of them.
func setTools(c *op.Call, before, after []world.AgentTool) error {
	var errs []error
	for i := range after {
		t := &after[i]
		had := slices.ContainsFunc(before, func(b world.AgentTool) bool {
			return b.ToolTargetID == t.ToolTargetID && b.ToolTargetType == t.ToolTargetType
		})
		if !had {
			errs = append(errs, checkTarget(c, "tools", i, t.ToolTargetType, t.ToolTargetID))
		}
		t.AgentOutputMode = cmp.Or(t.AgentOutputMode, world.ReturnOutput) // null means the default (public)
		t.TargetType, t.TargetKnowledgeBaseID, t.TargetAgentID = pascalCase(t.ToolTargetType), nil, nil
		switch t.ToolTargetType {
		case knowledgeBaseTarget:
			t.TargetKnowledgeBaseID = &t.ToolTargetID
		case agentTarget:
			t.TargetAgentID = &t.ToolTargetID
		}
	}
	return errors.Join(errs...)
}

// setVariables does the same as setTools for variables, whose knowledge base a client may send itself.
func setVariables(c *op.Call, before, after []world.AgentVariable) error {
	var errs []error
	for i := range after {
		v := &after[i]
		had := slices.ContainsFunc(before, func(b world.AgentVariable) bool {
			return b.ToolTargetID == v.ToolTargetID && b.ToolTargetType == v.ToolTargetType
		})
		if !had {
			errs = append(errs, checkTarget(c, "variables", i, v.ToolTargetType, v.ToolTargetID))
		}
		errs = append(errs, jsonapi.RequireText(jsonapi.AttributeAt("variables", i, "name"), v.Name))
		if sent := jsonapi.OrEmpty(v.TargetKnowledgeBaseID); sent != "" && sent != v.ToolTargetID {
			errs = append(errs, jsonapi.Unprocessable(jsonapi.AttributeAt("variables", i, "targetKnowledgeBaseId"),
				jsonapi.InvalidFormat,
				"want the id of the tool target, %s, or none, not %q", v.ToolTargetID, sent))
		}
		if v.TargetKnowledgeBaseID = nil; v.ToolTargetType == knowledgeBaseTarget {
			v.TargetKnowledgeBaseID = &v.ToolTargetID
		}
	}
	return errors.Join(errs...)
}

// pascalCase returns a kind of tool target in the spelling of answers: knowledge_base is KnowledgeBase.
func pascalCase(kind string) string {
	name := jsonapi.Camel(kind)
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// model is an available model, by its key (public) and its display name (assumed).
type model struct{ key, name string }

// chatModels returns the models of agents. Any other key is a retired or an unknown model.
func chatModels() []model {
	return []model{
		{"nova-pro-v1", "Nova Pro"},
		{"nova-lite-v1", "Nova Lite"},
		{"nova-micro-v1", "Nova Micro"},
		{"claude-3.5-sonnet", "Claude 3.5 Sonnet"},
		{"claude-4-sonnet", "Claude 4 Sonnet"},
		{"claude-4.5-haiku", "Claude 4.5 Haiku"},
		{"claude-4.5-sonnet", "Claude 4.5 Sonnet"},
		{"claude-4.6-sonnet", "Claude 4.6 Sonnet"},
		{"claude-4.6-opus", "Claude 4.6 Opus"},
		{"gpt-5", "GPT-5"},
		{"gpt-5-mini", "GPT-5 mini"},
		{"gpt-5-nano", "GPT-5 nano"},
		{"gpt-4.1", "GPT-4.1"},
		{"gpt-4.1-mini", "GPT-4.1 mini"},
		{"gpt-4.1-nano", "GPT-4.1 nano"},
		{"gpt-5.5", "GPT-5.5"},
	}
}

// imageModels returns the models of image generators.
func imageModels() []model { return []model{{"nova-canvas", "Nova Canvas"}} }

// requireModel refuses a key that is not that of an available model.
func requireModel(attribute, key string, models []model) error {
	if slices.ContainsFunc(models, func(m model) bool { return m.key == key }) {
		return nil
	}
	keys := make([]string, len(models))
	for i, m := range models {
		keys[i] = m.key
	}
	return jsonapi.Unprocessable(attribute, jsonapi.InvalidFormat,
		"unknown model %q; want %s; GET /api/users/current_settings lists them",
		key, names.OneOf(key, keys))
}

// GetCurrentUserSettings returns the available models by key.
func GetCurrentUserSettings(*op.Call) (op.Reply, error) {
	return jsonapi.PlainReply(map[string]any{
		"availableModels": modelMap(chatModels()), "availableImageModels": modelMap(imageModels()),
	})
}

func modelMap(models []model) map[string]any {
	byKey := map[string]any{}
	for _, m := range models {
		byKey[m.key] = map[string]string{"displayName": m.name}
	}
	return byKey
}
