package world

import (
	"cmp"
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

// The attributes of the kinds of resources of the LLM interface, as on the wire. Slices are replaced, never changed in
// place. What the server owns no client sets.

// LLMProject is the project that other resources of the LLM interface belong to.
type LLMProject struct {
	Name                   string  `json:"name"`
	Description            *string `json:"description"`
	UseRuntimeTextResource bool    `json:"useRuntimeTextResource"`
	UseParentSegment       bool    `json:"useParentSegment"` // the server owns it
	UseWorkflowExecutor    bool    `json:"useWorkflowExecutor"`
	IsManaged              bool    `json:"isManaged"`   // the server owns it
	ManagedType            string  `json:"managedType"` // the server owns it
}

// Agent answers, with a model, tools and variables.
type Agent struct {
	ProjectID         string          `json:"projectId"`
	Name              string          `json:"name"`
	SystemPrompt      string          `json:"systemPrompt"`
	StarterMessage    string          `json:"starterMessage"`
	ModelType         string          `json:"modelType"`
	MaxToolIterations int             `json:"maxToolIterations"`
	Temperature       float64         `json:"temperature"`
	ReasoningEffort   string          `json:"reasoningEffort"`
	IsManaged         bool            `json:"isManaged"` // the server owns it
	Outputs           []AgentOutput   `json:"outputs"`
	Tools             []AgentTool     `json:"tools"`
	Variables         []AgentVariable `json:"variables"`
}

// Prompt is a template for the input of an agent.
type Prompt struct {
	ProjectID      string `json:"projectId"`
	AgentID        string `json:"agentId"`
	Name           string `json:"name"`
	SystemPrompt   string `json:"systemPrompt"`
	Template       string `json:"template"`
	IsManaged      bool   `json:"isManaged"`      // the server owns it
	JSONSchemaHint string `json:"jsonSchemaHint"` // the server owns it
}

// KnowledgeBase is data of a database that agents may look into.
type KnowledgeBase struct {
	ProjectID      string               `json:"projectId"`
	Name           string               `json:"name"`
	DatabaseName   string               `json:"svcDatabaseName"`
	FormatType     string               `json:"formatType"`
	MaxRows        int                  `json:"maxRows"`
	TimeoutSeconds int                  `json:"timeoutSeconds"`
	IsManaged      bool                 `json:"isManaged"` // the server owns it
	Tables         []KnowledgeBaseTable `json:"tables"`
	LastJob        *KnowledgeBaseJob    `json:"lastJob"` // the server owns it
}

// TextKnowledgeBase is a text that agents may look into.
type TextKnowledgeBase struct {
	ProjectID string `json:"projectId"`
	Name      string `json:"name"`
	Text      string `json:"text"`
	IsManaged bool   `json:"isManaged"` // the server owns it
}

// DatastoreQueryTool lets agents query databases.
type DatastoreQueryTool struct {
	ProjectID      string `json:"projectId"`
	Name           string `json:"name"`
	MaxRows        int    `json:"maxRows"`
	TimeoutSeconds int    `json:"timeoutSeconds"`
	IsManaged      bool   `json:"isManaged"` // the server owns it
}

// ImageGenerator lets agents make images.
type ImageGenerator struct {
	ProjectID       string `json:"projectId"`
	Name            string `json:"name"`
	ImageModelType  string `json:"imageModelType"`
	ImageReturnMode string `json:"imageReturnMode"`
	IsManaged       bool   `json:"isManaged"` // the server owns it
}

// PresentationArtifactTool lets agents make presentations.
type PresentationArtifactTool struct {
	ProjectID string `json:"projectId"`
	Name      string `json:"name"`
	IsManaged bool   `json:"isManaged"` // the server owns it
}

// WebSearchTool lets agents search the web.
type WebSearchTool struct {
	ProjectID         string          `json:"projectId"`
	Name              string          `json:"name"`
	ModelType         string          `json:"modelType"`
	SearchContextSize *string         `json:"searchContextSize"`
	UserLocation      *UserLocation   `json:"userLocation"`
	Filters           json.RawMessage `json:"filters"`
	IsManaged         bool            `json:"isManaged"` // the server owns it
	SystemPrompt      *string         `json:"systemPrompt"`
}

// WorkflowExecutor lets agents of a project run workflows. It comes and goes with the project's setting.
type WorkflowExecutor struct {
	AccountID       string `json:"svcAccountId"`
	ProjectID       string `json:"projectId"`
	Name            string `json:"name"`
	CreatedByUserID string `json:"createdByUserId"`
	UpdatedByUserID string `json:"updatedByUserId"`
}

// Integration connects prompts with a service outside.
type Integration struct {
	ProjectID                    string              `json:"projectId"`
	IsManaged                    bool                `json:"isManaged"` // the server owns it
	ServiceType                  string              `json:"serviceType"`
	Actions                      []IntegrationAction `json:"actions"`
	WebhookAuthorizationUsername *string             `json:"webhookAuthorizationUsername"`
	WebhookAuthorizationPassword *string             `json:"webhookAuthorizationPassword"`
	WebhookAuthorizationHeader   string              `json:"webhookAuthorizationHeader"` // the server owns it
	WebhookCorsOrigins           []json.RawMessage   `json:"webhookCorsOrigins"`
	ChatappSigningSecret         *string             `json:"chatappSigningSecret"`
	ChatappMessageMode           string              `json:"chatappMessageMode"`
	ChatIgnoreManagedActions     bool                `json:"chatIgnoreManagedActions"`
	ChatWelcomeMessage           *string             `json:"chatWelcomeMessage"`
}

// Action is a prompt in an integration.
type Action struct {
	IntegrationID     string   `json:"integrationId"`
	PromptID          string   `json:"promptId"`
	ChatWidgetType    *string  `json:"chatWidgetType"`
	ChatWidgetLabel   *string  `json:"chatWidgetLabel"`
	WebhookTextURL    *string  `json:"webhookTextUrl"`
	ChatappRequestURL *string  `json:"chatappRequestUrl"`
	UITags            []string `json:"uiTags"`
}

// ChatInterface is a page to chat on.
type ChatInterface struct {
	ProjectID            string                `json:"projectId"`
	Name                 string                `json:"name"`
	StarterMessage       string                `json:"starterMessage"`
	TextInputEnabled     bool                  `json:"textInputEnabled"`
	TextInputAgentID     *string               `json:"textInputAgentId"`
	IsManaged            bool                  `json:"isManaged"` // the server owns it
	ChatInterfaceButtons []ChatInterfaceButton `json:"chatInterfaceButtons"`
}

// FormInterface is a form whose fields become the input of an agent.
type FormInterface struct {
	ProjectID       string  `json:"projectId"`
	AgentID         string  `json:"agentId"`
	Name            string  `json:"name"`
	PromptTemplate  string  `json:"promptTemplate"`
	FormJSONSchema  string  `json:"formJsonSchema"`
	FormUISchema    *string `json:"formUiSchema"`
	UseTextResource bool    `json:"useTextResource"` // the server owns it
}

// TextResource is a text of the account that chats may refer to.
type TextResource struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Text        string  `json:"text"`
}

