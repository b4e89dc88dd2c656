package accept_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// place is a schema in a document.
type place struct {
	name   string
	schema *openapi3.Schema
}

// places returns the schemas of all documents, the control interface's included: of parameters, bodies, answers, and
// the named ones.
func places(tb testing.TB) (list []place) {
	tb.Helper()
	for _, name := range append(specs.Interfaces(), specs.Control) {
		doc, err := specs.Load(name, specs.Neutral)
		if err != nil {
			tb.Fatal(err)
		}
		for _, o := range doc.All() {
			list = append(list, placesOf(o)...)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.name, b.name) })
	return list
}

func placesOf(o *specs.Operation) (list []place) {
	add := func(where string, ref *openapi3.SchemaRef) {
		if ref != nil {
			list = append(list, place{o.Name() + " " + where, ref.Value})
		}
	}
	for _, p := range o.Parameters {
		add(p.Value.In+" "+p.Value.Name, p.Value.Schema)
	}
	if body := o.Spec.RequestBody; body != nil {
		for media, content := range body.Value.Content {
			add(media, content.Schema)
		}
	}
	for status, response := range o.Spec.Responses.Map() {
		for media, content := range response.Value.Content {
			add(status+" "+media, content.Schema)
		}
	}
	return list
}

// generator makes values by schemas, most of which are valid, and then spoils some.
type generator struct {
	*rand.Rand
	depth int
}

const maxDepth = 8

// odd are values at the edges of what schemas say.
func (g *generator) odd() any {
	return pick(g, []any{
		nil, true, false, "", "x", "é", "\xff", "0", "2024-02-30", "2024-02-29T23:59:60Z", "2024-13-01T00:00:00Z",
		"2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+01:00", "2024-01-01t00:00:00Z", "a=b=", "YWJj",
		strings.Repeat("é", 300),
		0.0, -1.0, 1.0, 1.5, 1e300, -1e300, float64(1 << 31), float64(1<<31 - 1), -float64(1<<31 + 1), 9223372036854775807.0,
		-9223372036854775808.0,
		[]any{},
		[]any{nil},
		[]any{1.0, 1.0},
		map[string]any{},
		map[string]any{"id": nil},
		map[string]any{"x": "y"},
	})
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// value makes a value by a schema; now and then another one.
func (g *generator) value(schema *openapi3.Schema) any {
	if g.IntN(40) == 0 {
		return g.odd()
	}
	return g.fitting(schema)
}

func (g *generator) fitting(schema *openapi3.Schema) any {
	g.depth++
	defer func() { g.depth-- }()
	options := slices.Concat(schema.OneOf, schema.AnyOf)
	switch {
	case schema.Nullable && g.IntN(6) == 0:
		return nil
	case len(schema.Enum) > 0:
		return pick(g, schema.Enum)
	case len(options) > 0:
		chosen := g.fitting(pick(g, options).Value)
		if object, ok := chosen.(map[string]any); ok {
			g.properties(schema, object)
		}
		return chosen
	case len(schema.AllOf) > 0 || schema.Type.Is("object"):
		object := map[string]any{}
		g.properties(schema, object)
		return object
	case schema.Type.Is("array"):
		return g.list(schema)
	}
	return g.scalar(schema)
}

func (g *generator) list(schema *openapi3.Schema) []any {
	items := []any{}
	for n := int(schema.MinItems) + g.IntN(3); len(items) < n && g.depth < maxDepth && schema.Items != nil; {
		items = append(items, g.value(schema.Items.Value))
	}
	return items
}

func (g *generator) properties(schema *openapi3.Schema, object map[string]any) {
	for _, ref := range schema.AllOf {
		if part, ok := g.fitting(ref.Value).(map[string]any); ok {
			maps.Copy(object, part)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		required := slices.Contains(schema.Required, name)
		if required && g.IntN(60) != 0 || !required && g.IntN(3) == 0 && g.depth < maxDepth {
			object[name] = g.value(schema.Properties[name].Value)
		}
	}
	if g.IntN(20) == 0 {
		object["another"] = g.odd()
	}
	if d := schema.Discriminator; d != nil && g.IntN(2) == 0 {
		object[d.PropertyName] = g.odd()
	}
	if others := schema.AdditionalProperties.Schema; others != nil && g.IntN(2) == 0 {
		object["other"] = g.value(others.Value)
	}
}

func (g *generator) scalar(schema *openapi3.Schema) any {
	switch {
	case schema.Type.Is("string"):
		return g.string(schema)
	case schema.Type.Is("integer"), schema.Type.Is("number"):
		n := float64(g.IntN(2000) - 20)
		if schema.Min != nil {
			n = *schema.Min + float64(g.IntN(3)) - 0.5*float64(g.IntN(2))
		}
		return n
	case schema.Type.Is("boolean"):
		return g.IntN(2) == 0
	}
	return g.odd()
}

func (g *generator) string(schema *openapi3.Schema) string {
	switch schema.Format {
	case "date":
		return "2024-02-29"
	case "date-time":
		return pick(g, []string{"2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123Z", "2024-02-29T12:00:00-08:00", "2024-02-29 12:00"})
	}
	text := pick(g, []string{"a", "abc", "name_1", "1", "42", "https://example.com/a", "0123456789abcdef0123456789abcdef", "Ab c", ""})
	for uint64(len(text)) < schema.MinLength && g.IntN(8) != 0 {
		text += "a"
	}
	return text
}

// spoil changes one part of a value.
func (g *generator) spoil(value any) any {
	switch value := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(value))
		if len(names) == 0 {
			return g.odd()
		}
		name := pick(g, names)
		switch g.IntN(3) {
		case 0:
			delete(value, name)
		case 1:
			value[name] = g.odd()
		default:
			value[name] = g.spoil(value[name])
		}
		return value
	case []any:
		if len(value) > 0 {
			i := g.IntN(len(value))
			value[i] = g.spoil(value[i])
			return value
		}
	}
	return g.odd()
}
