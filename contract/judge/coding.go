package judge

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
)

// maxInflated bounds what a compressed body may grow to.
const maxInflated = 64 << 20

var errInflated = fmt.Errorf("it grows beyond %d MiB", maxInflated>>20)

// uncode undoes the content codings of a body. Recordings often hold the plain body under a header that says otherwise:
// only bytes that begin as the coding does are decoded.
func uncode(header string, coded []byte) (plain []byte, reason string) {
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
	plain, err := io.ReadAll(io.LimitReader(r, maxInflated+1))
	if err != nil {
		return nil, errors.New("it is damaged or cut off")
	}
	if len(plain) > maxInflated {
		return nil, errInflated
	}
	return plain, nil
}
