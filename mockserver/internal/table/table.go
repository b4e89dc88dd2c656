// Package table holds rows in persistent tables: a copy of a table is a pointer, and a change to one copy is never
// seen by another. That is what makes a world a value.
//
// A Table is ordered by id. Ids only grow, so the order is that of insertion. An Index finds ids, or other small
// values, by any comparable key. Both are thin typed shells around one untyped tree. The tree is benbjohnson/immutable:
// on 10,000 rows its puts took a quarter of the time, and a fifth of the memory, of go-immutable-radix, for the same
// speed of iteration.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/benbjohnson/immutable"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
func (t *Table[R]) Put(id int64, row R) {
	put := &struct {
		entry
		row R
	}{row: row} // in one piece: most changes of a world are puts
	t.tree.put(id, put.entry.of(&put.row))
}

// Delete removes the row with an id, if it is there.
func Delete[R any](t *Table[R], id int64) { t.tree.delete(id) }

// Len returns the number of rows.
func Len[R any](t *Table[R]) int {
	if all := sortedOf(&t.tree); all != nil {
		return all.Len()
	}
	return 0
}

// Last returns the largest id; 0 if there are no rows.
func Last[R any](t *Table[R]) (last int64) {
	t.tree.descend(0, func(id int64, _ *entry) bool {
		last = id
		return false
	})
	return last
}

// First returns the first row that fits, in ascending order of id.
func First[R any](t *Table[R], fits func(R) bool) (row R, found bool) {
	for _, r := range All(t) {
		if fits(r) {
			return r, true
		}
	}
	return row, false
}

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

// MaxID is the largest id that a table is read with: every reader of JSON holds it exactly.
const MaxID = 1 << 53

// Form returns the options with which JSON holds tables and indexes.
func Form() json.Options {
	type rows interface{ Rows() Rows }
	return json.JoinOptions(
		json.WithMarshalers(json.JoinMarshalers(
			json.MarshalToFunc(func(e *jsontext.Encoder, t rows) error { return t.Rows().write(e) }),
			json.MarshalToFunc(writePairs),
		)),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(func(d *jsontext.Decoder, t rows) error { return t.Rows().read(d) }),
			json.UnmarshalFromFunc(readPairs),
		)),
	)
}

// write writes the rows as an object, by their ids, in order.
func (r Rows) write(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginObject)
	for id, row := range r.All() {
		if err == nil {
			err = e.WriteToken(jsontext.String(strconv.FormatInt(id, 10)))
		}
		if err == nil {
			err = json.MarshalEncode(e, row)
		}
	}
	return errors.Join(err, e.WriteToken(jsontext.EndObject))
}

func (r Rows) read(d *jsontext.Decoder) error {
	*r.tree = tree{}
	if err := expectToken(d, jsontext.KindBeginObject); err != nil {
		return err
	}
	for last := int64(-1); d.PeekKind() == jsontext.KindString; {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		id, err := strconv.ParseInt(name.String(), 10, 64)
		if err != nil || id <= last || id > MaxID {
			return fmt.Errorf("the id of a row is %q: want integers from 0 to %d, in ascending order", name.String(), MaxID)
		}
		row := r.New()
		if err := json.UnmarshalDecode(d, row); err != nil {
			return err
		}
		r.tree.put(id, new(entry).of(row))
		last = id
	}
	return expectToken(d, jsontext.KindEndObject)
}

func expectToken(d *jsontext.Decoder, kind jsontext.Kind) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("want %v, not %v", kind, token.Kind())
	}
	return err
}

// pairs is an index without the types of its keys and values.
type pairs interface {
	Pairs() Pairs
	fill(bucket any) error
}

// fill replaces the pairs by those of a bucket, whatever their hashes.
func (x *Index[K, V]) fill(bucket any) error {
	list := *bucket.(*[]pair[K, V])
	*x = Index[K, V]{}
	for _, p := range list {
		if _, taken := x.Get(p.Key); taken {
			return errTwice
		}
		x.Put(p.Key, p.Value)
	}
	return nil
}

var errTwice = errors.New("two entries have the same key")

