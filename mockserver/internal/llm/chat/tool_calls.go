package chat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/world"
)

// The statuses of a finished tool call. That of a failed one is assumed.
const (
	toolOK    = "OK"
	toolError = "ERROR"
)

// toolCall is a call of a function of an agent. A script gives the name of the function and its arguments; the mock
// fills in the other members that are left out.
type toolCall struct {
	ID                  string           `json:"id"`
	FunctionName        string           `json:"functionName"`
	FunctionArguments   string           `json:"functionArguments"`
	Content             *string          `json:"content"`
	Status              string           `json:"status"`
	Output              *nameOf          `json:"output,omitempty"`
	TargetKnowledgeBase *resourceMention `json:"targetKnowledgeBase,omitempty"`
	TargetFunction      string           `json:"targetFunction,omitempty"`
	ToolTarget          *resourceMention `json:"toolTarget,omitempty"`
	TargetAgent         *resourceMention `json:"targetAgent,omitempty"`
	NewChat             *resourceMention `json:"newChat,omitempty"`
}

type nameOf struct {
	Name string `json:"name"`
}

// resourceMention is a resource in the form of a tool call.
type resourceMention struct {
	ID   string `json:"id"`
	Type string `json:"type,omitempty"`
	Name string `json:"name,omitempty"`
}

func (call *toolCall) check() error {
	if call.FunctionName == "" {
		return errors.New("tool: want the functionName of a tool of the agent")
	}
	call.FunctionArguments = cmp.Or(call.FunctionArguments, "{}")
	var arguments map[string]jsontext.Value
	if err := json.Unmarshal([]byte(call.FunctionArguments), &arguments); err != nil || arguments == nil {
		return fmt.Errorf("tool: want functionArguments as a JSON object in a string, not %.40q",
			call.FunctionArguments)
	}
	return nil
}

// callTool returns a call with the members filled in that a script has left out.
func (t *turn) callTool(call toolCall) toolCall {
	if call.ID == "" {
		call.ID = fmt.Sprintf("call_%d", 1+countToolCalls(t.history)+countToolCalls(t.entries))
	}
	content, err := t.toolContent(&call)
	if err != nil {
		content = err.Error()
	}
	call.Content = cmp.Or(call.Content, &content)
	status := toolOK
	if err != nil {
		status = toolError
	}
	call.Status = cmp.Or(call.Status, status)
	return call
}

func countToolCalls(entries []world.ChatEntry) int {
	n := 0
	for _, entry := range entries {
		if entry.Tool != nil {
			n++
		}
	}
	return n
}

// toolContent returns the content of a call for scripts that leave it out. Knowledge bases are queried; other tools
// return no content in the mock (assumed).
func (t *turn) toolContent(call *toolCall) (string, error) {
	tools := t.agent.Attributes.Tools
	i := slices.IndexFunc(tools, func(tool world.AgentTool) bool { return tool.FunctionName == call.FunctionName })
	if i < 0 {
		return "", t.resolveOutput(call)
	}
	tool, l := tools[i], &t.call.World.LLM
	target, ok := jsonapi.Find(t.call.World, tool.ToolTargetID, kinds.TargetsOf(l))
	if !ok {
		return "", fmt.Errorf("the %s of function %s was deleted", tool.ToolTargetType, tool.FunctionName)
	}
	name := target.Attributes.Name
	call.TargetFunction = cmp.Or(call.TargetFunction, tool.TargetFunction)
	call.ToolTarget = cmp.Or(call.ToolTarget, &resourceMention{target.UUID, tool.ToolTargetType, name})
	if tool.TargetAgentID != nil {
		call.TargetAgent = cmp.Or(call.TargetAgent, &resourceMention{ID: target.UUID, Name: name})
	}
	if text, ok := jsonapi.Find(t.call.World, target.UUID, &l.TextKnowledgeBases); ok {
		return text.Attributes.Text, nil
	}
	base, ok := jsonapi.Find(t.call.World, target.UUID, &l.KnowledgeBases)
	if !ok {
		return "", nil
	}
	call.TargetKnowledgeBase = cmp.Or(call.TargetKnowledgeBase, &resourceMention{ID: target.UUID, Name: name})
	if call.Content != nil {
		return "", nil
	}
	var args knowledge.Arguments
	if err := json.Unmarshal([]byte(call.FunctionArguments), &args); err != nil {
		return "", fmt.Errorf("the arguments %s do not match the schema of %s: %w", call.FunctionArguments,
			call.TargetFunction, err)
	}
	content, notes, err := t.Ask(t.call, base.Attributes, call.TargetFunction, args)
	t.notes = append(t.notes, notes...)
	return content, err
}

// resolveOutput sets the output to which a function belongs, or returns an error that lists the functions.
func (t *turn) resolveOutput(call *toolCall) error {
	a := t.agent.Attributes
	var names []string
	for _, tool := range a.Tools {
		names = append(names, tool.FunctionName)
	}
	for _, output := range a.Outputs {
		if output.FunctionName == call.FunctionName {
			call.Output = &nameOf{output.Name}
			return nil
		}
		names = append(names, output.FunctionName)
	}
	return fmt.Errorf("agent %s has no function %q: %s", a.Name, call.FunctionName, wantOneOf(names))
}

func wantOneOf(names []string) string {
	if len(names) == 0 {
		return "it has none"
	}
	return "want one of " + strings.Join(names, ", ")
}
