package llm

import (
	"errors"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var agents = newKind(kindOf[world.Agent]{
	Type: "agents", Noun: "agent",
	New:    func(_ *op.Call, a *world.Agent) { a.MaxToolIterations, a.ReasoningEffort = 4, "NONE" }, // (assumed)
	Set:    setAgent,
	Remove: removeAgent,
	Filters: map[string]filter[world.Agent]{
		"project_id": equal(func(a world.Agent) string { return a.ProjectID }),
	},
	Related: func(_ *world.World, a world.Resource[world.Agent], relation string) []identifier {
		if relation == "overview" {
			return []identifier{{overviewType, a.UUID}}
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
		requireRef(c, "projectId", a.ProjectID, &c.World.LLM.Projects), requireText("name", a.Name),
		setTools(c, had.Tools, a.Tools), setVariables(c, had.Variables, a.Variables), checkFunctions(a),
	}
	if a.ModelType != had.ModelType { // one that has gone out of use stays until it is changed (public)
		errs = append(errs, requireModel("modelType", a.ModelType, chatModels()))
	}
	if a.MaxToolIterations < 1 {
		errs = append(errs, unprocessable("maxToolIterations", invalidFormat, "want at least 1, not %d", a.MaxToolIterations))
	}
	return errors.Join(errs...)
}

// checkFunctions wants functions with names of their own, and schemas that are JSON.
func checkFunctions(a *world.Agent) error {
	var errs []error
	seen := idSet{}
	function := func(attribute, name string) {
		errs = append(errs, requireText(attribute, name))
		if seen[name] {
			errs = append(errs, unprocessable(attribute, notUnique, "another function of the agent has the name %q", name))
		}
		seen[name] = true
	}
	for i, output := range a.Outputs {
		function(attributeAt("outputs", i, "functionName"), output.FunctionName)
		errs = append(errs,
			requireText(attributeAt("outputs", i, "name"), output.Name),
			requireObject(attributeAt("outputs", i, "jsonSchema"), output.JSONSchema))
	}
	for i, tool := range a.Tools {
		function(attributeAt("tools", i, "functionName"), tool.FunctionName)
		errs = append(errs, optionalObject(attributeAt("tools", i, "agentPromptSchema"), tool.AgentPromptSchema))
	}
	return errors.Join(errs...)
}

// removeAgent refuses while prompts or tools of other agents refer to the agent (public), and while interfaces or
// schedules do (assumed). Its chats go with it (assumed).
func removeAgent(c *op.Call, a world.Resource[world.Agent]) error {
	if err := requireUnused(agentUsers(c.World, a.UUID)...); err != nil {
		return err
	}
	dropAgents(c.World, idSet{a.UUID: true})
	return nil
}

func agentUsers(w *world.World, agent string) []dependents {
	l := &w.LLM
	forms := identifiersWhere(formInterfaceType, &l.FormInterfaces, func(f world.FormInterface) bool { return f.AgentID == agent })
	chats := identifiersWhere(chatInterfaceType, &l.ChatInterfaces, func(i world.ChatInterface) bool {
		return orEmpty(i.TextInputAgentID) == agent ||
			slices.ContainsFunc(i.ChatInterfaceButtons, func(b world.ChatInterfaceButton) bool { return b.AgentID == agent })
	})
	schedules := identifiersWhere("agentSchedules", &l.AgentSchedules, func(s world.AgentSchedule) bool {
		return s.AgentID == agent
	})
	prompts := identifiersWhere("prompts", &l.Prompts, func(p world.Prompt) bool { return p.AgentID == agent })
	return []dependents{
		{"prompts", "referencedByPrompts", prompts},
		{"tools of agents", "referencedByTools", toolsWith(w, agent)},
		{"form interfaces", "", forms},
		{"chat interfaces", "", chats},
		{"agent schedules", "", schedules},
	}
}
