package llm

import (
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
		Routes: []op.Route{
			{Path: "GET /api/actions", Rule: including(actions.List)},
			{Path: "POST /api/actions/{id}/chatapp", Rule: q.runActionChatapp, For: op.Anyone},

			{Path: "GET /api/agent_schedules", Rule: including(agentSchedules.List)},
			{Path: "POST /api/agent_schedules", Rule: agentSchedules.Create},
			{Path: "GET /api/agent_schedules/{id}", Rule: including(agentSchedules.Get)},
			{Path: "PATCH /api/agent_schedules/{id}", Rule: agentSchedules.Update},
			{Path: "DELETE /api/agent_schedules/{id}", Rule: agentSchedules.Delete},
			{Path: "POST /api/agent_schedules/{id}/callback", Rule: callbackAgentSchedule},
			{Path: "POST /api/agent_schedules/{id}/execute", Rule: executeAgentSchedule},

			{Path: "GET /api/agents", Rule: including(agents.List)},
			{Path: "POST /api/agents", Rule: agents.Create},
			{Path: "GET /api/agents/{id}", Rule: including(agents.Get)},
			{Path: "PATCH /api/agents/{id}", Rule: agents.Update},
			{Path: "DELETE /api/agents/{id}", Rule: agents.Delete},

			{Path: "GET /api/artifacts", Rule: including(artifacts.List)},

			{Path: "GET /api/chat_attachments", Rule: including(chatAttachments.List)},
			{Path: "POST /api/chat_attachments", Rule: chatAttachments.Create},
			{Path: "GET /api/chat_attachments/{id}", Rule: including(chatAttachmentKind.seen(chatAttachments.Get))},
			{Path: "DELETE /api/chat_attachments/{id}", Rule: chatAttachments.Delete},

			{Path: "GET /api/chat_interfaces", Rule: including(chatInterfaces.List)},
			{Path: "POST /api/chat_interfaces", Rule: chatInterfaces.Create},
			{Path: "GET /api/chat_interfaces/{id}", Rule: including(chatInterfaces.Get)},
			{Path: "PATCH /api/chat_interfaces/{id}", Rule: chatInterfaces.Update},
			{Path: "DELETE /api/chat_interfaces/{id}", Rule: chatInterfaces.Delete},

			{Path: "GET /api/chats", Rule: including(chats.List)},
			{Path: "POST /api/chats", Rule: chats.Create},
			{Path: "GET /api/chats/{id}", Rule: including(chatKind.seen(chats.Get))},
			{Path: "POST /api/chats/{id}/continue", Rule: q.continueChat},
			{Path: "POST /api/chats/{id}/download_files", Rule: chatKind.seen(downloadChatFiles)},
			{Path: "GET /api/chats/{id}/history", Rule: chatKind.seen(getChatHistory)},

			{Path: "GET /api/form_interfaces", Rule: including(formInterfaces.List)},
			{Path: "POST /api/form_interfaces", Rule: formInterfaces.Create},
			{Path: "GET /api/form_interfaces/{id}", Rule: including(formInterfaces.Get)},
			{Path: "PATCH /api/form_interfaces/{id}", Rule: formInterfaces.Update},
			{Path: "DELETE /api/form_interfaces/{id}", Rule: formInterfaces.Delete},

			{Path: "POST /api/image_generators", Rule: imageGenerators.Create},
			{Path: "GET /api/image_generators/{id}", Rule: including(imageGenerators.Get)},
			{Path: "PATCH /api/image_generators/{id}", Rule: imageGenerators.Update},
			{Path: "DELETE /api/image_generators/{id}", Rule: imageGenerators.Delete},

			{Path: "GET /api/integrations", Rule: including(integrations.List)},
			{Path: "POST /api/integrations", Rule: integrations.Create},
			{Path: "GET /api/integrations/{id}", Rule: including(integrations.Get)},
			{Path: "PATCH /api/integrations/{id}", Rule: integrations.Update},
			{Path: "DELETE /api/integrations/{id}", Rule: integrations.Delete},

			{Path: "GET /api/knowledge_bases", Rule: needIndexing(including(knowledgeBases.List))},
			{Path: "POST /api/knowledge_bases", Rule: knowledgeBases.Create},
			{Path: "GET /api/knowledge_bases/{id}", Rule: needIndexing(including(knowledgeBases.Get)), Pending: indexPending},
			{Path: "PATCH /api/knowledge_bases/{id}", Rule: knowledgeBases.Update},
			{Path: "DELETE /api/knowledge_bases/{id}", Rule: knowledgeBases.Delete},
			{Path: "POST /api/knowledge_bases/{id}/query", Rule: q.queryKnowledgeBase},

			{Path: "POST /api/datastore_query_tools", Rule: datastoreQueryTools.Create},
			{Path: "GET /api/datastore_query_tools/{id}", Rule: including(datastoreQueryTools.Get)},
			{Path: "PATCH /api/datastore_query_tools/{id}", Rule: datastoreQueryTools.Update},
			{Path: "DELETE /api/datastore_query_tools/{id}", Rule: datastoreQueryTools.Delete},

			{Path: "POST /api/presentation_artifact_tools", Rule: presentationArtifactTools.Create},
			{Path: "GET /api/presentation_artifact_tools/{id}", Rule: including(presentationArtifactTools.Get)},
			{Path: "PATCH /api/presentation_artifact_tools/{id}", Rule: presentationArtifactTools.Update},
			{Path: "DELETE /api/presentation_artifact_tools/{id}", Rule: presentationArtifactTools.Delete},

			{Path: "GET /api/projects", Rule: including(projects.List)},
			{Path: "POST /api/projects", Rule: projects.Create},
			{Path: "GET /api/projects/{id}", Rule: including(projects.Get)},
			{Path: "PATCH /api/projects/{id}", Rule: projects.Update},
			{Path: "DELETE /api/projects/{id}", Rule: projects.Delete},

			{Path: "GET /api/prompts", Rule: including(prompts.List)},
			{Path: "POST /api/prompts", Rule: prompts.Create},
			{Path: "GET /api/prompts/{id}", Rule: including(prompts.Get)},
			{Path: "PATCH /api/prompts/{id}", Rule: prompts.Update},
			{Path: "DELETE /api/prompts/{id}", Rule: prompts.Delete},

			{Path: "POST /api/text_knowledge_bases", Rule: textKnowledgeBases.Create},
			{Path: "GET /api/text_knowledge_bases/{id}", Rule: including(textKnowledgeBases.Get)},
			{Path: "PATCH /api/text_knowledge_bases/{id}", Rule: textKnowledgeBases.Update},
			{Path: "DELETE /api/text_knowledge_bases/{id}", Rule: textKnowledgeBases.Delete},

			{Path: "GET /api/text_resources", Rule: including(textResources.List)},
			{Path: "POST /api/text_resources", Rule: textResources.Create},
			{Path: "GET /api/text_resources/{id}", Rule: including(textResources.Get)},
			{Path: "PATCH /api/text_resources/{id}", Rule: textResources.Update},
			{Path: "DELETE /api/text_resources/{id}", Rule: textResources.Delete},

			{Path: "GET /api/tool_targets", Rule: including(toolTargets.List)},
			{Path: "GET /api/tool_targets/{id}", Rule: toolTargets.Get},

			{Path: "GET /api/users/current", Rule: getCurrentUser},
			{Path: "GET /api/users/current_settings", Rule: getCurrentUserSettings},

			{Path: "POST /api/util/convert_segment_rule", Rule: convertSegmentRule},

			{Path: "POST /api/web_search_tools", Rule: webSearchTools.Create},
			{Path: "GET /api/web_search_tools/{id}", Rule: including(webSearchTools.Get)},
			{Path: "PATCH /api/web_search_tools/{id}", Rule: webSearchTools.Update},
			{Path: "DELETE /api/web_search_tools/{id}", Rule: webSearchTools.Delete},

			{Path: "GET /api/workflow_executors/{id}", Rule: including(workflowExecutors.Get)},
		},
		Settle: map[string]func(*world.World, world.Event, op.Skips){world.KnowledgeBaseEvent: q.endIndexing},
	}
	for i := range x.Routes {
		route := &x.Routes[i]
		if strings.HasPrefix(route.Path, "DELETE ") {
			route.Rule = deleting(route.Rule)
		}
		if route.For != op.Anyone {
			route.Rule = entitled(route.Rule)
		}
	}
	return x
}
