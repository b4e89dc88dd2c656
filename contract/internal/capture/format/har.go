package format

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// harEntry holds the members of an entry that matter. Everything is optional: tools leave out what they like.
type harEntry struct {
	StartedDateTime string         `json:"startedDateTime"`
	Time            *float64       `json:"time"` // milliseconds
	Request         *harRequest    `json:"request"`
	Response        *harResponse   `json:"response"`
	Exchange        jsontext.Value `json:"_exchange"`
	Overlaps        jsontext.Value `json:"_overlaps"`
	World           jsontext.Value `json:"_world"`
	Epoch           jsontext.Value `json:"_epoch"`
	Operation       jsontext.Value `json:"_operation"`
	Redacted        jsontext.Value `json:"_redacted"`
	Fault           jsontext.Value `json:"_fault"`
}

type harRequest struct {
	Method   string       `json:"method"`
	URL      string       `json:"url"`
	Headers  []harPair    `json:"headers"`
	Cookies  []harPair    `json:"cookies"`
	PostData *harPostData `json:"postData"`
	BodySize *float64     `json:"bodySize"`
}

type harPair struct {
	Name  string    `json:"name"`
	Value harValues `json:"value"`
}

// harValues are the values of a header, which some tools write as a list or as a number: as their HTTP client has them.
type harValues []string

func (v *harValues) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	parsed, err := new(tree.Builder).OfJSON(d, 0)
	*v = parsed.All()
	return err
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
	Binary   bool     `json:"_isBinary"` // Polly.js, before it wrote the encoding
	Comment  string   `json:"comment"`
	File     string   `json:"_file"`
}

func decodeEntry(r record.Raw) (record.Item, error) {
	var h harEntry
	err := jsonv2.Unmarshal(r.Bytes, &h, record.Lenient)
	if err == nil && (h.Request == nil || h.Request.Method == "" || h.Request.URL == "") {
		err = errors.New("the entry has no request with a method and a url")
	}
	if err == nil && h.Response != nil && !h.Response.hasStatus() {
		err = fmt.Errorf("its response has the status %v: want a number such as 200, or 0 if none was seen",
			h.Response.Status)
	}
	if err != nil {
		return record.Item{},
			&record.ReadError{
				Position: r.Position, Kind: record.Malformed,
				Err: fmt.Errorf("entry %d: %w", r.Entry, inWords(err)),
			}
	}
	item := record.Item{Position: r.Position, Exchange: h.exchange(), RequestSize: -1, ResponseSize: -1}
	h.requestBody(&item, r.Attached)
	h.responseBody(&item, r.Attached)
	return item, nil
}

// hasStatus reports whether a response has a status of HTTP, or says with one below 1 that none was seen.
func (h *harResponse) hasStatus() bool {
	return h.Status <= 0 || h.Status >= 100 && h.Status <= 999 && h.Status == math.Trunc(h.Status)
}

// inWords returns the decoder's error without the names of our types.
func inWords(err error) error {
	var wrong *jsonv2.SemanticError
	if !errors.As(err, &wrong) {
		return err
	}
	kind := map[jsontext.Kind]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number"}[wrong.JSONKind]
	return fmt.Errorf("%s has the wrong type: %s", cmp.Or(string(wrong.JSONPointer), "it"),
		cmp.Or(kind, "a boolean or null"))
}

func (h *harEntry) exchange() *recording.Exchange {
	e := &recording.Exchange{
		Request: recording.Request{
			Method: strings.ToUpper(h.Request.Method), URL: h.Request.URL,
			Headers: headers(h.Request.Headers),
		},
	}
	if e.Request.Headers.Value("Cookie") == "" && len(h.Request.Cookies) > 0 { // which some tools list there alone
		var cookies []string
		for _, c := range h.Request.Cookies {
			for _, value := range c.Value {
				cookies = append(cookies, c.Name+"="+value)
			}
		}
		e.Request.Headers = append(e.Request.Headers, [2]string{"Cookie", strings.Join(cookies, "; ")})
	}
	// What only our own archives have is read if it is what we write, and else left alone.
	_ = jsonv2.Unmarshal(h.Exchange, &e.Seq)
	_ = jsonv2.Unmarshal(h.Overlaps, &e.Overlaps)
	_ = jsonv2.Unmarshal(h.World, &e.World)
	_ = jsonv2.Unmarshal(h.Epoch, &e.Epoch)
	_ = jsonv2.Unmarshal(h.Operation, &e.Operation)
	_ = jsonv2.Unmarshal(h.Redacted, &e.Redacted)
	_ = jsonv2.Unmarshal(h.Fault, &e.Fault)
	e.Start, e.End = h.times()
	return e
}

func (h *harEntry) times() (start, end time.Time) {
	start = record.ParseTime(h.StartedDateTime)
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
		name := p.Name
		if strings.EqualFold(name, ":authority") {
			name = "Host"
		}
		if strings.HasPrefix(name, ":") {
			continue
		}
		for _, value := range p.Value {
			for line := range strings.SplitSeq(value, "\n") {
				list = append(list, [2]string{name, strings.TrimSpace(line)})
			}
		}
	}
	return list
}
