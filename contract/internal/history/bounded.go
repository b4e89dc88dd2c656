package history

// bounded is a map that forgets its oldest entries, so that memory stays flat however long a recording is. What is
// forgotten is unknown again.
type bounded[K comparable, V any] struct {
	entries map[K]V
	order   []K
	limit   int
	evicted func(V)
}

func newBounded[K comparable, V any](limit int, evicted func(V)) *bounded[K, V] {
	return &bounded[K, V]{limit: limit, evicted: evicted} // of most accounts, most kinds of facts are never seen
}

func (b *bounded[K, V]) Get(key K) (V, bool) {
	v, ok := b.entries[key]
	return v, ok
}

func (b *bounded[K, V]) put(key K, value V) {
	if b.entries == nil {
		b.entries = map[K]V{}
	}
	if _, ok := b.entries[key]; !ok {
		if len(b.entries) >= b.limit {
			oldest := b.order[0]
			b.order = b.order[1:]
			if b.evicted != nil {
				b.evicted(b.entries[oldest])
			}
			delete(b.entries, oldest)
		}
		b.order = append(b.order, key)
	}
	b.entries[key] = value
}
