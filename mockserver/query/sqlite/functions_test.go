package sqlite_test

import "testing"

func TestFunctions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, rows string }{
		{
			"now(), current_timestamp, current_date, datetime('now')",
			"[[2026-01-15 09:30:00 2026-01-15 09:30:00 2026-01-15 2026-01-15 09:30:00]]",
		},
		{"unix_timestamp(), unixepoch('now'), strftime('%H', 'now', '+1 hour')", "[[1768469400 1768469400 10]]"},
		{
			"from_unixtime(0), from_unixtime(1768469400.9), from_unixtime('12'), from_unixtime(-1)",
			"[[1970-01-01 00:00:00 2026-01-15 09:30:00 1970-01-01 00:00:12 1969-12-31 23:59:59]]",
		},
		{"from_unixtime(1768469400000), from_unixtime(NULL)", "[[<nil> <nil>]]"},
		{
			"unix_timestamp('2026-01-15 09:30:00'), unix_timestamp('2026-01-15'), unix_timestamp('today')",
			"[[1768469400 1768435200 <nil>]]",
		},
		{
			"to_unixtime('2026-01-15 09:30:00.5'), to_unixtime('2026-01-15T09:30:00'), to_unixtime('2026-01-15T10:30:00+01:00')",
			"[[1.7684694005e+09 1.7684694e+09 1.7684694e+09]]",
		},
		{
			"strpos('héllo', 'l'), instr('héllo', 'x'), strpos(123, 3), instr(NULL, 'x'), instr('a', '')",
			"[[3 0 3 <nil> 1]]",
		},
		{
			"replace('banana', 'an', 'AN'), replace('a', '', 'b'), replace('aa', 'a', ''), replace(NULL, 'a', 'b')",
			"[[bANANa a  <nil>]]",
		},
		{"trim('  a '), trim('xxayy', 'xy'), ltrim('éa', 'é'), rtrim('abb', 'b'), trim('a', NULL)", "[[a a a a <nil>]]"},
		{"regexp_like('abc', '^a.c$'), 'abc' REGEXP 'z', NULL REGEXP 'a'", "[[true false <nil>]]"},
		{
			"'aBc' LIKE 'AbC', 'é' LIKE 'É', 'abc' LIKE 'a%', 'abc' LIKE 'a_', 'a%' LIKE 'a\\%' ESCAPE '\\', 'ab' LIKE " +
				"'a\\%' ESCAPE '\\'",
			"[[true false true false true false]]",
		},
		{
			"'a.c' LIKE 'a.c', 'abc' LIKE 'a.c', 'a\nb' LIKE '%B', 12 LIKE '1%', NULL LIKE 'a', 'a' NOT LIKE 'b'",
			"[[true false true true <nil> true]]",
		},
		{
			"'abc' GLOB 'a*', 'abc' GLOB 'A*', 'abc' GLOB 'a?c', 'a*c' GLOB 'a[*]c', 'abc' GLOB 'a*d'",
			"[[true false true true false]]",
		},
		{
			"'b' GLOB '[a-c]', 'd' GLOB '[a-c]', 'd' GLOB '[^a-c]', ']' GLOB '[]]', '-' GLOB '[a-]', '^' GLOB '[x^]', 'a' " +
				"GLOB '[a'",
			"[[true false true true true true false]]",
		},
		{
			"if(1 < 2, 'a', 'b'), coalesce(NULL, 3), nullif(1, 1), max(1, 2), concat('a', 1), concat_ws('-', 1, 2)",
			"[[a 3 <nil> 2 a1 1-2]]",
		},
		{"CAST('1' AS bigint) + CAST('1.5' AS double), CAST(1 AS varchar) || ''", "[[2.5 1]]"},
	} {
		gives(t, "SELECT "+test.text, test.rows)
	}
	gives(t, "SELECT user FROM orders WHERE user REGEXP '^b' OR regexp_like(id, '3')", "[[bob] [ada]]")
}
