package capture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs/recording"
)

// harEntry is what matters of an entry. Everything is optional: tools leave out what they like.
type harEntry struct {
	StartedDateTime string         `json:"startedDateTime"`
	Time            *float64       `json:"time"` // milliseconds
	Request         *harRequest    `json:"request"`
	Response        *harResponse   `json:"response"`
	Exchange        jsontext.Value `json:"_exchange"`
	World           jsontext.Value `json:"_world"`
	Operation       jsontext.Value `json:"_operation"`
	Redacted        jsontext.Value `json:"_redacted"`
}

type harRequest struct {
	Method   string       `json:"method"`
	URL      string       `json:"url"`
	Headers  []harPair    `json:"headers"`
	PostData *harPostData `json:"postData"`
	BodySize *float64     `json:"bodySize"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harPostData struct {
	MimeType string    `json:"mimeType"`
	Text     *string   `json:"text"`
	Encoding string    `json:"encoding"`
	Params   []harPair `json:"params"`
	Comment  string    `json:"comment"`
}

type harResponse struct {
	Status   float64    `json:"status"`
	Headers  []harPair  `json:"headers"`
	Content  harContent `json:"content"`
	BodySize *float64   `json:"bodySize"`
}

type harContent struct {
	Size     *float64 `json:"size"`
	MimeType string   `json:"mimeType"`
	Text     *string  `json:"text"`
	Encoding string   `json:"encoding"`
	Comment  string   `json:"comment"`
}

var tolerant = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func decodeEntry(r Record) (Item, error) {
	var h harEntry
	err := jsonv2.Unmarshal(r.raw, &h, tolerant)
	if err == nil && (h.Request == nil || h.Request.Method == "" || h.Request.URL == "") {
		err = errors.New("the entry has no request with a method and a url")
	}
	if err != nil {
		return Item{}, &ReadError{Place: r.Place, Kind: Malformed, Err: fmt.Errorf("entry %d: %w", r.Number, err)}
	}
	item := Item{Place: r.Place, Exchange: h.exchange(), RequestSize: -1, ResponseSize: -1}
	h.requestBody(&item)
	h.responseBody(&item)
	return item, nil
}

func (h *harEntry) exchange() *recording.Exchange {
	e := &recording.Exchange{
		Request: recording.Request{Method: h.Request.Method, URL: h.Request.URL, Headers: headers(h.Request.Headers)},
	}
	// What only our own archives have is read if it is what we write, and else left alone.
	_ = jsonv2.Unmarshal(h.Exchange, &e.Seq)
	_ = jsonv2.Unmarshal(h.World, &e.World)
	_ = jsonv2.Unmarshal(h.Operation, &e.Operation)
	_ = jsonv2.Unmarshal(h.Redacted, &e.Redacted)
	e.Start, e.End = h.times()
	return e
}

func (h *harEntry) times() (start, end time.Time) {
	start, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(h.StartedDateTime))
	if err != nil {
		return time.Time{}, time.Time{}
	}
	if h.Time == nil || *h.Time < 0 || math.IsNaN(*h.Time) || *h.Time > float64(24*time.Hour/time.Millisecond) {
		return start, start
	}
	return start, start.Add(time.Duration(*h.Time * float64(time.Millisecond)))
}

// headers drops the pseudo headers of HTTP/2; :authority is the Host. A value of several lines is several headers.
func headers(pairs []harPair) recording.Headers {
	list := make(recording.Headers, 0, len(pairs))
	for _, p := range pairs {
		switch {
		case strings.EqualFold(p.Name, ":authority"):
			list = append(list, [2]string{"Host", p.Value})
		case strings.HasPrefix(p.Name, ":"):
		case strings.Contains(p.Value, "\n"):
			for part := range strings.SplitSeq(p.Value, "\n") {
				list = append(list, [2]string{p.Name, strings.TrimSpace(part)})
			}
		default:
			list = append(list, [2]string{p.Name, p.Value})
		}
	}
	return list
}

const (
	doubtMissing   = "the recording does not hold the body"
	doubtDamaged   = "the recording tool damaged the body: it replaced bytes that are no text"
	doubtEncoding  = "the recording holds the body in an encoding that cannot be read"
	doubtTruncated = "the recording holds only the beginning of the body"
)

func (h *harEntry) requestBody(item *Item) {
	post := h.Request.PostData
	if post == nil || post.Text == nil && len(post.Params) == 0 {
		if h.Request.BodySize != nil && *h.Request.BodySize > 0 {
			item.RequestDoubt, item.RequestSize = doubtMissing, int64(*h.Request.BodySize)
		}
		return
	}
	if item.Request.Headers.Value("Content-Type") == "" && post.MimeType != "" {
		item.Request.Headers = append(item.Request.Headers, [2]string{"Content-Type", post.MimeType})
	}
	text := ""
	if post.Text != nil {
		text = *post.Text
	}
	if text == "" && len(post.Params) > 0 {
		if !strings.HasPrefix(strings.ToLower(post.MimeType), "application/x-www-form-urlencoded") {
			item.RequestDoubt = "the recording holds the fields of the body, not its bytes"
			return
		}
		text = form(post.Params)
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
		parts[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
	}
	return strings.Join(parts, "&")
}

func (h *harEntry) responseBody(item *Item) {
	if h.Response == nil || h.Response.Status < 100 {
		return // blocked, aborted, or broken: no response was seen
	}
	r := &recording.Response{Status: int(h.Response.Status), Headers: headers(h.Response.Headers)}
	item.Response = r
	content := h.Response.Content
	if r.Status == 204 || r.Status == 304 || strings.EqualFold(item.Request.Method, "HEAD") {
		item.ResponseSize = 0
		return
	}
	if content.Text == nil || *content.Text == "" {
		if content.Size == nil || *content.Size != 0 || positive(h.Response.BodySize) {
			item.ResponseDoubt = doubtMissing
		}
		return
	}
	if r.Headers.Value("Content-Type") == "" && content.MimeType != "" && content.MimeType != "x-unknown" {
		r.Headers = append(r.Headers, [2]string{"Content-Type", content.MimeType})
	}
	r.Body, item.ResponseDoubt = body(*content.Text, content.Encoding, content.Comment)
	if item.ResponseDoubt == "" {
		item.ResponseSize = int64(len(r.Body.Bytes))
	}
}

func positive(n *float64) bool { return n != nil && *n > 0 }

func body(text, encoding, comment string) (b *recording.Body, doubt string) {
	if comment == "truncated" {
		doubt = doubtTruncated
	}
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8":
		if strings.ContainsRune(text, '\uFFFD') {
			doubt = doubtDamaged
		}
		return &recording.Body{Bytes: []byte(text), Truncated: comment == "truncated"}, doubt
	case "base64":
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, doubtEncoding
		}
		return &recording.Body{Bytes: plain, Truncated: comment == "truncated"}, doubt
	}
	return nil, doubtEncoding
}
