package judge

import (
	"slices"
	"strconv"
)

// knownCase is a kind of case in which the second engine is known to be wrong, so that the first one's verdict stands
// and nothing is disputed. Each has a test that fails when the engine no longer errs in this way.
type knownCase struct {
	name   string
	reason string
	is     func(b *content, first, second []fault) bool
}

var knownCases = []knownCase{
	{
		name:   "null-body",
		reason: "the second engine accepts the body null, whatever its schema",
		is: func(b *content, _, second []fault) bool {
			return len(second) == 0 && len(b.decoded.Values) == 1 && b.decoded.Values[0] == nil
		},
	},
	{
		name: "nullable-combination",
		reason: "the second engine rejects null for nullable with allOf of a nullable schema, because it turns both " +
			"into a oneOf",
		is: func(b *content, first, second []fault) bool {
			return len(first) == 0 && !slices.ContainsFunc(second, func(f fault) bool { return b.valueAt(f.path) != nil })
		},
	},
	{
		name:   "discriminator",
		reason: "the second engine ignores discriminators: overlapping branches fail, and wrong ones pass",
		is: func(b *content, first, second []fault) bool {
			return !slices.ContainsFunc(slices.Concat(first, second), func(f fault) bool { return !b.isDiscriminated(f.path) })
		},
	},
	{
		name:   "direction",
		reason: "the second engine accepts readOnly in a request and writeOnly in a response",
		is: func(_ *content, first, second []fault) bool {
			return len(second) == 0 && !slices.ContainsFunc(first, func(f fault) bool {
				return f.keyword != "readOnly" && f.keyword != "writeOnly"
			})
		},
	},
}

// valueAt is the value at a path below the body, nil when there is none.
func (b *content) valueAt(path []string) any {
	var value any = b.decoded.Values
	if !b.decoded.Lines {
		if len(b.decoded.Values) != 1 {
			return nil
		}
		value = b.decoded.Values[0]
	}
	for _, token := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// isDiscriminated reports whether a value, or one that it is part of, is of several kinds that a discriminator
// distinguishes.
func (b *content) isDiscriminated(path []string) bool {
	return b.anyAlong(path, func(w way) bool { return w.schema.Discriminator != nil })
}

// anyAlong reports whether a schema of a value, or of one that it is part of, is as wanted.
func (b *content) anyAlong(path []string, wanted func(way) bool) bool {
	ways := b.waysTo(nil)
	for i := 0; ; i++ {
		if slices.ContainsFunc(ways, wanted) {
			return true
		}
		if i == len(path) || len(ways) == 0 {
			return false
		}
		ways = spread(each(ways, func(w way) way { return step(w.schema, w.pointer, path[i]) }), nil)
	}
}

// waysTo lists the schemas that speak of the value at a path below the body.
func (b *content) waysTo(path []string) []way {
	return way{b.media.Schema.Value, b.schemaPointer}.to(path...)
}

// to lists the schemas that speak of the value at a path below the one that a schema speaks of.
func (w way) to(path ...string) []way {
	ways := spread([]way{w}, nil)
	for _, token := range path {
		ways = spread(each(ways, func(w way) way { return step(w.schema, w.pointer, token) }), nil)
	}
	return ways
}
