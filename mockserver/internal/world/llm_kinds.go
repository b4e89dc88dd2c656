package world

import "encoding/json"

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
