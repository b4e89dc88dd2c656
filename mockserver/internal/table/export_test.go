package table

// ReplaceAt is Put for a key that is taken to have a hash.
func (x *Index[K, V]) ReplaceAt(hash uint64, key K, value V) {
	x.replace(hash, key, []pair[K, V]{{key, value}})
}

// RemoveAt is Delete for a key that is taken to have a hash.
func (x *Index[K, V]) RemoveAt(hash uint64, key K) { x.replace(hash, key, nil) }

// Keys returns the number of keys.
func Keys[K comparable, V any](x *Index[K, V]) (n int) {
	for range Entries(x) {
		n++
	}
	return n
}
