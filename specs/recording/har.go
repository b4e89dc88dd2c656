package recording

import (
	"bufio"
	"encoding/base64"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteHAR writes exchanges as an HTTP Archive 1.2, entry by entry, so that its memory does not grow with theirs.
func WriteHAR(w io.Writer, exchanges iter.Seq[*Exchange]) error {
	b := bufio.NewWriter(w)
	b.WriteString(`{"log":{"version":"1.2","creator":{"name":"understudy","version":"1"},"entries":[`)
	separator := ""
	for e := range exchanges {
		entry, err := marshal(harEntryOf(e))
		if err != nil {
			return err
		}
		b.WriteString(separator + "\n")
		b.Write(entry)
		separator = ","
	}
	b.WriteString("\n]}}\n")
	return b.Flush()
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harEntry struct {
	StartedDateTime string      `json:"startedDateTime"`
	Time            float64     `json:"time"` // milliseconds
	Request         harRequest  `json:"request"`
	Response        harResponse `json:"response"`
	Cache           struct{}    `json:"cache"`
	Timings         harTimings  `json:"timings"`
	Comment         string      `json:"comment,omitempty"`
	Exchange        int64       `json:"_exchange"`
	Overlaps        int64       `json:"_overlaps,omitempty"`
	World           string      `json:"_world,omitempty"`
	Epoch           int64       `json:"_epoch,omitempty"`
	Operation       string      `json:"_operation,omitempty"`
	Redacted        []string    `json:"_redacted,omitempty"`
	Notes           []string    `json:"_notes,omitempty"`
	Fault           string      `json:"_fault,omitempty"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

type harRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []pair       `json:"cookies"`
	Headers     []pair       `json:"headers"`
	QueryString []pair       `json:"queryString"`
	PostData    *harPostData `json:"postData,omitempty"`
	HeadersSize int          `json:"headersSize"`
	BodySize    int          `json:"bodySize"`
}

type harPostData struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding,omitempty"` // base64 for bytes that are not text; HAR has no field of its own for it
	Params   []pair `json:"params"`
	Comment  string `json:"comment,omitempty"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []pair     `json:"cookies"`
	Headers     []pair     `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
}

type harContent struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

func harEntryOf(e *Exchange) harEntry {
	took := float64(e.End.Sub(e.Start)) / float64(time.Millisecond)
	entry := harEntry{
		StartedDateTime: e.Start.UTC().Format(time.RFC3339Nano),
		Time:            took,
		Timings:         harTimings{Wait: took},
		Exchange:        e.Seq, Overlaps: e.Overlaps, World: e.World, Epoch: e.Epoch,
		Operation: e.Operation, Redacted: e.Redacted, Notes: e.Notes, Fault: e.Fault,
		Request: harRequest{
			Method: e.Request.Method, URL: e.Request.URL, HTTPVersion: "HTTP/1.1", Cookies: []pair{},
			Headers: pairs(e.Request.Headers), QueryString: query(e.Request.URL), HeadersSize: -1,
		},
		Response: harResponse{HTTPVersion: "HTTP/1.1", Cookies: []pair{}, Headers: []pair{}, HeadersSize: -1},
	}
	if body := e.Request.Body; body != nil {
		text, encoding := harText(body.Bytes)
		entry.Request.BodySize = len(body.Bytes)
		entry.Request.PostData = &harPostData{
			MimeType: e.Request.Headers.Value("Content-Type"), Text: text, Encoding: encoding, Params: []pair{},
			Comment: harComment(body),
		}
	}
	if r := e.Response; r != nil {
		entry.Response.Status, entry.Response.StatusText = r.Status, http.StatusText(r.Status)
		entry.Response.Headers = pairs(r.Headers)
		entry.Response.RedirectURL = r.Headers.Value("Location")
		entry.Response.Content.MimeType = r.Headers.Value("Content-Type")
		if r.Body != nil {
			entry.Response.BodySize, entry.Response.Content.Size = len(r.Body.Bytes), len(r.Body.Bytes)
			entry.Response.Content.Text, entry.Response.Content.Encoding = harText(r.Body.Bytes)
			entry.Response.Content.Comment = harComment(r.Body)
		}
	}
	return entry
}

// harComment returns a comment on a body that is not whole.
func harComment(body *Body) string {
	if body.Truncated {
		return "truncated"
	}
	return ""
}

func harText(b []byte) (text, encoding string) {
	if utf8.Valid(b) {
		return string(b), ""
	}
	return base64.StdEncoding.EncodeToString(b), "base64"
}

func pairs(headers Headers) []pair {
	list := make([]pair, len(headers))
	for i, h := range headers {
		list[i] = pair{h[0], h[1]}
	}
	return list
}

// Value returns the first value of a header, its name without regard to case.
func (h Headers) Value(name string) string {
	for _, line := range h {
		if strings.EqualFold(line[0], name) {
			return line[1]
		}
	}
	return ""
}

func query(raw string) []pair {
	list := []pair{}
	u, err := url.Parse(raw)
	if err != nil || u.RawQuery == "" {
		return list
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		plainName, _ := url.QueryUnescape(name)
		plainValue, _ := url.QueryUnescape(value)
		list = append(list, pair{plainName, plainValue})
	}
	return list
}
