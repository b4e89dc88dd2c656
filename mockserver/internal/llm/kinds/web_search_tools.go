package kinds

import (
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