// AgentSchedule runs a form or a chat again and again.
type AgentSchedule struct {
	ProjectID             string          `json:"projectId"`
	AgentID               string          `json:"agentId"`
	FormInterfaceID       *string         `json:"formInterfaceId"`
	ChatInterfaceID       *string         `json:"chatInterfaceId"`
	InterfaceType         string          `json:"interfaceType"`
	Name                  string          `json:"name"`
	Description           *string         `json:"description"`
	Status                string          `json:"status"`
	RepeatUnit            string          `json:"repeatUnit"`
	RepeatFrequency       int             `json:"repeatFrequency"`
	RepeatSubFrequency    []int           `json:"repeatSubFrequency"`
	Timezone              string          `json:"timezone"`
	StartAt               string          `json:"startAt"`
	EndAt                 *string         `json:"endAt"`
	ParameterValues       json.RawMessage `json:"parameterValues"`
	SendEmailNotification bool            `json:"sendEmailNotification"`
	EmailRecipients       []string        `json:"emailRecipients"` // the server owns it
	TextResourceID        *string         `json:"textResourceId"`
	WorkflowProjectID     *string         `json:"workflowProjectId"`   // the server owns it
	WorkflowSessionID     *string         `json:"workflowSessionId"`   // the server owns it
	WorkflowAttemptID     *string         `json:"workflowAttemptId"`   // the server owns it
	LastExecutedAt        *string         `json:"lastExecutedAt"`      // the server owns it
	ExecutionCount        int             `json:"executionCount"`      // the server owns it
	LastRunStatus         *string         `json:"lastRunStatus"`       // the server owns it
	LastRunErrorMessage   *string         `json:"lastRunErrorMessage"` // the server owns it
}

