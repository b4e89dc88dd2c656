package chat_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// chatFile returns the attributes of an attachment.
func chatFile(chat, content, media string) string {
	return fmt.Sprintf(`{"chatId":%q,"binaryBase64":%q,"contentType":%q,"inputFieldName":null}`, chat, content, media)
}

func TestChatAttachments(t *testing.T) {
	t.Parallel()
	t.Run("are counted in their chat, and no number comes twice", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat, other := chatWithAgent(c), chatWithAgent(c)
		var ids []string
		add := func(chat, index string) {
			a := llmtest.Post(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain")).Want(201)
			ids = append(ids, a.Wants("data.attributes.attachmentIndex", index, "data.attributes.contentFormatMode",
				"ID_AND_CONTENT",
				"data.attributes.attachmentType", "USER_INPUT_DRAFT").Value("data.id").Text())
		}
		add(chat, "1")
		add(chat, "2")
		add(other, "1")
		c.Delete("/api/chat_attachments/" + ids[1]).Want(204)
		c.Delete("/api/chat_attachments/" + ids[1]).Refused(404)
		c.Get("/api/chat_attachments/" + ids[1]).Refused(404)
		add(chat, "3")
		c.Get("/api/chat_attachments?sort=-attachment_index&filter[chat_id]="+chat).Want(200).Wants(
			"meta.total", "2", "data.0.attributes.attachmentIndex", "3")
		c.Get("/api/chat_attachments?filter[attachment_type]=USER_INPUT").Want(200).Wants("meta.total", "0")
		c.Get("/api/chat_attachments?page[limit]=0").Refused(400, `"118"`)
	})
	t.Run("need a chat and a content", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		llmtest.Post(c, "chat_attachments", chatFile(llmtest.NoID, "aGk=", "text/plain")).Refused(422, llmtest.NoID)
		llmtest.Post(c, "chat_attachments", chatFile(chat, "abc", "text/plain")).Refused(422, "binaryBase64", "base64")
		llmtest.Post(c, "chat_attachments", chatFile(chat, "", "text/plain")).Refused(422, "binaryBase64", "CANNOT_BE_BLANK")
		llmtest.Post(c, "chat_attachments", chatFile(chat, "aGk=", "png\r\nX: 1")).Refused(422, "contentType")
		llmtest.Post(c, "chat_attachments", `{"attachmentIndex":4}`).Refused(400, `"105"`)
		c.Call("POST", "/api/chat_attachments", "{}", "Content-Type", "text/csv").Refused(415)
		c.Get("/api/chat_attachments").Want(200).Wants("meta.total", "0")
	})
	t.Run("are measured", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		picture := image.NewGray(image.Rect(0, 0, 3, 2))
		drawn := func(draw func(io.Writer) error) []byte {
			var b bytes.Buffer
			if err := draw(&b); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		for _, test := range []struct {
			media   string
			content []byte
			want    string // width, height, pages
		}{
			{"image/png", drawn(func(w io.Writer) error { return png.Encode(w, picture) }), "3,2,"},
			{"image/jpeg", drawn(func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }), "3,2,"},
			{"image/gif", drawn(func(w io.Writer) error { return gif.Encode(w, picture, nil) }), "3,2,"},
			{"image/png", []byte("no picture"), ",,"},
			{"text/plain", drawn(func(w io.Writer) error { return png.Encode(w, picture) }), ",,"},
			{"application/pdf", []byte(chatPDF), ",,2"},
			{"application/pdf; version=1.7", chatPackedPDF(t), ",,3"},
			{"application/pdf", []byte("no pages"), ",,"},
		} {
			a := llmtest.Post(c, "chat_attachments",
				chatFile(chat, base64.StdEncoding.EncodeToString(test.content), test.media)).Want(201)
			shown := a.Value("data.attributes")
			got := shown.Get("imageWidth").Text() + "," + shown.Get("imageHeight").Text() + "," +
				shown.Get("pdfPageCount").Text()
			if got != test.want {
				t.Errorf("%s: %s, want %s", test.media, got, test.want)
			}
		}
	})
	t.Run("go with the next input", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		draft := llmtest.Make(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
		c.Post("/api/chats/"+chat+"/continue",
			`{"input":"See","attachments":[{"binaryBase64":"aG8=","contentType":"text/csv","inputFieldName":"file"}]}`).Want(200)
		c.Get("/api/chat_attachments/"+draft).Want(200).Wants("data.attributes.attachmentType", "USER_INPUT")
		c.Get("/api/chat_attachments?filter[attachment_type]=USER_INPUT").Want(200).Wants(
			"meta.total", "2", "data.1.attributes.attachmentIndex", "2", "data.1.attributes.inputFieldName", "file")
		c.Delete("/api/chat_attachments/" + draft).Want(204)
	})
}

