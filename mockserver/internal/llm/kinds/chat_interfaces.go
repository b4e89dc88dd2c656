package kinds

import (
	"errors"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ChatInterfaceType is the type of chat interfaces in answers.
const ChatInterfaceType = "chatInterfaces"

// ChatInterfaces is the kind of chat interfaces.
var ChatInterfaces = jsonapi.NewKind(jsonapi.KindOf[world.ChatInterface]{
	Type: ChatInterfaceType, Noun: "chat interface",
	Set: setChatInterface,
	Remove: func(c *op.Call, i world.Resource[world.ChatInterface]) error {
		dropInterfaces(c.World, jsonapi.IDSet{i.UUID: true})
		return nil
	},
	Filters: map[string]jsonapi.Filter[world.ChatInterface]{
		"name":       jsonapi.Equal(func(i world.ChatInterface) string { return i.Name }),
		"project_id": jsonapi.Equal(func(i world.ChatInterface) string { return i.ProjectID }),
	},
})

func setChatInterface(c *op.Call, _, after *world.Resource[world.ChatInterface]) error {
	i, agents := after.Attributes, &c.World.LLM.Agents
	errs := []error{
		jsonapi.RequireRef(c, "projectId", i.ProjectID, &c.World.LLM.Projects), jsonapi.RequireText("name", i.Name),
		jsonapi.OptionalRef(c, "textInputAgentId", i.TextInputAgentID, agents),
	}
	for n, button := range i.ChatInterfaceButtons {
		errs = append(errs,
			jsonapi.RequireRef(c, jsonapi.AttributeAt("chatInterfaceButtons", n, "agentId"), button.AgentID, agents),
			jsonapi.RequireText(jsonapi.AttributeAt("chatInterfaceButtons", n, "label"), button.Label),
			jsonapi.RequireText(jsonapi.AttributeAt("chatInterfaceButtons", n, "prompt"), button.Prompt))
	}
	return errors.Join(errs...)
}

// AgentsOf returns the agents that answer in a chat interface.
func AgentsOf(i world.ChatInterface) []string {
	var agents []string
	if i.TextInputAgentID != nil {
		agents = append(agents, *i.TextInputAgentID)
	}
	for _, button := range i.ChatInterfaceButtons {
		agents = append(agents, button.AgentID)
	}
	return agents
}
