package llm

import (
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// startFrom fills in the project and the agent of a chat from what it is started from: a form interface, a chat
// interface, a prompt with an integration or an action, or else an agent (public). What was sent of them must agree.
func startFrom(c *op.Call, a *world.Chat) error {
	byPrompt := a.PromptID != nil || a.IntegrationID != nil || a.ActionID != nil
	form, chat := a.FormInterfaceID != nil, a.ChatInterfaceID != nil
	switch {
	case form && chat || form && byPrompt || chat && byPrompt:
		return unprocessable("formInterfaceId", oneInterface,
			"want one of formInterfaceId, chatInterfaceId and promptId, not several: a chat starts from one place")
	case form:
		return startFromForm(c, a)
	case chat:
		return startFromChatInterface(c, a)
	case byPrompt:
		return startFromPrompt(c, a)
	case a.AgentID == "":
		return unprocessable("agentId", cannotBeBlank,
			"can't be blank without formInterfaceId, chatInterfaceId or promptId: a chat starts from one of them")
	}
	agent, ok := find(c.World, a.AgentID, &c.World.LLM.Agents)
	if !ok {
		return noSuchRef("agentId", a.AgentID)
	}
	a.ProjectID = agent.Attributes.ProjectID
	return nil
}

func startFromForm(c *op.Call, a *world.Chat) error {
	form, ok := find(c.World, *a.FormInterfaceID, &c.World.LLM.FormInterfaces)
	if !ok {
		return noSuchRef("formInterfaceId", *a.FormInterfaceID)
	}
	a.ProjectID = form.Attributes.ProjectID
	return answeredBy(a, form.Attributes.AgentID)
}

// startFromChatInterface takes the agent of the text input, else that of the first button (assumed). In an interface
// that has no agent any may answer.
func startFromChatInterface(c *op.Call, a *world.Chat) error {
	chat, ok := find(c.World, *a.ChatInterfaceID, &c.World.LLM.ChatInterfaces)
	if !ok {
		return noSuchRef("chatInterfaceId", *a.ChatInterfaceID)
	}
	a.ProjectID = chat.Attributes.ProjectID
	agents := agentsOf(chat.Attributes)
	if len(agents) == 0 && a.AgentID != "" {
		return requireRef(c, "agentId", a.AgentID, &c.World.LLM.Agents)
	}
	return answeredBy(a, agents...)
}

// startFromPrompt starts with a prompt that an integration offers. An action is both of them.
func startFromPrompt(c *op.Call, a *world.Chat) error {
	if a.ActionID != nil {
		action, ok := find(c.World, *a.ActionID, &c.World.LLM.Actions)
		if !ok {
			return noSuchRef("actionId", *a.ActionID)
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
		return unprocessable("promptId", cannotBeBlank, "can't be blank: an integration offers several prompts")
	case a.IntegrationID == nil:
		return unprocessable("integrationId", cannotBeBlank, "can't be blank: a prompt starts a chat by an integration or an action")
	}
	integration, ok := find(c.World, *a.IntegrationID, &c.World.LLM.Integrations)
	if !ok {
		return noSuchRef("integrationId", *a.IntegrationID)
	}
	prompt, ok := find(c.World, *a.PromptID, &c.World.LLM.Prompts)
	if !ok {
		return noSuchRef("promptId", *a.PromptID)
	}
	offers := func(action world.IntegrationAction) bool { return action.PromptID == prompt.UUID }
	if !slices.ContainsFunc(integration.Attributes.Actions, offers) {
		return unprocessable("promptId", invalidFormat, "integration %s does not offer prompt %s", integration.UUID, prompt.UUID)
	}
	a.ProjectID = prompt.Attributes.ProjectID
	return answeredBy(a, prompt.Attributes.AgentID)
}

// requireAgreement fills in an attribute, or refuses what was sent instead.
func requireAgreement(attribute string, sent **string, is string) error {
	if *sent != nil && **sent != is {
		return unprocessable(attribute, invalidFormat, "the action is one of %s, not of %s", is, **sent)
	}
	*sent = &is
	return nil
}

// answeredBy takes the first of some agents, unless one of them was asked for.
func answeredBy(a *world.Chat, agents ...string) error {
	switch {
	case len(agents) == 0:
		return unprocessable("agentId", cannotBeBlank, "can't be blank: the chat interface has no agent")
	case a.AgentID == "":
		a.AgentID = agents[0]
	case !slices.Contains(agents, a.AgentID):
		return unprocessable("agentId", invalidFormat, "agent %s does not answer there; want %s, or leave it out", a.AgentID, agents[0])
	}
	return nil
}
