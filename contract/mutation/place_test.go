package mutation_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs/recording"
)

// place is a value in a body, with the schemas that it has to fit, all of them.
type place struct {
	path     []any // names and indices
	value    any
	schemas  []*openapi3.Schema
	either   [][]*openapi3.Schema // one of which it has to fit, too
	required bool
	isItem   bool
}

// placesIn lists the values of a body that a document speaks of. Below alternatives it does not look, unless one of
// them is named by a discriminator.
func placesIn(value any, schema *openapi3.Schema) []place {
	root := place{value: value, required: true}
	root.settle([]*openapi3.Schema{schema})
	return root.andBelow(nil)
}

// settle gives a place the schemas that speak of it.
func (p *place) settle(schemas []*openapi3.Schema) {
	for i := 0; i < len(schemas); i++ {
		schema := schemas[i]
		p.schemas = append(p.schemas, schema)
		for _, ref := range schema.AllOf {
			schemas = append(slices.Clip(schemas), ref.Value)
		}
		if chosen := chosenBy(schema, p.value); chosen != nil {
			schemas = append(slices.Clip(schemas), chosen)
			continue
		}
		for _, ref := range slices.Concat(schema.AnyOf, schema.OneOf) {
			either := place{value: p.value}
			either.settle([]*openapi3.Schema{ref.Value})
			p.either = append(p.either, either.schemas)
		}
	}
}

// chosenBy returns the alternative that a discriminator names.
func chosenBy(schema *openapi3.Schema, value any) *openapi3.Schema {
	object, isObject := value.(map[string]any)
	if schema.Discriminator == nil || !isObject {
		return nil
	}
	kind, _ := object[schema.Discriminator.PropertyName].(string)
	target, isKnown := schema.Discriminator.Mapping[kind]
	for _, ref := range slices.Concat(schema.AnyOf, schema.OneOf) {
		if isKnown && ref.Ref == target.Ref {
			return ref.Value
		}
	}
	return nil
}

func (p *place) andBelow(list []place) []place {
	if text, isText := p.value.(string); isText && strings.Contains(text, recording.Mark) {
		return list // it was taken out
	}
	list = append(list, *p)
	if len(p.either) > 0 {
		return list
	}
	switch value := p.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			list = p.below(list, name, value[name], p.partsOf(name))
		}
	case []any:
		items := p.itemSchemas()
		for i, item := range value {
			if i == 3 { // the others are like these
				break
			}
			list = p.below(list, i, item, items)
		}
	}
	return list
}

func (p *place) below(list []place, token, value any, schemas []*openapi3.Schema) []place {
	if len(schemas) == 0 {
		return list
	}
	name, isName := token.(string)
	next := place{path: append(slices.Clone(p.path), token), value: value, isItem: !isName, required: p.requires(name)}
	next.settle(schemas)
	return next.andBelow(list)
}

func (p *place) requires(name string) bool {
	return slices.ContainsFunc(p.schemas, func(s *openapi3.Schema) bool { return slices.Contains(s.Required, name) })
}

// partsOf lists the schemas of a member.
func (p *place) partsOf(name string) (list []*openapi3.Schema) {
	for _, schema := range p.schemas {
		if ref := schema.Properties[name]; ref != nil {
			list = append(list, ref.Value)
		} else if more := schema.AdditionalProperties.Schema; more != nil {
			list = append(list, more.Value)
		}
	}
	return list
}

func (p *place) itemSchemas() (list []*openapi3.Schema) {
	for _, schema := range p.schemas {
		if schema.Items != nil {
			list = append(list, schema.Items.Value)
		}
	}
	return list
}

// allows reports whether a value of a type may stand here.
func (p *place) allows(kind string) bool {
	fits := func(schemas []*openapi3.Schema) bool {
		return !slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool {
			return s.Type != nil && !s.Type.Is(kind) && (kind != "integer" || !s.Type.Is("number"))
		})
	}
	return fits(p.schemas) && (len(p.either) == 0 || slices.ContainsFunc(p.either, fits))
}

// isTyped reports whether the document names a type here at all.
func (p *place) isTyped() bool {
	isTyped := func(s *openapi3.Schema) bool { return s.Type != nil }
	return slices.ContainsFunc(p.schemas, isTyped) ||
		len(p.either) > 0 &&
			!slices.ContainsFunc(p.either, func(one []*openapi3.Schema) bool { return !slices.ContainsFunc(one, isTyped) })
}

// nullness reports whether null may stand here, and whether that is known; it is not where schemas differ.
func (p *place) nullness() (allowed, known bool) {
	all := slices.Concat(append([][]*openapi3.Schema{p.schemas}, p.either...)...)
	yes := slices.ContainsFunc(all, func(s *openapi3.Schema) bool { return s.Nullable || slices.Contains(s.Enum, nil) })
	return yes, p.isTyped() && (!yes || len(p.schemas) == 1 && len(p.either) == 0)
}

// isClosedText reports whether a text has to have some form.
func (p *place) isClosedText() bool {
	return len(p.either) > 0 || slices.ContainsFunc(p.schemas, func(s *openapi3.Schema) bool {
		return len(s.Enum) > 0 || s.Pattern != "" || s.Format != ""
	})
}

// changed returns a body with another value at a place.
func changed(text []byte, path []any, value any) []byte {
	return encoded(replaced(decoded(text), path, func(any) any { return value }))
}

// removed returns a body without a member.
func removed(text []byte, path []any) []byte {
	last := path[len(path)-1].(string)
	return encoded(replaced(decoded(text), path[:len(path)-1], func(v any) any {
		delete(v.(map[string]any), last)
		return v
	}))
}

func replaced(value any, path []any, change func(any) any) any {
	if len(path) == 0 {
		return change(value)
	}
	switch token := path[0].(type) {
	case string:
		object := value.(map[string]any)
		object[token] = replaced(object[token], path[1:], change)
	case int:
		list := value.([]any)
		list[token] = replaced(list[token], path[1:], change)
	}
	return value
}
