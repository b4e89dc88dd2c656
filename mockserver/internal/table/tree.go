package table

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/benbjohnson/immutable"

	"svc.example/understudy/internal/memo"
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
	r.tree.put(id, new(entry).of(row))
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
// An interface would do, but each change of a world copies all its trees, and so the meter stands with the map.
type tree struct {
	_   [0]func()      // forbids comparison
	all unsafe.Pointer // *sorted; nil until there is a row
}

// sorted is a map of rows that does not change, and what they take.
type sorted struct {
	Meter
	immutable.SortedMap[int64, *entry]
}

func sortedOf(t *tree) *sorted { return (*sorted)(t.all) }

// entry is a row, and what it takes in memory. Rows stand behind pointers, since a put copies a leaf with its 32
// neighbours: for rows of 350 bytes that made a put three times as dear.
type entry struct {
	row   any // a pointer to a row of the table's type, or to the pairs of an index
	bytes int64
}

// of makes an entry be that of a row.
func (e *entry) of(row any) *entry {
	*e = entry{row: row, bytes: entryCost + size(reflect.ValueOf(row).Elem())}
	return e
}

func (t *tree) get(id int64) *entry {
	if all := sortedOf(t); all != nil {
		found, _ := all.Get(id)
		return found
	}
	return nil
}

func (t *tree) put(id int64, e *entry) {
	all := sortedOf(t)
	if all == nil {
		all = &sorted{}
	}
	bytes := all.bytes + e.bytes
	if before := t.get(id); before != nil {
		bytes -= before.bytes
	}
	t.all = unsafe.Pointer(&sorted{Meter{bytes}, *all.Set(id, e)})
}

func (t *tree) delete(id int64) {
	if before := t.get(id); before != nil {
		all := sortedOf(t)
		t.all = unsafe.Pointer(&sorted{Meter{all.bytes - before.bytes}, *all.Delete(id)})
	}
}

// walked counts the rows that all walks in this process have passed: one that grows with the rows before each is not
// seen otherwise, since it may allocate nothing.
var walked atomic.Int64

// Walked returns the number of rows that all walks through tables have passed since the process began.
func Walked() int64 { return walked.Load() }

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
	passed := int64(0)
	defer func() { walked.Add(passed) }()
	for {
		id, found, ok := it.Next()
		if passed++; !ok || !yield(id, found) {
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
	passed := int64(0)
	defer func() { walked.Add(passed) }()
	for {
		id, found, ok := it.Prev()
		if passed++; !ok || !yield(id, found) {
			return
		}
	}
}

// Meters returns a function that adds up the meters of all tables, indexes and their like that are fields of a struct,
// or of structs within it.
func Meters[T any]() func(*T) int64 {
	places, behind := meters(reflect.TypeFor[T](), 0)
	return func(value *T) (n int64) {
		for _, place := range places {
			n += (*Meter)(unsafe.Add(unsafe.Pointer(value), place)).bytes
		}
		for _, place := range behind {
			if meter := *(**Meter)(unsafe.Add(unsafe.Pointer(value), place)); meter != nil {
				n += meter.bytes
			}
		}
		return n
	}
}

// Sames returns a function that reports whether all tables and indexes that are fields of two structs, or of structs
// within them, have the same entries because one is a copy of the other. It may report false although they have.
func Sames[T any]() func(a, b *T) bool {
	_, places := meters(reflect.TypeFor[T](), 0)
	return func(a, b *T) bool {
		for _, place := range places {
			if *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(a), place)) !=
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(b), place)) {
				return false
			}
		}
		return true
	}
}

// meters returns where the meters of a struct are, which itself is at a place, and the pointers of its tables and
// indexes, which lead to theirs.
func meters(t reflect.Type, place uintptr) (places, behind []uintptr) {
	switch {
	case t.Kind() != reflect.Struct:
		return nil, nil
	case isMetered(t):
		return []uintptr{place}, nil
	case t == treeType, t == bucketsType:
		return nil, []uintptr{place + t.Field(allField).Offset}
	}
	for field := range t.Fields() {
		more, moreBehind := meters(field.Type, place+field.Offset)
		places, behind = append(places, more...), append(behind, moreBehind...)
	}
	return places, behind
}

// allField is the index of the field all in a tree and in buckets.
const allField = 1

// isMetered reports whether a struct begins with a meter.
func isMetered(t reflect.Type) bool { return t.NumField() > 0 && t.Field(0).Type == meterType }

// entryCost is an estimate of the bytes that a table or an index needs for an entry beside the entry itself.
const entryCost = 64

