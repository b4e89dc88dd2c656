// Package rows reads the rows that clients upload: a stream of msgpack maps or of JSON objects, in gzip. It knows
// nothing of tables; what it reads is bounded, whatever an upload says of its own length.
package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
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

// readJSON reads one object after the other, or an array of them. Anything but an object is a wrong row, behind which
// the next one follows.
func (s *stream) readJSON(plain *bufio.Reader) error {
	decoder := jsontext.NewDecoder(plain, jsontext.AllowDuplicateNames(true))
	s.row = 1
	inArray := decoder.PeekKind() == '['
	if inArray {
		if _, err := decoder.ReadToken(); err != nil {
			return s.brokenJSON(err)
		}
	}
	for ; ; s.row++ {
		if inArray && decoder.PeekKind() == ']' {
			return s.endOfArray(decoder)
		}
		value, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) && !inArray {
			return nil
		}
		if err == nil && len(value) > maxRow {
			err = fmt.Errorf("has more than %d bytes", maxRow)
		}
		if err == nil && depthOf(value) > maxDepth {
			err = fmt.Errorf("is nested deeper than %d levels", maxDepth)
		}
		if err != nil {
			return s.brokenJSON(err)
		}
		row, wrong := parseRow(value)
		if err := s.deliver(row, wrong); err != nil {
			return err
		}
	}
}

func (s *stream) endOfArray(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil {
		return s.brokenJSON(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the array of rows")
	}
	return nil
}

func (s *stream) brokenJSON(err error) error {
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("row %d: not valid JSON: %s", s.row, strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return s.readError(err)
}

// depthOf returns how deep lists and objects stand within each other in a JSON value.
func depthOf(value jsontext.Value) (deepest int) {
	depth, inText := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return deepest
}

func parseRow(value jsontext.Value) (row Row, err error) {
	if value.Kind() != '{' {
		s, err := plainJSON(value)
		if err != nil {
			return row, err
		}
		return row, fmt.Errorf("want an object, not %s", s.kind)
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	if _, err := decoder.ReadToken(); err != nil {
		return row, err
	}
	var columns []column
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return row, err
		}
		c := column{name: scalar{name.String(), textKind}}
		raw, err := decoder.ReadValue()
		if err == nil {
			c.value, err = plainJSON(raw)
		}
		if err != nil {
			return row, err
		}
		columns = append(columns, c)
	}
	return assemble(columns)
}

// plainJSON returns a JSON value as text: a number as it is spelled, a list or an object without white space.
func plainJSON(value jsontext.Value) (s scalar, err error) {
	switch value.Kind() {
	case 'n':
		return scalar{"null", nullKind}, nil
	case 't', 'f':
		return scalar{string(value), boolKind}, nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		return scalar{string(text), textKind}, err
	case '0':
		if _, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return scalar{string(value), longKind}, nil
		}
		return scalar{string(value), doubleKind}, nil
	}
	compact := value.Clone()
	if err := compact.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return s, err
	}
	if compact.Kind() == '[' {
		return scalar{string(compact), listKind}, nil
	}
	return scalar{string(compact), mapKind}, nil
}

// readMsgpack reads one map after the other. Anything but a map is a wrong row, behind which the next one follows.
func (s *stream) readMsgpack(plain *bufio.Reader) error {
	decoder := msgpack.NewDecoder(plain)
	for {
		s.row++
		u := unpacker{Decoder: decoder}
		code, err := u.PeekCode()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.readError(err)
		}
		var row Row
		var wrong error
		if isMap(code) {
			var columns []column
			if columns, err = u.columns(); err == nil {
				row, wrong = assemble(columns)
			}
		} else {
			var value scalar
			value, err = u.value(0)
			wrong = fmt.Errorf("want a map, not %s", value.kind)
		}
		if err != nil {
			return s.readError(err)
		}
		if err := s.deliver(row, wrong); err != nil {
			return err
		}
	}
}

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func isList(code byte) bool {
	return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
}

// unpacker reads one row, and counts what it has read: lengths are what an upload says of itself.
type unpacker struct {
	*msgpack.Decoder
	values, bytes int
}

func (u *unpacker) columns() ([]column, error) {
	n, err := u.DecodeMapLen()
	var list []column
	for ; err == nil && n > 0; n-- {
		var c column
		if c.name, err = u.value(1); err == nil {
			c.value, err = u.value(1)
		}
		list = append(list, c)
	}
	return list, err
}

// value reads a value at a depth of lists and maps.
func (u *unpacker) value(depth int) (s scalar, err error) {
	if u.values++; u.values > maxValues {
		return s, fmt.Errorf("has more than %d values", maxValues)
	}
	if depth > maxDepth {
		return s, fmt.Errorf("is nested deeper than %d levels", maxDepth)
	}
	code, err := u.PeekCode()
	switch {
	case err != nil:
	case isList(code):
		s, err = u.list(depth)
	case isMap(code):
		s, err = u.object(depth)
	default:
		s, err = u.scalar(code)
	}
	if u.bytes += len(s.text); err == nil && u.bytes > maxRow {
		err = fmt.Errorf("has more than %d bytes", maxRow)
	}
	return s, err
}

