package sqlite3

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// handle is what SQLite has of an open file: a sqlite3_file, and behind it what is ours.
type handle struct {
	methods uintptr
	file    uintptr
}

// file is a temporary file: chunks of memory, which the configuration's Spend counts.
type file struct {
	conn   *Conn
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

func closeFile(_ *libc.TLS, address uintptr) int32 {
	fileAt(address).truncate(0)
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
	for end := offset + int64(n); int64(len(f.chunks))*chunkSize < end; {
		if !f.conn.config.Spend(chunkSize) {
			return lib.SQLITE_FULL
		}
		f.chunks = append(f.chunks, make([]byte, chunkSize))
	}
	for len(b) > 0 {
		n := copy(f.chunks[offset/chunkSize][offset%chunkSize:], b)
		b, offset = b[n:], offset+int64(n)
	}
	f.size = max(f.size, offset)
	return lib.SQLITE_OK
}

func truncateFile(_ *libc.TLS, address uintptr, size int64) int32 {
	fileAt(address).truncate(size)
	return lib.SQLITE_OK
}

// truncate cuts the file off. What is behind its end is zero, should it grow again.
func (f *file) truncate(size int64) {
	if size >= f.size {
		return
	}
	keep := int((size + chunkSize - 1) / chunkSize)
	f.conn.config.Spend(int64(keep-len(f.chunks)) * chunkSize)
	clear(f.chunks[keep:])
	f.chunks = f.chunks[:keep]
	if rest := size % chunkSize; rest > 0 {
		clear(f.chunks[keep-1][rest:])
	}
	f.size = size
}

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
