package specs

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// maxBare is the number of schemas that an engine may look at to find out that a schema says nothing.
const maxBare = 1000

// boundEmptiness lets the empty schemas of a document take null, and makes all of them such that engines soon know
// whether one is empty. kin-openapi asks that of each schema without keywords of its own by asking all that it consists
// of: level by level, which takes a power of the levels, and for ever if the schema consists of itself. Such a schema
// gets a keyword that says nothing.
func (d *Document) boundEmptiness() {
	b := bare{known: map[*openapi3.Schema]int{}, isOpen: map[*openapi3.Schema]bool{}}
	if d.T.Components != nil {
		for _, ref := range d.T.Components.Schemas {
			b.steps(ref)
		}
	}
	for _, op := range d.Operations {
		for _, ref := range op.Parameters {
			b.steps(ref.Value.Schema)
			b.content(ref.Value.Content)
		}
		if body := op.Spec.RequestBody; body != nil && body.Value != nil {
			b.content(body.Value.Content)
		}
		if op.Spec.Responses == nil {
			continue
		}
		for _, ref := range op.Spec.Responses.Map() {
			if ref.Value == nil {
				continue
			}
			b.content(ref.Value.Content)
			for _, header := range ref.Value.Headers {
				if header.Value != nil {
					b.steps(header.Value.Schema)
				}
			}
		}
	}
}

type bare struct {
	known  map[*openapi3.Schema]int
	isOpen map[*openapi3.Schema]bool // whether its parts are being looked at
}

func (b *bare) content(content openapi3.Content) {
	for _, media := range content {
		b.steps(media.Schema)
	}
}

// steps returns how many schemas below one are looked at to find out whether it is empty.
func (b *bare) steps(ref *openapi3.SchemaRef) int {
	if ref == nil || ref.Value == nil {
		return 0
	}
	s := ref.Value
	if b.isOpen[s] && isBare(s) {
		s.AllowEmptyValue = true
	}
	if steps, isKnown := b.known[s]; isKnown {
		return steps
	}
	b.known[s], b.isOpen[s] = 0, true
	sum, parts := 0, slices.DeleteFunc(schemaParts(s), func(part *openapi3.SchemaRef) bool { return part == nil })
	if len(parts) == 0 && isBare(s) {
		s.Nullable = true // which an empty schema is to kin-openapi only if it says so
	}
	for _, part := range parts {
		sum = min(sum+1+b.steps(part), maxBare+1)
	}
	b.isOpen[s] = false
	switch {
	case !isBare(s):
		sum = 0
	case sum > maxBare:
		s.AllowEmptyValue, sum = true, 0
	}
	b.known[s] = sum
	return sum
}

// isBare reports whether a schema has no keyword of its own beside the schemas that it consists of.
func isBare(s *openapi3.Schema) bool {
	alone := *s
	alone.OneOf, alone.AnyOf, alone.AllOf, alone.PrefixItems = nil, nil, nil, nil
	alone.Properties, alone.PatternProperties, alone.DependentSchemas = nil, nil, nil
	alone.Not, alone.Items, alone.Contains, alone.PropertyNames = nil, nil, nil, nil
	alone.AdditionalProperties.Schema = nil
	alone.UnevaluatedItems.Schema, alone.UnevaluatedProperties.Schema = nil, nil
	return alone.IsEmpty()
}

// schemaParts returns the schemas that one consists of.
func schemaParts(s *openapi3.Schema) []*openapi3.SchemaRef {
	parts := slices.Concat(s.OneOf, s.AnyOf, s.AllOf, s.PrefixItems)
	parts = append(parts, s.Not, s.Items, s.Contains, s.PropertyNames, s.If, s.Then, s.Else, s.AdditionalProperties.Schema,
		s.UnevaluatedItems.Schema, s.UnevaluatedProperties.Schema)
	for _, members := range []openapi3.Schemas{s.Properties, s.PatternProperties, s.DependentSchemas} {
		parts = slices.AppendSeq(parts, maps.Values(members))
	}
	return parts
}
