package knowledge

import (
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// The default bounds of a query, for datastore query tools and knowledge bases alike (public).
const (
	defaultMaxRows        = 50
	defaultTimeoutSeconds = 60
)

// DatastoreQueryTools is the kind of tools that query a database.
var DatastoreQueryTools = jsonapi.NewKind(jsonapi.KindOf[world.DatastoreQueryTool]{
	Type: "datastoreQueryTools", Noun: "datastore query tool",
	New: func(_ *op.Call, a *world.DatastoreQueryTool) {
		a.MaxRows, a.TimeoutSeconds = defaultMaxRows, defaultTimeoutSeconds
	},
	Set: func(c *op.Call, _, after *world.Resource[world.DatastoreQueryTool]) error {
		return kinds.RequireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})
