package world

import (
	"encoding/json"
	"reflect"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// LLM is the state of the LLM interface. The resources of all kinds have their ids from one sequence, so that the order
// of ids is that of creation across kinds.
type LLM struct {
	UUIDs table.Index[string, int64] // the id of every resource there is, by its id on the wire

	Projects                  table.Table[Resource[LLMProject]]
	Agents                    table.Table[Resource[Agent]]
	Prompts                   table.Table[Resource[Prompt]]
	KnowledgeBases            table.Table[Resource[KnowledgeBase]]
	TextKnowledgeBases        table.Table[Resource[TextKnowledgeBase]]
	DatastoreQueryTools       table.Table[Resource[DatastoreQueryTool]]
	ImageGenerators           table.Table[Resource[ImageGenerator]]
	PresentationArtifactTools table.Table[Resource[PresentationArtifactTool]]
	WebSearchTools            table.Table[Resource[WebSearchTool]]
	WorkflowExecutors         table.Table[Resource[WorkflowExecutor]]
	Integrations              table.Table[Resource[Integration]]
	Actions                   table.Table[Resource[Action]]
	ChatInterfaces            table.Table[Resource[ChatInterface]]
	FormInterfaces            table.Table[Resource[FormInterface]]
	TextResources             table.Table[Resource[TextResource]]
	AgentSchedules            table.Table[Resource[AgentSchedule]]
	Chats                     table.Table[Resource[Chat]]
	ChatAttachments           table.Table[Resource[ChatAttachment]]
	Artifacts                 table.Table[Resource[Artifact]]

	Histories table.Table[[]ChatEntry] // by chat; replaced, never changed in place
	// scripted ones, the first that fits an input counts; replaced, never changed in place
	Turns     Queue[Turn]
	IndexTime time.Duration // how long indexing takes; 0: the usual time
}

// LLMKind is one kind of resources of the LLM interface.
type LLMKind struct {
	Type   string // as in answers and in fixtures: agentSchedules
	Target string // what tools call it when they can point at it: knowledge_base
	Rows   func(*LLM) table.Rows
}

// LLMKinds returns the table of kinds: what goes over all of them goes over this.
func LLMKinds() []LLMKind {
	return []LLMKind{
		{"projects", "", func(l *LLM) table.Rows { return l.Projects.Rows() }},
		{"agents", "agent", func(l *LLM) table.Rows { return l.Agents.Rows() }},
		{"prompts", "", func(l *LLM) table.Rows { return l.Prompts.Rows() }},
		{"knowledgeBases", "knowledge_base", func(l *LLM) table.Rows { return l.KnowledgeBases.Rows() }},
		{"textKnowledgeBases", "text_knowledge_base", func(l *LLM) table.Rows { return l.TextKnowledgeBases.Rows() }},
		{"datastoreQueryTools", "datastore_query_tool", func(l *LLM) table.Rows { return l.DatastoreQueryTools.Rows() }},
		{"imageGenerators", "image_generator", func(l *LLM) table.Rows { return l.ImageGenerators.Rows() }},
		{
			"presentationArtifactTools", "presentation_artifact_tool",
			func(l *LLM) table.Rows { return l.PresentationArtifactTools.Rows() },
		},
		{"webSearchTools", "web_search_tool", func(l *LLM) table.Rows { return l.WebSearchTools.Rows() }},
		{"workflowExecutors", "workflow_executor", func(l *LLM) table.Rows { return l.WorkflowExecutors.Rows() }},
		{"integrations", "", func(l *LLM) table.Rows { return l.Integrations.Rows() }},
		{"actions", "", func(l *LLM) table.Rows { return l.Actions.Rows() }},
		{"chatInterfaces", "", func(l *LLM) table.Rows { return l.ChatInterfaces.Rows() }},
		{"formInterfaces", "", func(l *LLM) table.Rows { return l.FormInterfaces.Rows() }},
		{"textResources", "", func(l *LLM) table.Rows { return l.TextResources.Rows() }},
		{"agentSchedules", "", func(l *LLM) table.Rows { return l.AgentSchedules.Rows() }},
		{"chats", "", func(l *LLM) table.Rows { return l.Chats.Rows() }},
		{"chatAttachments", "", func(l *LLM) table.Rows { return l.ChatAttachments.Rows() }},
		{"artifacts", "", func(l *LLM) table.Rows { return l.Artifacts.Rows() }},
	}
}

// Resource is one resource of the LLM interface, of the kind that has attributes A.
type Resource[A any] struct {
	Head

	Attributes A `json:"attributes"`
}

// Head holds what resources of all kinds have.
type Head struct {
	ID        int64     `json:"id"`
	UUID      string    `json:"uuid"` // its id on the wire
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	CreatedBy int64     `json:"createdBy"` // users
	UpdatedBy int64     `json:"updatedBy"`
}

// Parts returns the head of the resource that a pointer leads to, and a pointer to its attributes.
func Parts(resource any) (head *Head, attributes any) {
	v := reflect.ValueOf(resource).Elem()
	return v.Field(0).Addr().Interface().(*Head), v.Field(1).Addr().Interface()
}

// ChatEntry is one thing that was said or done in a chat, in the wire form of a history: exactly one member beside At
// is set.
type ChatEntry struct {
	Input     *string         `json:"input,omitzero"`
	Content   *string         `json:"content,omitzero"`
	Tool      json.RawMessage `json:"tool,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
	Artifact  json.RawMessage `json:"artifact,omitempty"`
	Reasoning *string         `json:"reasoning,omitzero"`
	Error     json.RawMessage `json:"error,omitempty"`
	At        string          `json:"at"` // YYYY-MM-DDTHH:MM:SSZ
}

// Turn is a scripted answer to an input. Empty conditions fit everything.
type Turn struct {
	Agent   string            `json:"agent,omitempty"`   // name or id on the wire
	Chat    string            `json:"chat,omitempty"`    // id on the wire
	Input   string            `json:"input,omitempty"`   // regular expression that fits anywhere in the input
	Status  int               `json:"status,omitzero"`   // refuses the input with this status; 0: answers
	Message string            `json:"message,omitempty"` // of the refusal
	Events  []json.RawMessage `json:"events,omitempty"`  // of the answer, in their wire form without at
	Times   int               `json:"times,omitzero"`    // how often it applies before it is used up; 0: always
}
