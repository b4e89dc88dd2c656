package llm

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

var workflowExecutorKind = kind[world.WorkflowExecutor]{
	Type: "workflowExecutors", Noun: "workflow executor",
	Rows: func(l *world.LLM) *table.Table[world.Resource[world.WorkflowExecutor]] { return &l.WorkflowExecutors },
}

var workflowExecutors = workflowExecutorKind.resource()
