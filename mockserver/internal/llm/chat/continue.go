package chat

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Runner runs the turns of chats. The tools of agents query knowledge bases through its Querier.
type Runner struct{ Querier knowledge.Querier }

// ContinueChat sends one more input to the agent of a chat. The whole turn is stored in the chat before the first event
// of the answer is sent, so a client that has read an event can look the turn up.
func (r Runner) ContinueChat(c *op.Call, chat world.Resource[world.Chat]) (op.Reply, error) {
	if !maySeeChat(c, chat) {
		return op.Reply{}, op.Forbidden("chat %s belongs to another user", chat.UUID)
	}
	agent, ok := jsonapi.Find(c.World, chat.Attributes.AgentID, &c.World.LLM.Agents)
	if !ok {
		return op.Reply{}, unusableInput("the agent of the chat was deleted")
	}
	var in chatInput
	if err := c.Decode(&in); err != nil {
		return op.Reply{}, err
	}
	waiting := drafts(c.World, chat.UUID)
	contents, err := in.files(len(waiting))
	if err != nil {
		return op.Reply{}, err
	}
	history, begun := c.World.LLM.Histories.Get(chat.ID)
	input, err := in.text(c.World, chat.Attributes, begun)
	if err != nil {
		return op.Reply{}, err
	}
	script := takeTurn(c.World, input, chat.UUID, agent)
	if script.Status != 0 {
		return refusalReply(c.Operation, script), nil // not an error, which would undo the turn
	}
	for i, file := range in.Attachments {
		addAttachment(c, chat.UUID, attachmentOf(file, attachmentSent), contents[i])
	}
	for _, r := range waiting {
		r.Attributes.AttachmentType = attachmentSent
		r.UpdatedAt, r.UpdatedBy = c.Now, c.Caller.User.ID
		c.World.LLM.ChatAttachments.Put(r.ID, r)
	}
	t := &turn{Querier: r.Querier, call: c, chat: chat, agent: agent, history: history}
	t.answer(input, script)
	reply, err := stream(t.entries)
	reply.Notes = t.notes
	return reply, err
}

// chatEvent is an entry of a history in its streamed form: the input has another name there (public).
type chatEvent struct {
	UserContent *string `json:"user_content,omitzero"`
	world.ChatEntry
}

// stream sends the entries of a turn as separate events.
func stream(entries []world.ChatEntry) (op.Reply, error) {
	reply := op.Reply{Type: "text/event-stream"}
	for _, entry := range entries {
		event := chatEvent{entry.Input, entry}
		event.Input = nil
		text, err := json.Marshal(event)
		if err != nil {
			return op.Reply{}, err
		}
		reply.Chunks = append(reply.Chunks, append(append([]byte("data: "), text...), "\n\n"...))
	}
	return reply, nil
}

// signatureAge is the largest difference between the time of a signed request and now, in either direction (assumed).
const signatureAge = 5 * time.Minute

// RunActionChatapp answers a slash command. The platform would send the agent's answer to response_url; the mock sends
// no requests, so the answer appears only in the chat.
func (r Runner) RunActionChatapp(c *op.Call, action world.Resource[world.Action]) (op.Reply, error) {
	integration, ok := jsonapi.Find(c.World, action.Attributes.IntegrationID, &c.World.LLM.Integrations)
	if !ok || integration.Attributes.ServiceType != kinds.Chatapp {
		return op.Reply{}, op.NotFound("action of a chat app", "id", action.UUID)
	}
	if err := requireSignature(c, jsonapi.OrEmpty(integration.Attributes.ChatappSigningSecret)); err != nil {
		return op.Reply{}, err
	}
	var command struct {
		Text string `json:"text"`
	}
	if err := c.Decode(&command); err != nil {
		return op.Reply{}, err
	}
	r.openChat(c, integration, action, command.Text)
	if integration.Attributes.ChatappMessageMode == kinds.InChannel {
		return jsonapi.PlainReply(map[string]string{"response_type": kinds.InChannel, "text": command.Text})
	}
	return op.Reply{Type: "text/plain"}, nil // only the caller sees the answer, later
}

// requireSignature checks the sender of a command, not by a key but by a signature over its body (public; the form is
// assumed).
func requireSignature(c *op.Call, secret string) error {
	stamp := c.Header("X-Chatapp-Request-Timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	age := c.Now.Sub(time.Unix(at, 0)).Abs()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(c.Raw)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	switch {
	case err != nil:
		return signatureError("X-Chatapp-Request-Timestamp is %q; want unix seconds", stamp)
	case age > signatureAge:
		return signatureError("X-Chatapp-Request-Timestamp is %s off; want it within %s", age, signatureAge)
	case secret == "":
		return signatureError("the integration has no chatappSigningSecret, so requests cannot be signed")
	case !hmac.Equal([]byte(want), []byte(c.Header("X-Chatapp-Signature"))):
		return signatureError("X-Chatapp-Signature is missing or wrong")
	}
	return nil
}

func signatureError(format string, args ...any) error {
	return &op.Error{Code: op.CodeUnauthorized, Message: fmt.Sprintf(format, args...)}
}

