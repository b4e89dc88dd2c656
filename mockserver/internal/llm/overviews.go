package llm

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// overviewType is the type of what the relation overview leads to. An overview has the id of what it is about
// (assumed).
const overviewType = "overviews"

// overviewItem counts what refers to a project or an agent and gives the first name of each kind (public; the names of
// the attributes are assumed).
func overviewItem(c *op.Call, uuid string) *item {
	l := &c.World.LLM
	o := overview{}
	if _, ok := named(c.World, uuid, &l.Agents); ok {
		tally(o, "prompts", "firstPromptName", &l.Prompts, func(p world.Prompt) (string, bool) {
			return p.Name, p.AgentID == uuid
		})
		tally(o, "formInterfaces", "firstFormInterfaceName", &l.FormInterfaces, func(f world.FormInterface) (string, bool) {
			return f.Name, f.AgentID == uuid
		})
		return &item{ID: uuid, Type: overviewType, Attributes: o}
	}
	tally(o, "agents", "firstAgentName", &l.Agents, func(a world.Agent) (string, bool) {
		return a.Name, a.ProjectID == uuid
	})
	tally(o, "prompts", "firstPromptName", &l.Prompts, func(p world.Prompt) (string, bool) {
		return p.Name, p.ProjectID == uuid
	})
	tally(o, "knowledgeBases", "firstKnowledgeBaseName", &l.KnowledgeBases, func(k world.KnowledgeBase) (string, bool) {
		return k.Name, k.ProjectID == uuid
	})
	tally(o, "formInterfaces", "firstFormInterfaceName", &l.FormInterfaces, func(f world.FormInterface) (string, bool) {
		return f.Name, f.ProjectID == uuid
	})
	tally(o, "chatInterfaces", "firstChatInterfaceName", &l.ChatInterfaces, func(i world.ChatInterface) (string, bool) {
		return i.Name, i.ProjectID == uuid
	})
	return &item{ID: uuid, Type: overviewType, Attributes: o}
}

type overview map[string]any

// tally enters how many rows belong to something, and the name of the first of them, null when there is none.
func tally[A any](o overview, noun, first string, rows *table.Table[world.Resource[A]], name func(A) (string, bool)) {
	count := 0
	o[first] = nil
	for _, row := range rows.All() {
		text, belongs := name(row.Attributes)
		if !belongs {
			continue
		}
		if count++; count == 1 {
			o[first] = text
		}
	}
	o[noun+"Count"] = count
}
