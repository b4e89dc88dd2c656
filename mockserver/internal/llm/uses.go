package llm

import (
	"slices"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// toolsWith are the tools of other agents that point at a tool target. A tool has no id of its own: that of its agent
// stands for it (assumed).
func toolsWith(w *world.World, target string) []identifier {
	var list []identifier
	for _, agent := range table.All(&w.LLM.Agents) {
		if pointsAt(agent, target) {
			list = append(list, identifier{"agents", agent.UUID})
		}
	}
	return list
}

// variablesWith are the agents with variables that point at a tool target, which stand for them: variables have no ids
// of their own (assumed).
func variablesWith(w *world.World, target string) []identifier {
	return identifiersWhere("agents", &w.LLM.Agents, func(a world.Agent) bool {
		return slices.ContainsFunc(a.Variables, func(v world.AgentVariable) bool { return v.ToolTargetID == target })
	})
}
