package llm

import (
	"slices"
	"strconv"

	"svc.example/understudy/mockserver/internal/across"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// What goes when something else goes, beside its own file. All of it is assumed, but for what a project takes along.

// dropProjectContents removes everything that is in a project.
func dropProjectContents(w *world.World, project string) {
	dropChats(w, func(c world.Chat) bool { return c.ProjectID == project })
	dropSchedules(w, func(s world.AgentSchedule) bool { return s.ProjectID == project })
	gone := idSet{}
	for _, k := range world.LLMKinds() {
		rows := k.Rows(&w.LLM)
		for id, row := range rows.All() {
			if head, attributes := world.Parts(row); wireFields(attributes)["projectId"] == project {
				rows.Delete(id)
				w.LLM.UUIDs.Delete(head.UUID)
				gone[head.UUID] = true
			}
		}
	}
	deleteWhere(w, &w.LLM.Actions, func(a world.Action) bool { return gone[a.IntegrationID] })
	dropAgents(w, gone)
	dropPrompts(w, gone)
	dropInterfaces(w, gone)
}

// dropAgents removes what cannot be without agents that are gone. Chat interfaces can: they lose the buttons.
func dropAgents(w *world.World, gone idSet) {
	l := &w.LLM
	dropPrompts(w, deleteWhere(w, &l.Prompts, func(p world.Prompt) bool { return gone[p.AgentID] }))
	dropInterfaces(w, deleteWhere(w, &l.FormInterfaces, func(f world.FormInterface) bool { return gone[f.AgentID] }))
	dropSchedules(w, func(s world.AgentSchedule) bool { return gone[s.AgentID] })
	dropChats(w, func(c world.Chat) bool { return gone[c.AgentID] })
	updateWhere(&l.ChatInterfaces, func(i *world.ChatInterface) bool {
		pushed := func(b world.ChatInterfaceButton) bool { return gone[b.AgentID] }
		silent := gone[orEmpty(i.TextInputAgentID)]
		if silent {
			i.TextInputAgentID, i.TextInputEnabled = nil, false
		}
		if !silent && !slices.ContainsFunc(i.ChatInterfaceButtons, pushed) {
			return false
		}
		i.ChatInterfaceButtons = slices.DeleteFunc(slices.Clone(i.ChatInterfaceButtons), pushed)
		return true
	})
}

// dropPrompts removes the actions that run prompts that are gone, and their entries in integrations.
func dropPrompts(w *world.World, gone idSet) {
	deleteWhere(w, &w.LLM.Actions, func(a world.Action) bool { return gone[a.PromptID] })
	updateWhere(&w.LLM.Integrations, func(i *world.Integration) bool {
		runs := func(a world.IntegrationAction) bool { return gone[a.PromptID] }
		if !slices.ContainsFunc(i.Actions, runs) {
			return false
		}
		i.Actions = slices.DeleteFunc(slices.Clone(i.Actions), runs)
		return true
	})
}

// dropInterfaces removes the schedules that go through form or chat interfaces that are gone.
func dropInterfaces(w *world.World, gone idSet) {
	dropSchedules(w, func(s world.AgentSchedule) bool {
		return gone[orEmpty(s.FormInterfaceID)] || gone[orEmpty(s.ChatInterfaceID)]
	})
}

// dropSchedules removes schedules with their generated workflows, running or not.
func dropSchedules(w *world.World, goes func(world.AgentSchedule) bool) {
	for _, schedule := range table.All(&w.LLM.AgentSchedules) {
		if goes(schedule.Attributes) {
			across.RemoveProject(w, workflowProject(schedule.Attributes), w.Now())
		}
	}
	deleteWhere(w, &w.LLM.AgentSchedules, goes)
}

// dropChats removes chats with what was said and made in them.
func dropChats(w *world.World, goes func(world.Chat) bool) {
	l := &w.LLM
	for id, chat := range table.All(&l.Chats) {
		if goes(chat.Attributes) {
			table.Delete(&l.Histories, id)
		}
	}
	gone := deleteWhere(w, &l.Chats, goes)
	deleteWhere(w, &l.ChatAttachments, func(a world.ChatAttachment) bool { return gone[a.ChatID] })
	deleteWhere(w, &l.Artifacts, func(a world.Artifact) bool { return gone[a.ChatID] })
}

func workflowProject(a world.AgentSchedule) int64 {
	id, err := strconv.ParseInt(orEmpty(a.WorkflowProjectID), 10, 64)
	if err != nil { // a schedule without one
		return 0
	}
	return id
}
