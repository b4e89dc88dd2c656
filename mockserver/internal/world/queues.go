package world

import "slices"

// TakeFirst returns the first entry of a queue that fits, and the queue as it is afterwards: an entry that is good for
// some times counts down in a copy, and is gone after the last. At 0 it is good for ever.
func TakeFirst[T any](queue []T, fits func(T) bool, times func(*T) *int) (taken *T, rest []T) {
	i := slices.IndexFunc(queue, fits)
	if i < 0 {
		return nil, queue
	}
	if *times(&queue[i]) == 0 {
		return &queue[i], queue
	}
	rest = slices.Clone(queue)
	if n := times(&rest[i]); *n > 1 {
		*n--
		return &queue[i], rest
	}
	return &queue[i], slices.Delete(rest, i, i+1)
}
