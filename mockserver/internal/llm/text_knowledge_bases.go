package llm

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

var textKnowledgeBaseKind = kind[world.TextKnowledgeBase]{
	Type: "textKnowledgeBases", Noun: "text knowledge base",
	Rows: func(l *world.LLM) *table.Table[world.Resource[world.TextKnowledgeBase]] { return &l.TextKnowledgeBases },
	Set: func(c *op.Call, _, after *world.Resource[world.TextKnowledgeBase]) error {
		a := after.Attributes
		return errors.Join(inProject(c, a.ProjectID, a.Name), filled("text", a.Text))
	},
}

var textKnowledgeBases = textKnowledgeBaseKind.resource()
