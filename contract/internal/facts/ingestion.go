package facts

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
)

// IngestionContent holds what a request of the event ingestion interface says, and what tables show of the records.
type IngestionContent struct {
	Ingested *Event
	Records  []Record // the last ones of a table
}

// Record is a record, as an event wants it or a table has it.
type Record struct {
	Time   int64    // in seconds of Unix time
	Values []uint64 // of its plain members, hashed
}

// maxValues bounds how many values of a record are kept. One that has more is identified by these.
const maxValues = 32

// Event is an ingested event.
type Event struct {
	Size      int64 // of the body on the wire, -1 when it is not known
	Coded     bool  // the body is compressed: it may be larger than on the wire
	Key       KeySource
	IsInQuery bool // something like a key stands in the query
	Record    *Record
}

// KeySource is the place of the key in a request.
type KeySource int

// Where a request has its key.
const (
	NoKey KeySource = iota
	WithKey
	keyRemoved // the recording says that there was one
)

func readEvent(e *Exchange, r *reading) {
	f := &Event{}
	coding := r.Item.Request.Headers.Value("Content-Encoding")
	f.Coded = coding != "" && !strings.EqualFold(coding, "identity")
	f.Size = bodySize(r.Result, f.Coded)
	switch c := r.Credential(); {
	case c.Shown:
		f.Key = WithKey
	case c.Withheld:
		f.Key = keyRemoved
	}
	for name := range r.query() {
		f.IsInQuery = f.IsInQuery || strings.HasSuffix(strings.ToLower(name), "key")
	}
	kind := r.Item.Request.Headers.Value("Content-Type")
	isOne := r.Operation().Reader.ContentType(kind) == kind // and not a list of events, under a vendor's media type
	if body, ok := r.requestBody(); ok && isOne && body.IsObject() {
		f.Record = readRecord(body, r.Operation().Document.Brand.RecordTime())
	}
	e.Ingested = f
}

// readRecord reads the record that an object is or wants to be. It is nil when it has no time. Values become text when
// an event is taken (documented), so that they are compared as such.
func readRecord(body jsontree.Value, timeName string) *Record {
	at := body.Get(timeName)
	if !at.IsNumber() && !at.IsString() {
		return nil
	}
	seconds, err := strconv.ParseInt(at.Text(), 10, 64)
	if err != nil {
		return nil
	}
	f := &Record{Time: seconds}
	for value := range body.Each {
		if !value.IsString() && !value.IsNumber() || len(f.Values) == maxValues {
			continue
		}
		if name, text := value.Name(), value.Text(); name != timeName && judge.IsDistinct(text) {
			f.Values = append(f.Values, Hash(name+"\x00"+text))
		}
	}
	return f
}

// readRecords reads the last records of a table.
func readRecords(e *Exchange, body jsontree.Value) {
	const timeColumn = "time"
	for record := range body.Each {
		if f := readRecord(record, timeColumn); f != nil && record.IsObject() {
			e.Records = append(e.Records, *f)
		}
	}
}

// bodySize returns the number of bytes that the request's body had on the wire: as many as the recording has, if that
// is all of it, else as many as were announced, else at least one more than the recording has. It is -1 when that is
// not known, or when the recording and the announcement differ on whether it is too large: tools replace bodies, and
// keep the headers.
func bodySize(r *judge.Result, coded bool) int64 {
	item := &r.Item
	held, body := item.RequestSize, item.Request.Body
	isDecoded := coded && body != nil && bytes.HasPrefix(bytes.TrimSpace(body.Bytes), []byte("{")) // by the tool
	if isDecoded {
		held = -1
	}
	announced, err := strconv.ParseInt(item.Request.Headers.Value("Content-Length"), 10, 64)
	switch isTold := err == nil && announced >= 0; {
	case held > 0 && isTold && (held > MaxEventSize) != (announced > MaxEventSize):
		return -1
	case held > 0:
		return held
	case isTold:
		return announced
	case body == nil: // there is always one, so that the recording left it out
		return -1
	case body.Truncated && !isDecoded && len(body.Bytes) >= MaxEventSize:
		return int64(len(body.Bytes)) + 1
	}
	return held
}

// MaxEventSize is the largest size of an event's body in bytes (documented).
const MaxEventSize = 1_048_064

// Has reports whether a record has all of some values.
func (r *Record) Has(values []uint64) bool {
	return !slices.ContainsFunc(values, func(v uint64) bool { return !slices.Contains(r.Values, v) })
}
