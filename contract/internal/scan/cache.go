package scan

import "hash/maphash"

// cache holds strings that were read before. Each has one place where it may stand, so that the newest one wins.
type cache struct{ places [1 << 10]string }

const longestCached = 64 // bytes of a string that is worth a place

var seed = maphash.MakeSeed()

// of returns the bytes as a string.
func (c *cache) of(text []byte) string {
	if len(text) == 0 || len(text) > longestCached {
		return string(text)
	}
	place := &c.places[maphash.Bytes(seed, text)%uint64(len(c.places))]
	if *place != string(text) {
		*place = string(text)
	}
	return *place
}
