package data

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// TailTable returns the records that were added last, in the order in which they were added (assumed); without a count
// it returns one. The suffix of the path, or else format, chooses the form.
func TailTable(c *op.Call) (op.Reply, error) {
	_, t, err := tableFor(c, access.Query)
	if err != nil {
		return op.Reply{}, err
	}
	count, err := c.Int("count", 1)
	if err != nil {
		return op.Reply{}, err
	}
	if count < 1 {
		return op.Reply{}, op.Invalid("count", "must be at least 1, but is %d", count)
	}
	records, err := lastRecords(c.World, t, count)
	if err != nil {
		return op.Reply{}, err
	}
	switch form := cmp.Or(strings.TrimPrefix(c.Param("path_format"), "."), c.Text("format"), "json"); form {
	case "json":
		return op.OK(records)
	case "msgpack":
		return stream(records)
	default:
		return op.Reply{}, op.Invalid("format", "want json or msgpack, not %q", form)
	}
}

func lastRecords(w *world.State, t world.Table, count int64) ([]record, error) {
	list := []record{}
	rows, _ := w.Core.Records.Get(t.ID)
	for row := range rows.Backward() {
		r, err := newRecord(t, row)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		if int64(len(list)) == count {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

// stream answers with one msgpack value after the other, the form that clients read.
func stream(records []record) (op.Reply, error) {
	var b bytes.Buffer
	encoder := msgpack.NewEncoder(&b)
	for _, r := range records {
		if err := encoder.Encode(r); err != nil {
			return op.Reply{}, fmt.Errorf("write a record as msgpack: %w", err)
		}
	}
	return op.Reply{Bytes: b.Bytes(), Type: "application/octet-stream"}, nil
}

// record is one record on the wire: a map whose keys have a fixed order.
type record struct {
	fields []field
	time   int64
}

// field is a value of a record; values are texts (documented).
type field struct{ key, text string }

// newRecord puts the columns of the schema first, in their order, then other keys in alphabetical order, and the time
// last.
func newRecord(t world.Table, row world.Record) (record, error) {
	texts := map[string]string{}
	if err := json.Unmarshal([]byte(row.Values), &texts); err != nil {
		return record{}, fmt.Errorf("read a record of table %d: %w", t.ID, err)
	}
	delete(texts, timeColumn)
	r := record{time: row.Time}
	for _, column := range t.Schema {
		if text, ok := texts[column.Name]; ok {
			r.fields = append(r.fields, field{column.Name, text})
			delete(texts, column.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		r.fields = append(r.fields, field{key, texts[key]})
	}
	return r, nil
}

// MarshalJSONTo implements json.MarshalerTo.
func (r record) MarshalJSONTo(e *jsontext.Encoder) error {
	tokens := []jsontext.Token{jsontext.BeginObject}
	for _, f := range r.fields {
		tokens = append(tokens, jsontext.String(f.key), jsontext.String(f.text))
	}
	tokens = append(tokens, jsontext.String(timeColumn), jsontext.Int(r.time), jsontext.EndObject)
	for _, token := range tokens {
		if err := e.WriteToken(token); err != nil {
			return err
		}
	}
	return nil
}

// EncodeMsgpack implements msgpack.CustomEncoder.
func (r record) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeMapLen(len(r.fields) + 1); err != nil {
		return err
	}
	for _, f := range r.fields {
		if err := errors.Join(e.EncodeString(f.key), e.EncodeString(f.text)); err != nil {
			return err
		}
	}
	return errors.Join(e.EncodeString(timeColumn), e.EncodeInt(r.time))
}
