package kinds

import (
	"errors"
	"strings"

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
		RequireProjectAndName(c, i.ProjectID, i.Name),
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

// FormInterfaceType is the type of form interfaces in answers.
const FormInterfaceType = "formInterfaces"

// FormInterfaces is the kind of form interfaces.
var FormInterfaces = jsonapi.NewKind(jsonapi.KindOf[world.FormInterface]{
	Type: FormInterfaceType, Noun: "form interface",
	Set: setFormInterface,
	Remove: func(c *op.Call, f world.Resource[world.FormInterface]) error {
		dropInterfaces(c.World, jsonapi.IDSet{f.UUID: true})
		return nil
	},
	Filters: map[string]jsonapi.Filter[world.FormInterface]{
		"name":       jsonapi.Equal(func(f world.FormInterface) string { return f.Name }),
		"project_id": jsonapi.Equal(func(f world.FormInterface) string { return f.ProjectID }),
	},
	Related: func(_ *world.State, f world.Resource[world.FormInterface], relation string) []jsonapi.Identifier {
		if relation == "project" {
			return []jsonapi.Identifier{{Type: "projects", ID: f.Attributes.ProjectID}}
		}
		return nil
	},
})

func setFormInterface(c *op.Call, _, after *world.Resource[world.FormInterface]) error {
	f := &after.Attributes
	f.UseTextResource = takesTextResource(f)
	return errors.Join(
		jsonapi.RequireRef(c, "projectId", f.ProjectID, &c.World.LLM.Projects),
		jsonapi.RequireRef(c, "agentId", f.AgentID, &c.World.LLM.Agents),
		jsonapi.RequireText("name", f.Name), jsonapi.RequireText("promptTemplate", f.PromptTemplate),
		jsonapi.RequireObject("formJsonSchema", f.FormJSONSchema),
		jsonapi.OptionalObject("formUiSchema", f.FormUISchema),
	)
}

// takesTextResource reports whether a form accepts a text resource: its template or its schema mentions one (assumed).
func takesTextResource(f *world.FormInterface) bool {
	return strings.Contains(f.FormJSONSchema, "textResource") || strings.Contains(f.PromptTemplate, "textResource")
}
