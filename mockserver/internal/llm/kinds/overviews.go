package kinds

import (
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// OverviewType is the type of the targets of the relation overview. An overview has the id of its resource (assumed).
const OverviewType = "overviews"

// projectOverview counts the resources of a project by kind, and describes the oldest of each.
type projectOverview struct {
	FirstAgentName              *string `json:"firstAgentName"`
	TotalAgentCount             int     `json:"totalAgentCount"`
	FirstIntegrationServiceType *string `json:"firstIntegrationServiceType"`
	TotalIntegrationCount       int     `json:"totalIntegrationCount"`
	FirstKnowledgeBaseName      *string `json:"firstKnowledgeBaseName"`
	TotalKnowledgeBaseCount     int     `json:"totalKnowledgeBaseCount"`
}

// agentOverview counts the resources that an agent refers to and those that refer to it, and names the oldest of each.
type agentOverview struct {
	FirstReferencingAgentName    *string `json:"firstReferencingAgentName"`
	TotalReferencingAgentCount   int     `json:"totalReferencingAgentCount"`
	FirstReferencedByAgentName   *string `json:"firstReferencedByAgentName"`
	TotalReferencedByAgentCount  int     `json:"totalReferencedByAgentCount"`
	FirstReferencedByPromptName  *string `json:"firstReferencedByPromptName"`
	TotalReferencedByPromptCount int     `json:"totalReferencedByPromptCount"`
}

// OverviewItem returns the overview of an agent or a project.
func OverviewItem(c *op.Call, uuid string) *jsonapi.Item {
	if agent, ok := jsonapi.Find(c.World, uuid, &c.World.LLM.Agents); ok {
		return &jsonapi.Item{ID: uuid, Type: OverviewType, Attributes: overviewOfAgent(&c.World.LLM, agent)}
	}
	return &jsonapi.Item{ID: uuid, Type: OverviewType, Attributes: overviewOfProject(&c.World.LLM, uuid)}
}

func overviewOfProject(l *world.LLM, project string) projectOverview {
	agents := namesOf(&l.Agents, func(r world.Resource[world.Agent]) (string, bool) {
		return r.Attributes.Name, r.Attributes.ProjectID == project
	})
	services := namesOf(&l.Integrations, func(r world.Resource[world.Integration]) (string, bool) {
		return r.Attributes.ServiceType, r.Attributes.ProjectID == project
	})
	bases := namesOf(&l.KnowledgeBases, func(r world.Resource[world.KnowledgeBase]) (string, bool) {
		return r.Attributes.Name, r.Attributes.ProjectID == project
	})
	return projectOverview{
		FirstAgentName: firstOrNull(agents), TotalAgentCount: len(agents),
		FirstIntegrationServiceType: firstOrNull(services), TotalIntegrationCount: len(services),
		FirstKnowledgeBaseName: firstOrNull(bases), TotalKnowledgeBaseCount: len(bases),
	}
}

// overviewOfAgent returns the overview of an agent, which refers to the agents that its tools point at, each counted
// once (assumed).
func overviewOfAgent(l *world.LLM, agent world.Resource[world.Agent]) agentOverview {
	targets := namesOf(&l.Agents, func(r world.Resource[world.Agent]) (string, bool) {
		return r.Attributes.Name, refersTo(agent, r.UUID)
	})
	users := namesOf(&l.Agents, func(r world.Resource[world.Agent]) (string, bool) {
		return r.Attributes.Name, refersTo(r, agent.UUID)
	})
	prompts := namesOf(&l.Prompts, func(r world.Resource[world.Prompt]) (string, bool) {
		return r.Attributes.Name, r.Attributes.AgentID == agent.UUID
	})
	return agentOverview{
		FirstReferencingAgentName: firstOrNull(targets), TotalReferencingAgentCount: len(targets),
		FirstReferencedByAgentName: firstOrNull(users), TotalReferencedByAgentCount: len(users),
		FirstReferencedByPromptName: firstOrNull(prompts), TotalReferencedByPromptCount: len(prompts),
	}
}

// refersTo reports whether a tool of an agent points at another resource.
func refersTo(agent world.Resource[world.Agent], target string) bool {
	return agent.UUID != target && slices.ContainsFunc(agent.Attributes.Tools, func(t world.AgentTool) bool {
		return t.ToolTargetID == target
	})
}

// namesOf returns the names of the rows that a function picks, in the order of their creation.
func namesOf[A any](
	rows *table.Table[world.Resource[A]], pick func(world.Resource[A]) (name string, picked bool),
) []string {
	var names []string
	for _, row := range table.All(rows) {
		if name, picked := pick(row); picked {
			names = append(names, name)
		}
	}
	return names
}

func firstOrNull(names []string) *string {
	if len(names) == 0 {
		return nil
	}
	return &names[0]
}