func (u *unpacker) scalar(code byte) (scalar, error) {
	switch {
	case code == msgpcode.Nil:
		return scalar{"null", nullKind}, u.DecodeNil()
	case code == msgpcode.True, code == msgpcode.False:
		b, err := u.DecodeBool()
		return scalar{strconv.FormatBool(b), boolKind}, err
	case code == msgpcode.Float:
		f, err := u.DecodeFloat32()
		return double(float64(f), 32), err
	case code == msgpcode.Double:
		f, err := u.DecodeFloat64()
		return double(f, 64), err
	case msgpcode.IsFixedString(code), code == msgpcode.Str8, code == msgpcode.Str16, code == msgpcode.Str32:
		text, err := u.DecodeString()
		return scalar{text, textKind}, err
	case msgpcode.IsBin(code):
		return u.binary()
	case msgpcode.IsExt(code):
		return u.extension()
	case code == msgpcode.Uint64:
		n, err := u.DecodeUint64()
		return scalar{strconv.FormatUint(n, 10), longKind}, err
	case code == 0xc1:
		return scalar{}, errors.New("not valid msgpack: the byte 0xc1 does not begin a value")
	}
	n, err := u.DecodeInt64()
	return scalar{strconv.FormatInt(n, 10), longKind}, err
}

// double returns a number with a fraction, which stays visible when it is zero.
func double(f float64, bits int) scalar {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return scalar{strconv.FormatFloat(f, 'g', -1, bits), textKind}
	}
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		text += ".0"
	}
	return scalar{text, doubleKind}
}

// binary takes bytes for a text if they are one: older clients know no other texts.
func (u *unpacker) binary() (scalar, error) {
	b, err := u.DecodeBytes()
	if !utf8.Valid(b) {
		return scalar{base64.StdEncoding.EncodeToString(b), textKind}, err
	}
	return scalar{string(b), textKind}, err
}

// The extensions that hold a time: that of msgpack itself, and that of event collectors.
const (
	timestampExtension = -1
	eventTimeExtension = 0
)

// extension reads a time, of which whole seconds count.
func (u *unpacker) extension() (s scalar, err error) {
	id, length, err := u.DecodeExtHeader()
	if err != nil {
		return s, err
	}
	known := id == timestampExtension && (length == 4 || length == 8 || length == 12) || id == eventTimeExtension &&
		length == 8
	if !known {
		return s, fmt.Errorf("unknown extension type %d of %d bytes", id, length)
	}
	var data [12]byte
	if err := u.ReadFull(data[:length]); err != nil {
		return s, err
	}
	var at int64
	switch {
	case length == 4, id == eventTimeExtension:
		at = int64(binary.BigEndian.Uint32(data[:]))
	case length == 8:
		at = int64(binary.BigEndian.Uint64(data[:]) & (1<<34 - 1))
	default:
		at = int64(binary.BigEndian.Uint64(data[4:]))
	}
	return scalar{strconv.FormatInt(at, 10), longKind}, nil
}

func (u *unpacker) list(depth int) (scalar, error) {
	n, err := u.DecodeArrayLen()
	text := []byte{'['}
	for i := 0; err == nil && i < n; i++ {
		var item scalar
		item, err = u.value(depth + 1)
		text = item.appendJSON(separated(text, i))
	}
	return scalar{string(append(text, ']')), listKind}, err
}

func (u *unpacker) object(depth int) (scalar, error) {
	n, err := u.DecodeMapLen()
	text := []byte{'{'}
	for i := 0; err == nil && i < n; i++ {
		var name, value scalar
		if name, err = u.name(depth + 1); err == nil {
			value, err = u.value(depth + 1)
		}
		text = value.appendJSON(append(quote(separated(text, i), name.text), ':'))
	}
	return scalar{string(append(text, '}')), mapKind}, err
}

// name reads the name of a member. A list or a map cannot be one: quoted again at each level above it, it would double
// each time.
func (u *unpacker) name(depth int) (scalar, error) {
	if code, err := u.PeekCode(); err == nil && (isList(code) || isMap(code)) {
		return scalar{}, errors.New("has a map with a list or a map as a key")
	}
	return u.value(depth)
}

func separated(text []byte, i int) []byte {
	if i > 0 {
		return append(text, ',')
	}
	return text
}

func (s scalar) appendJSON(to []byte) []byte {
	if s.kind == textKind {
		return quote(to, s.text)
	}
	return append(to, s.text...)
}
