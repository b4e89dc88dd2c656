package sqlite3

import (
	"fmt"
	"time"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"
)

// vfs is the file system of one connection. No file exists in it. What is opened, which is what SQLite makes for sorts,
// for tables of its own and their journals, is a new one in memory, whatever its name, and gone when it is closed.
type vfs struct {
	conn    *Conn
	address uintptr // of the lib.Tsqlite3_vfs
	name    uintptr // a text of C's
}

// register makes the file system known to SQLite under a name that no other one has.
func register(c *Conn) (*vfs, error) {
	v := &vfs{conn: c}
	c.pinner.Pin(v)
	name, err := libc.CString(fmt.Sprintf("understudy-%p", v))
	if err != nil {
		return nil, err
	}
	v.name = name
	v.address = libc.Xcalloc(c.tls, 1, types.Size_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	*at[lib.Tsqlite3_vfs](v.address) = lib.Tsqlite3_vfs{
		FiVersion:          2,
		FszOsFile:          int32(unsafe.Sizeof(handle{})),
		FmxPathname:        64,
		FzName:             name,
		FpAppData:          uintptr(unsafe.Pointer(v)),
		FxOpen:             function(openFile),
		FxDelete:           function(deleteFile),
		FxAccess:           function(accessFile),
		FxFullPathname:     function(fullPathname),
		FxDlOpen:           function(openLibrary),
		FxDlError:          function(libraryError),
		FxRandomness:       function(randomness),
		FxSleep:            function(sleep),
		FxGetLastError:     function(lastError),
		FxCurrentTimeInt64: function(currentTimeInt64),
	}
	if code := lib.Xsqlite3_vfs_register(c.tls, v.address, 0); code != lib.SQLITE_OK {
		v.unregister(c.tls)
		return nil, fmt.Errorf("register a file system with SQLite: code %d", code)
	}
	return v, nil
}

func (v *vfs) unregister(tls *libc.TLS) {
	lib.Xsqlite3_vfs_unregister(tls, v.address)
	libc.Xfree(tls, v.address)
	libc.Xfree(tls, v.name)
}

func vfsAt(address uintptr) *vfs { return at[vfs](at[lib.Tsqlite3_vfs](address).FpAppData) }

func openFile(_ *libc.TLS, address, _, opened uintptr, flags int32, outFlags uintptr) int32 {
	v := vfsAt(address)
	f := &file{conn: v.conn}
	f.pinner.Pin(f)
	*at[handle](opened) = handle{methods: uintptr(unsafe.Pointer(&fileMethods)), file: uintptr(unsafe.Pointer(f))}
	if outFlags != 0 {
		*at[int32](outFlags) = flags
	}
	return lib.SQLITE_OK
}

func deleteFile(*libc.TLS, uintptr, uintptr, int32) int32 { return lib.SQLITE_IOERR_DELETE_NOENT }

func accessFile(_ *libc.TLS, _, _ uintptr, _ int32, out uintptr) int32 {
	*at[int32](out) = 0
	return lib.SQLITE_OK
}

func fullPathname(*libc.TLS, uintptr, uintptr, int32, uintptr) int32 { return lib.SQLITE_CANTOPEN }

func openLibrary(*libc.TLS, uintptr, uintptr) uintptr { return 0 }

func libraryError(_ *libc.TLS, _ uintptr, n int32, out uintptr) { clear(bytesAt(out, int(n))) }

func randomness(_ *libc.TLS, _ uintptr, n int32, out uintptr) int32 {
	clear(bytesAt(out, int(n)))
	return n
}

func sleep(*libc.TLS, uintptr, int32) int32 { return 0 }

func lastError(*libc.TLS, uintptr, int32, uintptr) int32 { return 0 }

// julian returns a time in milliseconds since noon in Greenwich on the 24th of November 4714 B.C., as SQLite counts.
func julian(t time.Time) int64 { return t.UnixMilli() + 210_866_760_000_000 }

func currentTimeInt64(_ *libc.TLS, address, out uintptr) int32 {
	*at[int64](out) = julian(vfsAt(address).conn.config.Now)
	return lib.SQLITE_OK
}
