package judge

import "encoding/json"

// The second engine copies a body for each fault that it finds, so that a long list of wrong items would exhaust
// memory. What it reads is bounded.
const (
	maxExcerpt = 128 << 10 // bytes
	maxItems   = 20        // of each list that is cut
	maxCopied  = 8 << 20   // bytes of all copies
)

// excerpt returns the part of a body that the second engine reads: all of it, or of a large one the beginnings of its
// lists. It is nil if that is still too large, or if the first engine has found faults: they may be beyond the
// beginnings, or so many that the copies would be too large.
func (b *content) excerpt(known int) []byte {
	switch {
	case len(b.decoded.JSON)*known > maxCopied:
		return nil
	case len(b.decoded.JSON) <= maxExcerpt:
		return b.decoded.JSON
	case known > 0 || len(b.decoded.Values()) != 1:
		return nil
	}
	text, err := json.Marshal(firstItems(b.decoded.Values()[0]))
	if err != nil || len(text) > maxExcerpt {
		return nil
	}
	return text
}

// firstItems returns a value with only the first items of its lists.
func firstItems(value any) any {
	switch v := value.(type) {
	case []any:
		short := make([]any, 0, maxItems)
		for _, item := range v[:min(len(v), maxItems)] {
			short = append(short, firstItems(item))
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for name, member := range v {
			short[name] = firstItems(member)
		}
		return short
	}
	return value
}
