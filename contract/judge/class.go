package judge

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// class is a hash over what of a value matters to its schemas.
type class struct{ a, b uint64 }

func newClass() class {
	return class{maphash.String(seeds[0], "class"), maphash.String(seeds[1], "class")}
}

func (c *class) mix(x uint64) {
	c.a = bits.RotateLeft64((c.a^x)*0x9e3779b97f4a7c15, 29)
	c.b = bits.RotateLeft64((c.b+x)*0xc2b2ae3d27d4eb4f, 31) ^ c.a
}

func (c *class) bytes(b []byte) {
	c.mix(maphash.Bytes(seeds[0], b))
	c.mix(maphash.Bytes(seeds[1], b))
}

var errUnclassed = errors.New("no class")

// classOf reduces a JSON text to its class. It fails where DecodeJSON would.
func classOf(text []byte, p *plan) (class, error) {
	d := &classifier{jsontext.NewDecoder(bytes.NewBuffer(text))}
	c := newClass()
	if err := d.value(p, &c); err != nil {
		return c, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return c, errUnclassed
	}
	return c, nil
}

type classifier struct{ *jsontext.Decoder }

func (d *classifier) value(p *plan, c *class) error {
	if d.StackDepth() >= maxDepth {
		return errDepth
	}
	switch kind := d.PeekKind(); kind {
	case '{':
		return d.object(p, c)
	case '[':
		return d.array(p, c)
	default:
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		return p.scalar(kind, value, c)
	}
}

func (d *classifier) object(p *plan, c *class) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	c.mix('{')
	n := 0
	var others []class
	for ; d.PeekKind() != '}'; n++ {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		plain, err := jsontext.AppendUnquote(nil, name)
		if err != nil {
			return err
		}
		if part := p.properties[string(plain)]; part != nil {
			c.bytes(plain)
			err = d.value(part, c)
		} else {
			err = d.other(p.extra, &others)
		}
		if err != nil {
			return err
		}
	}
	c.set(others)
	c.position(n, p.counts)
	c.mix('}')
	_, err := d.ReadToken()
	return err
}

// other takes one of the items of a list, or a property that no schema names. How many there are does not matter, nor
// their order, nor their names: where a name is not welcome, none is.
func (d *classifier) other(p *plan, others *[]class) error {
	if p == nil {
		p = &plan{open: true}
	}
	c := newClass()
	if err := d.value(p, &c); err != nil {
		return err
	}
	if !slices.Contains(*others, c) {
		*others = append(*others, c)
	}
	if len(*others) > maxKinds {
		return errUnclassed
	}
	return nil
}

// maxKinds bounds how many different classes the items of one list may have.
const maxKinds = 64

func (d *classifier) array(p *plan, c *class) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	c.mix('[')
	if p.unique {
		return errUnclassed
	}
	n := 0
	var items []class
	for ; d.PeekKind() != ']'; n++ {
		if err := d.other(p.items, &items); err != nil {
			return err
		}
	}
	c.set(items)
	c.position(n, p.sizes)
	c.mix(']')
	_, err := d.ReadToken()
	return err
}

// set mixes in classes without regard to their order.
func (c *class) set(list []class) {
	slices.SortFunc(list, func(x, y class) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	c.mix(uint64(len(list)))
	for _, other := range list {
		c.mix(other.a)
		c.mix(other.b)
	}
}

// position mixes in on which side of each bound a number lies.
func (c *class) position(n int, bounds []int) {
	for _, bound := range bounds {
		side := uint64(0)
		if n >= bound {
			side = 1
		}
		c.mix(side)
	}
}

func (p *plan) scalar(kind jsontext.Kind, value jsontext.Value, c *class) error {
	c.mix(uint64(kind))
	switch kind {
	case '"':
		if p.open {
			return nil
		}
		plain, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return err
		}
		p.text(plain, c)
	case '0':
		if _, err := number(string(value)); err != nil {
			return err
		}
		if !p.open {
			p.number(value, c)
		}
	}
	return nil
}

func (p *plan) text(s []byte, c *class) {
	if p.exactString {
		c.bytes(s)
		return
	}
	for _, pattern := range p.patterns {
		matches := uint64(0)
		if pattern.Match(s) {
			matches = 1
		}
		c.mix(matches)
	}
	if len(p.lengths) > 0 {
		c.position(utf8.RuneCount(s), p.lengths)
	}
	for _, format := range p.formats {
		if format == "uuid" && isPlainUUID(s) || format == "date-time" && isPlainInstant(s) {
			c.mix(1)
			c.mix(uint64(len(s)))
			continue
		}
		c.bytes(s)
	}
}

// number reduces short numbers in plain notation, which every engine reads alike.
func (p *plan) number(text []byte, c *class) {
	value, err := strconv.ParseFloat(string(text), 64)
	whole, fraction, isDecimal := bytes.Cut(bytes.TrimPrefix(text, []byte("-")), []byte("."))
	const short = 9 // digits fit in 32 bits
	isPlain := err == nil && len(whole) <= short && len(fraction) <= short && !bytes.ContainsAny(text, "eE") &&
		(!isDecimal || fraction[len(fraction)-1] != '0')
	if p.exactNumber || !isPlain {
		c.bytes(text)
		return
	}
	if isDecimal {
		c.mix('.')
	}
	for _, bound := range p.bounds {
		side := uint64(0)
		switch {
		case value == bound:
			side = 1
		case value > bound:
			side = 2
		}
		c.mix(side)
	}
}

// isPlainInstant accepts times that every reading of the format accepts: upper case, in the calendar, no leap seconds.
func isPlainInstant(s []byte) bool {
	const form = "dddd-dd-ddTdd:dd:dd"
	if len(s) < len(form)+1 {
		return false
	}
	for i := range len(form) {
		if form[i] == 'd' && !isDigit(s[i]) || form[i] != 'd' && s[i] != form[i] {
			return false
		}
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	if m, d := two(5), two(8); m < 1 || m > 12 || d < 1 || d > 28 || two(11) > 23 || two(14) > 59 || two(17) > 59 {
		return false
	}
	zone := s[len(form):]
	if len(zone) == 1 {
		return zone[0] == 'Z'
	}
	isOffset := len(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':'
	if !isOffset {
		return false
	}
	for _, i := range []int{1, 2, 4, 5} {
		if !isDigit(zone[i]) {
			return false
		}
	}
	return two(len(form)+1) <= 14 && two(len(form)+4) <= 59
}

func isPlainUUID(s []byte) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
