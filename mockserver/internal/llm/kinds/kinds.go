// Package kinds holds the kinds of resources that people set up: projects, agents with their prompts and tools, and the
// interfaces and integrations that send questions to agents. Knowledge bases, schedules and chats have packages of
// their own.
package kinds

import (
	"slices"
	"strconv"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// These functions remove the dependents of deleted resources, apart from those in the resources' own files. All of it
// is assumed, except what a project takes along.

// dropProjectContents deletes everything that is in a project.
func dropProjectContents(w *world.State, project string) {
	dropChats(w, func(c world.Chat) bool { return c.ProjectID == project })
	dropSchedules(w, func(s world.AgentSchedule) bool { return s.ProjectID == project })
	gone := jsonapi.IDSet{}
	for _, k := range world.LLMKinds() {
		rows := k.Rows(&w.LLM)
		for id, row := range rows.All() {
			if head, attributes := world.Parts(row); jsonapi.WireFields(attributes)["projectId"] == project {
				rows.Delete(id)
				w.LLM.UUIDs.Delete(head.UUID)
				gone[head.UUID] = true
			}
		}
	}
	jsonapi.DeleteWhere(w, &w.LLM.Actions, func(a world.Action) bool { return gone[a.IntegrationID] })
	dropAgents(w, gone)
	dropPrompts(w, gone)
	dropInterfaces(w, gone)
}

// dropAgents deletes the resources that cannot exist without deleted agents. Chat interfaces can: they lose the
// buttons.
func dropAgents(w *world.State, gone jsonapi.IDSet) {
	l := &w.LLM
	dropPrompts(w, jsonapi.DeleteWhere(w, &l.Prompts, func(p world.Prompt) bool { return gone[p.AgentID] }))
	dropInterfaces(w, jsonapi.DeleteWhere(w, &l.FormInterfaces,
		func(f world.FormInterface) bool { return gone[f.AgentID] }))
	dropSchedules(w, func(s world.AgentSchedule) bool { return gone[s.AgentID] })
	dropChats(w, func(c world.Chat) bool { return gone[c.AgentID] })
	jsonapi.UpdateWhere(&l.ChatInterfaces, func(i *world.ChatInterface) bool {
		pushed := func(b world.ChatInterfaceButton) bool { return gone[b.AgentID] }
		silent := gone[jsonapi.OrEmpty(i.TextInputAgentID)]
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

// dropPrompts deletes the actions that run deleted prompts, and their entries in integrations.
func dropPrompts(w *world.State, gone jsonapi.IDSet) {
	jsonapi.DeleteWhere(w, &w.LLM.Actions, func(a world.Action) bool { return gone[a.PromptID] })
	jsonapi.UpdateWhere(&w.LLM.Integrations, func(i *world.Integration) bool {
		runs := func(a world.IntegrationAction) bool { return gone[a.PromptID] }
		if !slices.ContainsFunc(i.Actions, runs) {
			return false
		}
		i.Actions = slices.DeleteFunc(slices.Clone(i.Actions), runs)
		return true
	})
}

// dropInterfaces deletes the schedules that use deleted form or chat interfaces.
func dropInterfaces(w *world.State, gone jsonapi.IDSet) {
	dropSchedules(w, func(s world.AgentSchedule) bool {
		return gone[jsonapi.OrEmpty(s.FormInterfaceID)] || gone[jsonapi.OrEmpty(s.ChatInterfaceID)]
	})
}

// dropSchedules deletes schedules with their generated workflows, running or not.
func dropSchedules(w *world.State, goes func(world.AgentSchedule) bool) {
	for _, schedule := range table.All(&w.LLM.AgentSchedules) {
		if goes(schedule.Attributes) {
			bridge.RemoveProject(w, WorkflowProject(schedule.Attributes), w.Now())
		}
	}
	jsonapi.DeleteWhere(w, &w.LLM.AgentSchedules, goes)
}

// dropChats deletes chats with their histories, attachments and artifacts.
func dropChats(w *world.State, goes func(world.Chat) bool) {
	l := &w.LLM
	for id, chat := range table.All(&l.Chats) {
		if goes(chat.Attributes) {
			table.Delete(&l.Histories, id)
		}
	}
	gone := jsonapi.DeleteWhere(w, &l.Chats, goes)
	jsonapi.DeleteWhere(w, &l.ChatAttachments, func(a world.ChatAttachment) bool { return gone[a.ChatID] })
	jsonapi.DeleteWhere(w, &l.Artifacts, func(a world.Artifact) bool { return gone[a.ChatID] })
}

// WorkflowProject returns the id of the project that runs a schedule, or 0 if it has none.
func WorkflowProject(a world.AgentSchedule) int64 {
	id, err := strconv.ParseInt(jsonapi.OrEmpty(a.WorkflowProjectID), 10, 64)
	if err != nil { // a schedule without one
		return 0
	}
	return id
}
