package llm

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var presentationArtifactTools = newKind(kindOf[world.PresentationArtifactTool]{
	Type: "presentationArtifactTools", Noun: "presentation artifact tool",
	Set: func(c *op.Call, _, after *world.Resource[world.PresentationArtifactTool]) error {
		return requireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})
