package ingestion

import (
	"fmt"

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
		record, err := newRecord(event, c.Operation.Document.Brand.RecordTime(), c.Now)
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
