package chat

import (
	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// Runner runs the turns of chats. The tools of agents query knowledge bases through its Querier.
type Runner struct{ Querier knowledge.Querier }

// ContinueChat sends one more input to the agent of a chat. The whole turn is stored in the chat before the first event
// of the answer is sent, so a client that has read an event can look the turn up.
func (r Runner) ContinueChat(c *op.Call) (op.Reply, error) {
	_, chat, err := resource.Find[world.Resource[world.Chat]](Chats.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
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
	sendDrafts(c, waiting)
	t := &turn{Querier: r.Querier, call: c, chat: chat, agent: agent, history: history}
	t.answer(input, script)
	reply, err := stream(t.entries)
	reply.Notes = t.notes
	return reply, err
}

// sendDrafts marks drafts as sent with an input.
func sendDrafts(c *op.Call, waiting []world.Resource[world.ChatAttachment]) {
	for _, r := range waiting {
		r.Attributes.AttachmentType = attachmentSent
		r.UpdatedAt, r.UpdatedBy = c.Now, c.Caller.User.ID
		c.World.LLM.ChatAttachments.Put(r.ID, r)
	}
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
