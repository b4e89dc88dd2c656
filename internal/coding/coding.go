// Package coding undoes the content codings that the standard library does not know.
package coding

import (
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest window of zstd that is allowed over HTTP (RFC 9659).
const maxWindow = 8 << 20

// Decode returns a reader of what was coded as br or as zstd.
func Decode(coding string, r io.Reader) (io.Reader, error) {
	switch coding {
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("no decoder for content coding %s", coding)
}
