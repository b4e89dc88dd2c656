package facts

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
	"unsafe"

	"svc.example/understudy/internal/scan"
)

// Append appends an exchange as bytes, which a Decoder reads. Members with the tag `coded:"-"` are not among them.
func Append(b []byte, e *Exchange) []byte {
	c := writers.Get().(*coder)
	defer writers.Put(c)
	c.bytes = b
	exchange(c, unsafe.Pointer(e))
	b, c.bytes = c.bytes, nil
	return b
}

var writers = sync.Pool{New: func() any { return &coder{} }}

// Decode returns an exchange that Append has encoded. It does not keep the bytes.
func Decode(frame []byte) (*Exchange, error) {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	return d.Decode(frame)
}

var decoders = sync.Pool{New: func() any { return NewDecoder() }}

// Decoder decodes exchanges as Decode does. It is used by one goroutine.
type Decoder struct {
	reader coder
	texts  scan.Texts // that many exchanges have, so that they share their memory
}

// NewDecoder returns a decoder.
func NewDecoder() *Decoder { return &Decoder{} }

// Decode returns an exchange that Append has encoded. It does not keep the bytes.
func (d *Decoder) Decode(frame []byte) (*Exchange, error) {
	d.reader = coder{bytes: frame, texts: &d.texts}
	e := &Exchange{}
	exchange(&d.reader, unsafe.Pointer(e))
	isWhole := !d.reader.isBroken && len(d.reader.bytes) == 0
	if d.reader.bytes = nil; !isWhole {
		return nil, errors.New("decode an exchange: the bytes are not those of one")
	}
	return e, nil
}

// coder writes the parts of an exchange, or reads them in the same order.
type coder struct {
	bytes    []byte      // that are written, or left to be read
	texts    *scan.Texts // nil to write
	isBroken bool        // the bytes that are read are not those of an exchange
}

func (c *coder) isReading() bool { return c.texts != nil }

// fail ends the reading: there is nothing more to read.
func (c *coder) fail() { c.bytes, c.isBroken = nil, true }

// length writes the length of something that has one, or reads it. Each unit of it takes a byte at least.
func (c *coder) length(n int) int {
	if !c.isReading() {
		c.bytes = binary.AppendUvarint(c.bytes, uint64(n))
		return n
	}
	if len(c.bytes) > 0 && c.bytes[0] < 0x80 {
		n, c.bytes = int(c.bytes[0]), c.bytes[1:]
	} else {
		long, used := binary.Uvarint(c.bytes)
		if used <= 0 || long > uint64(len(c.bytes)) {
			c.fail()
			return 0
		}
		n, c.bytes = int(long), c.bytes[used:]
	}
	if n > len(c.bytes) {
		c.fail()
		return 0
	}
	return n
}

// number writes or reads a number that is mostly small.
func number[T int | int64](c *coder, n *T) {
	if !c.isReading() {
		c.bytes = binary.AppendVarint(c.bytes, int64(*n))
		return
	}
	long, used := binary.Varint(c.bytes)
	if used <= 0 || int64(T(long)) != long {
		c.fail()
		return
	}
	*n, c.bytes = T(long), c.bytes[used:]
}

const hashBytes = 8

// hash writes or reads a number that is 0, or any other.
func (c *coder) hash(n *uint64) {
	isThere := *n != 0
	switch c.truth(&isThere); {
	case !isThere:
	case !c.isReading():
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, *n)
	case len(c.bytes) < hashBytes:
		c.fail()
	default:
		*n, c.bytes = binary.LittleEndian.Uint64(c.bytes), c.bytes[hashBytes:]
	}
}

func (c *coder) truth(is *bool) {
	switch {
	case !c.isReading() && *is:
		c.bytes = append(c.bytes, 1)
	case !c.isReading():
		c.bytes = append(c.bytes, 0)
	case len(c.bytes) == 0 || c.bytes[0] > 1:
		c.fail()
	default:
		*is, c.bytes = c.bytes[0] == 1, c.bytes[1:]
	}
}

func (c *coder) text(s *string) {
	n := c.length(len(*s))
	if !c.isReading() {
		c.bytes = append(c.bytes, *s...)
	} else if n > 0 {
		*s, c.bytes = c.texts.Of(c.bytes[:n]), c.bytes[n:]
	}
}

// time writes or reads a time, of which the zone is not kept.
func (c *coder) time(t *time.Time) {
	zero := time.Time{}.Unix()
	seconds, nanoseconds := t.Unix()-zero, t.Nanosecond()
	number(c, &seconds)
	number(c, &nanoseconds)
	if nanoseconds < 0 || nanoseconds >= int(time.Second) {
		c.fail()
	} else if c.isReading() {
		*t = time.Unix(seconds+zero, int64(nanoseconds)).UTC()
	}
}
