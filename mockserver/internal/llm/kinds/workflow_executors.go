package kinds

import (
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/world"
)

// WorkflowExecutors is the kind of workflow executors.
var WorkflowExecutors = jsonapi.NewKind(jsonapi.KindOf[world.WorkflowExecutor]{
	Type: "workflowExecutors", Noun: "workflow executor",
})