// chatPDF has two pages, of which the second was written again after the end, and a text that is not a page.
const chatPDF = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R >> endobj
4 0 obj << /Type/Page/Parent 2 0 R >> endobj
5 0 obj << /Length 12 >> stream
/Type /Page
endstream endobj
%%EOF
4 0 obj << /Type /Page /Parent 2 0 R /Rotate 90 >> endobj
%%EOF`

// chatPackedPDF returns a PDF with one plain page and two in a packed stream.
func chatPackedPDF(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := io.WriteString(w,
		"4 0 5 28 6 60 <</Type/Page/Parent 2 0 R>> <</Type /Page /Parent 2 0 R>> <</Type/Pages>>"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil,
		"%%PDF-1.7\n1 0 obj <</Type /ObjStm /N 3 /Filter /FlateDecode /Length %d>> stream\r\n%s\r\nendstream endobj\n"+
			"3 0 obj <</Type /Page>> endobj\n", packed.Len(), packed.Bytes())
}

func TestChatFiles(t *testing.T) {
	t.Parallel()
	c := llmtest.NewChats(t)
	chat := chatWithAgent(c)
	path := "/api/chats/" + chat + "/download_files"
	none := c.Post(path, `{"method":"multipart"}`).Want(200)
	if got := chatParts(none); len(got) != 0 {
		t.Errorf("a chat without files has %v", got)
	}
	llmtest.Make(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
	llmtest.Make(c, "chat_attachments", chatFile(chat, "aG8=", "application/x-thing"))
	binary := "AAEC"
	llmtest.ScriptChat(c, mockserver.Turn{Events: []mockserver.TurnEvent{
		{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}},
		{Artifact: &mockserver.TurnArtifact{ArtifactType: "PRESENTATION", BinaryContent: &binary}},
	}})
	c.Post("/api/chats/"+chat+"/continue", `{"input":"Tell me"}`).Want(200)
	made := c.Get("/api/artifacts").Want(200)
	report, slides := made.Value("data.0.id").Text(), made.Value("data.1.id").Text()
	want := map[string]string{
		"artifacts%2F" + report + ".md: text/markdown": "# A",
		"artifacts%2F" + slides +
			".pptx: application/vnd.openxmlformats-officedocument.presentationml.presentation": "\x00\x01\x02",
		"attachments%2F1.txt: text/plain":          "hi",
		"attachments%2F2.bin: application/x-thing": "ho",
	}
	all := c.Post(path, "method=multipart").Want(200)
	if d := cmp.Diff(want, chatParts(all)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if again := c.Post(path, "method=multipart&prefix=").Want(200); again.Body != all.Body {
		t.Error("the same files are sent otherwise when they are sent again")
	}
	for prefix, n := range map[string]int{"attachments/": 2, "artifacts/" + report: 1, "reports/": 0} {
		if got := chatParts(c.Post(path,
			fmt.Sprintf(`{"method":"multipart","prefix":%q}`, prefix)).Want(200)); len(got) != n {
			t.Errorf("%s: %v", prefix, got)
		}
	}
	c.Post(path, "method=zip").Refused(400, "want multipart")
	c.Post(path, "prefix=a").Refused(400, "method")
	c.Call("POST", path, "{}", "Content-Type", "text/csv").Refused(415)
}

// chatParts returns the parts of an answer: their names, types and contents.
func chatParts(a mocktest.Answer) map[string]string {
	a.Helper()
	_, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		a.Fatal(err)
	}
	got := map[string]string{}
	for parts := multipart.NewReader(strings.NewReader(a.Body), parameters["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			return got
		}
		content, _ := io.ReadAll(part)
		_, name, _ := strings.Cut(part.Header.Get("Content-Disposition"), `attachment; filename="`)
		got[strings.TrimSuffix(name, `"`)+": "+part.Header.Get("Content-Type")] = string(content)
	}
}
