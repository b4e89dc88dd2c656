package chat

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats that images of chats have
	_ "image/jpeg"
	_ "image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
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

// measureImage returns the size of an image, or nil if its bytes are in no known format, whatever its type: a test may
// well send a few letters for a picture (assumed).
func measureImage(contentType string, content []byte) (width, height *int) {
	if !strings.HasPrefix(contentType, "image/") {
		return nil, nil
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, nil
	}
	return &config.Width, &config.Height
}

// These patterns match the parts of a PDF that describe its pages. A page is an object of the type Page; objects of the
// type Pages only group others.
var (
	pdfObject = regexp.MustCompile(`(?s)\b(\d+\s+\d+)\s+obj\b(.*?)\bendobj\b`)
	pdfPage   = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
	pdfPacked = regexp.MustCompile(`(?s)/Type\s*/ObjStm\b.*?\bstream\r?\n`)
)

// maxUnpacked is the largest part of one packed stream that is read, in bytes.
const maxUnpacked = 16 << 20

// countPages returns the number of pages of a PDF, or nil if it finds no pages. It counts the page objects, plain or in
// packed streams of objects, each plain object once however often it was rewritten. The libraries that read PDFs do far
// more and weigh more than the rest of the mock; this does not read encrypted files.
func countPages(contentType string, content []byte) *int {
	if kind, _, _ := mime.ParseMediaType(contentType); kind != "application/pdf" {
		return nil
	}
	pages, packed := map[string]bool{}, 0
	for _, object := range pdfObject.FindAllSubmatch(content, -1) {
		number, body := string(object[1]), object[2]
		if at := pdfPacked.FindIndex(body); at != nil {
			packed += len(pdfPage.FindAll(inflated(body[at[1]:]), -1))
			continue
		}
		dictionary, _, _ := bytes.Cut(body, []byte("stream"))
		if pdfPage.Match(dictionary) {
			pages[number] = true
		}
	}
	count := len(pages) + packed
	if count == 0 {
		return nil
	}
	return &count
}

// inflated returns the beginning of a packed stream; nil if it is packed in another way.
func inflated(stream []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil
	}
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, maxUnpacked)) // the readable part counts
	return append(text, '\n')
}

// chatFile is a file of a chat.
type chatFile struct {
	path, media string
	content     []byte
}

// DownloadChatFiles sends the files of a chat as one body of parts, whose names are the percent-encoded paths of the
// files (public).
var DownloadChatFiles = op.OnSent(resource.Named[world.Resource[world.Chat]](Chats.Resource), func(
	c *op.Call, chat world.Resource[world.Chat], body struct {
		Method string `json:"method"`
		Prefix string `json:"prefix"`
	},
) (op.Reply, error) {
	if body.Method != "multipart" {
		return op.Reply{}, op.Invalid("method", "want multipart, not %q", body.Method)
	}
	var text bytes.Buffer
	parts := multipart.NewWriter(&text)
	if err := parts.SetBoundary(c.World.UUID("llm.download", chat.ID)); err != nil {
		return op.Reply{}, err
	}
	for _, file := range filesOf(c.World, chat.UUID) {
		if !strings.HasPrefix(file.path, body.Prefix) {
			continue
		}
		part, err := parts.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {fmt.Sprintf("attachment; filename=%q", url.PathEscape(file.path))},
			"Content-Type":        {file.media},
		})
		if err == nil {
			_, err = part.Write(file.content)
		}
		if err != nil {
			return op.Reply{}, err
		}
	}
	if err := parts.Close(); err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Bytes: text.Bytes(), Type: "multipart/mixed; boundary=" + parts.Boundary()}, nil
})

// filesOf returns the artifacts of a chat, then its attachments. Their paths are assumed: artifacts/<id>.md,
// attachments/<index>.png.
func filesOf(w *world.State, chat string) []chatFile {
	var files []chatFile
	for _, r := range table.All(&w.LLM.Artifacts) {
		if a := r.Attributes; a.ChatID == chat {
			path := artifactPath(r.UUID) + extension(a.ContentType)
			files = append(files, chatFile{path, a.ContentType, contentOf(a)})
		}
	}
	for _, r := range table.All(&w.LLM.ChatAttachments) {
		if a := r.Attributes; a.ChatID == chat {
			content, _ := base64.StdEncoding.DecodeString(a.BinaryBase64) // it was read when it came
			path := fmt.Sprintf("attachments/%d%s", a.AttachmentIndex, extension(a.ContentType))
			files = append(files, chatFile{path, a.ContentType, content})
		}
	}
	return files
}

func contentOf(a world.Artifact) []byte {
	if a.TextContent != nil {
		return []byte(*a.TextContent)
	}
	content, _ := base64.StdEncoding.DecodeString(jsonapi.OrEmpty(a.BinaryContent)) // likewise
	return content
}

// extensions holds the extensions of files' names by media type. The tables of package mime differ between systems.
var extensions = map[string]string{
	"text/markdown": ".md", "text/plain": ".txt", "text/csv": ".csv", "text/html": ".html", "text/jsx": ".jsx",
	"application/json": ".json", "application/pdf": ".pdf",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
}

func extension(media string) string {
	kind, _, _ := strings.Cut(media, ";")
	return cmp.Or(extensions[strings.TrimSpace(kind)], ".bin")
}
