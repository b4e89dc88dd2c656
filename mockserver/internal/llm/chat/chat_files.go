package chat

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// chatFile is a file of a chat.
type chatFile struct {
	path, media string
	content     []byte
}

// DownloadChatFiles sends the files of a chat as one body of parts, whose names are the percent-encoded paths of the
// files (public).
func DownloadChatFiles(c *op.Call) (op.Reply, error) {
	id, chat, err := resource.Find[world.Resource[world.Chat]](Chats.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
	var body struct {
		Method string `json:"method"`
		Prefix string `json:"prefix"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.Method != "multipart" {
		return op.Reply{}, op.Invalid("method", "want multipart, not %q", body.Method)
	}
	var text bytes.Buffer
	parts := multipart.NewWriter(&text)
	if err := parts.SetBoundary(c.World.UUID("llm.download", id)); err != nil {
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
}

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

// extension returns the extension of a file's name. It does not use the tables of package mime, which differ between
// systems.
func extension(media string) string {
	kind, _, _ := strings.Cut(media, ";")
	switch strings.TrimSpace(kind) {
	case "text/markdown":
		return ".md"
	case "text/plain":
		return ".txt"
	case "text/csv":
		return ".csv"
	case "text/html":
		return ".html"
	case "text/jsx":
		return ".jsx"
	case "application/json":
		return ".json"
	case "application/pdf":
		return ".pdf"
	case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
		return ".pptx"
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	case "image/gif":
		return ".gif"
	}
	return ".bin"
}
