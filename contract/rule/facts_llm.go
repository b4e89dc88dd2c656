package rule

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/judge"
)

// llmReaders are those of resources, which are alike for all kinds, and of what else names one of them.
var llmReaders = func() map[string]*reader {
	readers := map[string]*reader{
		"listActions":           {of: actions, does: lists, in: addCollection, rest: readFilter},
		"runActionChatapp":      {of: actions, does: reads},
		"callbackAgentSchedule": {of: resources["agentSchedules"], does: changes},
		"executeAgentSchedule":  {of: resources["agentSchedules"], does: reads},
		"queryKnowledgeBase":    {of: resources["knowledgeBases"], does: reads},
		"listToolTargets":       {of: toolTargets, does: lists, in: addCollection, rest: readFilter},
		"getToolTarget":         {of: toolTargets, does: reads, in: addDocument},
		"getWorkflowExecutor":   {of: workflowExecutors, does: reads, in: addDocument},
	}
	for name, k := range resources {
		one := strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
		readers["list"+one+"s"] = &reader{of: k, does: lists, in: addCollection, rest: readFilter}
		readers["create"+one] = &reader{of: k, does: makes, in: addDocument, to: readProjectID}
		readers["get"+one] = &reader{of: k, does: reads, in: addDocument}
		readers["update"+one] = &reader{of: k, does: changes, in: addDocument, to: readProjectID}
		readers["delete"+one] = &reader{of: k, does: removes}
	}
	return readers
}()

// kindOf is the kind of resources of a type, or nil of one that no rule cares for.
func kindOf(kind string) *kind {
	switch {
	case kind == "actions":
		return actions
	case kind == "workflowExecutors":
		return workflowExecutors
	case strings.HasSuffix(kind, "ToolTargets"):
		return toolTargets
	}
	return resources[kind]
}

// behind is the kind of what a tool target of a type stands for: knowledgeBaseToolTargets stand for knowledge bases, and
// webSearchToolTargets for web search tools. Where it is gone, so is its target, which has its id (assumed).
func behind(kind string) *kind {
	tool, _ := strings.CutSuffix(kind, "ToolTargets")
	return cmp.Or(resources[tool+"s"], resources[tool+"Tools"])
}

// addResource reads a resource and what it belongs to.
func addResource(e *Event, body gjson.Result) {
	name := text(body.Get("type"))
	one := thing{kindOf(name), text(body.Get("id"))}
	if one.isNone() {
		return
	}
	n := len(e.Shows)
	e.show(one.kind, one.id)
	e.markAll(n, body)
	e.tie(one, thing{resources["projects"], text(body.Get("attributes.projectId"))})
	switch one.kind {
	case actions:
		e.tie(one, thing{resources["integrations"], text(body.Get("attributes.integrationId"))})
	case toolTargets:
		if tool := behind(name); tool != nil {
			e.tie(one, thing{tool, one.id})
		}
	}
}

// addDocument reads one resource, and those that are included with it.
func addDocument(e *Event, body gjson.Result) {
	addResource(e, body.Get("data"))
	for _, included := range body.Get("included").Array() {
		addResource(e, included)
	}
}

// addCollection reads a page of resources.
func addCollection(e *Event, body gjson.Result) {
	data := body.Get("data")
	e.Listed = data.IsArray()
	e.Partial = e.Partial || body.Get("meta.total").Int() > body.Get("data.#").Int()
	for _, part := range append(data.Array(), body.Get("included").Array()...) {
		addResource(e, part)
	}
}

// readFilter notes that a list shows only some.
func readFilter(e *Event, r *judge.Result) {
	for name := range queryOf(r) {
		e.Partial = e.Partial || strings.HasPrefix(name, "filter")
	}
}

// readProjectID reads which project a resource is to belong to.
func readProjectID(e *Event, body gjson.Result) {
	if id := text(body.Get("data.attributes.projectId")); id != "" {
		e.Refers = thing{resources["projects"], id}
	}
}
