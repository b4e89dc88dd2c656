package format

import (
	"encoding/base64"
	"net/url"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

func (h *harEntry) requestBody(item *record.Item, files record.Attached) {
	post := h.Request.PostData
	if post != nil && post.File != "" {
		item.Request.Body, item.RequestDoubt = files.Body(post.File)
		item.Request.Headers = typed(item.Request.Headers, post.MimeType)
		item.RequestSize = sizeOf(item.Request.Body)
		return
	}
	if post == nil || post.Text == nil && len(post.Params) == 0 {
		if positive(h.Request.BodySize) {
			item.RequestDoubt, item.RequestSize = record.DoubtMissing, int64(*h.Request.BodySize)
		}
		return
	}
	item.Request.Headers = typed(item.Request.Headers, post.MimeType)
	text := ""
	if post.Text != nil {
		text = *post.Text
	}
	if text == "" && len(post.Params) > 0 {
		if !strings.HasPrefix(strings.ToLower(post.MimeType), "application/x-www-form-urlencoded") {
			item.RequestDoubt = "the recording has the fields of the body, not its bytes"
			return
		}
		text = form(post.Params)
	}
	if text == "" && positive(h.Request.BodySize) {
		item.RequestDoubt, item.RequestSize = record.DoubtMissing, int64(*h.Request.BodySize)
		return
	}
	item.Request.Body, item.RequestDoubt = body(text, post.Encoding, post.Comment)
	if item.RequestDoubt == "" {
		item.RequestSize = int64(len(item.Request.Body.Bytes))
	}
}

// form writes fields in their order. Tools write them plain; one that is escaped already is left as it is.
func form(params []harPair) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(strings.Join(p.Value, "\n"))
	}
	return strings.Join(parts, "&")
}

func (h *harEntry) responseBody(item *record.Item, files record.Attached) {
	if h.Response == nil || h.Response.Status < 100 {
		return // blocked, aborted, or broken: no response was seen
	}
	r := &recording.Response{Status: int(h.Response.Status), Headers: headers(h.Response.Headers)}
	item.Response = r
	content := h.Response.Content
	isEmpty := content.File == "" && (content.Text == nil || *content.Text == "")
	switch isHead := strings.EqualFold(item.Request.Method, "HEAD"); {
	case r.Status == 304 && !positive(h.Response.BodySize), // the text is that of the browser's cache
		isEmpty && (isHead || r.Status == 204 || r.Status == 304):
		item.ResponseSize = 0
		return
	}
	if content.File != "" {
		r.Body, item.ResponseDoubt = files.Body(content.File)
		r.Headers, item.ResponseSize = typed(r.Headers, content.MimeType), sizeOf(r.Body)
		return
	}
	if isEmpty {
		if content.Size == nil || *content.Size != 0 || positive(h.Response.BodySize) {
			item.ResponseDoubt = record.DoubtMissing
		}
		return
	}
	r.Headers = typed(r.Headers, content.MimeType)
	if content.Binary && content.Encoding == "" {
		content.Encoding = "unknown"
	}
	r.Body, item.ResponseDoubt = body(*content.Text, content.Encoding, content.Comment)
	if item.ResponseDoubt == "" {
		item.ResponseSize = int64(len(r.Body.Bytes))
	}
}

// typed adds the media type that an archive gives beside the headers, if they have none.
func typed(list recording.Headers, mediaType string) recording.Headers {
	if mediaType == "" || mediaType == "x-unknown" || list.Value("Content-Type") != "" {
		return list
	}
	return append(list, [2]string{"Content-Type", mediaType})
}

// sizeOf is the size of a body that is whole, -1 when there is none.
func sizeOf(b *recording.Body) int64 {
	if b == nil {
		return -1
	}
	return int64(len(b.Bytes))
}

func positive(n *float64) bool { return n != nil && *n > 0 }

func body(text, encoding, comment string) (b *recording.Body, doubt string) {
	if comment == "truncated" {
		doubt = record.DoubtTruncated
	}
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8":
		if strings.ContainsRune(text, '\uFFFD') {
			doubt = record.DoubtDamaged
		}
		return &recording.Body{Bytes: []byte(text), Truncated: comment == "truncated"}, doubt
	case "base64":
		plain, err := decodePieces(text)
		switch isJSON := record.IsWholeJSON("", []byte(text)); {
		case isJSON && len(plain) == 0: // Polly.js marks text as base64 now and then, and JSON is none
			plain = []byte(text)
		case err != nil:
			return nil, record.DoubtEncoding
		}
		return &recording.Body{Bytes: plain, Truncated: comment == "truncated"}, doubt
	}
	return nil, record.DoubtEncoding
}

// decodePieces decodes base64, or a list of it in JSON, as Polly.js writes a body that came in pieces.
func decodePieces(text string) ([]byte, error) {
	if !strings.HasPrefix(text, "[") {
		return base64.StdEncoding.DecodeString(text)
	}
	var pieces []string
	if err := jsonv2.Unmarshal([]byte(text), &pieces); err != nil {
		return nil, err
	}
	var whole []byte
	for _, piece := range pieces {
		plain, err := base64.StdEncoding.DecodeString(piece)
		if err != nil {
			return nil, err
		}
		whole = append(whole, plain...)
	}
	return whole, nil
}
