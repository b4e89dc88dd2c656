package facts

import (
	"crypto/sha256"
	"encoding/binary"
)

// Hash returns an id of a text, which is the same in every process, and from which the text cannot be recovered.
func Hash(text string) uint64 {
	var room [1 << 10]byte // on the stack, for most texts
	sum := sha256.Sum256(append(room[:0], text...))
	return binary.LittleEndian.Uint64(sum[:])
}

// markOf is the same for what answers show alike. It is 0 in a mock, whose worlds have one account each, so that
// nothing has to be found out about its callers.
func (e *Exchange) markOf(shown string) uint64 {
	if e.Mock || e.World != "" {
		return 0
	}
	return Hash(shown)
}
