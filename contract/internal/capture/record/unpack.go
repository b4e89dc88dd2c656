package record

import (
	"fmt"
	"io"
)

const (
	maxRatio = 600      // recordings of the same exchange over and over come to 300
	maxFree  = 64 << 20 // bytes that anything may grow to
)

// Unpacked returns a reader of unpacked data that fails when the data grows as only a decompression bomb does. Packed
// returns the number of compressed bytes that were read so far.
func Unpacked(r io.Reader, packed func() int64) io.Reader { return &unpacked{r: r, packed: packed} }

type unpacked struct {
	r      io.Reader
	packed func() int64
	n      int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if u.n += int64(n); u.n > maxFree && u.n/maxRatio > u.packed() {
		return 0, fmt.Errorf("it grows more than %d-fold when decompressed, which recordings do not", maxRatio)
	}
	return n, err
}
