package llm

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

var presentationArtifactToolKind = kind[world.PresentationArtifactTool]{
	Type: "presentationArtifactTools", Noun: "presentation artifact tool",
	Rows: func(l *world.LLM) *table.Table[world.Resource[world.PresentationArtifactTool]] {
		return &l.PresentationArtifactTools
	},
	Set: func(c *op.Call, _, after *world.Resource[world.PresentationArtifactTool]) error {
		return inProject(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
}

var presentationArtifactTools = presentationArtifactToolKind.resource()
