package chat

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// signatureAge is the largest difference between the time of a signed request and now, in either direction (assumed).
const signatureAge = 5 * time.Minute

// RunActionChatapp answers a slash command. The platform would send the agent's answer to response_url; the mock sends
// no requests, so the answer appears only in the chat.
func (r Runner) RunActionChatapp(c *op.Call) (op.Reply, error) {
	_, action, err := resource.Find[world.Resource[world.Action]](kinds.Actions.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
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
	c.Caller.User, _ = bridge.User(c.World, i.CreatedBy)
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
