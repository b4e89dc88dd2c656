package llm

import (
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var webSearchTools = newKind(kindOf[world.WebSearchTool]{
	Type: "webSearchTools", Noun: "web search tool",
	New: func(_ *op.Call, a *world.WebSearchTool) {
		a.Filters = []byte("null")
	},
	Set: func(c *op.Call, _, after *world.Resource[world.WebSearchTool]) error {
		return requireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})

// rewordFilters: what is wrong within the filters of a web search tool makes them invalid JSON as a whole (public).
func rewordFilters(e *op.Error) *op.Error {
	const filters = attributesField + ".filters"
	if e.Field != filters && !strings.HasPrefix(e.Field, filters+".") {
		return e
	}
	message := e.Message
	if member, ok := strings.CutPrefix(e.Field, filters+"."); ok {
		message = member + ": " + message
	}
	return &op.Error{Code: op.CodeUnprocessable, Field: filters, Message: message, Reason: invalidJSON}
}
