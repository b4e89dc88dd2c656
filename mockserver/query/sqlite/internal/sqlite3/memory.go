package sqlite3

import (
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
)

const pointerSize = types.Size_t(unsafe.Sizeof(uintptr(0)))

// transient makes SQLite copy a text before the call returns.
const transient = ^uintptr(0)

// at returns a pointer to what is at an address: of C's memory, or of a Go value that is pinned.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// bytesAt returns the n bytes at an address, good for as long as SQLite keeps them.
func bytesAt(address uintptr, n int) []byte {
	if n <= 0 || address == 0 {
		return nil
	}
	return unsafe.Slice(at[byte](address), n)
}

// function returns the address by which SQLite calls f, a function that is declared at the top.
func function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// buffer is C's memory for a text on its way to SQLite.
type buffer struct {
	address uintptr
	size    int
}

func (b *buffer) hold(tls *libc.TLS, text string) uintptr {
	if need := len(text) + 1; need > b.size || b.address == 0 {
		b.free(tls)
		b.size = max(need, 4096)
		b.address = libc.Xmalloc(tls, types.Size_t(b.size))
	}
	if b.address == 0 {
		panic("out of memory")
	}
	room := bytesAt(b.address, len(text)+1)
	room[copy(room, text)] = 0
	return b.address
}

func (b *buffer) free(tls *libc.TLS) {
	if b.address != 0 {
		libc.Xfree(tls, b.address)
	}
	*b = buffer{}
}
