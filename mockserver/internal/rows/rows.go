// Package rows reads the rows that clients upload: a stream of msgpack maps or of JSON objects, in gzip. It knows
// nothing of tables; what it reads is bounded, whatever an upload says of its own length.
package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What an upload may hold. The limits are the mock's own.
const (
	MaxColumns = 1000 // of a row
	maxRows    = 1_000_000
	maxPlain   = 128 << 20 // bytes, when it is unpacked
	maxRow     = 8 << 20   // bytes of a row
	maxValues  = 100_000   // in a row, those within lists and maps included
	maxDepth   = 100       // of lists and maps within each other
	maxName    = 255       // bytes of a column's name
)

// The times that a row may have, in Unix seconds: the years 1 to 9999.
const (
	minTime = -62135596800
	maxTime = 253402300799
)

// TimeColumn is the column that holds the time of a row.
const TimeColumn = "time"

// Row is one row of an upload: its time, if it has one, and its other values in the order in which they came. Names are
// there once; values that are null are left out, and so are those of columns without a name.
type Row struct {
	Number int // in the upload, from 1
	Time   int64
	Timed  bool
	Values []Value
}

// Value is the value of one column, as text, with the column type that would hold it: long, double or string.
type Value struct {
	Name, Text, Type string
}

// JSON returns the values as a JSON object of texts.
func (r *Row) JSON() string {
	text := []byte{'{'}
	for i, value := range r.Values {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(quote(text, value.Name), ':'), quote(nil, value.Text)...)
	}
	return string(append(text, '}'))
}

// quote appends a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, strings.ToValidUTF8(text, "\uFFFD")) // only invalid UTF-8 is an error
	return to
}

// Formats lists the forms of uploads.
func Formats() []string { return []string{"msgpack.gz", "json.gz"} }

// Read gives each row of an upload to take, together with what is wrong with it: a row that is wrong has a number and
// nothing else. It ends with the first error of take, or where the upload cannot be read any further. An upload that
// the server has unpacked already may come without gzip.
func Read(format string, upload []byte, unpacked bool, take func(Row, error) error) error {
	if !slices.Contains(Formats(), format) {
		return fmt.Errorf("unknown format %q; want one of %s", format, strings.Join(Formats(), ", "))
	}
	plain, err := unpack(upload, unpacked)
	if err != nil {
		return err
	}
	s := &stream{take: take}
	if format == "json.gz" {
		return s.readJSON(plain)
	}
	return s.readMsgpack(plain)
}

func unpack(upload []byte, unpacked bool) (*bufio.Reader, error) {
	isPacked := bytes.HasPrefix(upload, []byte{0x1f, 0x8b})
	if unpacked && !isPacked {
		return bufio.NewReader(bytes.NewReader(upload)), nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(upload))
	if err != nil {
		return nil, fmt.Errorf("the body is not valid gzip: %w", err)
	}
	return bufio.NewReader(&bounded{zip, maxPlain}), nil
}

// bounded reads so many bytes at most.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("the body has more than %d bytes when decompressed", int64(maxPlain))
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return 0, fmt.Errorf("the body has more than %d bytes when decompressed", int64(maxPlain))
	}
	return n, err
}

// stream is an upload that is being read.
type stream struct {
	take func(Row, error) error
	row  int
}

// readError returns an error that says where an upload cannot be read any further.
func (s *stream) readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("row %d: the body ends within the row", s.row)
	}
	return fmt.Errorf("row %d: %w", s.row, err)
}

// deliver passes a row, or what is wrong with it, to the caller.
func (s *stream) deliver(row Row, wrong error) error {
	row.Number = s.row
	if s.row > maxRows {
		return fmt.Errorf("the body has more than %d rows", maxRows)
	}
	if wrong != nil {
		return s.take(Row{Number: s.row}, fmt.Errorf("row %d: %w", s.row, wrong))
	}
	return s.take(row, nil)
}

// assemble makes a row of columns. Of those with one name, the last counts.
func assemble(columns []column) (row Row, err error) {
	if len(columns) > MaxColumns {
		return row, fmt.Errorf("has %d columns, want %d at most", len(columns), MaxColumns)
	}
	places := make(map[string]int, len(columns))
	for _, c := range columns {
		switch {
		case c.name == scalar{"", textKind} || c.name.kind == nullKind: // the index of a data frame (client)
			continue
		case c.name.kind != textKind:
			return row, fmt.Errorf("a column's name is %s, want a string", c.name.kind)
		case len(c.name.text) > maxName:
			return row, fmt.Errorf("a column's name has %d bytes, want %d at most", len(c.name.text), maxName)
		case c.name.text == TimeColumn:
			if row.Time, row.Timed, err = timeOf(c.value); err != nil {
				return row, err
			}
			continue
		}
		place, twice := places[c.name.text]
		if !twice {
			place = len(row.Values)
			places[c.name.text] = place
			row.Values = append(row.Values, Value{})
		}
		row.Values[place] = Value{c.name.text, c.value.text, c.value.kind.column()}
	}
	row.Values = slices.DeleteFunc(row.Values, func(v Value) bool { return v.Type == "" })
	return row, nil
}

// column is a member of a row as it was sent.
type column struct{ name, value scalar }

// scalar is a value as text. Of a list or a map the text is its JSON.
type scalar struct {
	text string
	kind kind
}

type kind string

const (
	nullKind   kind = "null"
	textKind   kind = "a string"
	boolKind   kind = "a boolean"
	longKind   kind = "an integer"
	doubleKind kind = "a number"
	listKind   kind = "a list"
	mapKind    kind = "a map"
)

// column returns the type of the column that would hold the value; empty for null.
func (k kind) column() string {
	switch k {
	case nullKind:
		return ""
	case longKind:
		return "long"
	case doubleKind:
		return "double"
	default:
		return "string"
	}
}

// timeOf reads a time in Unix seconds, also from a text. A text that is not a number gives no time.
func timeOf(s scalar) (at int64, timed bool, err error) {
	if s.kind != longKind && s.kind != doubleKind && s.kind != textKind {
		return 0, false, nil
	}
	if at, err = strconv.ParseInt(s.text, 10, 64); err != nil {
		var seconds float64
		if seconds, err = strconv.ParseFloat(s.text, 64); err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0) {
			return 0, false, nil //nolint:nilerr // it is not a time
		}
		at = int64(math.Floor(max(minTime-1, min(seconds, maxTime+1))))
	}
	if at < minTime || at > maxTime {
		return 0, false, fmt.Errorf("the time %s is out of range: want Unix seconds", s.text)
	}
	return at, true, nil
}
