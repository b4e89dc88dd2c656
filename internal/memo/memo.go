// Package memo remembers values that take a while to make.
package memo

import "sync"

// Map holds the value that was made for each key. The zero value is empty, and goroutines may share it.
type Map[K comparable, V any] struct{ known sync.Map }

// Of returns the value of a key, which it makes if there is none. Goroutines that make one at once get the same.
func (m *Map[K, V]) Of(key K, create func() V) V {
	known, ok := m.known.Load(key)
	if !ok {
		known, _ = m.known.LoadOrStore(key, create())
	}
	return known.(V)
}
