package judge

import (
	"slices"
	"strconv"
)

// knownCase is a kind of case in which the second engine is known to be wrong, so that the first one's verdict stands
// and nothing is disputed. Each has a test that fails when the engine no longer errs in this way.
type knownCase struct {
	name         string
	reason       string
	is           func(b *content, kin, second []fault) bool
	inParameters bool // it may be one of parameters, too; then there is no content
}

var knownCases = []knownCase{
	{
		name:   "null-body",
		reason: "the second engine accepts the body null, whatever its schema",
		is: func(b *content, _, second []fault) bool {
			return len(second) == 0 && len(b.decoded.Values()) == 1 && b.decoded.Values()[0] == nil
		},
	},
	{
		name: "nullable-combination",
		reason: "the second engine rejects null for nullable with allOf of a nullable schema, because it turns both " +
			"into a oneOf",
		is: func(b *content, kin, second []fault) bool {
			return len(kin) == 0 && !slices.ContainsFunc(second, func(f fault) bool { return b.valueAt(f.path) != nil })
		},
	},
	{
		name:   "discriminator",
		reason: "the second engine ignores discriminators: overlapping branches fail, and wrong ones pass",
		is: func(b *content, kin, second []fault) bool {
			return !slices.ContainsFunc(slices.Concat(kin, second), func(f fault) bool { return !b.isDiscriminated(f.path) })
		},
	},
	{
		name:   "direction",
		reason: "the second engine accepts readOnly in a request and writeOnly in a response",
		is: func(_ *content, kin, second []fault) bool {
			return len(second) == 0 && !slices.ContainsFunc(kin, func(f fault) bool {
				return f.keyword != "readOnly" && f.keyword != "writeOnly"
			})
		},
	},
	{
		name:   "format",
		reason: "the second engine accepts integers beyond int32 and int64, and any text as base64",
		is: func(_ *content, kin, second []fault) bool {
			certain := []string{"int32", "int64", "byte"}
			isOther := func(f fault) bool { return !slices.Contains(certain, f.format) }
			return len(second) == 0 && !slices.ContainsFunc(kin, isOther)
		},
		inParameters: true,
	},
}

// valueAt returns the value at a path below the body, or nil.
func (b *content) valueAt(path []string) any {
	var value any = b.decoded.Values()
	if !b.decoded.Lines {
		if len(b.decoded.Values()) != 1 {
			return nil
		}
		value = b.decoded.Values()[0]
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

// isDiscriminated reports whether a discriminator decides on the schema of a value, or of one that contains it.
func (b *content) isDiscriminated(path []string) bool {
	return b.anySchemaAlong(path, func(w locatedSchema) bool { return w.schema.Discriminator != nil })
}

// anySchemaAlong reports whether a schema of a value, or of one that contains it, is as wanted.
func (b *content) anySchemaAlong(path []string, wanted func(locatedSchema) bool) bool {
	schemas := b.schemasAt(nil)
	for i := 0; ; i++ {
		if slices.ContainsFunc(schemas, wanted) {
			return true
		}
		if i == len(path) || len(schemas) == 0 {
			return false
		}
		schemas = withCombined(mapSchemas(schemas,
			func(w locatedSchema) locatedSchema { return innerSchema(w.schema, w.pointer, path[i]) }), nil)
	}
}

// schemasAt lists the schemas that apply to the value at a path below the body.
func (b *content) schemasAt(path []string) []locatedSchema {
	return locatedSchema{b.media.Schema.Value, b.schemaPointer}.below(path...)
}

// below lists the schemas that a schema applies to the value at a path below its own.
func (w locatedSchema) below(path ...string) []locatedSchema {
	schemas := withCombined([]locatedSchema{w}, nil)
	for _, token := range path {
		schemas = withCombined(mapSchemas(schemas,
			func(w locatedSchema) locatedSchema { return innerSchema(w.schema, w.pointer, token) }), nil)
	}
	return schemas
}
