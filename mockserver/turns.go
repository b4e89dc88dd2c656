package mockserver

import (
	"encoding/json"
	"fmt"

	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/world"
)

// Turn is the answer of an agent to an input of a chat, instead of a repetition of the input. What is left empty of
// Agent, Chat and Input fits everything. A turn either answers with Events or refuses with a Status.
type Turn struct {
	Agent string // name or id of the agent
	Chat  string // id of the chat
	Input string // a regular expression, RE2, that fits anywhere in the input

	Events  []TurnEvent // what is streamed behind the echo of the input
	Status  int         // refuses the input: 403, 404, 422 or 429
	Message string      // of the refusal; empty: that of the status

	Times int // how many inputs it is for; 0: all that it fits
}

// TurnEvent is an event of an answer: exactly one of its members is set.
type TurnEvent struct {
	Content   string        `json:"content,omitempty"`   // what the agent says
	Reasoning string        `json:"reasoning,omitempty"` // what it thinks
	Tool      *TurnTool     `json:"tool,omitempty"`      // a call of one of its functions
	Output    *TurnOutput   `json:"output,omitempty"`    // an answer by one of its outputs
	Artifact  *TurnArtifact `json:"artifact,omitempty"`  // something that it makes
	Error     *TurnError    `json:"error,omitempty"`     // ends the answer; nothing can follow
}

// TurnTool is a call of a function of an agent. What it gives is looked up in the data of the world where the function
// is one of a knowledge base, unless Content says it.
type TurnTool struct {
	FunctionName      string  `json:"functionName"`
	FunctionArguments string  `json:"functionArguments,omitempty"` // a JSON object as text; empty: no arguments
	Content           *string `json:"content,omitempty"`
	Status            string  `json:"status,omitempty"` // empty: OK, or ERROR where the call fails
}

// TurnOutput is an answer by an output of the agent. Where that makes an artifact, the content is the artifact's.
type TurnOutput struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TurnArtifact is something that an agent makes, a text or, in base64, something else, as its type wants.
type TurnArtifact struct {
	Output        string  `json:"output,omitempty"` // name of the output that makes it
	ArtifactType  string  `json:"artifactType"`     // such as MARKDOWN_TEXT_OUTPUT
	ContentType   string  `json:"contentType,omitempty"`
	TextContent   *string `json:"textContent,omitempty"`
	BinaryContent *string `json:"binaryContent,omitempty"`
}

// TurnError is the error with which an answer ends early.
type TurnError struct {
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"` // that the answer would have had; 0: 500
}

// QueueTurn queues an answer for inputs that come from now on. Of several that fit an input, the one that was queued
// first counts.
func (w *World) QueueTurn(t Turn) error {
	queued := world.Turn{
		Agent: t.Agent, Chat: t.Chat, Input: t.Input, Status: t.Status, Message: t.Message, Times: t.Times,
	}
	for _, event := range t.Events {
		text, err := json.Marshal(event)
		if err != nil {
			return fmt.Errorf("queue a turn: %w", err)
		}
		queued.Events = append(queued.Events, text)
	}
	if err := w.live.Write(0, func(tx *world.State) error { return chat.QueueTurn(tx, queued) }); err != nil {
		return fmt.Errorf("queue a turn: %w", err)
	}
	return nil
}
