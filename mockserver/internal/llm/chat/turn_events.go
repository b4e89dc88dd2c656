package chat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/world"
)

// scriptEvent is an event of a scripted turn: one member, in the wire form, without the details that the mock fills in.
type scriptEvent struct {
	Content   *string         `json:"content,omitempty"`
	Reasoning *string         `json:"reasoning,omitempty"`
	Tool      *toolCall       `json:"tool,omitempty"`
	Output    *chatOutput     `json:"output,omitempty"`
	Artifact  *scriptArtifact `json:"artifact,omitempty"`
	Error     *chatError      `json:"error,omitempty"`
}

// chatOutput is an answer in one of the agent's outputs.
type chatOutput struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// scriptArtifact is an artifact of an agent with its content, which histories leave out.
type scriptArtifact struct {
	Output        string  `json:"output"`
	ArtifactType  string  `json:"artifactType"`
	ContentType   string  `json:"contentType"`
	TextContent   *string `json:"textContent"`
	BinaryContent *string `json:"binaryContent"` // base64
}

// chatError is the reason why a turn ended early.
type chatError struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *chatError) Error() string { return e.Message }

// readEvent reads an event. Its error describes the right form.
func readEvent(raw []byte) (scriptEvent, error) {
	var event scriptEvent
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil || len(members) != 1 {
		return event, errors.New("want an object with one of content, reasoning, tool, output, artifact and error")
	}
	if err := json.Unmarshal(raw, &event, json.RejectUnknownMembers(true)); err != nil {
		return event, fmt.Errorf("want one of content, reasoning, tool, output, artifact and error, as on the wire: %w", err)
	}
	switch {
	case event.Tool != nil:
		return event, event.Tool.check()
	case event.Output != nil:
		if event.Output.Name == "" {
			return event, errors.New("output: want the name of an output of the agent")
		}
	case event.Artifact != nil:
		return event, event.Artifact.check()
	case event.Error != nil:
		return event, event.Error.check()
	case jsonapi.OrEmpty(event.Content) == "" && jsonapi.OrEmpty(event.Reasoning) == "":
		return event, errors.New("want a string that is not empty")
	}
	return event, nil
}

func (e *chatError) check() error {
	if e.Message == "" {
		return errors.New("error: want a message")
	}
	if e.Status == 0 {
		e.Status = turnFailed
	}
	if e.Status < 400 || e.Status > 599 {
		return fmt.Errorf("error: want a status from 400 to 599, not %d", e.Status)
	}
	return nil
}

// check sets a missing media type, and refuses content in a form that the type of the artifact does not have.
func (a *scriptArtifact) check() error {
	kind, ok := artifactTypes[a.ArtifactType]
	if !ok {
		return fmt.Errorf("artifact: want an artifactType, one of %s, not %q",
			strings.Join(slices.Sorted(maps.Keys(artifactTypes)), ", "), a.ArtifactType)
	}
	if a.ContentType == "" {
		a.ContentType = kind.media
	}
	if media, _, err := mime.ParseMediaType(a.ContentType); err != nil || !strings.Contains(media, "/") {
		return fmt.Errorf("artifact: want a media type as contentType, not %q", a.ContentType)
	}
	wanted, other := a.TextContent, a.BinaryContent
	name := "textContent"
	if !kind.text {
		wanted, other, name = other, wanted, "binaryContent, in base64"
	}
	if wanted == nil || other != nil {
		return fmt.Errorf("artifact: want only the content of %s, as %s", a.ArtifactType, name)
	}
	if _, err := base64.StdEncoding.DecodeString(jsonapi.OrEmpty(a.BinaryContent)); err != nil {
		return fmt.Errorf("artifact: want binaryContent in base64: %w", err)
	}
	return nil
}

// artifactOf returns the artifact that an output makes (assumed: the content of the output is that of the artifact).
func artifactOf(o chatOutput, artifactType string) *scriptArtifact {
	a := &scriptArtifact{Output: o.Name, ArtifactType: artifactType}
	if artifactTypes[artifactType].text {
		a.TextContent = &o.Content
	} else {
		a.BinaryContent = &o.Content
	}
	return a
}

// outputNamed returns one of an agent's outputs by its name, or an error that lists them.
func outputNamed(agent world.Resource[world.Agent], name string) (world.AgentOutput, error) {
	var names []string
	for _, output := range agent.Attributes.Outputs {
		if output.Name == name {
			return output, nil
		}
		names = append(names, output.Name)
	}
	known := "it has none"
	if len(names) > 0 {
		known = "want one of " + strings.Join(names, ", ")
	}
	return world.AgentOutput{}, &chatError{
		fmt.Sprintf("agent %s has no output %q: %s", agent.Attributes.Name, name, known), turnRefused,
	}
}
