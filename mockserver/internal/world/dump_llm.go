package world

import (
	"cmp"
	"regexp"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// llmDump is the LLM interface's part of a dump.
type llmDump struct {
	Projects                  []Resource[LLMProject]               `json:"projects"`
	Agents                    []Resource[Agent]                    `json:"agents"`
	Prompts                   []Resource[Prompt]                   `json:"prompts"`
	KnowledgeBases            []Resource[KnowledgeBase]            `json:"knowledgeBases"`
	TextKnowledgeBases        []Resource[TextKnowledgeBase]        `json:"textKnowledgeBases"`
	DatastoreQueryTools       []Resource[DatastoreQueryTool]       `json:"datastoreQueryTools"`
	ImageGenerators           []Resource[ImageGenerator]           `json:"imageGenerators"`
	PresentationArtifactTools []Resource[PresentationArtifactTool] `json:"presentationArtifactTools"`
	WebSearchTools            []Resource[WebSearchTool]            `json:"webSearchTools"`
	WorkflowExecutors         []Resource[WorkflowExecutor]         `json:"workflowExecutors"`
	Integrations              []Resource[Integration]              `json:"integrations"`
	Actions                   []Resource[Action]                   `json:"actions"`
	ChatInterfaces            []Resource[ChatInterface]            `json:"chatInterfaces"`
	FormInterfaces            []Resource[FormInterface]            `json:"formInterfaces"`
	TextResources             []Resource[TextResource]             `json:"textResources"`
	AgentSchedules            []Resource[AgentSchedule]            `json:"agentSchedules"`
	Chats                     []Resource[Chat]                     `json:"chats"`
	ChatAttachments           []Resource[ChatAttachment]           `json:"chatAttachments"`
	Artifacts                 []Resource[Artifact]                 `json:"artifacts"`
	Histories                 []historyDump                        `json:"histories"`
	Turns                     []Turn                               `json:"turns"`
	IndexTime                 time.Duration                        `json:"indexTime,omitempty"`
}

type historyDump struct {
	Chat    int64       `json:"chat"`
	Entries []ChatEntry `json:"entries"`
}

func (x *LLM) dump() llmDump {
	d := llmDump{
		Projects:                  rowsOf(&x.Projects),
		Agents:                    rowsOf(&x.Agents),
		Prompts:                   rowsOf(&x.Prompts),
		KnowledgeBases:            rowsOf(&x.KnowledgeBases),
		TextKnowledgeBases:        rowsOf(&x.TextKnowledgeBases),
		DatastoreQueryTools:       rowsOf(&x.DatastoreQueryTools),
		ImageGenerators:           rowsOf(&x.ImageGenerators),
		PresentationArtifactTools: rowsOf(&x.PresentationArtifactTools),
		WebSearchTools:            rowsOf(&x.WebSearchTools),
		WorkflowExecutors:         rowsOf(&x.WorkflowExecutors),
		Integrations:              rowsOf(&x.Integrations),
		Actions:                   rowsOf(&x.Actions),
		ChatInterfaces:            rowsOf(&x.ChatInterfaces),
		FormInterfaces:            rowsOf(&x.FormInterfaces),
		TextResources:             rowsOf(&x.TextResources),
		AgentSchedules:            rowsOf(&x.AgentSchedules),
		Chats:                     rowsOf(&x.Chats),
		ChatAttachments:           rowsOf(&x.ChatAttachments),
		Artifacts:                 rowsOf(&x.Artifacts),
		Histories:                 []historyDump{}, Turns: append([]Turn{}, x.Turns...), IndexTime: x.IndexTime,
	}
	for chat, entries := range x.Histories.All() {
		d.Histories = append(d.Histories, historyDump{chat, entries})
	}
	return d
}

func (l *loader) llm(d *llmDump) {
	x := &l.w.LLM
	resources(l, d.Projects, &x.Projects)
	chooseOutputModes(d.Agents)
	resources(l, d.Agents, &x.Agents)
	resources(l, d.Prompts, &x.Prompts)
	resources(l, d.KnowledgeBases, &x.KnowledgeBases)
	resources(l, d.TextKnowledgeBases, &x.TextKnowledgeBases)
	resources(l, d.DatastoreQueryTools, &x.DatastoreQueryTools)
	resources(l, d.ImageGenerators, &x.ImageGenerators)
	resources(l, d.PresentationArtifactTools, &x.PresentationArtifactTools)
	resources(l, d.WebSearchTools, &x.WebSearchTools)
	resources(l, d.WorkflowExecutors, &x.WorkflowExecutors)
	resources(l, d.Integrations, &x.Integrations)
	resources(l, d.Actions, &x.Actions)
	resources(l, d.ChatInterfaces, &x.ChatInterfaces)
	resources(l, d.FormInterfaces, &x.FormInterfaces)
	resources(l, d.TextResources, &x.TextResources)
	resources(l, d.AgentSchedules, &x.AgentSchedules)
	resources(l, d.Chats, &x.Chats)
	resources(l, d.ChatAttachments, &x.ChatAttachments)
	resources(l, d.Artifacts, &x.Artifacts)
	for _, h := range d.Histories {
		if _, ok := x.Chats.Get(h.Chat); !ok {
			l.wrong("history of chat", h.Chat, "there is no such chat")
		}
		x.Histories.Put(h.Chat, h.Entries)
	}
	x.Turns, x.IndexTime = d.Turns, d.IndexTime
	l.chats()
	l.indexings()
	l.llmReferences()
}

// indexings plans the ends of those that are under way.
func (l *loader) indexings() {
	for id, r := range l.w.LLM.KnowledgeBases.All() {
		switch job := r.Attributes.LastJob; {
		case r.Attributes.Indexing():
			l.w.Plan(l.w.LLM.IndexEnd(r))
		case job != nil && job.Status != IndexSuccess && job.Status != IndexError:
			l.wrong("knowledge base", id, "lastJob has the status %q: want %s, %s or %s", job.Status,
				IndexInProgress, IndexSuccess, IndexError)
		}
	}
}

// chats holds what belongs to chats against them, and what agents are to say against what a turn can be.
func (l *loader) chats() {
	x := &l.w.LLM
	belongs := func(kind string, id int64, chat string) {
		n, _ := x.UUIDs.Get(chat)
		if _, ok := x.Chats.Get(n); !ok {
			l.wrong(kind, id, "there is no chat %s", chat)
		}
	}
	for id, r := range x.ChatAttachments.All() {
		belongs("chat attachment", id, r.Attributes.ChatID)
	}
	for id, r := range x.Artifacts.All() {
		belongs("artifact", id, r.Attributes.ChatID)
	}
	for i, turn := range x.Turns {
		if _, err := regexp.Compile(turn.Input); err != nil {
			l.wrong("turn", i+1, "input: %v", err)
		}
	}
}

// resources fills a table of the LLM interface.
// chooseOutputModes fills in the output modes that states of earlier versions leave open.
func chooseOutputModes(agents []Resource[Agent]) {
	for _, agent := range agents {
		for i, tool := range agent.Attributes.Tools {
			agent.Attributes.Tools[i].AgentOutputMode = cmp.Or(tool.AgentOutputMode, ReturnOutput)
		}
	}
}

func resources[A any](l *loader, from []Resource[A], into *table.Table[Resource[A]]) {
	rows(l, "llm", from, into, func(r Resource[A]) int64 { return r.ID })
	for id, row := range into.All() {
		if other, twice := l.w.LLM.UUIDs.Get(row.UUID); twice || row.UUID == "" {
			l.wrong("llm", id, "uuid %q is empty, or that of resource %d: want one of its own", row.UUID, other)
		}
		l.w.LLM.UUIDs.Put(row.UUID, id)
	}
}
