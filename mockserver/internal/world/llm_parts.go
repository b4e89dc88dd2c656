package world

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
