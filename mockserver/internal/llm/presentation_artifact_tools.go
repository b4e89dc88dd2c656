package llm

import (
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
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

// onToolTarget adds to a blank name of a presentation artifact tool the same error on the name of its tool target
// (public): the two are saved together, and each of them finds it blank.
func onToolTarget(o *specs.Operation, list op.Errors) op.Errors {
	if o.ID != "createPresentationArtifactTool" && o.ID != "updatePresentationArtifactTool" {
		return list
	}
	const name = attributesField + ".name"
	i := slices.IndexFunc(list, func(e *op.Error) bool {
		return e.Field == name && validationCode(e.Reason) == cannotBeBlank
	})
	if i < 0 {
		return list
	}
	twin := *list[i]
	twin.Field = attributesField + ".toolTarget.name"
	return slices.Insert(list, i+1, &twin)
}
