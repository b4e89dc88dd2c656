package table

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"unsafe"

	"github.com/benbjohnson/immutable"
)

// Rows is a table without the type of its rows.
type Rows struct {
	tree *tree
	row  any // a nil pointer to one
}

// New returns a pointer to a row that is in no table.
func (r Rows) New() any { return reflect.New(elemType(r.row)).Interface() }

// Get returns a pointer to the row with an id, which must not be changed. It is nil if no row has the id.
func (r Rows) Get(id int64) any {
	if found := r.tree.get(id); found != nil {
		return found.row
	}
	return nil
}

// Put inserts or replaces the row with an id by the one that a pointer leads to, and keeps the pointer.
func (r Rows) Put(id int64, row any) {
	if reflect.TypeOf(row) != reflect.TypeOf(r.row) {
		panic(fmt.Sprintf("a row is %T, want %T", row, r.row))
	}
	r.tree.put(id, row)
}

// Delete removes the row with an id, if it is there.
func (r Rows) Delete(id int64) { r.tree.delete(id) }

// After is After with pointers to the rows, which must not be changed.
func (r Rows) After(id int64) iter.Seq2[int64, any] {
	return func(yield func(int64, any) bool) {
		r.tree.ascend(id, func(id int64, found *entry) bool { return yield(id, found.row) })
	}
}

// Before is Before with pointers to the rows, which must not be changed.
func (r Rows) Before(id int64) iter.Seq2[int64, any] {
	return func(yield func(int64, any) bool) {
		r.tree.descend(id, func(id int64, found *entry) bool { return yield(id, found.row) })
	}
}

// All is All with pointers to the rows, which must not be changed.
func (r Rows) All() iter.Seq2[int64, any] { return r.After(-1) }

// elemType returns the type that a nil pointer points to.
func elemType(pointer any) reflect.Type { return reflect.TypeOf(pointer).Elem() }

// tree holds the rows of a table, whatever their type. Every package that uses a world compiles the methods and the
// comparison of what its fields show, so the map stands behind a pointer without a type, and trees cannot be compared.
// An interface would do, but each change of a world copies all its trees.
type tree struct {
	Meter // of the rows

	_   [0]func()      // forbids comparison
	all unsafe.Pointer // *sorted; nil until there is a row
}

type sorted = immutable.SortedMap[int64, *entry]

func sortedOf(t *tree) *sorted { return (*sorted)(t.all) }

// entry is a row, and what it takes in memory. Rows stand behind pointers, since a put copies a leaf with its 32
// neighbours: for rows of 350 bytes that made a put three times as dear.
type entry struct {
	row   any // a pointer to a row of the table's type, or to the pairs of an index
	bytes int64
}

func newEntry(row any) *entry {
	return &entry{row: row, bytes: entryCost + size(reflect.ValueOf(row).Elem())}
}

func (t *tree) len() int {
	if all := sortedOf(t); all != nil {
		return all.Len()
	}
	return 0
}

func (t *tree) get(id int64) *entry {
	if all := sortedOf(t); all != nil {
		found, _ := all.Get(id)
		return found
	}
	return nil
}

func (t *tree) put(id int64, row any) {
	all := sortedOf(t)
	if all == nil {
		all = immutable.NewSortedMap[int64, *entry](nil)
	}
	t.uncount(id)
	e := newEntry(row)
	t.Charge(e.bytes)
	t.all = unsafe.Pointer(all.Set(id, e))
}

func (t *tree) delete(id int64) {
	if all := sortedOf(t); all != nil {
		t.uncount(id)
		t.all = unsafe.Pointer(all.Delete(id))
	}
}

// uncount no longer counts the bytes of a row, if it is there.
func (t *tree) uncount(id int64) {
	if before := t.get(id); before != nil {
		t.Charge(-before.bytes)
	}
}

// ascend goes up over the ids above one, and over all of them when it is negative, while yield wants more.
func (t *tree) ascend(id int64, yield func(id int64, found *entry) bool) {
	all := sortedOf(t)
	if all == nil || id == math.MaxInt64 {
		return
	}
	it := all.Iterator()
	if id >= 0 {
		it.Seek(id + 1)
	}
	for {
		if id, found, ok := it.Next(); !ok || !yield(id, found) {
			return
		}
	}
}

// descend goes down over the ids below one, and over all of them when it is 0, while yield wants more.
func (t *tree) descend(id int64, yield func(id int64, found *entry) bool) {
	all := sortedOf(t)
	if all == nil {
		return
	}
	it := all.Iterator()
	if it.Last(); id > 0 {
		if it.Seek(id); it.Done() {
			it.Last()
		} else {
			it.Prev()
		}
	}
	for {
		if id, found, ok := it.Prev(); !ok || !yield(id, found) {
			return
		}
	}
}
