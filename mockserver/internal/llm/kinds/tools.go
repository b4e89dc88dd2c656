package kinds

import (
	"errors"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ImageGenerators is the kind of image generators.
var ImageGenerators = jsonapi.NewKind(jsonapi.KindOf[world.ImageGenerator]{
	Type: "imageGenerators", Noun: "image generator",
	Set: setImageGenerator,
})

// imageReturnID is the only known return mode (public).
const imageReturnID = "ID"

// IsNullReturnMode reports whether an error of the document's schema is about a return mode that is null. That does not
// count as blank but as unknown (public).
func IsNullReturnMode(e *op.Error) bool {
	return e.Field == jsonapi.AttributesField+".imageReturnMode" && e.Reason == "nullable"
}

func setImageGenerator(c *op.Call, before, after *world.Resource[world.ImageGenerator]) error {
	a := after.Attributes
	errs := []error{RequireProjectAndName(c, a.ProjectID, a.Name)}
	// One that went out of use may stay (assumed).
	if before == nil || before.Attributes.ImageModelType != a.ImageModelType {
		errs = append(errs, requireModel("imageModelType", a.ImageModelType, imageModels()))
	}
	if a.ImageReturnMode != imageReturnID {
		errs = append(errs, jsonapi.Unprocessable("imageReturnMode", jsonapi.InvalidFormat, "want %s, not %q",
			imageReturnID, a.ImageReturnMode))
	}
	return errors.Join(errs...)
}

// PresentationArtifactTools is the kind of tools that make presentations.
var PresentationArtifactTools = jsonapi.NewKind(jsonapi.KindOf[world.PresentationArtifactTool]{
	Type: "presentationArtifactTools", Noun: "presentation artifact tool",
	Set: func(c *op.Call, _, after *world.Resource[world.PresentationArtifactTool]) error {
		return RequireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})

// WebSearchTools is the kind of web search tools.
var WebSearchTools = jsonapi.NewKind(jsonapi.KindOf[world.WebSearchTool]{
	Type: "webSearchTools", Noun: "web search tool",
	New: func(_ *op.Call, a *world.WebSearchTool) {
		a.Filters = []byte("null")
	},
	Set: func(c *op.Call, _, after *world.Resource[world.WebSearchTool]) error {
		return RequireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})

// RewordFilters replaces an error within the filters of a web search tool by one for invalid JSON in the filters as a
// whole (public).
func RewordFilters(e *op.Error) *op.Error {
	const filters = jsonapi.AttributesField + ".filters"
	if e.Field != filters && !strings.HasPrefix(e.Field, filters+".") {
		return e
	}
	message := e.Message
	if member, ok := strings.CutPrefix(e.Field, filters+"."); ok {
		message = member + ": " + message
	}
	return &op.Error{Code: op.CodeUnprocessable, Field: filters, Message: message, Reason: jsonapi.InvalidJSON}
}

// WorkflowExecutors is the kind of workflow executors.
var WorkflowExecutors = jsonapi.NewKind(jsonapi.KindOf[world.WorkflowExecutor]{
	Type: "workflowExecutors", Noun: "workflow executor",
})
