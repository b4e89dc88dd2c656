package kinds

import (
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// PresentationArtifactTools is the kind of tools that make presentations.
var PresentationArtifactTools = jsonapi.NewKind(jsonapi.KindOf[world.PresentationArtifactTool]{
	Type: "presentationArtifactTools", Noun: "presentation artifact tool",
	Set: func(c *op.Call, _, after *world.Resource[world.PresentationArtifactTool]) error {
		return RequireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})