// Chat is a conversation with an agent. What was said stands in LLM.Histories.
type Chat struct {
	ProjectID           string         `json:"projectId"`
	AgentID             string         `json:"agentId"`
	PromptID            *string        `json:"promptId"`
	IntegrationID       *string        `json:"integrationId"`
	ActionID            *string        `json:"actionId"`
	FormInterfaceID     *string        `json:"formInterfaceId"`
	ChatInterfaceID     *string        `json:"chatInterfaceId"`
	InputParameters     *string        `json:"inputParameters"`
	TextResourceID      *string        `json:"textResourceId"`
	UserProperties      []UserProperty `json:"userProperties"`
	FirstInputContent   *string        `json:"firstInputContent"`   // the server owns it
	CreatedByChatID     *string        `json:"createdByChatId"`     // the server owns it
	CreatedByToolCallID *string        `json:"createdByToolCallId"` // the server owns it
	LastConversationAt  string         `json:"lastConversationAt"`  // the server owns it
	Attachments         []Attachment   `json:"attachments"`
}

// ChatAttachment is a file of a chat.
type ChatAttachment struct {
	ChatID            string  `json:"chatId"`
	AttachmentIndex   int     `json:"attachmentIndex"`
	AttachmentType    string  `json:"attachmentType"`
	ContentFormatMode string  `json:"contentFormatMode"`
	InputFieldName    *string `json:"inputFieldName"`
	ContentType       string  `json:"contentType"`
	ImageWidth        *int    `json:"imageWidth"`
	ImageHeight       *int    `json:"imageHeight"`
	PdfPageCount      *int    `json:"pdfPageCount"`
	BinaryBase64      string  `json:"binaryBase64"`
}

// Artifact is a result that an agent made in a chat.
type Artifact struct {
	ChatID          string  `json:"chatId"`
	ProjectID       string  `json:"projectId"`
	FormInterfaceID *string `json:"formInterfaceId"`
	ChatInterfaceID *string `json:"chatInterfaceId"`
	ArtifactType    string  `json:"artifactType"`
	TextContent     *string `json:"textContent"`
	ContentType     string  `json:"contentType"`
	BinaryContent   *string `json:"binaryContent"`
}

// AgentOutput is a form of answer that an agent can give.
type AgentOutput struct {
	Name                string  `json:"name"`
	FunctionName        string  `json:"functionName"`
	FunctionDescription *string `json:"functionDescription"`
	JSONSchema          string  `json:"jsonSchema"`
	ArtifactType        *string `json:"artifactType"`
	ArtifactContentType *string `json:"artifactContentType"`
}

// ReturnOutput is the output mode of tools whose answer goes back to the agent. Tools have it unless they say otherwise
// (assumed).
const ReturnOutput = "RETURN"

