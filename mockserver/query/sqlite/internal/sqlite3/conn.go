// Package sqlite3 is the part of SQLite's C interface that the query engine needs, over modernc.org/sqlite/lib.
//
// It opens databases that live in memory and nowhere else: a connection has a virtual file system of its own, which
// has no files but the temporary ones that SQLite spills to, and these are bytes in memory, counted. The time that a
// query sees is that of the connection, too.
//
// C has no types: what it keeps for us are addresses. Every Go value that SQLite gets to know is pinned until the
// connection is closed, and at is the one way back from an address.
package sqlite3

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Config holds the settings of a connection.
type Config struct {
	Now    time.Time            // what date('now') and the like are about
	Limits map[int32]int32      // by SQLITE_LIMIT_…
	Allow  func(Action) bool    // whether a statement may do something; asked while it is prepared
	Spend  func(n int64) bool   // takes n bytes of memory for temporary files, or says no; a negative n gives them back
	Stop   func() bool          // asked after every Steps instructions whether a statement must end
	Funcs  map[string]Functions // further functions, by name
}

// Action is something that a statement would do, in the words of sqlite3_set_authorizer.
type Action struct {
	Code             int32 // SQLITE_SELECT, SQLITE_READ, …
	First, Second    string
	Database, Source string // Source is the view that does it
}

// Conn is a connection to databases in memory. It is not safe for concurrent use.
type Conn struct {
	tls    *libc.TLS
	db     uintptr
	vfs    *vfs
	config Config
	pinner runtime.Pinner
	buffer buffer

	panicked any // the value of a panic in a function, until SQLite has returned
}

// Steps is the number of instructions of its machine that SQLite does before it asks whether to stop. Each of them may
// call a function on megabytes.
const Steps = 100

var initialize = sync.OnceValue(func() int32 {
	tls := libc.NewTLS()
	defer tls.Close()
	return lib.Xsqlite3_initialize(tls)
})

// Open makes a connection whose main database is empty.
func Open(config Config) (*Conn, error) {
	if code := initialize(); code != lib.SQLITE_OK {
		return nil, fmt.Errorf("initialize SQLite: code %d", code)
	}
	c := &Conn{tls: libc.NewTLS(), config: config}
	c.pinner.Pin(c)
	if err := c.open(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Conn) open() error {
	var err error
	if c.vfs, err = register(c); err != nil {
		return err
	}
	out := libc.Xcalloc(c.tls, 1, pointerSize)
	defer libc.Xfree(c.tls, out)
	name, err := libc.CString(":memory:")
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE | lib.SQLITE_OPEN_MEMORY |
		lib.SQLITE_OPEN_NOMUTEX | lib.SQLITE_OPEN_PRIVATECACHE
	code := lib.Xsqlite3_open_v2(c.tls, name, out, flags, c.vfs.name)
	c.db = *at[uintptr](out)
	if code != lib.SQLITE_OK {
		return c.failure(code)
	}
	return c.confine()
}

// confine applies the configuration. A text in double quotes is a name, never a text.
func (c *Conn) confine() error {
	for _, option := range []int32{
		lib.SQLITE_DBCONFIG_DQS_DDL, lib.SQLITE_DBCONFIG_DQS_DML, lib.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		lib.SQLITE_DBCONFIG_ENABLE_TRIGGER, lib.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
	} {
		args := libc.NewVaList(int32(0), uintptr(0))
		code := lib.Xsqlite3_db_config(c.tls, c.db, option, args)
		libc.Xfree(c.tls, args)
		if code != lib.SQLITE_OK {
			return c.failure(code)
		}
	}
	for limit, value := range c.config.Limits {
		lib.Xsqlite3_limit(c.tls, c.db, limit, value)
	}
	self := uintptr(unsafe.Pointer(c))
	if code := lib.Xsqlite3_set_authorizer(c.tls, c.db, function(authorize), self); code != lib.SQLITE_OK {
		return c.failure(code)
	}
	lib.Xsqlite3_progress_handler(c.tls, c.db, Steps, function(progress), self)
	for name, functions := range c.config.Funcs {
		if err := c.define(name, functions); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the connection and the statements that are still open; no statement may be used after it. If SQLite keeps
// the connection all the same, so does Close: its file system and its memory stay, because SQLite may still use them.
func (c *Conn) Close() error {
	if c.tls == nil {
		return nil
	}
	if c.db != 0 {
		for stmt := lib.Xsqlite3_next_stmt(c.tls, c.db, 0); stmt != 0; stmt = lib.Xsqlite3_next_stmt(c.tls, c.db, 0) {
			lib.Xsqlite3_finalize(c.tls, stmt)
		}
		if code := lib.Xsqlite3_close(c.tls, c.db); code != lib.SQLITE_OK {
			return fmt.Errorf("close the connection to SQLite: %w", c.failure(code))
		}
		c.db = 0
	}
	if c.vfs != nil {
		c.vfs.unregister(c.tls)
	}
	c.buffer.free(c.tls)
	c.tls.Close()
	c.tls = nil
	c.pinner.Unpin()
	return nil
}

func authorize(_ *libc.TLS, self uintptr, code int32, first, second, database, source uintptr) int32 {
	action := Action{
		Code: code, First: libc.GoString(first), Second: libc.GoString(second),
		Database: libc.GoString(database), Source: libc.GoString(source),
	}
	if at[Conn](self).config.Allow(action) {
		return lib.SQLITE_OK
	}
	return lib.SQLITE_DENY
}

func progress(_ *libc.TLS, self uintptr) int32 {
	if at[Conn](self).config.Stop() {
		return 1
	}
	return 0
}

// Error is an error that SQLite returns for a statement.
type Error struct {
	Code    int32 // SQLITE_ERROR, …, without its extension
	Message string
	Offset  int // of the token in the statement that is meant, or -1
}

func (e *Error) Error() string { return e.Message }

func (c *Conn) failure(code int32) error {
	return &Error{
		Code: code & 0xff, Message: libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db)),
		Offset: int(lib.Xsqlite3_error_offset(c.tls, c.db)),
	}
}
