package judge

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

func (j *Judge) empty(o *judgement, m *message) {
	j.wrong(o, m, fmt.Sprintf("the %s body is empty, but one is documented", m.side))
}

// wrong reports that a body is not what its media type promises, whatever its schema.
func (j *Judge) wrong(o *judgement, m *message, reason string) {
	o.judged, o.isBody = 1, true
	o.check(Schema, report.Fail)
	j.addFinding(o, m, report.Finding{
		Rule: Schema, Verdict: report.Fail, Message: reason,
		Pointer: "/" + m.side.String() + "/body", Spec: report.Spec{Pointer: m.pointer + "/content"},
	})
}

// isWhole reports whether a body is recorded byte for byte, as it is where its Content-Length fits. Tools that put
// something in the place of secrets may break a text, and correct its length.
func (m *message) isWhole() bool {
	return m.body != nil && m.headers.Value("Content-Length") == strconv.Itoa(len(m.body.Bytes)) &&
		!bytes.Contains(m.body.Bytes, []byte(recording.Mark)) && !placeholder.Match(m.body.Bytes)
}

var placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9_ -]*>|\{\{|\*{3}`)

// maxAtOnce is the size in bytes up to which bodies are judged side by side. Larger ones take turns, since a decoded
// body takes many times its bytes, and the check of a large one ends with its first fault.
const maxAtOnce = 1 << 20

// mayBeLarge reports whether a body is large, or may be once it is decompressed.
func (m *message) mayBeLarge() bool {
	const ratio = 64
	n := len(m.body.Bytes)
	return n > maxAtOnce || n > maxAtOnce/ratio && m.headers.Value("Content-Encoding") != ""
}

// content decodes a body and puts it before the engines.
func (j *Judge) content(o *judgement, m *message, media *openapi3.MediaType, header string) {
	if m.status == http.StatusPartialContent { // a span of the bytes, cut anywhere
		o.check(Schema, report.Skipped)
		o.check(UndeclaredField, report.Skipped)
		o.unjudged = "it is a partial response (206)"
		return
	}
	if m.mayBeLarge() {
		j.turn.Lock()
		defer j.turn.Unlock()
	}
	decoded, reason := m.decode(media, header)
	switch {
	case decoded.Broken && m.isWhole():
		j.wrong(o, m, reason)
		return
	case reason != "":
		j.inconclusiveBody(o, m, reason)
		return
	}
	m.touch(o.touched, &decoded)
	o.judged, o.isBody = 1, true
	b := &content{message: m, media: media, header: header, decoded: decoded}
	b.schemaPointer = join(m.pointer+"/content", documentedMedia(m.content, media)) + "/schema"
	if event, pointer := body.EventSchema(m.op.Document, media); event != nil && decoded.Lines {
		b.media, b.schemaPointer = &openapi3.MediaType{Schema: event}, pointer
	}
	if b.media.Schema == nil || b.media.Schema.Value == nil {
		o.check(Schema, report.Pass)
		return
	}
	j.judgeContent(o, b)
	j.undeclaredFields(o, b)
}

// content is a body that could be read.
type content struct {
	*message
	media         *openapi3.MediaType
	header        string
	decoded       body.Decoded
	schemaPointer string
}

func documentedMedia(content openapi3.Content, media *openapi3.MediaType) string {
	for name, m := range content {
		if m == media {
			return name
		}
	}
	return ""
}

// decode reads the body, which may be JSON that it was read as already.
func (m *message) decode(media *openapi3.MediaType, header string) (body.Decoded, string) {
	if m.joined {
		return body.JSON(m.body.Bytes)
	}
	plain, reason := m.codings.Undo(m.headers, m.body)
	if reason != "" {
		return body.Decoded{}, reason
	}
	return body.Decode(plain, header, media, m.content.Get("*/*") == media)
}
