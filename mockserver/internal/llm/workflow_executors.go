package llm

import (
	"svc.example/understudy/mockserver/internal/world"
)

var workflowExecutors = newKind(kindOf[world.WorkflowExecutor]{
	Type: "workflowExecutors", Noun: "workflow executor",
})