// AgentTool is a function that an agent can call.
type AgentTool struct {
	ToolTargetID          string  `json:"toolTargetId"`
	ToolTargetType        string  `json:"toolTargetType"`
	TargetFunction        string  `json:"targetFunction"`
	FunctionName          string  `json:"functionName"`
	FunctionDescription   *string `json:"functionDescription"`
	AgentOutputMode       string  `json:"agentOutputMode"` // never empty
	AgentPromptSchema     *string `json:"agentPromptSchema"`
	AgentPromptTemplate   *string `json:"agentPromptTemplate"`
	InheritChatFiles      bool    `json:"inheritChatFiles"`
	TargetType            string  `json:"targetType"`            // the server owns it
	TargetKnowledgeBaseID *string `json:"targetKnowledgeBaseId"` // the server owns it
	TargetAgentID         *string `json:"targetAgentId"`         // the server owns it
}

// AgentVariable is a value that an agent is given, read from a tool.
type AgentVariable struct {
	Name                  string  `json:"name"`
	ToolTargetID          string  `json:"toolTargetId"`
	ToolTargetType        string  `json:"toolTargetType"`
	TargetFunction        string  `json:"targetFunction"`
	FunctionArgumentsText *string `json:"functionArgumentsText"`
	TargetKnowledgeBaseID *string `json:"targetKnowledgeBaseId"`
}

// ChatInterfaceButton is a button that puts a prompt to an agent.
type ChatInterfaceButton struct {
	AgentID string `json:"agentId"`
	Label   string `json:"label"`
	Prompt  string `json:"prompt"`
}

// IntegrationAction is an action as its integration lists it.
type IntegrationAction struct {
	PromptID          string   `json:"promptId"`
	ChatWidgetType    *string  `json:"chatWidgetType"`
	ChatWidgetLabel   *string  `json:"chatWidgetLabel"`
	UITags            []string `json:"uiTags"`
	WebhookTextURL    *string  `json:"webhookTextUrl"`    // the server owns it
	ChatappRequestURL *string  `json:"chatappRequestUrl"` // the server owns it
}

// KnowledgeBaseTable is a table of a knowledge base, made by a query.
type KnowledgeBaseTable struct {
	Name            string `json:"name"`
	Query           string `json:"svcQuery"`
	EnableData      bool   `json:"enableData"`
	EnableDataIndex bool   `json:"enableDataIndex"`
}

// KnowledgeBaseJob is the last indexing of a knowledge base.
type KnowledgeBaseJob struct {
	Status     string  `json:"status"`
	Message    *string `json:"message"`
	FinishedAt *string `json:"finishedAt"`
	Logs       *string `json:"logs"`
}

// UserLocation is the place from which a search is made.
type UserLocation struct {
	Type     string `json:"type"`
	Country  string `json:"country"`
	City     string `json:"city"`
	Region   string `json:"region"`
	Timezone string `json:"timezone"`
}

// Attachment is a file that comes with an input.
type Attachment struct {
	BinaryBase64   string  `json:"binaryBase64"`
	ContentType    string  `json:"contentType"`
	InputFieldName *string `json:"inputFieldName"`
}

// UserProperty is a fact about the user of a chat.
type UserProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// usualIndexTime is the duration of the indexing of a knowledge base unless the world says otherwise (assumed).
const usualIndexTime = 5 * time.Second

// The statuses of the indexing of a knowledge base, as on the wire. The last two are assumed.
const (
	IndexInProgress = "IN_PROGRESS"
	IndexSuccess    = "SUCCESS"
	IndexError      = "ERROR"
)

// IndexEnd returns the end of a knowledge base's indexing, which every change of it starts anew.
func (x *LLM) IndexEnd(r Resource[KnowledgeBase]) DueEvent {
	at := r.UpdatedAt.Add(cmp.Or(x.IndexTime, usualIndexTime)).UTC().Round(0)
	return DueEvent{At: at, Kind: KnowledgeBaseEvent, ID: r.ID}
}

// Indexing reports whether a knowledge base is being indexed.
func (b KnowledgeBase) Indexing() bool {
	return b.LastJob != nil && b.LastJob.Status == IndexInProgress
}
