package kinds

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Prompts is the kind of prompts.
var Prompts = jsonapi.NewKind(jsonapi.KindOf[world.Prompt]{
	Type: "prompts", Noun: "prompt",
	Set:    setPrompt,
	Remove: removePrompt,
})

func setPrompt(c *op.Call, before, after *world.Resource[world.Prompt]) error {
	p := &after.Attributes
	p.JSONSchemaHint = schemaHint(p.Template)
	errs := []error{
		RequireProjectAndName(c, p.ProjectID, p.Name), jsonapi.RequireText("template", p.Template),
	}
	agent := jsonapi.RequireRef(c, "agentId", p.AgentID, &c.World.LLM.Agents)
	if before != nil && before.Attributes.AgentID != p.AgentID {
		agent = jsonapi.Unprocessable("agentId", jsonapi.Immutable, "the agent of a prompt, %s, cannot be changed",
			before.Attributes.AgentID)
	}
	return errors.Join(append(errs, agent)...)
}

// removePrompt deletes the actions of the prompt, and removes them from integrations.
func removePrompt(c *op.Call, p world.Resource[world.Prompt]) error {
	dropPrompts(c.World, jsonapi.IDSet{p.UUID: true})
	return nil
}

// Placeholder matches a name in double braces of a template.
var Placeholder = regexp.MustCompile(`\{\{\s*([^{}\s][^{}]*?)\s*\}\}`)

// placeholders returns the names in double braces of a template, each once, in the order of first appearance.
func placeholders(template string) []string {
	var names []string
	for _, match := range Placeholder.FindAllStringSubmatch(template, -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	return names
}

// schemaHint returns the JSON Schema of a template's values: texts, in the order of the template.
func schemaHint(template string) string {
	names := placeholders(template)
	properties := make([]string, len(names))
	for i, name := range names {
		quoted, _ := jsontext.AppendQuote(nil, name) // a name that is not valid UTF-8 is quoted in part
		properties[i] = string(quoted) + `:{"type":"string"}`
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
}
