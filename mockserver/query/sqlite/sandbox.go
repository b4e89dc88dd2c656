package sqlite

import (
	"strings"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// allow reports whether a statement may do something.
func (s *session) allow(a sqlite3.Action) bool {
	if s.loading {
		return true
	}
	switch a.Code {
	case lib.SQLITE_SELECT, lib.SQLITE_RECURSIVE:
		return true
	case lib.SQLITE_READ:
		return s.readable(a)
	case lib.SQLITE_FUNCTION:
		return listed[strings.ToLower(a.Second)]
	}
	return false
}

// readable reports whether a statement may read a column, or, where there is none, count the rows of something that it
// calls a name, which may be one of its own making.
func (s *session) readable(a sqlite3.Action) bool {
	name := strings.ToLower(a.First)
	if a.Second == "" {
		return !strings.HasPrefix(name, "sqlite_") && !strings.HasPrefix(name, "pragma_") && name != "dbstat"
	}
	return s.loaded[a.Database+"."+name] || name == "json_each" || name == "json_tree"
}

// listed are the functions that a query may call: those that depend on nothing but their arguments and the query's
// time, and whose time and memory are about linear in the length of what they are given and bounded by the limits.
// JSON aggregates and json_pretty are not: SQLite lets them grow until they are done.
var listed = func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`
		abs ceil ceiling exp floor ln log log10 log2 mod pi pow power radians degrees round sign sqrt trunc
		acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh
		char concat concat_ws format glob hex instr length like lower ltrim octet_length printf quote replace rtrim
		soundex substr substring trim unhex unicode unistr unistr_quote upper zeroblob
		coalesce if ifnull iif likelihood likely max min nullif typeof unlikely
		avg count group_concat string_agg sum total
		row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
		date time datetime julianday strftime timediff unixepoch current_date current_time current_timestamp
		json json_array json_array_length json_extract json_insert json_object
		json_quote json_remove json_replace json_set json_type json_valid -> ->>
		bool now from_unixtime unix_timestamp to_unixtime strpos regexp_like regexp`) {
		set[name] = true
	}
	return set
}()
