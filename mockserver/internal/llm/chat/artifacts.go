package chat

import (
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
