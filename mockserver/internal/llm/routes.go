// Package llm is the LLM interface: its routes, and the seeds of its worlds. Its resources are in the packages below
// it, which use each other in this order: jsonapi (the parts that all kinds of resources share), segmentrule, kinds
// (projects, agents, prompts, tools, interfaces, integrations), knowledge (knowledge bases), schedule (agent schedules)
// and chat.
package llm

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/llm/schedule"
	"svc.example/understudy/mockserver/internal/llm/segmentrule"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Interface returns the LLM interface: its routes in the order of its document. The engine that answers jobs also
// answers the queries of knowledge bases.
func Interface(engine bridge.Engine) op.Interface {
	q, r := knowledge.Querier{Engine: engine}, related()
	runner := chat.Runner{Querier: q}
	x := op.Interface{
		Name: "llm", Media: jsonapi.MediaType, Error: jsonapi.ErrorReplies{Reword: rewordErrors}.Reply,
		Routes: slices.Concat(
			r.Routes(kinds.Actions, jsonapi.List),
			[]op.Route{{
				Path: "POST /api/actions/{id}/chatapp", For: op.Anyone,
				Handle: resource.On(kinds.Actions.Resource, runner.RunActionChatapp),
			}},
			r.Routes(schedule.AgentSchedules, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			[]op.Route{
				{Path: "POST /api/agent_schedules/{id}/callback", Handle: schedule.CallbackAgentSchedule},
				{Path: "POST /api/agent_schedules/{id}/execute", Handle: schedule.ExecuteAgentSchedule},
			},
			r.Routes(kinds.Agents, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(chat.Artifacts, jsonapi.List),
			r.Routes(chat.ChatAttachments, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Remove),
			r.Routes(kinds.ChatInterfaces, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(chat.Chats, jsonapi.List, jsonapi.Create, jsonapi.Get),
			[]op.Route{
				{Path: "POST /api/chats/{id}/continue", Handle: resource.On(chat.Chats.Resource, runner.ContinueChat)},
				{Path: "POST /api/chats/{id}/download_files", Handle: chat.Chats.VisibleOnly(chat.DownloadChatFiles)},
				{Path: "GET /api/chats/{id}/history", Handle: chat.Chats.VisibleOnly(chat.GetChatHistory)},
			},
			r.Routes(kinds.FormInterfaces, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.ImageGenerators, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.Integrations, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			[]op.Route{
				{Path: "GET /api/knowledge_bases", Handle: knowledge.NeedIndexing(r.Including(knowledge.KnowledgeBases.List))},
				{Path: "POST /api/knowledge_bases", Handle: knowledge.KnowledgeBases.Create},
				{
					Path: "GET /api/knowledge_bases/{id}", Handle: knowledge.NeedIndexing(r.Including(knowledge.KnowledgeBases.Get)),
					Pending: knowledge.IndexPending,
				},
			},
			r.Routes(knowledge.KnowledgeBases, jsonapi.Update, jsonapi.Remove),
			[]op.Route{{
				Path:   "POST /api/knowledge_bases/{id}/query",
				Handle: resource.On(knowledge.KnowledgeBases.Resource, q.QueryKnowledgeBase),
			}},
			r.Routes(knowledge.DatastoreQueryTools, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.PresentationArtifactTools, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.Projects, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.Prompts, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(knowledge.TextKnowledgeBases, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.TextResources, jsonapi.List, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			[]op.Route{
				{Path: "GET /api/tool_targets", Handle: knowledge.NeedIndexing(r.Including(kinds.ToolTargets.List))},
				{Path: "GET /api/tool_targets/{id}", Handle: knowledge.NeedIndexing(kinds.ToolTargets.Get)},

				{Path: "GET /api/users/current", Handle: kinds.GetCurrentUser},
				{Path: "GET /api/users/current_settings", Handle: kinds.GetCurrentUserSettings},

				{Path: "POST /api/util/convert_segment_rule", Handle: segmentrule.ConvertSegmentRule},
			},
			r.Routes(kinds.WebSearchTools, jsonapi.Create, jsonapi.Get, jsonapi.Update, jsonapi.Remove),
			r.Routes(kinds.WorkflowExecutors, jsonapi.Get),
		),
		Settle: map[string]func(*world.State, world.DueEvent){world.KnowledgeBaseEvent: q.EndIndexing},
	}
	for i := range x.Routes {
		route := &x.Routes[i]
		if route.For != op.Anyone {
			route.Handle = requireEntitlement(route.Handle)
		}
	}
	return x
}

// related returns the possible targets of the relations of this interface.
func related() jsonapi.Relations {
	return jsonapi.Relations{
		Kinds: storedKinds(),
		Others: map[string]func(*op.Call, string) *jsonapi.Item{
			jsonapi.UserType:   func(c *op.Call, uuid string) *jsonapi.Item { return jsonapi.UserItem(c.World, uuid) },
			kinds.OverviewType: kinds.OverviewItem,
		},
	}
}

// rightsKind is the kind of permissions for this interface (public).
const rightsKind = "LlmProject"

// requireEntitlement returns a handler that refuses callers without a right to the service (public): sub users with no
// permission for it. All others have the right, and whoever has it may call every operation (assumed).
func requireEntitlement(rule op.Handler) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		if user := c.Caller.User; user.Role == world.SubUser && !bridge.Granted(c.World, user, rightsKind) {
			return op.Reply{}, op.Forbidden("user %s may not use this service; want a permission %s", user.Name,
				rightsKind)
		}
		return rule(c)
	}
}

// rewordErrors replaces the statuses and codes of errors of the document's schemas, where the platform's differ from
// those of other schemas.
func rewordErrors(o *specs.Operation, list op.Errors) op.Errors {
	if o == nil {
		return list
	}
	list = slices.Clone(list)
	for i, e := range list {
		one := *kinds.RewordFilters(e)
		if e.Code == op.CodeInvalid && (knowledge.IsUnknownFunction(o, e) || segmentrule.IsInRule(e)) {
			one.Code = op.CodeUnprocessable
		}
		switch {
		case kinds.IsNullReturnMode(e):
			one.Reason = jsonapi.InvalidFormat
		case strings.HasPrefix(e.Field, jsonapi.AttributesField+".") && jsonapi.IsBlank(e.Reason):
			one.Message = jsonapi.BlankReason
		}
		list[i] = &one
	}
	return kinds.RepeatOnToolTarget(o, list)
}
