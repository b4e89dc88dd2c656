package facts

import (
	"crypto/sha256"
	"encoding/binary"
)

// hashOf returns an id of a text, the same in every process that reads a recording, by which the text is not found.
func hashOf(text string) uint64 {
	var room [1 << 10]byte // on the stack, for most texts
	return shortened(sha256.Sum256(append(room[:0], text...)))
}

func shortened(sum [sha256.Size]byte) uint64 { return binary.LittleEndian.Uint64(sum[:]) }

// markOf is the same for what answers show alike. It is 0 in a mock, whose worlds have one account each, so that
// nothing has to be found out about its callers.
func (e *Exchange) markOf(shown string) uint64 {
	if e.Mock || e.World != "" {
		return 0
	}
	return hashOf(shown)
}
