package world

import "svc.example/understudy/mockserver/internal/table"

// llmReferences wants everything in a project that there is, and all references to lead somewhere but those that may
// lead nowhere: what a tool points at may be gone, and so may what a chat was started from.
func (l *loader) llmReferences() {
	x := &l.w.LLM
	leads(l, "agent", &x.Agents, &x.Projects, "projectId", func(a Agent) string { return a.ProjectID })
	leads(l, "prompt", &x.Prompts, &x.Projects, "projectId", func(p Prompt) string { return p.ProjectID })
	leads(l, "prompt", &x.Prompts, &x.Agents, "agentId", func(p Prompt) string { return p.AgentID })
	leads(l, "form interface", &x.FormInterfaces, &x.Projects, "projectId", func(f FormInterface) string {
		return f.ProjectID
	})
	leads(l, "form interface", &x.FormInterfaces, &x.Agents, "agentId", func(f FormInterface) string { return f.AgentID })
	leads(l, "chat interface", &x.ChatInterfaces, &x.Projects, "projectId", func(i ChatInterface) string {
		return i.ProjectID
	})
	leads(l, "integration", &x.Integrations, &x.Projects, "projectId", func(i Integration) string { return i.ProjectID })
	leads(l, "action", &x.Actions, &x.Integrations, "integrationId", func(a Action) string { return a.IntegrationID })
	leads(l, "action", &x.Actions, &x.Prompts, "promptId", func(a Action) string { return a.PromptID })
	leads(l, "agent schedule", &x.AgentSchedules, &x.Projects, "projectId", func(s AgentSchedule) string {
		return s.ProjectID
	})
	leads(l, "agent schedule", &x.AgentSchedules, &x.Agents, "agentId", func(s AgentSchedule) string { return s.AgentID })
	leads(l, "chat", &x.Chats, &x.Projects, "projectId", func(c Chat) string { return c.ProjectID })
	leads(l, "chat", &x.Chats, &x.Agents, "agentId", func(c Chat) string { return c.AgentID })
	leads(l, "chat attachment", &x.ChatAttachments, &x.Chats, "chatId", func(a ChatAttachment) string { return a.ChatID })
	leads(l, "artifact", &x.Artifacts, &x.Chats, "chatId", func(a Artifact) string { return a.ChatID })
	l.toolReferences()
}

// toolReferences is llmReferences for what agents work with.
func (l *loader) toolReferences() {
	x := &l.w.LLM
	const to = "projectId"
	leads(l, "knowledge base", &x.KnowledgeBases, &x.Projects, to, func(k KnowledgeBase) string { return k.ProjectID })
	leads(l, "text knowledge base", &x.TextKnowledgeBases, &x.Projects, to, func(k TextKnowledgeBase) string {
		return k.ProjectID
	})
	leads(l, "datastore query tool", &x.DatastoreQueryTools, &x.Projects, to, func(t DatastoreQueryTool) string {
		return t.ProjectID
	})
	leads(l, "image generator", &x.ImageGenerators, &x.Projects, to, func(t ImageGenerator) string { return t.ProjectID })
	presentations := &x.PresentationArtifactTools
	leads(l, "presentation artifact tool", presentations, &x.Projects, to, func(t PresentationArtifactTool) string {
		return t.ProjectID
	})
	leads(l, "web search tool", &x.WebSearchTools, &x.Projects, to, func(t WebSearchTool) string { return t.ProjectID })
	leads(l, "workflow executor", &x.WorkflowExecutors, &x.Projects, to, func(e WorkflowExecutor) string {
		return e.ProjectID
	})
}

// leads names the rows of a table whose reference leads to no row of another.
func leads[A, B any](
	l *loader, noun string, from *table.Table[Resource[A]], to *table.Table[Resource[B]],
	attribute string, uuid func(A) string,
) {
	for id, row := range from.All() {
		target, known := l.w.LLM.UUIDs.Get(uuid(row.Attributes))
		if _, ok := to.Get(target); !known || !ok {
			l.wrong(noun, id, "%s is %q, which is the id of no such resource", attribute, uuid(row.Attributes))
		}
	}
}
