package rows

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

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
