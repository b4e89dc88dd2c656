package table

import (
	"hash/maphash"
	"iter"
	"reflect"
	"unsafe"

	"github.com/benbjohnson/immutable"
)

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
	Meter // of the pairs

	_   [0]func()      // see tree
	all unsafe.Pointer // *hashed; nil until there is a key
}

type hashed = immutable.Map[uint64, *entry]

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
	x.replace(maphash.Comparable(seed, key), key, []pair[K, V]{{key, value}})
}

// Delete removes a key, if it is there.
func (x *Index[K, V]) Delete(key K) { x.replace(maphash.Comparable(seed, key), key, nil) }

// replace puts pairs in the place of the one with a key.
func (x *Index[K, V]) replace(hash uint64, key K, by []pair[K, V]) {
	if found := x.buckets.get(hash); found != nil {
		for _, p := range *found.row.(*[]pair[K, V]) {
			if p.Key != key {
				by = append(by, p)
			}
		}
	}
	x.buckets.put(hash, &by, len(by) == 0)
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
func (b *buckets) put(hash uint64, pairs any, empty bool) {
	all := hashedOf(b)
	if all == nil {
		all = immutable.NewMap[uint64, *entry](sameHash{})
	}
	if before, ok := all.Get(hash); ok {
		b.Charge(-before.bytes)
	}
	if empty {
		b.all = unsafe.Pointer(all.Delete(hash))
		return
	}
	e := newEntry(pairs)
	b.Charge(e.bytes)
	b.all = unsafe.Pointer(all.Set(hash, e))
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
