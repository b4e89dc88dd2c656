package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs/recording"
)

// line is recording.Exchange as a line holds it. Decoding it strictly accepts what recording.JSONSchema accepts, at a
// tenth of the cost; the schema then explains what is wrong with a line that is refused. Lines as this project writes
// them are read by a plainLine, at a fraction of the cost of that.
type line struct {
	Seq       int64         `json:"seq"`
	Start     time.Time     `json:"start"`
	End       time.Time     `json:"end"`
	Overlaps  int64         `json:"overlaps"`
	World     string        `json:"world"`
	Epoch     int64         `json:"epoch"`
	Operation string        `json:"operation"`
	Request   *lineRequest  `json:"request"`
	Response  *lineResponse `json:"response"`
	Redacted  []string      `json:"redacted"`
	Notes     []string      `json:"notes"`
	Fault     string        `json:"fault"`
}

type lineRequest struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers recording.Headers `json:"headers"`
	Body    *lineBody         `json:"body"`
}

type lineResponse struct {
	Status  int               `json:"status"`
	Headers recording.Headers `json:"headers"`
	Body    *lineBody         `json:"body"`
}

type lineBody struct {
	Text      *string `json:"text"`
	Base64    *[]byte `json:"base64"`
	Truncated bool    `json:"truncated"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256"`
}

func decodeLine(r record.Raw) (record.Item, error) {
	if e, ok := readPlainLine(r.Bytes); ok {
		return record.OfExchange(e, r.Position), nil
	}
	var l line
	err := jsonv2.Unmarshal(r.Bytes, &l, jsonv2.RejectUnknownMembers(true))
	if err == nil {
		err = l.check()
	}
	if err != nil {
		return record.Item{}, &record.ReadError{Position: r.Position, Kind: record.Malformed, Err: explain(r.Bytes, err)}
	}
	return record.OfExchange(l.exchange(), r.Position), nil
}

func (l *line) check() error {
	switch {
	case l.Request == nil:
		return errors.New("an exchange has a request")
	case l.Request.Method == "" || l.Request.URL == "":
		return errors.New("a request has a method and a url")
	case l.Seq < 0:
		return errors.New("seq counts from 1")
	case l.Overlaps < 0:
		return errors.New("overlaps counts from 0")
	case l.Epoch < 0:
		return errors.New("epoch counts from 0")
	case l.Request.Body.size() < 0 || l.Response != nil && l.Response.Body.size() < 0:
		return errors.New("a size counts from 0")
	case l.Response != nil && (l.Response.Status < 0 || l.Response.Status > 999):
		return errors.New("a status has at most three digits")
	case l.Request.Body.both() || l.Response != nil && l.Response.Body.both():
		return errors.New("a body has text or base64, not both")
	case l.Fault != "":
		if _, ok := recording.ParseFault(l.Fault); !ok {
			return errors.New("a fault is an id with parameters, such as fault-1; answer=injected; effect=once")
		}
	}
	return nil
}

func (b *lineBody) size() int64 {
	if b == nil {
		return 0
	}
	return b.Size
}

func (b *lineBody) both() bool { return b != nil && b.Text != nil && b.Base64 != nil }

func (l *line) exchange() *recording.Exchange {
	e := &recording.Exchange{
		Seq: l.Seq, Start: l.Start, End: l.End, Overlaps: l.Overlaps, World: l.World, Epoch: l.Epoch,
		Operation: l.Operation, Redacted: l.Redacted, Notes: l.Notes, Fault: l.Fault,
		Request: recording.Request{
			Method: l.Request.Method, URL: l.Request.URL, Headers: l.Request.Headers, Body: l.Request.Body.body(),
		},
	}
	if l.Response != nil {
		e.Response = &recording.Response{
			Status: l.Response.Status, Headers: l.Response.Headers, Body: l.Response.Body.body(),
		}
	}
	return e
}

func (b *lineBody) body() *recording.Body {
	if b == nil {
		return nil
	}
	body := &recording.Body{Truncated: b.Truncated, Size: b.Size, SHA256: b.SHA256}
	switch {
	case b.Base64 != nil:
		body.Bytes = *b.Base64
	case b.Text != nil:
		body.Bytes = []byte(*b.Text)
	}
	return body
}

// compiled is recording.JSONSchema, ready for use. It stands alone: it refers to nothing, so nothing is loaded.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "mem:///exchange.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat, c.AssertContent = true, true
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s is not loaded", url) }
	if err := c.AddResource(name, strings.NewReader(recording.JSONSchema)); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// explain says in the schema's words what is wrong with a line, or repeats the decoder's when the schema finds nothing.
func explain(raw []byte, decodeErr error) error {
	if errors.Is(decodeErr, jsontext.ErrDuplicateName) {
		return decodeErr
	}
	schema, err := compiled()
	if err != nil {
		return fmt.Errorf("compile the schema of an exchange: %w", err)
	}
	value, err := jsontree.Decode[any](raw)
	if err != nil || hasHugeNumber(value) {
		return decodeErr
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(schema.Validate(value), &invalid) {
		return decodeErr
	}
	var reasons []string
	for _, leaf := range invalid.BasicOutput().Errors {
		if !strings.HasPrefix(leaf.Error, "doesn't validate with") && leaf.Error != "" {
			reasons = append(reasons, strings.TrimSpace(leaf.InstanceLocation+" "+leaf.Error))
		}
	}
	slices.Sort(reasons)
	return fmt.Errorf("not an exchange: %s", strings.Join(slices.Compact(reasons), "; "))
}

// hasHugeNumber reports whether a value holds a number that the schema engine would panic on.
func hasHugeNumber(value any) bool {
	switch v := value.(type) {
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		return len(exponent) > 5
	case []any:
		return slices.ContainsFunc(v, hasHugeNumber)
	case map[string]any:
		for _, child := range v {
			if hasHugeNumber(child) {
				return true
			}
		}
	}
	return false
}
