package body

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"svc.example/understudy/specs/recording"
)

// maxInflated is the largest size of a body in bytes after decompression.
const maxInflated = 64 << 20

var errInflated = fmt.Errorf("it grows beyond %d MiB", maxInflated>>20)

// Codings undoes the content codings of an exchange's bodies. It remembers small results and failures. Its zero value
// is ready for use.
type Codings struct{ undone map[*recording.Body]uncoded }

type uncoded struct {
	plain  []byte
	reason string
}

// Undo returns a body without its content codings, or why they cannot be undone.
func (c *Codings) Undo(headers recording.Headers, body *recording.Body) (plain []byte, reason string) {
	const worthKeeping = 1 << 20
	header := headers.Value("Content-Encoding")
	if header == "" {
		return body.Bytes, ""
	}
	u, isKnown := c.undone[body]
	if !isKnown {
		if u.plain, u.reason = Uncode(header, body.Bytes); len(u.plain) <= worthKeeping {
			if c.undone == nil {
				c.undone = map[*recording.Body]uncoded{}
			}
			c.undone[body] = u
		}
	}
	return u.plain, u.reason
}

// Uncode undoes the content codings of a body. Recordings often hold the plain body although a header names a coding:
// only bytes that begin as the coding does are decoded.
func Uncode(header string, coded []byte) (plain []byte, reason string) {
	plain = coded
	if header == "" {
		return plain, ""
	}
	codings := strings.Split(strings.ToLower(header), ",")
	for _, coding := range slices.Backward(codings) {
		var err error
		switch coding = strings.TrimSpace(coding); coding {
		case "", "identity":
		case "gzip", "x-gzip":
			if bytes.HasPrefix(plain, []byte{0x1f, 0x8b}) {
				plain, err = gunzip(plain)
			}
		case "deflate":
			plain, err = inflate(plain)
		default:
			if !looksPlain(plain) {
				return nil, fmt.Sprintf("no decoder for content coding %s", coding)
			}
		}
		if err != nil {
			return nil, fmt.Sprintf("the body cannot be decoded as %s: %v", coding, err)
		}
	}
	return plain, ""
}

// looksPlain reports whether bytes are text already.
func looksPlain(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '[' || b[0] == '"'
}

func gunzip(coded []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(coded))
	if err != nil {
		return nil, errors.New("it is not gzip")
	}
	return readAll(r)
}

// inflate reads deflate as the standard has it, in a zlib wrapper, and as some servers send it, bare.
func inflate(coded []byte) ([]byte, error) {
	if looksPlain(coded) {
		return coded, nil
	}
	if r, err := zlib.NewReader(bytes.NewReader(coded)); err == nil {
		return readAll(r)
	}
	return readAll(flate.NewReader(bytes.NewReader(coded)))
}

func readAll(r io.Reader) ([]byte, error) {
	var plain bytes.Buffer // it grows in fewer steps than io.ReadAll
	if _, err := plain.ReadFrom(io.LimitReader(r, maxInflated+1)); err != nil {
		return nil, errors.New("it is damaged or cut off")
	}
	if plain.Len() > maxInflated {
		return nil, errInflated
	}
	return plain.Bytes(), nil
}
