package judge

import (
	"maps"
	"sync"
	"sync/atomic"
)

// memo remembers a number of values. They are read without a lock.
type memo[K comparable, V any] struct {
	mu    sync.Mutex
	known atomic.Pointer[map[K]V]
}

// maxKnown bounds a memo: what more there is, is made again.
const maxKnown = 100

func (m *memo[K, V]) get(key K) (value V, ok bool) {
	if known := m.known.Load(); known != nil {
		value, ok = (*known)[key]
	}
	return value, ok
}

// put remembers a value, unless there is one already, and returns the one that is to be used.
func (m *memo[K, V]) put(key K, value V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	more := map[K]V{}
	if known := m.known.Load(); known != nil {
		if value, ok := (*known)[key]; ok {
			return value
		}
		if len(*known) == maxKnown {
			return value
		}
		maps.Copy(more, *known)
	}
	more[key] = value
	m.known.Store(&more)
	return value
}
