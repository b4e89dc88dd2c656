package table

// ReplaceAt is Put for a key that is taken to have a hash.
func (x *Index[K, V]) ReplaceAt(hash uint64, key K, value V) {
	x.replace(hash, key, value, true)
}

// RemoveAt is Delete for a key that is taken to have a hash.
func (x *Index[K, V]) RemoveAt(hash uint64, key K) {
	var none V
	x.replace(hash, key, none, false)
}

// Keys returns the number of keys.
func Keys[K comparable, V any](x *Index[K, V]) (n int) {
	for range Entries(x) {
		n++
	}
	return n
}
