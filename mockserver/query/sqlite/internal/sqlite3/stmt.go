package sqlite3

import (
	"errors"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Stmt is a prepared statement.
type Stmt struct {
	conn *Conn
	stmt uintptr
}

// Prepare prepares the first statement of a text and returns what is behind it. Without a statement in the text,
// which may be comments and semicolons, it is nil.
func (c *Conn) Prepare(text string) (s *Stmt, rest string, err error) {
	out := libc.Xcalloc(c.tls, 2, pointerSize)
	defer libc.Xfree(c.tls, out)
	tail := out + uintptr(pointerSize)
	start, err := libc.CString(text) // not the buffer: functions of constants are called while this is read
	if err != nil {
		return nil, "", err
	}
	defer libc.Xfree(c.tls, start)
	code := lib.Xsqlite3_prepare_v3(c.tls, c.db, start, int32(len(text)+1), 0, out, tail)
	c.raise()
	if code != lib.SQLITE_OK {
		return nil, "", c.failure(code)
	}
	rest = text[min(len(text), int(*at[uintptr](tail)-start)):]
	if *at[uintptr](out) == 0 {
		return nil, rest, nil
	}
	return &Stmt{conn: c, stmt: *at[uintptr](out)}, rest, nil
}

// Exec runs one statement that gives no rows.
func (c *Conn) Exec(text string) error {
	s, _, err := c.Prepare(text)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Step()
	return err
}

// Close frees the statement. Closing it again does nothing, nor does closing it after its connection.
func (s *Stmt) Close() {
	if s.stmt != 0 && s.conn.db != 0 {
		lib.Xsqlite3_finalize(s.conn.tls, s.stmt)
	}
	s.stmt = 0
}

// Step moves to the next row, and reports whether there is one.
func (s *Stmt) Step() (bool, error) {
	code := lib.Xsqlite3_step(s.conn.tls, s.stmt)
	s.conn.raise()
	switch code {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.failure(code)
	}
}

// Reset lets the statement run again; its parameters are null.
func (s *Stmt) Reset() {
	lib.Xsqlite3_reset(s.conn.tls, s.stmt)
	lib.Xsqlite3_clear_bindings(s.conn.tls, s.stmt)
}

// Reads reports whether the statement only gives rows: it is not an EXPLAIN, and changes nothing.
func (s *Stmt) Reads() bool {
	return lib.Xsqlite3_stmt_readonly(s.conn.tls, s.stmt) != 0 && s.Columns() > 0 &&
		lib.Xsqlite3_stmt_isexplain(s.conn.tls, s.stmt) == 0
}

// Parameters counts the parameters.
func (s *Stmt) Parameters() int { return int(lib.Xsqlite3_bind_parameter_count(s.conn.tls, s.stmt)) }

// BindInt sets a parameter; they count from 1.
func (s *Stmt) BindInt(i int, v int64) { lib.Xsqlite3_bind_int64(s.conn.tls, s.stmt, int32(i), v) }

// BindFloat sets a parameter. NaN is null.
func (s *Stmt) BindFloat(i int, v float64) { lib.Xsqlite3_bind_double(s.conn.tls, s.stmt, int32(i), v) }

// BindText sets a parameter.
func (s *Stmt) BindText(i int, v string) error {
	text := s.conn.buffer.hold(s.conn.tls, v)
	code := lib.Xsqlite3_bind_text(s.conn.tls, s.stmt, int32(i), text, int32(len(v)), transient)
	if code != lib.SQLITE_OK {
		return s.conn.failure(code)
	}
	return nil
}

// Columns counts the columns.
func (s *Stmt) Columns() int { return int(lib.Xsqlite3_column_count(s.conn.tls, s.stmt)) }

// Name returns a column's name; they count from 0.
func (s *Stmt) Name(i int) string {
	return libc.GoString(lib.Xsqlite3_column_name(s.conn.tls, s.stmt, int32(i)))
}

// Origin returns the name and the declared type of the column of a table that a column is, or nothing for an
// expression.
func (s *Stmt) Origin(i int) (name, declared string) {
	return libc.GoString(lib.Xsqlite3_column_origin_name(s.conn.tls, s.stmt, int32(i))),
		libc.GoString(lib.Xsqlite3_column_decltype(s.conn.tls, s.stmt, int32(i)))
}

// Value returns the present row's value in a column: nil, int64, float64, string or []byte.
func (s *Stmt) Value(i int) any {
	tls, column := s.conn.tls, int32(i)
	switch lib.Xsqlite3_column_type(tls, s.stmt, column) {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(tls, s.stmt, column)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(tls, s.stmt, column)
	case lib.SQLITE_TEXT:
		text := lib.Xsqlite3_column_text(tls, s.stmt, column)
		return string(bytesAt(text, int(lib.Xsqlite3_column_bytes(tls, s.stmt, column))))
	case lib.SQLITE_BLOB:
		blob := lib.Xsqlite3_column_blob(tls, s.stmt, column)
		return append([]byte{}, bytesAt(blob, int(lib.Xsqlite3_column_bytes(tls, s.stmt, column)))...)
	}
	return nil
}

// Functions are the forms of a function by its number of arguments. They give nil, int64, float64 or string.
type Functions map[int]func(Args) (any, error)

// Args are the arguments of a call, good until it returns.
type Args struct {
	tls    *libc.TLS
	values []uintptr
}

// Null reports whether any argument is null.
func (a Args) Null() bool {
	for _, value := range a.values {
		if lib.Xsqlite3_value_type(a.tls, value) == lib.SQLITE_NULL {
			return true
		}
	}
	return false
}

// Text returns an argument as SQLite casts it to text.
func (a Args) Text(i int) string {
	text := lib.Xsqlite3_value_text(a.tls, a.values[i])
	return string(bytesAt(text, int(lib.Xsqlite3_value_bytes(a.tls, a.values[i]))))
}

// Len returns how many arguments there are.
func (a Args) Len() int { return len(a.values) }

// Bytes returns how long the arguments are together.
func (a Args) Bytes() (n int64) {
	for _, value := range a.values {
		n += int64(lib.Xsqlite3_value_bytes(a.tls, value))
	}
	return n
}

// Float returns an argument as SQLite casts it to a number.
func (a Args) Float(i int) float64 { return lib.Xsqlite3_value_double(a.tls, a.values[i]) }

// scalar is a function that SQLite knows.
type scalar struct {
	conn *Conn
	call func(Args) (any, error)
}

func (c *Conn) define(name string, functions Functions) error {
	for n, call := range functions {
		f := &scalar{conn: c, call: call}
		c.pinner.Pin(f)
		code := lib.Xsqlite3_create_function_v2(c.tls, c.db, c.buffer.hold(c.tls, name), int32(n),
			lib.SQLITE_UTF8|lib.SQLITE_DETERMINISTIC, uintptr(unsafe.Pointer(f)), function(callScalar), 0, 0, 0)
		if code != lib.SQLITE_OK {
			return c.failure(code)
		}
	}
	return nil
}

// contain calls the function. SQLite frees nothing when a panic goes through it: the panic waits in the connection
// until SQLite has ended the statement and returned.
func (f *scalar) contain(args Args) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			f.conn.panicked, err = p, errors.New("the function panicked")
		}
	}()
	return f.call(args)
}

// raise goes on with the panic of a function.
func (c *Conn) raise() {
	if p := c.panicked; p != nil {
		c.panicked = nil
		panic(p)
	}
}

func callScalar(tls *libc.TLS, context uintptr, n int32, values uintptr) {
	f := at[scalar](lib.Xsqlite3_user_data(tls, context))
	args := Args{tls: tls}
	if n > 0 {
		args.values = unsafe.Slice(at[uintptr](values), n)
	}
	result, err := f.contain(args)
	if err != nil {
		message := err.Error()
		lib.Xsqlite3_result_error(tls, context, f.conn.buffer.hold(tls, message), int32(len(message)))
		return
	}
	switch v := result.(type) {
	case int64:
		lib.Xsqlite3_result_int64(tls, context, v)
	case float64:
		lib.Xsqlite3_result_double(tls, context, v)
	case string:
		lib.Xsqlite3_result_text(tls, context, f.conn.buffer.hold(tls, v), int32(len(v)), transient)
	default:
		lib.Xsqlite3_result_null(tls, context)
	}
}