// Meter counts what a struct takes in memory beside its shallow size. Size asks it instead of looking through the
// struct when it is the first field.
type Meter struct{ bytes int64 }

// Charge adds n bytes, which may be fewer than none.
func (m *Meter) Charge(n int64) { m.bytes += n }

// MemorySize returns about how many bytes there are.
func (m Meter) MemorySize() int64 { return m.bytes }

// Size returns about how many bytes a value takes in memory, with what it points to. What it points to twice counts
// twice.
func Size[T any](value *T) int64 { return size(reflect.ValueOf(value).Elem()) }

func size(v reflect.Value) int64 {
	n := int64(v.Type().Size())
	if more := sizerOf(v.Type()); more != nil {
		n += more(v)
	}
	return n
}

// sizer returns what a value takes beside its shallow size. It is nil for types that take no more than that.
type sizer func(reflect.Value) int64

// sizers are kept, since they are asked for each row that is put.
var sizers memo.Map[reflect.Type, sizer]

var (
	meterType   = reflect.TypeFor[Meter]()
	treeType    = reflect.TypeFor[tree]()
	bucketsType = reflect.TypeFor[buckets]()
	timeType    = reflect.TypeFor[time.Time]()
)

func sizerOf(t reflect.Type) sizer {
	return sizers.Of(t, func() sizer { return newSizer(t) })
}

func newSizer(t reflect.Type) sizer {
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value) int64 { return int64(v.Len()) }
	case reflect.Slice:
		return sliceSizer(t)
	case reflect.Pointer:
		return pointerSizer(t)
	case reflect.Map:
		return mapSizer(t)
	case reflect.Struct:
		return structSizer(t)
	case reflect.Array:
		return arraySizer(t)
	case reflect.Interface:
		return interfaceSize
	default:
		return nil
	}
}

func sliceSizer(t reflect.Type) sizer {
	items := arraySizer(t)
	size := int64(t.Elem().Size())
	return func(v reflect.Value) int64 {
		n := size * int64(v.Len())
		if items != nil {
			n += items(v)
		}
		return n
	}
}

// arraySizer returns what the items of a slice or an array take beside their places in it.
func arraySizer(t reflect.Type) sizer {
	if t.Elem().Kind() == reflect.Uint8 {
		return nil
	}
	var once sync.Once
	var item sizer // found late, since types may contain themselves
	return func(v reflect.Value) (n int64) {
		once.Do(func() { item = sizerOf(t.Elem()) })
		for i := 0; item != nil && i < v.Len(); i++ {
			n += item(v.Index(i))
		}
		return n
	}
}

func pointerSizer(t reflect.Type) sizer {
	size := int64(t.Elem().Size())
	return func(v reflect.Value) int64 {
		if v.IsNil() {
			return 0
		}
		n := size
		if item := sizerOf(t.Elem()); item != nil {
			n += item(v.Elem())
		}
		return n
	}
}

func mapSizer(t reflect.Type) sizer {
	size := int64(t.Key().Size()+t.Elem().Size()) + entryCost
	return func(v reflect.Value) int64 {
		n := size * int64(v.Len())
		key, value := sizerOf(t.Key()), sizerOf(t.Elem())
		for it := v.MapRange(); it.Next(); {
			if key != nil {
				n += key(it.Key())
			}
			if value != nil {
				n += value(it.Value())
			}
		}
		return n
	}
}

// structSizer looks only at fields that may take more than their place.
func structSizer(t reflect.Type) sizer {
	switch {
	case t == timeType: // whose location is shared
		return nil
	case isMetered(t):
		return func(v reflect.Value) int64 { return v.Field(0).Field(0).Int() }
	case t == treeType, t == bucketsType:
		return func(v reflect.Value) int64 {
			if meter := (*Meter)(v.Field(allField).UnsafePointer()); meter != nil {
				return meter.bytes
			}
			return 0
		}
	}
	type field struct {
		index int
		size  sizer
	}
	var fields []field
	for i := range t.NumField() {
		if s := sizerOf(t.Field(i).Type); s != nil {
			fields = append(fields, field{i, s})
		}
	}
	if fields == nil {
		return nil
	}
	return func(v reflect.Value) (n int64) {
		for _, f := range fields {
			n += f.size(v.Field(f.index))
		}
		return n
	}
}

// interfaceSize does not follow pointers: what is behind them may change meanwhile.
func interfaceSize(v reflect.Value) int64 {
	if v = v.Elem(); !v.IsValid() || v.Kind() == reflect.Pointer {
		return 0
	}
	n := int64(v.Type().Size())
	if more := sizerOf(v.Type()); more != nil {
		n += more(v)
	}
	return n
}
