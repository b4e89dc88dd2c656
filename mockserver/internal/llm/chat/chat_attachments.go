package chat

import (
	"encoding/base64"
	"errors"
	"mime"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// The types of attachments: a draft waits for the next input, and the other went with an input.
const (
	attachmentDraft = "USER_INPUT_DRAFT"
	attachmentSent  = "USER_INPUT"
)

// ChatAttachments is the kind of files that are attached to chats.
var ChatAttachments = jsonapi.NewKind(jsonapi.KindOf[world.ChatAttachment]{
	Type: "chatAttachments", Noun: "chat attachment",
	Set:    setChatAttachment,
	Remove: removeChatAttachment,
	Visible: func(c *op.Call, r world.Resource[world.ChatAttachment]) bool {
		return seesChat(c, r.Attributes.ChatID)
	},
	Filters: map[string]jsonapi.Filter[world.ChatAttachment]{
		"attachment_type": jsonapi.Equal(func(a world.ChatAttachment) string { return a.AttachmentType }),
		"chat_id":         jsonapi.Equal(func(a world.ChatAttachment) string { return a.ChatID }),
	},
})

// setChatAttachment adds a draft to a chat. An attachment gets its project from the chat, so that a missing chat gives
// three errors at once (public; their validation codes are assumed).
func setChatAttachment(c *op.Call, _, after *world.Resource[world.ChatAttachment]) error {
	a := &after.Attributes
	var errs []error
	if !seesChat(c, a.ChatID) {
		errs = append(
			errs, jsonapi.Unprocessable("project", jsonapi.InvalidFormat, "must exist"),
			jsonapi.Unprocessable("projectId", jsonapi.CannotBeBlank, jsonapi.BlankReason),
			jsonapi.Unprocessable("chat", jsonapi.InvalidFormat, "must exist: chat with id %q not found", a.ChatID),
		)
	}
	content, faults := readFile(world.Attachment{BinaryBase64: a.BinaryBase64, ContentType: a.ContentType})
	for _, f := range faults {
		errs = append(errs, jsonapi.Unprocessable(f.member, f.code, "%s", f.reason))
	}
	a.AttachmentType = attachmentDraft
	setFileAttributes(c, a, content)
	return errors.Join(errs...)
}

// removeChatAttachment refuses callers who may not see the chat (public; who may is assumed).
func removeChatAttachment(c *op.Call, r world.Resource[world.ChatAttachment]) error {
	if seesChat(c, r.Attributes.ChatID) {
		return nil
	}
	return op.Forbidden("the attachment belongs to the chat of another user")
}

// attachmentOf returns a file of another request as an attachment.
func attachmentOf(file world.Attachment, kind string) world.ChatAttachment {
	return world.ChatAttachment{
		AttachmentType: kind, InputFieldName: file.InputFieldName, ContentType: file.ContentType,
		BinaryBase64: file.BinaryBase64,
	}
}

// addAttachment adds a file to a chat.
func addAttachment(c *op.Call, chat string, a world.ChatAttachment, content []byte) {
	id := c.World.NewID(jsonapi.Sequence)
	r := jsonapi.NewResource[world.ChatAttachment](c, id)
	r.Attributes = a
	r.Attributes.ChatID = chat
	setFileAttributes(c, &r.Attributes, content)
	c.World.LLM.ChatAttachments.Put(id, r)
}

// AttachmentIndexes returns the kind of ids that the indexes of the attachments of a chat are.
func AttachmentIndexes(chat string) string { return "llm.attachment." + chat }

// setFileAttributes sets the attributes of an attachment that the server determines. An index is never reused in a
// chat, so that it always names the same file (assumed).
func setFileAttributes(c *op.Call, a *world.ChatAttachment, content []byte) {
	a.AttachmentIndex = int(c.World.NewID(AttachmentIndexes(a.ChatID)))
	a.ContentFormatMode = "ID_AND_CONTENT"
	a.ImageWidth, a.ImageHeight = measureImage(a.ContentType, content)
	a.PdfPageCount = countPages(a.ContentType, content)
}

// fileError is an error in a member of a file.
type fileError struct{ member, code, reason string }

// readFile returns the content of a file in base64, and everything that is wrong with the file.
func readFile(file world.Attachment) (content []byte, faults []fileError) {
	if kind, _, err := mime.ParseMediaType(file.ContentType); err != nil || !strings.Contains(kind, "/") {
		faults = append(faults, fileError{"contentType", jsonapi.InvalidFormat, "want a media type such as image/png"})
	}
	content, err := base64.StdEncoding.DecodeString(file.BinaryBase64)
	switch {
	case err != nil:
		faults = append(faults, fileError{"binaryBase64", jsonapi.InvalidFormat, "want base64: " + err.Error()})
	case len(content) == 0:
		faults = append(faults, fileError{
			"binaryBase64", jsonapi.CannotBeBlank,
			"can't be blank: want the content of the file",
		})
	}
	return content, faults
}

// drafts returns the attachments of a chat that wait for its next input, in their order.
func drafts(w *world.State, chat string) []world.Resource[world.ChatAttachment] {
	var waiting []world.Resource[world.ChatAttachment]
	for _, r := range table.All(&w.LLM.ChatAttachments) {
		if r.Attributes.ChatID == chat && r.Attributes.AttachmentType == attachmentDraft {
			waiting = append(waiting, r)
		}
	}
	return waiting
}
