// Package result holds the results of jobs: rows, the queue of results that replace a query engine, and the forms in
// which clients download rows.
package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// NewOutput returns the result of a job with columns, each a name and a type, and rows of as many values: nil, bool, a
// number, string, []byte, or any other value that JSON can write, which is stored as its text. Numbers and truth values
// are converted to the type of their column, so that it does not matter how a fixture writes them.
func NewOutput(columns [][2]string, rows [][]any) (*world.Output, error) {
	var stream bytes.Buffer
	encoder := msgpack.NewEncoder(&stream)
	encoder.UseCompactInts(true)
	for i, row := range rows {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("row %d has %d values, but there are %d columns", i, len(row), len(columns))
		}
		if err := encodeRow(encoder, columns, row); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	packed, err := wire.Gzip(stream.Bytes())
	if err != nil {
		return nil, err
	}
	return &world.Output{
		Columns: slices.Clone(columns), Rows: stream.Bytes(), Count: int64(len(rows)), Size: int64(len(packed)),
	}, nil
}

func encodeRow(encoder *msgpack.Encoder, columns [][2]string, row []any) error {
	if err := encoder.EncodeArrayLen(len(row)); err != nil {
		return err
	}
	for i, value := range row {
		plain, err := plainValue(value)
		if err == nil {
			err = encoder.Encode(typedValue(columns[i][1], plain))
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", columns[i][0], err)
		}
	}
	return nil
}

// plainValue returns a value in the form that rows store. A number out of JSON is an integer if it is written as one.
func plainValue(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, string, []byte, float64, int64, uint64:
		return v, nil
	case int:
		return int64(v), nil
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	}
	text, err := json.Marshal(value)
	if err == nil && strings.ContainsAny(string(text[:1]), "-0123456789") { // such as an int32
		return plainValue(json.Number(text))
	}
	return string(text), err
}

// maxExact is the largest integer up to which a float64 represents all integers exactly.
const maxExact = 1 << 53

// typedValue converts a number, or a truth value, to the type of its column, if it has a value of that type.
func typedValue(columnType string, value any) any {
	switch strings.ToLower(columnType) {
	case "boolean", "bool":
		switch value {
		case int64(0), "false":
			return false
		case int64(1), "true":
			return true
		}
	case "int", "integer", "bigint", "long", "smallint", "tinyint":
		if f, ok := value.(float64); ok && f == math.Trunc(f) && math.Abs(f) <= maxExact {
			return int64(f)
		}
	case "double", "float", "real":
		if n, ok := value.(int64); ok {
			return float64(n)
		}
	}
	return value
}

// FromFixture returns the result that a fixture or a request describes, for QueueResult.
func FromFixture(f fixtures.QueuedResult) (r world.QueuedResult, err error) {
	r = world.QueuedResult{
		Query: f.Query, Pattern: f.Pattern, DomainKey: f.DomainKey, Job: int64(f.Job), Error: f.Error, Times: f.Times,
		Queued: (*time.Duration)(f.Queued), Running: (*time.Duration)(f.Running),
	}
	if f.Error == "" || f.Columns != nil || f.Rows != nil {
		r.Output, err = OutputFromJSON(f.Columns, f.Rows)
	}
	return r, err
}

// FixtureOutput returns the result of a job that a fixture describes. If only the number of its rows is known, none of
// them can be downloaded.
func FixtureOutput(f fixtures.Output) (*world.Output, error) {
	o, err := OutputFromJSON(f.Columns, f.Rows)
	if err != nil {
		return nil, err
	}
	if f.Count > o.Count {
		o.Count, o.Rows, o.Dropped = f.Count, nil, true
	}
	o.Size = cmp.Or(f.Size, o.Size)
	return o, nil
}

// OutputFromJSON returns the result of a job with rows in JSON. An integer stays an integer, up to 64 bits.
func OutputFromJSON(columns [][2]string, rows [][]json.RawMessage) (*world.Output, error) {
	list := make([][]any, len(rows))
	for i, row := range rows {
		list[i] = make([]any, len(row))
		for j, text := range row {
			var err error
			if list[i][j], err = jsontree.Decode[any](text); err != nil {
				return nil, err
			}
		}
	}
	return NewOutput(columns, list)
}

// Queue queues a result for the jobs that are issued from now on.
func Queue(w *world.State, r world.QueuedResult) error {
	given := 0
	for _, text := range []string{r.Query, r.Pattern, r.DomainKey} {
		if text != "" {
			given++
		}
	}
	if r.Job != 0 {
		given++
	}
	if given != 1 {
		return op.Invalid("", "want exactly one of query, pattern, domainKey and job, not %d", given)
	}
	if err := op.CheckPattern("pattern", r.Pattern); err != nil {
		return err
	}
	if (r.Output == nil) == (r.Error == "") {
		return op.Invalid("", "want either rows or an error")
	}
	if r.Times < 0 {
		return op.Invalid("times", "want 0, for always, or more, not %d", r.Times)
	}
	if r.Queued != nil && *r.Queued < 0 || r.Running != nil && *r.Running < 0 {
		return op.Invalid("", "the times a job is queued and running cannot be negative")
	}
	w.Core.Results.Add(r)
	return nil
}

// Take returns the first queued result that fits a job, and counts it down.
func Take(w *world.State, job world.Job) *world.QueuedResult {
	fits := func(r *world.QueuedResult) bool { return Fits(*r, job) }
	return world.TakeFirst(&w.Core.Results, fits, func(r *world.QueuedResult) *int { return &r.Times })
}

// Fits reports whether a queued result fits a job.
func Fits(r world.QueuedResult, job world.Job) bool {
	text := queryText(job)
	switch {
	case r.Job != 0:
		return r.Job == job.ID
	case r.DomainKey != "":
		return r.DomainKey == job.DomainKey
	case text == "": // an export
		return false
	case r.Query != "":
		return r.Query == text
	}
	pattern, err := regexp.Compile(r.Pattern)
	return err == nil && pattern.MatchString(text)
}

// queryText returns a job's query; for a bulk load its configuration as JSON, and for the export of a result the empty
// text.
func queryText(job world.Job) string {
	switch {
	case job.ExportTarget != 0:
		return ""
	case job.BulkLoad != nil:
		return string(job.BulkLoad)
	}
	return job.Query
}
