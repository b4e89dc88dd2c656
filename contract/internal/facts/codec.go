package facts

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"
)

// Encoder encodes exchanges, each by itself. It is used by one goroutine.
type Encoder struct {
	frame bytes.Buffer
	to    *msgpack.Encoder
}

// NewEncoder returns an encoder.
func NewEncoder() *Encoder {
	e := &Encoder{}
	e.to = msgpack.NewEncoder(&e.frame)
	e.to.UseArrayEncodedStructs(true)
	e.to.UseCompactInts(true)
	return e
}

// Encode returns an exchange as bytes, which are valid until the next one.
func (c *Encoder) Encode(e *Exchange) ([]byte, error) {
	c.frame.Reset()
	err := c.to.Encode(e)
	return c.frame.Bytes(), err
}

// Decoder decodes exchanges. It is used by one goroutine.
type Decoder struct {
	in    bytes.Reader
	from  *msgpack.Decoder
	texts sharedTexts
}

// NewDecoder returns a decoder.
func NewDecoder() *Decoder {
	d := &Decoder{texts: sharedTexts{}}
	d.from = msgpack.NewDecoder(&d.in)
	return d
}

// Decode returns an exchange that an Encoder has encoded.
func (d *Decoder) Decode(frame []byte) (*Exchange, error) {
	d.in.Reset(frame)
	d.from.Reset(&d.in)
	e := &Exchange{}
	err := d.from.Decode(e)
	d.texts.shareAll(e)
	return e, err
}

// sharedTexts holds texts that many exchanges have, once: each that is decoded has its own copy.
type sharedTexts map[string]string

const maxSharedTexts = 10_000

func (s sharedTexts) shareAll(e *Exchange) {
	for _, text := range []*string{
		&e.File, &e.World, &e.Address, &e.Operation, &e.Method, &e.Account, &e.Line.File, &e.Line.Method,
	} {
		*text = s.share(*text)
	}
}

func (s sharedTexts) share(text string) string {
	known, isKnown := s[text]
	if !isKnown {
		if len(s) >= maxSharedTexts {
			clear(s)
		}
		s[text], known = text, text
	}
	return known
}