// writePairs writes the entries as a list, sorted by what is written of them.
func writePairs(e *jsontext.Encoder, x pairs) error {
	texts := []jsontext.Value{}
	for p := range x.Pairs().All() {
		text, err := json.Marshal(p, e.Options())
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
	return json.MarshalEncode(e, texts)
}

func readPairs(d *jsontext.Decoder, x pairs) error {
	bucket := reflect.New(elemType(x.Pairs().bucket)).Interface()
	if err := json.UnmarshalDecode(d, bucket); err != nil {
		return err
	}
	return x.fill(bucket)
}

// Index maps keys to values, without an order. The zero value is an empty index, ready to use.
type Index[K comparable, V any] struct {
	buckets buckets // *[]pair[K, V]
}

type pair[K comparable, V any] struct {
	Key   K `json:"key"`
	Value V `json:"value"`
}

// Pairs returns the index without the types of its keys and values.
func (x *Index[K, V]) Pairs() Pairs { return Pairs{&x.buckets, (*[]pair[K, V])(nil)} }

// Pairs is an index without the types of its keys and values.
type Pairs struct {
	buckets *buckets
	bucket  any // a nil pointer to one
}

// All iterates in any order over pointers to the pairs, which must not be changed.
func (p Pairs) All() iter.Seq[any] {
	return func(yield func(any) bool) {
		for found := range p.buckets.each {
			for bucket, i := reflect.ValueOf(found.row).Elem(), 0; i < bucket.Len(); i++ {
				if !yield(bucket.Index(i).Addr().Interface()) {
					return
				}
			}
		}
	}
}

// buckets is an index without the types of its keys and values: the few that have the same hash stand together.
type buckets struct {
	_   [0]func()      // see tree
	all unsafe.Pointer // *hashed; nil until there is a key
}

type hashed struct {
	Meter
	immutable.Map[uint64, *entry]
}

func hashedOf(b *buckets) *hashed { return (*hashed)(b.all) }

// seed is shared, so that indexes with the same keys have the same form; nothing depends on which it is.
var seed = maphash.MakeSeed()

// Get returns the value of a key.
func (x *Index[K, V]) Get(key K) (value V, ok bool) {
	if found := x.buckets.get(maphash.Comparable(seed, key)); found != nil {
		for _, p := range *found.row.(*[]pair[K, V]) {
			if p.Key == key {
				return p.Value, true
			}
		}
	}
	return value, false
}

// Put inserts or replaces the value of a key.
func (x *Index[K, V]) Put(key K, value V) {
	x.replace(maphash.Comparable(seed, key), key, value, true)
}

// Delete removes a key, if it is there.
func (x *Index[K, V]) Delete(key K) {
	var none V
	x.replace(maphash.Comparable(seed, key), key, none, false)
}

// replace puts a value in the place of that of a key, or none.
func (x *Index[K, V]) replace(hash uint64, key K, value V, isThere bool) {
	put := &struct {
		entry
		pairs []pair[K, V]
		first [1]pair[K, V]
	}{first: [1]pair[K, V]{{key, value}}} // in one piece, likewise
	if put.pairs = put.first[:0]; isThere {
		put.pairs = put.first[:]
	}
	if found := x.buckets.get(hash); found != nil {
		for _, p := range *found.row.(*[]pair[K, V]) {
			if p.Key != key {
				put.pairs = append(put.pairs, p)
			}
		}
	}
	x.buckets.put(hash, put.entry.of(&put.pairs), len(put.pairs) == 0)
}

// Entries iterates in an order that differs from process to process.
func Entries[K comparable, V any](x *Index[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for found := range x.buckets.each {
			for _, p := range *found.row.(*[]pair[K, V]) {
				if !yield(p.Key, p.Value) {
					return
				}
			}
		}
	}
}

func (b *buckets) get(hash uint64) *entry {
	if all := hashedOf(b); all != nil {
		found, _ := all.Get(hash)
		return found
	}
	return nil
}

// put puts pairs in the place of those with a hash; an empty bucket is removed.
func (b *buckets) put(hash uint64, e *entry, empty bool) {
	all := hashedOf(b)
	if all == nil {
		all = &hashed{Map: *immutable.NewMap[uint64, *entry](sameHash{})}
	}
	before, has := all.Get(hash)
	bytes := all.bytes
	if has {
		bytes -= before.bytes
	}
	if !empty {
		b.all = unsafe.Pointer(&hashed{Meter{bytes + e.bytes}, *all.Set(hash, e)})
	} else if has {
		b.all = unsafe.Pointer(&hashed{Meter{bytes}, *all.Delete(hash)})
	}
}

// each yields every bucket.
func (b *buckets) each(yield func(*entry) bool) {
	all := hashedOf(b)
	if all == nil {
		return
	}
	for it := all.Iterator(); !it.Done(); {
		if _, found, _ := it.Next(); !yield(found) {
			return
		}
	}
}

// sameHash compares keys that are hashes.
type sameHash struct{}

func (sameHash) Hash(hash uint64) uint32 { return uint32(hash) }
func (sameHash) Equal(a, b uint64) bool  { return a == b }
