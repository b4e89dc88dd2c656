package capture

import (
	"errors"
	"fmt"
	"math"
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
	File     string    `json:"_file"`
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
	File     string   `json:"_file"`
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
	h.requestBody(&item, r.attached)
	h.responseBody(&item, r.attached)
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
	start = timeOf(h.StartedDateTime)
	if start.IsZero() {
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
