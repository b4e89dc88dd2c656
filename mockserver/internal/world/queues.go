package world

import (
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/table"
)

// Queue holds what was queued, oldest first, as a value: a copy is O(1) and never sees what happens to the original.
// The zero value is empty.
type Queue[T any] struct {
	entries table.Table[T] // by numbers that go up
}

// NewQueue returns a queue of entries.
func NewQueue[T any](entries ...T) (q Queue[T]) {
	for _, entry := range entries {
		q.Add(entry)
	}
	return q
}

// Add adds an entry to the end.
func (q *Queue[T]) Add(entry T) {
	last := int64(0)
	for last = range q.entries.Rows().Before(0) {
		break
	}
	q.entries.Put(last+1, entry)
}

// EntriesOf iterates over the entries of a queue, oldest first, with their numbers. They must not be changed.
func EntriesOf[T any](q *Queue[T]) iter.Seq2[int64, *T] {
	return func(yield func(int64, *T) bool) {
		for number, entry := range q.entries.Rows().All() {
			if !yield(number, entry.(*T)) {
				return
			}
		}
	}
}

// Requeue replaces the entry of a queue that has a number.
func Requeue[T any](q *Queue[T], number int64, entry T) { q.entries.Put(number, entry) }

// List returns the entries, oldest first.
func (q *Queue[T]) List() (list []T) {
	for _, entry := range EntriesOf(q) {
		list = append(list, *entry)
	}
	return list
}

// TakeFirst returns the first entry of a queue that fits, as it was before. An entry that is good for some times counts
// down, and is gone after the last. At 0 it is good for ever.
func TakeFirst[T any](q *Queue[T], fits func(*T) bool, times func(*T) *int) *T {
	for number, entry := range EntriesOf(q) {
		if !fits(entry) {
			continue
		}
		switch rest := *entry; *times(entry) {
		case 0:
		case 1:
			table.Delete(&q.entries, number)
		default:
			*times(&rest)--
			Requeue(q, number, rest)
		}
		return entry
	}
	return nil
}

// MarshalJSONTo implements json.MarshalerTo. A queue is a list.
func (q *Queue[T]) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, q.List()) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (q *Queue[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var list []T
	err := json.UnmarshalDecode(d, &list)
	*q = NewQueue(list...)
	return err
}
