package wire

import (
	"bytes"
	"compress/gzip"
	"sync"
)

// compressors are pooled, since making one takes most of a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Gzip returns a stream in gzip, with a constant header: the same rows give the same bytes.
func Gzip(stream []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(stream); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}
