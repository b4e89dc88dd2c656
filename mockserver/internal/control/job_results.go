package control

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// jobResult is a queued result on the wire. What is sent has rows; what is told of it has only their number.
type jobResult struct {
	Query     string             `json:"query,omitempty"`
	Pattern   string             `json:"pattern,omitempty"`
	DomainKey string             `json:"domainKey,omitempty"`
	Columns   [][2]string        `json:"columns,omitempty"`
	Rows      [][]jsontext.Value `json:"rows,omitempty"`
	Count     *int64             `json:"count,omitempty"`
	Error     string             `json:"error,omitempty"`
	Queued    string             `json:"queued,omitempty"`
	Running   string             `json:"running,omitempty"`
	Times     int                `json:"times,omitzero"`
}

func viewJobResult(r world.QueuedResult) jobResult {
	view := jobResult{
		Query: r.Query, Pattern: r.Pattern, DomainKey: r.DomainKey, Error: r.Error, Times: r.Times,
		Queued: duration(r.Queued), Running: duration(r.Running),
	}
	if r.Output != nil {
		view.Columns, view.Count = r.Output.Columns, &r.Output.Count
	}
	return view
}

func duration(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return d.String()
}

func (h Host) listJobResults(c *op.Call) (op.Reply, error) {
	w, err := h.world(c)
	if err != nil {
		return op.Reply{}, err
	}
	views := []jobResult{}
	for _, r := range w.Read().Core.Results {
		views = append(views, viewJobResult(r))
	}
	return op.OK(map[string]any{"world": w.ID, "results": views})
}

func (h Host) queueJobResult(c *op.Call) (op.Reply, error) {
	w, err := h.world(c)
	if err != nil {
		return op.Reply{}, err
	}
	var body jobResult
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	result, err := body.result()
	if err != nil {
		return op.Reply{}, err
	}
	if err := w.Write(len(c.Body), func(tx *world.World) error { return core.QueueResult(tx, result) }); err != nil {
		return op.Reply{}, err
	}
	return op.Created(viewJobResult(result))
}

func (h Host) clearJobResults(c *op.Call) (op.Reply, error) {
	w, err := h.world(c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Status: 204}, w.Write(len(c.Body), func(tx *world.World) error { tx.Core.Results = nil; return nil })
}

// result is the result that a body describes.
func (b *jobResult) result() (r world.QueuedResult, err error) {
	r = world.QueuedResult{
		Query: b.Query, Pattern: b.Pattern, DomainKey: b.DomainKey, Error: b.Error, Times: b.Times,
	}
	if r.Queued, err = parseDuration("queued", b.Queued); err != nil {
		return r, err
	}
	if r.Running, err = parseDuration("running", b.Running); err != nil {
		return r, err
	}
	if b.Error != "" && b.Columns == nil && b.Rows == nil {
		return r, nil
	}
	rows, err := b.rows()
	if err == nil {
		r.Output, err = core.NewOutput(b.Columns, rows)
	}
	if err != nil {
		return r, op.Invalid("rows", "%v", err)
	}
	return r, nil
}

// rows are the values of the rows, with integers that stay what they are however large.
func (b *jobResult) rows() ([][]any, error) {
	rows := make([][]any, len(b.Rows))
	for i, row := range b.Rows {
		rows[i] = make([]any, len(row))
		for j, text := range row {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&rows[i][j]); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

func parseDuration(field, text string) (*time.Duration, error) {
	if text == "" {
		return nil, nil // the usual time
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, op.Invalid(field, "want a length of time such as 90s or 1h30m, not %q", text)
	}
	return &d, nil
}
