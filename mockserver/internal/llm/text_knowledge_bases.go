package llm

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var textKnowledgeBases = newKind(kindOf[world.TextKnowledgeBase]{
	Type: "textKnowledgeBases", Noun: "text knowledge base",
	Set: func(c *op.Call, _, after *world.Resource[world.TextKnowledgeBase]) error {
		a := after.Attributes
		return errors.Join(requireProjectAndName(c, a.ProjectID, a.Name), requireText("text", a.Text))
	},
})
