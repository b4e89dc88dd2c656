package learn

import (
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// counted describes a number in an overview.
type counted struct {
	of, total, first string // the kind that has the overview, and two members of it
	kind, by, named  string // what is counted: by the attribute that refers to what has the overview
}

var countedByOverviews = []counted{
	{"llm.project", "totalAgentCount", "firstAgentName", "llm.agent", "projectId", "name"},
	{"llm.project", "totalKnowledgeBaseCount", "firstKnowledgeBaseName", "llm.knowledge-base", "projectId", "name"},
	{"llm.project", "totalIntegrationCount", "firstIntegrationServiceType", "llm.integration", "projectId", "serviceType"},
	{"llm.agent", "totalReferencedByPromptCount", "firstReferencedByPromptName", "llm.prompt", "agentId", "name"},
}

// addCounted adds what overviews count and refusals list, and no answer shows.
func (b *llmBuilder) addCounted() {
	for _, e := range b.exchanges {
		body, ok := e.JSONResponse()
		if e.Operation().Interface != "llm" || !ok {
			continue
		}
		for _, failure := range body.Get("errors").Array() {
			for _, prompt := range failure.Get("meta.referencedByPrompts").Array() {
				b.needs = append(b.needs, wanted{kind: "llm.prompt", id: prompt.Get("id").String(), agent: param(e, "id")})
			}
		}
	}
	b.addNeeds()
	for _, e := range b.exchanges {
		body, ok := e.JSONResponse()
		if e.Operation().Interface != "llm" || !ok || !e.ok() {
			continue
		}
		for _, item := range body.Get("included").Array() {
			if item.Get("type").Str == "overviews" {
				b.addCountedBy(e, item)
			}
		}
	}
	b.addNeeds()
}

func (b *llmBuilder) addCountedBy(e *Exchange, overview gjson.Result) {
	id, attributes := overview.Get("id").String(), overview.Get("attributes")
	for _, c := range countedByOverviews {
		total := attributes.Get(c.total)
		if !total.Exists() || b.things.find(c.of, id) == nil || !b.things.find(c.of, id).wasThere() {
			continue
		}
		missing, first := int(total.Int())-b.alive(c, id, e), attributes.Get(c.first).String()
		for range missing {
			n := wanted{kind: c.kind, project: b.projectOf(c.of, id), service: first}
			if !b.hasNamed(c, first) {
				n.name = first
			}
			if c.of == "llm.agent" {
				n.agent = id
			}
			b.guess(n)
		}
		if first != "" && missing <= 0 && !b.hasNamed(c, first) {
			b.rename(c, id, first)
		}
	}
}

// alive counts what refers to a thing and was there at an exchange.
func (b *llmBuilder) alive(c counted, id string, e *Exchange) (n int) {
	for _, t := range b.things.all(c.kind) {
		isMade := t.made == nil && (t.wasThere() || t.sights[0].N <= e.N) || t.made != nil && t.made.N < e.N
		if t.first().Get("attributes."+c.by).String() == id && isMade && (t.gone == nil || t.gone.N > e.N) {
			n++
		}
	}
	for _, guessed := range b.guessed {
		if guessed.refers(c.by) == id && guessed.kind == c.kind {
			n++
		}
	}
	return n
}

// refers returns the id that an attribute of what is guessed has.
func (n *wanted) refers(by string) string {
	if by == "agentId" {
		return n.agent
	}
	return n.project
}

// hasNamed reports whether one of what is counted is known by a name.
func (b *llmBuilder) hasNamed(c counted, name string) bool {
	for _, t := range b.things.all(c.kind) {
		if t.first().Get("attributes."+c.named).String() == name {
			return true
		}
	}
	for _, guessed := range b.guessed {
		if guessed.kind == c.kind && (guessed.name == name || c.named == "serviceType" && guessed.service == name) {
			return true
		}
	}
	return c.named == "serviceType"
}

// rename gives the first guessed thing that is counted the name of an overview.
func (b *llmBuilder) rename(c counted, id, name string) {
	for i, guessed := range b.guessed {
		if guessed.kind == c.kind && guessed.refers(c.by) == id && guessed.name == "" {
			b.guessed[i].name = name
			setName(guessed.node, name)
			return
		}
	}
}

// setName sets the name among the attributes of a resource.
func setName(m *mapping, name string) {
	for i, key := range m.node.Content {
		if key.Value != "attributes" {
			continue
		}
		attributes := m.node.Content[i+1]
		for j, key := range attributes.Content {
			if key.Value == "name" {
				attributes.Content[j+1] = scalar(name)
			}
		}
	}
}

// projectOf returns the project of a project, which is itself, or of an agent.
func (b *llmBuilder) projectOf(kind, id string) string {
	if kind == "llm.project" {
		return id
	}
	return b.things.find(kind, id).first().Get("attributes.projectId").String()
}

// emptyList is a list that is written although nothing is in it.
func emptyList() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle} }

// serviceOf returns the kind of an integration.
func serviceOf(shown string) string {
	if shown == "CHATAPP" {
		return shown
	}
	return "WEBHOOK"
}
