package knowledge

import (
	"errors"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// TextKnowledgeBases is the kind of knowledge bases that consist of a text.
var TextKnowledgeBases = jsonapi.NewKind(jsonapi.KindOf[world.TextKnowledgeBase]{
	Type: "textKnowledgeBases", Noun: "text knowledge base",
	Set: func(c *op.Call, _, after *world.Resource[world.TextKnowledgeBase]) error {
		a := after.Attributes
		return errors.Join(kinds.RequireProjectAndName(c, a.ProjectID, a.Name), jsonapi.RequireText("text", a.Text))
	},
})
