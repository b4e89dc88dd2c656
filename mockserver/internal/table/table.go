// Package table holds rows in persistent tables: a copy of a table is a pointer, and a change to one copy is never
// seen by another. That is what makes a world a value.
//
// A Table is ordered by id. Ids only grow, so the order is that of insertion. An Index finds ids, or other small
// values, by any comparable key. Both are thin typed shells around one untyped tree. The tree is benbjohnson/immutable:
// on 10,000 rows its puts took a quarter of the time, and a fifth of the memory, of go-immutable-radix, for the same
// speed of iteration.
package table

import (
	"iter"
)

// Table maps ids to rows. The zero value is an empty table, ready to use. Rows are values: change one by putting it
// back. What a table can do beside Get and Put are functions, since every package that sees a world compiles the
// methods of each of its tables, called or not.
type Table[R any] struct {
	tree tree // of *R
}

// Rows returns the table without the type of its rows.
func (t *Table[R]) Rows() Rows { return Rows{&t.tree, (*R)(nil)} }

// Get returns the row with an id.
func (t *Table[R]) Get(id int64) (row R, ok bool) {
	if found := t.tree.get(id); found != nil {
		return *found.row.(*R), true
	}
	return row, false
}

// Put inserts or replaces the row with an id.
func (t *Table[R]) Put(id int64, row R) { t.tree.put(id, &row) }

// Delete removes the row with an id, if it is there.
func Delete[R any](t *Table[R], id int64) { t.tree.delete(id) }

// Len returns the number of rows.
func Len[R any](t *Table[R]) int { return t.tree.len() }

// All iterates in ascending order of id.
func All[R any](t *Table[R]) iter.Seq2[int64, R] { return After(t, -1) }

// After iterates in ascending order over the ids above one.
func After[R any](t *Table[R], id int64) iter.Seq2[int64, R] {
	return func(yield func(int64, R) bool) {
		t.tree.ascend(id, func(id int64, found *entry) bool { return yield(id, *found.row.(*R)) })
	}
}

// Before iterates in descending order over the ids below one; over all of them when it is 0.
func Before[R any](t *Table[R], id int64) iter.Seq2[int64, R] {
	return func(yield func(int64, R) bool) {
		t.tree.descend(id, func(id int64, found *entry) bool { return yield(id, *found.row.(*R)) })
	}
}