// openChat begins a chat with the prompt of an action, in which the text replaces every placeholder (assumed). Since
// the request has no key, the chat belongs to the user who created the integration (assumed).
func (r Runner) openChat(
	c *op.Call, i world.Resource[world.Integration], a world.Resource[world.Action], said string,
) {
	c.Caller.User, _ = c.World.Account.LiveUser(i.CreatedBy)
	prompt, _ := jsonapi.Find(c.World, a.Attributes.PromptID, &c.World.LLM.Prompts)
	agent, _ := jsonapi.Find(c.World, prompt.Attributes.AgentID, &c.World.LLM.Agents)
	chat := jsonapi.NewResource[world.Chat](c, c.World.NewID(jsonapi.Sequence))
	chat.Attributes = world.Chat{
		ProjectID: i.Attributes.ProjectID, AgentID: agent.UUID, PromptID: &prompt.UUID,
		IntegrationID: &i.UUID, ActionID: &a.UUID,
		UserProperties: []world.UserProperty{}, Attachments: []world.Attachment{},
	}
	input := kinds.Placeholder.ReplaceAllLiteralString(prompt.Attributes.Template, said)
	t := &turn{Querier: r.Querier, call: c, chat: chat, agent: agent}
	t.answer(input, takeTurn(c.World, input, chat.UUID, agent))
}

// maxAttachments is the largest number of files of one input (assumed).
const maxAttachments = 10

// chatInput is the input of a user, as it was sent.
type chatInput struct {
	Input       *string                   `json:"input"`
	Params      map[string]jsontext.Value `json:"inputParams"`
	Attachments []world.Attachment        `json:"attachments"`
}

// unusableInput returns a refusal of an input with 422, with one detail for each fault.
func unusableInput(message string, details ...string) error {
	e := &op.Error{Code: op.CodeUnprocessable, Message: message}
	if len(details) > 0 {
		e.Details = map[string]any{"details": details}
	}
	return e
}

// text returns the text of an input: as it was sent, or the template of the chat filled with its values. A chat with a
// template may begin with the values that it was started with (assumed).
func (in chatInput) text(w *world.State, chat world.Chat, begun bool) (string, error) {
	template, has := templateOf(w, chat)
	switch {
	case in.Input != nil && in.Params != nil:
		return "", unusableInput("input and inputParams cannot be combined",
			"inputParams: want only one of input and inputParams")
	case in.Input != nil && strings.TrimSpace(*in.Input) == "":
		return "", unusableInput("the input is missing", "input: can't be blank")
	case in.Input != nil:
		return *in.Input, nil
	case in.Params != nil && !has:
		return "", unusableInput("the chat has no template",
			"inputParams: only a chat that was started from a form interface or "+
				"a prompt accepts them; want input")
	case in.Params == nil && (!has || begun):
		return "", unusableInput("the input is missing", "input: want it, or inputParams where the chat has a template")
	}
	values := map[string]jsontext.Value{}
	if chat.InputParameters != nil {
		if err := json.Unmarshal([]byte(*chat.InputParameters), &values); err != nil {
			return "", err
		}
	}
	maps.Copy(values, in.Params)
	return fillTemplate(template, values)
}

// templateOf returns the template that a chat was started with, and whether there is one.
func templateOf(w *world.State, chat world.Chat) (string, bool) {
	if form, ok := jsonapi.Find(w, jsonapi.OrEmpty(chat.FormInterfaceID), &w.LLM.FormInterfaces); ok {
		return form.Attributes.PromptTemplate, true
	}
	prompt, ok := jsonapi.Find(w, jsonapi.OrEmpty(chat.PromptID), &w.LLM.Prompts)
	return prompt.Attributes.Template, ok
}

// fillTemplate replaces the {{names}} of a template by values: texts as they are, null by nothing, and other values as
// JSON. Every name needs a value.
func fillTemplate(template string, values map[string]jsontext.Value) (string, error) {
	var lacking []string
	filled := kinds.Placeholder.ReplaceAllStringFunc(template, func(field string) string {
		name := kinds.Placeholder.FindStringSubmatch(field)[1]
		value, ok := values[name]
		var words string
		switch {
		case !ok:
			lacking = append(lacking, fmt.Sprintf("inputParams.%s: is missing", name))
		case value.Kind() == 'n':
		case json.Unmarshal(value, &words) == nil:
			return words
		default:
			return string(value)
		}
		return ""
	})
	if len(lacking) > 0 {
		return "", unusableInput("values for the template are missing", lacking...)
	}
	return filled, nil
}

// files returns the contents of the attachments of an input. The limit also counts the drafts that wait for it.
func (in chatInput) files(waiting int) ([][]byte, error) {
	if n := waiting + len(in.Attachments); n > maxAttachments {
		return nil, unusableInput("too many attachments",
			fmt.Sprintf("attachments: want at most %d, not %d, of which %d were added "+
				"to the chat before", maxAttachments, n, waiting))
	}
	contents := make([][]byte, len(in.Attachments))
	var wrong []string
	for i, file := range in.Attachments {
		content, faults := readFile(file)
		contents[i] = content
		for _, f := range faults {
			wrong = append(wrong, jsonapi.AttributeAt("attachments", i, f.member)+": "+f.reason)
		}
	}
	if len(wrong) > 0 {
		return nil, unusableInput("attachments cannot be read", wrong...)
	}
	return contents, nil
}
