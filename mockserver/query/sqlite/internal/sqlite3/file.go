package sqlite3

import (
	"runtime"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// handle is SQLite's view of an open file: a sqlite3_file, and behind it what is ours.
type handle struct {
	methods uintptr
	file    uintptr
}

// file is a temporary file: chunks of memory, which the configuration's Spend counts.
type file struct {
	conn   *Conn
	pinner runtime.Pinner // of the file itself, until it is closed
	chunks [][]byte
	size   int64
}

const chunkSize = 64 << 10

var fileMethods = lib.Tsqlite3_io_methods{
	FiVersion:               1,
	FxClose:                 function(closeFile),
	FxRead:                  function(readFile),
	FxWrite:                 function(writeFile),
	FxTruncate:              function(truncateFile),
	FxSync:                  function(syncFile),
	FxFileSize:              function(fileSize),
	FxLock:                  function(lockFile),
	FxUnlock:                function(lockFile),
	FxCheckReservedLock:     function(checkReservedLock),
	FxFileControl:           function(fileControl),
	FxSectorSize:            function(sectorSize),
	FxDeviceCharacteristics: function(characteristics),
}

func fileAt(address uintptr) *file { return at[file](at[handle](address).file) }

// closeFile releases the memory of a file.
func closeFile(_ *libc.TLS, address uintptr) int32 {
	f := fileAt(address)
	f.shrink(0)
	*at[handle](address) = handle{}
	f.pinner.Unpin()
	return lib.SQLITE_OK
}

func readFile(_ *libc.TLS, address, to uintptr, n int32, offset int64) int32 {
	f, b := fileAt(address), bytesAt(to, int(n))
	for len(b) > 0 && offset < f.size {
		chunk := f.chunks[offset/chunkSize][offset%chunkSize:]
		n := copy(b, chunk[:min(int64(len(chunk)), f.size-offset)])
		b, offset = b[n:], offset+int64(n)
	}
	if len(b) > 0 {
		clear(b)
		return lib.SQLITE_IOERR_SHORT_READ
	}
	return lib.SQLITE_OK
}

func writeFile(_ *libc.TLS, address, from uintptr, n int32, offset int64) int32 {
	f, b := fileAt(address), bytesAt(from, int(n))
	if !f.grow(offset + int64(n)) {
		return lib.SQLITE_FULL
	}
	for len(b) > 0 {
		n := copy(f.chunks[offset/chunkSize][offset%chunkSize:], b)
		b, offset = b[n:], offset+int64(n)
	}
	f.size = max(f.size, offset)
	return lib.SQLITE_OK
}

// truncateFile cuts a file off, or makes it longer, as ftruncate does: what is new is zero.
func truncateFile(_ *libc.TLS, address uintptr, size int64) int32 {
	f := fileAt(address)
	if !f.grow(size) {
		return lib.SQLITE_FULL
	}
	f.shrink(size)
	f.size = size
	return lib.SQLITE_OK
}

// grow makes room for a file of so many bytes, or reports that there is not enough memory, and takes none.
func (f *file) grow(size int64) bool {
	need := chunksOf(size) - len(f.chunks)
	if need <= 0 {
		return true
	}
	if !f.conn.config.Spend(int64(need) * chunkSize) {
		return false
	}
	for range need {
		f.chunks = append(f.chunks, make([]byte, chunkSize))
	}
	return true
}

// shrink releases the memory behind so many bytes. The rest of the last chunk is zeroed, in case the file grows again.
func (f *file) shrink(size int64) {
	keep := chunksOf(size)
	f.conn.config.Spend(int64(keep-len(f.chunks)) * chunkSize)
	clear(f.chunks[keep:])
	f.chunks = f.chunks[:keep]
	if rest := size % chunkSize; rest > 0 {
		clear(f.chunks[keep-1][rest:])
	}
}

// chunksOf returns how many chunks hold so many bytes.
func chunksOf(size int64) int { return int((size + chunkSize - 1) / chunkSize) }

func fileSize(_ *libc.TLS, address, out uintptr) int32 {
	*at[int64](out) = fileAt(address).size
	return lib.SQLITE_OK
}

func syncFile(*libc.TLS, uintptr, int32) int32 { return lib.SQLITE_OK }

func lockFile(*libc.TLS, uintptr, int32) int32 { return lib.SQLITE_OK }

func checkReservedLock(_ *libc.TLS, _, out uintptr) int32 {
	*at[int32](out) = 0
	return lib.SQLITE_OK
}

func fileControl(*libc.TLS, uintptr, int32, uintptr) int32 { return lib.SQLITE_NOTFOUND }

func sectorSize(*libc.TLS, uintptr) int32 { return 0 }

func characteristics(*libc.TLS, uintptr) int32 { return 0 }
