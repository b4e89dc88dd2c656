package chat

import (
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// startFrom sets the project and the agent of a chat from its source: a form interface, a chat interface, a prompt with
// an integration or an action, or else an agent (public). The attributes that were sent must agree with it.
func startFrom(c *op.Call, a *world.Chat) error {
	byPrompt := a.PromptID != nil || a.IntegrationID != nil || a.ActionID != nil
	form, chat := a.FormInterfaceID != nil, a.ChatInterfaceID != nil
	switch {
	case form && chat || form && byPrompt || chat && byPrompt:
		return jsonapi.Unprocessable("formInterfaceId", jsonapi.OneInterface,
			"want only one of formInterfaceId, chatInterfaceId and promptId")
	case form:
		form, ok := jsonapi.Find(c.World, *a.FormInterfaceID, &c.World.LLM.FormInterfaces)
		if !ok {
			return jsonapi.NoSuchRef("formInterfaceId", *a.FormInterfaceID)
		}
		a.ProjectID = form.Attributes.ProjectID
		return answeredBy(a, form.Attributes.AgentID)
	case chat:
		return startFromChatInterface(c, a)
	case byPrompt:
		return startFromPrompt(c, a)
	case a.AgentID == "":
		return jsonapi.Unprocessable("agentId", jsonapi.CannotBeBlank,
			"can't be blank without formInterfaceId, chatInterfaceId or promptId")
	}
	agent, ok := jsonapi.Find(c.World, a.AgentID, &c.World.LLM.Agents)
	if !ok {
		return jsonapi.NoSuchRef("agentId", a.AgentID)
	}
	a.ProjectID = agent.Attributes.ProjectID
	return nil
}

// startFromChatInterface starts a chat from a chat interface, with the agent of the text input, else that of the first
// button (assumed). In an interface without agents any agent may answer.
func startFromChatInterface(c *op.Call, a *world.Chat) error {
	chat, ok := jsonapi.Find(c.World, *a.ChatInterfaceID, &c.World.LLM.ChatInterfaces)
	if !ok {
		return jsonapi.NoSuchRef("chatInterfaceId", *a.ChatInterfaceID)
	}
	a.ProjectID = chat.Attributes.ProjectID
	agents := kinds.AgentsOf(chat.Attributes)
	if len(agents) == 0 && a.AgentID != "" {
		return jsonapi.RequireRef(c, "agentId", a.AgentID, &c.World.LLM.Agents)
	}
	return answeredBy(a, agents...)
}

// startFromPrompt starts a chat from a prompt that an integration offers. An action stands for both.
func startFromPrompt(c *op.Call, a *world.Chat) error {
	if a.ActionID != nil {
		action, ok := jsonapi.Find(c.World, *a.ActionID, &c.World.LLM.Actions)
		if !ok {
			return jsonapi.NoSuchRef("actionId", *a.ActionID)
		}
		if err := requireAgreement("integrationId", &a.IntegrationID, action.Attributes.IntegrationID); err != nil {
			return err
		}
		if err := requireAgreement("promptId", &a.PromptID, action.Attributes.PromptID); err != nil {
			return err
		}
	}
	switch {
	case a.PromptID == nil:
		return jsonapi.Unprocessable("promptId", jsonapi.CannotBeBlank,
			"can't be blank: an integration offers several prompts")
	case a.IntegrationID == nil:
		return jsonapi.Unprocessable("integrationId", jsonapi.CannotBeBlank,
			"can't be blank: a prompt starts a chat through an integration or an action")
	}
	integration, ok := jsonapi.Find(c.World, *a.IntegrationID, &c.World.LLM.Integrations)
	if !ok {
		return jsonapi.NoSuchRef("integrationId", *a.IntegrationID)
	}
	prompt, ok := jsonapi.Find(c.World, *a.PromptID, &c.World.LLM.Prompts)
	if !ok {
		return jsonapi.NoSuchRef("promptId", *a.PromptID)
	}
	offers := func(action world.IntegrationAction) bool { return action.PromptID == prompt.UUID }
	if !slices.ContainsFunc(integration.Attributes.Actions, offers) {
		return jsonapi.Unprocessable("promptId", jsonapi.InvalidFormat, "integration %s does not offer prompt %s",
			integration.UUID, prompt.UUID)
	}
	a.ProjectID = prompt.Attributes.ProjectID
	return answeredBy(a, prompt.Attributes.AgentID)
}

// requireAgreement sets an attribute, and refuses another value that was sent.
func requireAgreement(attribute string, sent **string, is string) error {
	if *sent != nil && **sent != is {
		return jsonapi.Unprocessable(attribute, jsonapi.InvalidFormat, "the action belongs to %s, not to %s", is, **sent)
	}
	*sent = &is
	return nil
}

// answeredBy sets the agent of a chat to the first of some agents, unless the request asks for one of them.
func answeredBy(a *world.Chat, agents ...string) error {
	switch {
	case len(agents) == 0:
		return jsonapi.Unprocessable("agentId", jsonapi.CannotBeBlank,
			"can't be blank: the chat interface has no agent")
	case a.AgentID == "":
		a.AgentID = agents[0]
	case !slices.Contains(agents, a.AgentID):
		return jsonapi.Unprocessable("agentId", jsonapi.InvalidFormat,
			"agent %s is not used there; want %s, or leave it out", a.AgentID, agents[0])
	}
	return nil
}
