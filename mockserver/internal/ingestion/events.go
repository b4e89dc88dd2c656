package ingestion

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ingestEvent takes an event that is in good form. With a vendor's media type it may be a list (client).
func ingestEvent(c *op.Call) (op.Reply, error) {
	if kind := c.Header("Content-Type"); c.Operation.Reader.ContentType(kind) != kind {
		return ingestEvents(c)
	}
	return ingest(c, jsontext.Value(c.Body))
}

// ingestEvents takes a list of events, or one (client).
func ingestEvents(c *op.Call) (op.Reply, error) {
	if c.Param("database_name") == "postback" { // the beginning of the other address
		return op.Reply{}, op.NotFound("address", "path", c.Param("database_name")+"/"+c.Param("table_name"))
	}
	var body map[string]jsontext.Value
	var list []jsontext.Value
	isList := json.Unmarshal(c.Body, &body) == nil && len(body) == 1 && json.Unmarshal(body["events"], &list) == nil
	if isList && list != nil {
		return ingest(c, list...)
	}
	return ingest(c, jsontext.Value(c.Body))
}

// ingest takes events that are in good form. Whether they can be stored is found out after the answer, which is then
// the same (documented for a wrong key, assumed for the rest).
func ingest(c *op.Call, events ...jsontext.Value) (op.Reply, error) {
	if c.Header("Content-Type") == "" { // a document cannot demand a header of this name
		return op.Reply{}, op.Invalid("Content-Type", "this header is required; want application/json")
	}
	if c.Key == "" {
		return op.Reply{}, op.Forbidden("no API key: send the header Authorization or %s", // (assumed)
			c.Operation.Document.Brand.WriteKeyHeader())
	}
	records := make([]world.Record, len(events))
	for i, event := range events {
		record, err := newRecord(event, c.Operation.Document.RecordTime(), c.Now)
		if err != nil {
			return op.Reply{}, op.Invalid("", "request body: %v", err)
		}
		records[i] = record
	}
	target, err := targetTable(c)
	if err != nil {
		return acceptAndDrop(c, err), nil
	}
	for _, record := range records {
		target = bridge.WithColumnsOf(target, record)
	}
	target.CounterUpdatedAt = c.Now
	c.World.Core.Store(target, records...)
	return accepted(), nil
}

// targetTable returns the table that the event is for, if there is one and the key is good for it.
func targetTable(c *op.Call) (world.Table, error) {
	if c.Caller.User.ID == 0 {
		return world.Table{}, op.Forbidden("the API key is not valid")
	}
	return bridge.ImportTarget(c)
}

// acceptAndDrop answers with success, and records the reason why the event is dropped, for tests.
func acceptAndDrop(c *op.Call, reason error) op.Reply {
	c.World.Ingestion.Fail(world.IngestionFailure{
		At: c.Now, Database: c.Param("database_name"), Table: c.Param("table_name"), Reason: reason.Error(),
	})
	return accepted(fmt.Sprintf("the event fails after this response and is dropped: %v", reason))
}

// How many seconds from the time of receipt a record's own time may be; both ends are within (documented).
const (
	maxAge   = 7 * 24 * 60 * 60
	maxAhead = 3 * 24 * 60 * 60
)

// decoders holds decoders between events.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// newRecord makes a record of an event. The member with the time sets the record's time, and is a value like the
// others, since the whole object becomes the record (documented).
func newRecord(event []byte, timeField string, received time.Time) (world.Record, error) {
	record := world.Record{Time: received.Unix()}
	in := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(in)
	in.Reset(bytes.NewBuffer(event)) // a buffer is read in place
	if begin, err := in.ReadToken(); err != nil {
		return record, fmt.Errorf("not valid JSON: %w", err)
	} else if begin.Kind() != '{' {
		return record, errors.New("want an object")
	}
	values := append(make([]byte, 0, len(event)+len(event)/4), '{')
	for in.PeekKind() == '"' {
		name, text, present, err := readMember(in)
		if err != nil {
			return record, fmt.Errorf("not valid JSON: %w", err)
		}
		if !present {
			continue
		}
		if name == timeField {
			record.Time = recordTime(text, record.Time)
		}
		if len(values) > 1 {
			values = append(values, ',')
		}
		values, _ = jsontext.AppendQuote(values, name) // what was read can be written
		values, _ = jsontext.AppendQuote(append(values, ':'), text)
	}
	record.Values = string(append(values, '}'))
	return record, requireEnd(in)
}

// readMember reads one member, whose value becomes text (documented): a number as it is spelled, an object or an array
// as JSON without white space. One that is null is absent (assumed).
func readMember(in *jsontext.Decoder) (name, text string, present bool, err error) {
	token, err := in.ReadToken()
	if err != nil {
		return "", "", false, err
	}
	name = token.String()
	value, err := in.ReadValue()
	if err != nil {
		return "", "", false, err
	}
	switch value.Kind() {
	case 'n':
		return name, "", false, nil
	case '"':
		plain, err := jsontext.AppendUnquote(nil, value)
		return name, string(plain), true, err
	case '{', '[':
		value = value.Clone()
		err = value.Compact()
	}
	return name, string(value), true, err
}

// requireEnd reads the end of the object, and refuses anything after it.
func requireEnd(in *jsontext.Decoder) error {
	if _, err := in.ReadToken(); err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("not valid JSON: unexpected data after the object")
	}
	return nil
}

// recordTime returns the time that an event gives, in Unix seconds, or the time of receipt if the text is not a number
// (assumed) or the time is too far from the receipt. The parts of a second are dropped (assumed).
func recordTime(text string, received int64) int64 {
	at, err := strconv.ParseFloat(text, 64)
	if err != nil || !(at >= float64(received-maxAge) && at <= float64(received+maxAhead)) { // so that NaN is out, too
		return received
	}
	return int64(math.Floor(at))
}
