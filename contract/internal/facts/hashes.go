package facts

import (
	"crypto/sha256"
	"encoding/binary"

	"svc.example/understudy/contract/internal/capture/record"
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

// digestOf is the same for an exchange that is recorded twice.
func digestOf(item *record.Item) uint64 {
	h := sha256.New()
	room := make([]byte, 0, 512)
	head := append(append(append(room, item.Request.Method...), 0), item.Request.URL...)
	head = binary.LittleEndian.AppendUint64(append(head, 0), uint64(item.End.Unix()))
	head = binary.LittleEndian.AppendUint32(head, uint32(item.End.Nanosecond()))
	_, _ = h.Write(head)
	if item.Request.Body != nil {
		_, _ = h.Write(item.Request.Body.Bytes)
	}
	if item.Response != nil {
		_, _ = h.Write(binary.LittleEndian.AppendUint32(room[:0], uint32(item.Response.Status)))
		if item.Response.Body != nil {
			_, _ = h.Write(item.Response.Body.Bytes)
		}
	}
	return binary.LittleEndian.Uint64(h.Sum(room[:0]))
}
