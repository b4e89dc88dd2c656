package kinds

import (
	"errors"
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
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
		jsonapi.RequireRef(c, "projectId", a.ProjectID, &c.World.LLM.Projects), jsonapi.RequireText("name", a.Name),
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
