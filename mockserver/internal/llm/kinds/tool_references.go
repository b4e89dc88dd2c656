package kinds

import (
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

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
