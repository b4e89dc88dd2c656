package llm

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const chatInterfaceType = "chatInterfaces"

var chatInterfaces = newKind(kindOf[world.ChatInterface]{
	Type: chatInterfaceType, Noun: "chat interface",
	Set: setChatInterface,
	Remove: func(c *op.Call, i world.Resource[world.ChatInterface]) error {
		dropInterfaces(c.World, idSet{i.UUID: true})
		return nil
	},
	Filters: map[string]filter[world.ChatInterface]{
		"name":       equal(func(i world.ChatInterface) string { return i.Name }),
		"project_id": equal(func(i world.ChatInterface) string { return i.ProjectID }),
	},
})

func setChatInterface(c *op.Call, _, after *world.Resource[world.ChatInterface]) error {
	i, agents := after.Attributes, &c.World.LLM.Agents
	errs := []error{
		requireRef(c, "projectId", i.ProjectID, &c.World.LLM.Projects), requireText("name", i.Name),
		optionalRef(c, "textInputAgentId", i.TextInputAgentID, agents),
	}
	for n, button := range i.ChatInterfaceButtons {
		errs = append(errs,
			requireRef(c, attributeAt("chatInterfaceButtons", n, "agentId"), button.AgentID, agents),
			requireText(attributeAt("chatInterfaceButtons", n, "label"), button.Label),
			requireText(attributeAt("chatInterfaceButtons", n, "prompt"), button.Prompt))
	}
	return errors.Join(errs...)
}

// agentsOf are the agents that answer in a chat interface.
func agentsOf(i world.ChatInterface) []string {
	var agents []string
	if i.TextInputAgentID != nil {
		agents = append(agents, *i.TextInputAgentID)
	}
	for _, button := range i.ChatInterfaceButtons {
		agents = append(agents, button.AgentID)
	}
	return agents
}
