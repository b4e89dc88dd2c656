package sqlite3

import (
	"reflect"
	"runtime"
	_ "unsafe" // for go:linkname
	"weak"

	"modernc.org/libc"
	"modernc.org/memory"
	lib "modernc.org/sqlite/lib"
)

// allocator is the allocator of libc. Its own counters are there only with a build tag.
//
//go:linkname allocator modernc.org/libc.allocator
var allocator memory.Allocator

// Allocations counts what is allocated in C's memory: by SQLite, by its binding, and for threads of C.
func Allocations() int {
	type page struct { // as modernc.org/memory has it
		_    int
		log  uint
		_    int
		used int
	}
	a := reflect.ValueOf(&allocator).Elem()
	free := map[uint64]bool{}
	for _, pages := range a.FieldByName("freed").Seq2() {
		for i := range pages.Len() {
			free[pages.Index(i).Uint()] = true
		}
	}
	n := 0
	for address := range a.FieldByName("regs").Seq() {
		switch p := at[page](uintptr(address.Uint())); {
		case free[address.Uint()]:
		case p.log == 0: // one large one
			n++
		default:
			n += p.used
		}
	}
	return n
}

// FileSystems counts the file systems that SQLite knows.
func FileSystems() (n int) {
	tls := libc.NewTLS()
	defer tls.Close()
	for address := lib.Xsqlite3_vfs_find(tls, 0); address != 0; address = at[lib.Tsqlite3_vfs](address).FpNext {
		n++
	}
	return n
}

// Backup makes SQLite busy with a connection: it copies the main database to another connection until end is called.
func (c *Conn) Backup(to *Conn) (end func()) {
	name, err := libc.CString("main")
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(c.tls, name)
	backup := lib.Xsqlite3_backup_init(c.tls, to.db, name, c.db, name)
	lib.Xsqlite3_backup_step(c.tls, backup, 0)
	return func() { lib.Xsqlite3_backup_finish(c.tls, backup) }
}

// File is a temporary file, as SQLite has it.
type File struct {
	conn    *Conn
	address uintptr
	weak    weak.Pointer[file]
}

// Gone reports whether Go has forgotten the file.
func (f File) Gone() bool {
	runtime.GC()
	return f.weak.Value() == nil
}

// OpenFile opens a temporary file.
func (c *Conn) OpenFile() File {
	address := libc.Xcalloc(c.tls, 1, 2*pointerSize)
	openFile(c.tls, c.vfs.address, 0, address, lib.SQLITE_OPEN_TEMP_DB, 0)
	return File{c, address, weak.Make(fileAt(address))}
}

// Write writes a text.
func (f File) Write(text string, offset int64) int32 {
	from := f.conn.buffer.hold(f.conn.tls, text)
	return writeFile(f.conn.tls, f.address, from, int32(len(text)), offset)
}

// Read reads so many bytes.
func (f File) Read(n int, offset int64) (string, int32) {
	to := libc.Xcalloc(f.conn.tls, 1, uint64(n))
	defer libc.Xfree(f.conn.tls, to)
	code := readFile(f.conn.tls, f.address, to, int32(n), offset)
	return string(bytesAt(to, n)), code
}

// Truncate gives the file another size.
func (f File) Truncate(size int64) int32 { return truncateFile(f.conn.tls, f.address, size) }

// Size is the file's size.
func (f File) Size() (size int64) {
	out := libc.Xcalloc(f.conn.tls, 1, 8)
	defer libc.Xfree(f.conn.tls, out)
	fileSize(f.conn.tls, f.address, out)
	return *at[int64](out)
}

// Close closes the file.
func (f File) Close() {
	closeFile(f.conn.tls, f.address)
	libc.Xfree(f.conn.tls, f.address)
}
