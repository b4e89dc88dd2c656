package llm

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/across"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface is the LLM interface: its routes in the order of its document. Knowledge bases are queried with the engine
// that answers jobs.
func Interface(engine across.Engine) op.Interface {
	q := querier{engine}
	x := op.Interface{
		Name: "llm", Media: mediaType, Error: errorReply,
		Routes: slices.Concat(
			actions.routes(list),
			[]op.Route{{Path: "POST /api/actions/{id}/chatapp", Rule: q.runActionChatapp, For: op.Anyone}},
			agentSchedules.routes(list, create, get, update, remove),
			[]op.Route{
				{Path: "POST /api/agent_schedules/{id}/callback", Rule: callbackAgentSchedule},
				{Path: "POST /api/agent_schedules/{id}/execute", Rule: executeAgentSchedule},
			},
			agents.routes(list, create, get, update, remove),
			artifacts.routes(list),
			chatAttachments.routes(list, create, get, remove),
			chatInterfaces.routes(list, create, get, update, remove),
			chats.routes(list, create, get),
			[]op.Route{
				{Path: "POST /api/chats/{id}/continue", Rule: q.continueChat},
				{Path: "POST /api/chats/{id}/download_files", Rule: chats.seen(downloadChatFiles)},
				{Path: "GET /api/chats/{id}/history", Rule: chats.seen(getChatHistory)},
			},
			formInterfaces.routes(list, create, get, update, remove),
			imageGenerators.routes(create, get, update, remove),
			integrations.routes(list, create, get, update, remove),
			[]op.Route{
				{Path: "GET /api/knowledge_bases", Rule: needIndexing(including(knowledgeBases.List))},
				{Path: "POST /api/knowledge_bases", Rule: knowledgeBases.Create},
				{Path: "GET /api/knowledge_bases/{id}", Rule: needIndexing(including(knowledgeBases.Get)), Pending: indexPending},
			},
			knowledgeBases.routes(update, remove),
			[]op.Route{{Path: "POST /api/knowledge_bases/{id}/query", Rule: q.queryKnowledgeBase}},
			datastoreQueryTools.routes(create, get, update, remove),
			presentationArtifactTools.routes(create, get, update, remove),
			projects.routes(list, create, get, update, remove),
			prompts.routes(list, create, get, update, remove),
			textKnowledgeBases.routes(create, get, update, remove),
			textResources.routes(list, create, get, update, remove),
			[]op.Route{
				{Path: "GET /api/tool_targets", Rule: including(toolTargets.List)},
				{Path: "GET /api/tool_targets/{id}", Rule: toolTargets.Get},

				{Path: "GET /api/users/current", Rule: getCurrentUser},
				{Path: "GET /api/users/current_settings", Rule: getCurrentUserSettings},

				{Path: "POST /api/util/convert_segment_rule", Rule: convertSegmentRule},
			},
			webSearchTools.routes(create, get, update, remove),
			workflowExecutors.routes(get),
		),
		Settle: map[string]func(*world.World, world.Event){world.KnowledgeBaseEvent: q.endIndexing},
	}
	for i := range x.Routes {
		route := &x.Routes[i]
		if route.For != op.Anyone {
			route.Rule = entitled(route.Rule)
		}
	}
	return x
}

// verb is one of the generic five.
type verb string

const (
	list   verb = "GET /api/{kind}"
	create verb = "POST /api/{kind}"
	get    verb = "GET /api/{kind}/{id}"
	update verb = "PATCH /api/{kind}/{id}"
	remove verb = "DELETE /api/{kind}/{id}"
)

// routes returns those of the generic five that the document has for a kind.
func (k *kind) routes(verbs ...verb) []op.Route {
	path, routes := snake(k.Type), make([]op.Route, len(verbs))
	for i, v := range verbs {
		routes[i] = op.Route{Path: strings.Replace(string(v), "{kind}", path, 1), Rule: k.rule(v)}
	}
	return routes
}

func (k *kind) rule(v verb) op.Rule {
	switch v {
	case list:
		return including(k.List)
	case create:
		return k.Create
	case update:
		return k.Update
	case remove:
		return k.Delete
	case get:
		return including(k.seen(k.Get))
	}
	panic("no such verb: " + v)
}
