// Package chat holds chats: the sources that start them, their attachments, and the answers of agents in them.
package chat

import (
	"errors"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Chats is the kind of chats.
var Chats = jsonapi.NewKind(jsonapi.KindOf[world.Chat]{
	Type: "chats", Noun: "chat",
	Set:     setChat,
	Visible: maySeeChat,
	Filters: map[string]jsonapi.Filter[world.Chat]{
		"chat_interface_id": jsonapi.Equal(func(a world.Chat) string { return jsonapi.OrEmpty(a.ChatInterfaceID) }),
		"form_interface_id": jsonapi.Equal(func(a world.Chat) string { return jsonapi.OrEmpty(a.FormInterfaceID) }),
		"has_artifacts":     jsonapi.IsTrue("has_artifacts", hasArtifacts),
		"parent_segment_id": kinds.InParentSegment[world.Chat],
		"project_id":        jsonapi.Equal(func(a world.Chat) string { return a.ProjectID }),
		"service_type":      throughIntegration,
	},
})

// maySeeChat reports whether the caller may see a chat: the user who started it and administrators may (assumed).
func maySeeChat(c *op.Call, chat world.Resource[world.Chat]) bool {
	return c.Caller.Administers() || chat.CreatedBy == c.Caller.User.ID
}

// seesChat reports whether the caller may see the chat with an id on the wire.
func seesChat(c *op.Call, uuid string) bool {
	chat, ok := jsonapi.Find(c.World, uuid, &c.World.LLM.Chats)
	return ok && maySeeChat(c, chat)
}

// setChat starts a chat. Clients cannot change a chat.
func setChat(c *op.Call, _, chat *world.Resource[world.Chat]) error {
	a := &chat.Attributes
	a.LastConversationAt = jsonapi.Millis(chat.CreatedAt)
	if a.UserProperties == nil {
		a.UserProperties = []world.UserProperty{} // null counts as none (public)
	}
	if a.Attachments == nil {
		a.Attachments = []world.Attachment{}
	}
	errs := []error{
		startFrom(c, a), jsonapi.OptionalRef(c, "textResourceId", a.TextResourceID, &c.World.LLM.TextResources),
		jsonapi.OptionalObject("inputParameters", a.InputParameters),
	}
	for i, file := range a.Attachments {
		content, faults := readFile(file)
		for _, f := range faults {
			errs = append(errs, jsonapi.Unprocessable(jsonapi.AttributeAt("attachments", i, f.member), f.code, "%s",
				f.reason))
		}
		addAttachment(c, chat.UUID, attachmentOf(file, attachmentDraft), content)
	}
	return errors.Join(errs...)
}

func hasArtifacts(w *world.State, chat world.Resource[world.Chat]) bool {
	_, has := table.First(&w.LLM.Artifacts, func(a world.Resource[world.Artifact]) bool {
		return a.Attributes.ChatID == chat.UUID
	})
	return has
}

// throughIntegration returns a filter that passes the chats that came through integrations of a kind.
func throughIntegration(c *op.Call, service string) (func(world.Resource[world.Chat]) bool, error) {
	return func(r world.Resource[world.Chat]) bool {
		integration, ok := jsonapi.Find(c.World, jsonapi.OrEmpty(r.Attributes.IntegrationID), &c.World.LLM.Integrations)
		return ok && integration.Attributes.ServiceType == service
	}, nil
}

// GetChatHistory returns all entries of a chat: its inputs, the answers and the tool calls.
var GetChatHistory = resource.On(Chats.Resource, func(c *op.Call, chat world.Resource[world.Chat]) (op.Reply, error) {
	entries, _ := c.World.LLM.Histories.Get(chat.ID)
	return jsonapi.PlainReply(map[string][]world.ChatEntry{"data": append([]world.ChatEntry{}, entries...)})
})

// Artifacts is the kind of artifacts. Only chats produce them, and every user who sees the chat sees them.
var Artifacts = jsonapi.NewKind(jsonapi.KindOf[world.Artifact]{
	Type: "artifacts", Noun: "artifact",
	Visible: func(c *op.Call, r world.Resource[world.Artifact]) bool { return seesChat(c, r.Attributes.ChatID) },
	View: func(_ *op.Call, r world.Resource[world.Artifact]) any {
		return jsonapi.TimedAttributes[world.Artifact]{CreatedAt: jsonapi.Millis(r.CreatedAt), Own: r.Attributes}
	},
	Filters: map[string]jsonapi.Filter[world.Artifact]{
		"chat_id":           jsonapi.Equal(func(a world.Artifact) string { return a.ChatID }),
		"chat_interface_id": jsonapi.Equal(func(a world.Artifact) string { return jsonapi.OrEmpty(a.ChatInterfaceID) }),
		"form_interface_id": jsonapi.Equal(func(a world.Artifact) string { return jsonapi.OrEmpty(a.FormInterfaceID) }),
	},
})

// artifactTypes lists the types of artifacts, each with the default media type of its content, and whether that is text
// (assumed).
var artifactTypes = map[string]struct {
	media string
	text  bool
}{
	"MARKDOWN_TEXT_OUTPUT": {"text/markdown", true},
	"REACT_OUTPUT":         {"text/jsx", true},
	"IMAGE_ID_OUTPUT":      {"image/png", false},
	"PRESENTATION":         {"application/vnd.openxmlformats-officedocument.presentationml.presentation", false},
}

// artifactPath returns the path prefix of an artifact's files.
func artifactPath(uuid string) string { return "artifacts/" + uuid }

// chatArtifact is an artifact in the form of a history.
type chatArtifact struct {
	ID                 string `json:"id"`
	Output             string `json:"output"`
	ChatID             string `json:"chatId"`
	ContentType        string `json:"contentType"`
	ArtifactType       string `json:"artifactType"`
	ChatFilePathPrefix string `json:"chatFilePathPrefix"`
}

// keepArtifact stores an artifact that an agent made in a chat as a resource, and returns its mention under the name of
// an output.
func keepArtifact(c *op.Call, chat world.Chat, output string, a world.Artifact) chatArtifact {
	id := c.World.NewID(jsonapi.Sequence)
	r := jsonapi.NewResource[world.Artifact](c, id)
	a.ProjectID, a.FormInterfaceID, a.ChatInterfaceID = chat.ProjectID, chat.FormInterfaceID, chat.ChatInterfaceID
	r.Attributes = a
	c.World.LLM.Artifacts.Put(id, r)
	return chatArtifact{
		ID: r.UUID, Output: output, ChatID: a.ChatID, ContentType: a.ContentType, ArtifactType: a.ArtifactType,
		ChatFilePathPrefix: artifactPath(r.UUID),
	}
}
