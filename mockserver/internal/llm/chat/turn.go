package chat

import (
	"cmp"
	"encoding/base64"
	jsonstd "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// turn is an input and its answer, under way.
type turn struct {
	knowledge.Querier
	call    *op.Call
	chat    world.Resource[world.Chat]
	agent   world.Resource[world.Agent]
	history []world.ChatEntry // of the turns before
	entries []world.ChatEntry // of this one
	notes   []string          // for the journal
}

// answer answers an input in the way that a script describes. A refusal becomes an error in the chat, for callers that
// cannot refuse the input itself.
func (t *turn) answer(input string, script world.Turn) {
	if script.Status != 0 {
		script.Events = []jsonstd.RawMessage{marshalled(scriptEvent{Error: &chatError{refusalOf(script), script.Status}})}
	}
	t.runEvents(input, script.Events)
	t.store(input)
}

// store stores the turn in its chat.
func (t *turn) store(input string) {
	a := &t.chat.Attributes
	if a.FirstInputContent == nil {
		a.FirstInputContent = &input
	}
	a.LastConversationAt = jsonapi.Millis(t.call.Now)
	t.chat.UpdatedAt, t.chat.UpdatedBy = t.call.Now, t.call.Caller.User.ID
	l := &t.call.World.LLM
	l.Chats.Put(t.chat.ID, t.chat)
	l.Histories.Put(t.chat.ID, append(slices.Clip(t.history), t.entries...))
}

// runEvents answers an input with events, up to the first that fails; the entries before it are kept.
func (t *turn) runEvents(input string, events []jsonstd.RawMessage) {
	t.addEntry(world.ChatEntry{Input: &input})
	for _, raw := range events {
		event, err := readEvent(raw)
		if err == nil {
			err = t.runEvent(event)
		}
		if err != nil {
			failure := &chatError{err.Error(), turnFailed}
			_ = errors.As(err, &failure)
			t.addEntry(world.ChatEntry{Error: marshalled(failure)})
			return
		}
	}
}

func (t *turn) runEvent(event scriptEvent) error {
	switch {
	case event.Tool != nil:
		t.addEntry(world.ChatEntry{Tool: marshalled(t.callTool(*event.Tool))})
	case event.Output != nil:
		return t.answerWithOutput(*event.Output)
	case event.Artifact != nil:
		t.storeArtifact(event.Artifact)
	case event.Error != nil:
		return event.Error
	default:
		t.addEntry(world.ChatEntry{Content: event.Content, Reasoning: event.Reasoning})
	}
	return nil
}

func (t *turn) addEntry(entry world.ChatEntry) {
	entry.At = op.Instant(t.call.Now)
	t.entries = append(t.entries, entry)
}

// answerWithOutput answers by one of the agent's outputs. If the output makes an artifact, the content is the
// artifact's, otherwise it must conform to the schema of the output (assumed).
func (t *turn) answerWithOutput(o chatOutput) error {
	output, err := outputNamed(t.agent, o.Name)
	if err != nil {
		return err
	}
	if output.ArtifactType == nil {
		if err := checkAgainstSchema(o.Content, output.JSONSchema); err != nil {
			return &chatError{fmt.Sprintf("the content of output %s: %v", o.Name, err), turnRefused}
		}
		t.addEntry(world.ChatEntry{Output: marshalled(o)})
		return nil
	}
	artifact := artifactOf(o, *output.ArtifactType)
	if err := artifact.check(); err != nil {
		return &chatError{err.Error(), turnRefused}
	}
	t.addEntry(world.ChatEntry{Output: marshalled(o)})
	t.storeArtifact(artifact)
	return nil
}

func (t *turn) storeArtifact(a *scriptArtifact) {
	t.addEntry(world.ChatEntry{Artifact: marshalled(keepArtifact(t.call, t.chat.Attributes, a.Output, world.Artifact{
		ChatID: t.chat.UUID, ArtifactType: a.ArtifactType, ContentType: a.ContentType,
		TextContent: a.TextContent, BinaryContent: a.BinaryContent,
	}))})
}

// checkAgainstSchema checks a text against a JSON Schema that a client has sent. The schema may not load any other
// document.
func checkAgainstSchema(content, schema string) error {
	const name = "mem:///output.json"
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s cannot be loaded", url) }
	if err := compiler.AddResource(name, strings.NewReader(schema)); err != nil {
		return fmt.Errorf("its schema is not valid JSON: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return fmt.Errorf("its schema is not a valid JSON Schema: %w", err)
	}
	var value any
	if err := json.Unmarshal([]byte(content), &value); err != nil {
		return fmt.Errorf("want JSON: %w", err)
	}
	invalid := (*jsonschema.ValidationError)(nil)
	if err := compiled.Validate(value); errors.As(err, &invalid) {
		return fmt.Errorf("want a value that matches its schema: %s", strings.Join(reasons(invalid), "; "))
	}
	return nil
}

// reasons returns the messages of the innermost causes of an error, each with its place.
func reasons(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{strings.TrimSpace(e.InstanceLocation + " " + e.Message)}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, reasons(cause)...)
	}
	return all
}

// marshalled returns a value of a history in its wire form.
func marshalled(value any) jsonstd.RawMessage {
	text, err := json.Marshal(value)
	if err != nil { // these are texts and numbers
		panic(err)
	}
	return text
}

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
	if e.Status = cmp.Or(e.Status, turnFailed); e.Status < 400 || e.Status > 599 {
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
	a.ContentType = cmp.Or(a.ContentType, kind.media)
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
	return world.AgentOutput{}, &chatError{
		fmt.Sprintf("agent %s has no output %q: %s", agent.Attributes.Name, name, wantOneOf(names)), turnRefused,
	}
}
