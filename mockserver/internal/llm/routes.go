package llm

import (
	"slices"

	"svc.example/understudy/mockserver/internal/across"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface is the LLM interface: its routes in the order of its document. Knowledge bases are queried with the engine
// that answers jobs.
func Interface(engine across.Engine) op.Interface {
	q, r := querier{engine}, related()
	runner := Runner{q}
	x := op.Interface{
		Name: "llm", Media: mediaType, Error: errorReplies{rewordErrors}.reply,
		Routes: slices.Concat(
			r.routes(actions, list),
			[]op.Route{{Path: "POST /api/actions/{id}/chatapp", Rule: runner.runActionChatapp, For: op.Anyone}},
			r.routes(agentSchedules, list, create, get, update, remove),
			[]op.Route{
				{Path: "POST /api/agent_schedules/{id}/callback", Rule: callbackAgentSchedule},
				{Path: "POST /api/agent_schedules/{id}/execute", Rule: executeAgentSchedule},
			},
			r.routes(agents, list, create, get, update, remove),
			r.routes(artifacts, list),
			r.routes(chatAttachments, list, create, get, remove),
			r.routes(chatInterfaces, list, create, get, update, remove),
			r.routes(chats, list, create, get),
			[]op.Route{
				{Path: "POST /api/chats/{id}/continue", Rule: runner.continueChat},
				{Path: "POST /api/chats/{id}/download_files", Rule: chats.visibleOnly(downloadChatFiles)},
				{Path: "GET /api/chats/{id}/history", Rule: chats.visibleOnly(getChatHistory)},
			},
			r.routes(formInterfaces, list, create, get, update, remove),
			r.routes(imageGenerators, create, get, update, remove),
			r.routes(integrations, list, create, get, update, remove),
			[]op.Route{
				{Path: "GET /api/knowledge_bases", Rule: needIndexing(r.including(knowledgeBases.List))},
				{Path: "POST /api/knowledge_bases", Rule: knowledgeBases.Create},
				{Path: "GET /api/knowledge_bases/{id}", Rule: needIndexing(r.including(knowledgeBases.Get)), Pending: indexPending},
			},
			r.routes(knowledgeBases, update, remove),
			[]op.Route{{Path: "POST /api/knowledge_bases/{id}/query", Rule: q.queryKnowledgeBase}},
			r.routes(datastoreQueryTools, create, get, update, remove),
			r.routes(presentationArtifactTools, create, get, update, remove),
			r.routes(projects, list, create, get, update, remove),
			r.routes(prompts, list, create, get, update, remove),
			r.routes(textKnowledgeBases, create, get, update, remove),
			r.routes(textResources, list, create, get, update, remove),
			[]op.Route{
				{Path: "GET /api/tool_targets", Rule: r.including(toolTargets.List)},
				{Path: "GET /api/tool_targets/{id}", Rule: toolTargets.Get},

				{Path: "GET /api/users/current", Rule: getCurrentUser},
				{Path: "GET /api/users/current_settings", Rule: getCurrentUserSettings},

				{Path: "POST /api/util/convert_segment_rule", Rule: convertSegmentRule},
			},
			r.routes(webSearchTools, create, get, update, remove),
			r.routes(workflowExecutors, get),
		),
		Settle: map[string]func(*world.World, world.Event){world.KnowledgeBaseEvent: q.endIndexing},
	}
	for i := range x.Routes {
		route := &x.Routes[i]
		if route.For != op.Anyone {
			route.Rule = requireEntitlement(route.Rule)
		}
	}
	return x
}
