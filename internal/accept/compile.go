package accept

import (
	"math"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// compiler makes the tree of one schema.
type compiler struct {
	direction Direction
	formats   Formats
	done      map[*openapi3.Schema]*Tree // of values of their own; schemas may contain themselves
	shared    map[*openapi3.Schema]*Tree // of schemas that are combined, where it does not matter by which others
	sparing   map[*openapi3.Schema]bool  // whether a schema spares a property
	empty     map[*openapi3.Schema]bool  // whether a schema says nothing
	finite    map[*openapi3.Schema]bool  // those that do not consist of themselves
	count     int                        // of trees
	failed    bool                       // a part of the schema cannot be compiled
}

// maxTrees is the number of trees for one schema. Combined schemas may multiply.
const maxTrees = 100_000

// part compiles the schema of a value of its own, such as an item or a property.
func (c *compiler) part(ref *openapi3.SchemaRef) *Tree {
	if ref.Value == nil {
		c.failed = true
		return nil
	}
	if tree := c.done[ref.Value]; tree != nil {
		return tree
	}
	tree := &Tree{}
	c.done[ref.Value] = tree
	c.compile(tree, ref.Value, nil)
	return tree
}

// combined compiles a schema of the same value as the ones above, which combine it.
func (c *compiler) combined(ref *openapi3.SchemaRef, above []*openapi3.Schema) *Tree {
	if c.failed || ref.Value == nil || slices.Contains(above, ref.Value) {
		c.failed = true
		return nil
	}
	if tree := c.shared[ref.Value]; tree != nil {
		return tree
	}
	tree := &Tree{}
	c.compile(tree, ref.Value, above)
	if !slices.ContainsFunc(above, c.sparesAny) {
		c.shared[ref.Value] = tree
	}
	return tree
}

func (c *compiler) compile(t *Tree, schema *openapi3.Schema, above []*openapi3.Schema) {
	if c.count++; c.count > maxTrees || hasNewerParts(schema) || c.isEndless(schema, nil) {
		c.failed = true
		return
	}
	above = append(slices.Clip(above), schema)
	t.nullable, t.empty = schema.PermitsNull(), c.isEmpty(schema)
	if schema.Not != nil {
		t.not = c.combined(schema.Not, above)
	}
	t.oneOf, t.anyOf = c.choice(schema.OneOf, schema, above), c.choice(schema.AnyOf, schema, above)
	for _, ref := range schema.AllOf {
		t.allOf = append(t.allOf, c.combined(ref, above))
	}
	if len(schema.Enum) > 0 {
		t.enum = c.enum(schema.Enum)
	}
	t.kinds = kindsOf(schema.Type)
	t.text, t.number = c.text(schema), c.number(schema)
	t.list = list{min: schema.MinItems, max: schema.MaxItems}
	if schema.UniqueItems {
		t.list.rest = &openapi3.Schema{UniqueItems: true}
	}
	if schema.Items != nil {
		t.list.items = c.part(schema.Items)
	}
	t.object = c.object(schema, above)
}

// isEmpty reports whether a schema says nothing, as kin-openapi finds out; but it looks at each part once.
func (c *compiler) isEmpty(schema *openapi3.Schema) bool {
	is, known := c.empty[schema]
	if !known {
		is = withoutParts(schema).IsEmpty() && !slices.ContainsFunc(partsOf(schema), func(ref *openapi3.SchemaRef) bool {
			return ref != nil && ref.Value != nil && !c.isEmpty(ref.Value)
		})
		c.empty[schema] = is
	}
	return is
}

func kindsOf(types *openapi3.Types) kinds {
	return kinds{
		boolean: types.Permits(openapi3.TypeBoolean), text: types.Permits(openapi3.TypeString),
		number: types.Permits(openapi3.TypeInteger) || types.Permits(openapi3.TypeNumber),
		list:   types.Permits(openapi3.TypeArray), object: types.Permits(openapi3.TypeObject),
	}
}

func (c *compiler) choice(refs openapi3.SchemaRefs, schema *openapi3.Schema, above []*openapi3.Schema) *choice {
	if len(refs) == 0 {
		return nil
	}
	made := &choice{}
	if d := schema.Discriminator; d != nil {
		made.discriminator = &discriminator{d.PropertyName, map[string]string{}}
		for value, to := range d.Mapping {
			if to.Ref != "" && !strings.Contains(to.Ref, "/") {
				to.Ref = "#/components/schemas/" + to.Ref
			}
			made.discriminator.refs[value] = to.Ref
		}
	}
	for _, ref := range refs {
		made.options = append(made.options, option{ref.Ref, c.combined(ref, above)})
	}
	return made
}

func (c *compiler) enum(values []any) *enum {
	e := &enum{texts: map[string]bool{}}
	for _, value := range values {
		switch value := value.(type) {
		case nil:
		case string:
			e.texts[value] = true
		case float64:
			e.numbers = append(e.numbers, value)
		case int:
			e.numbers = append(e.numbers, float64(value))
		case bool:
			e.booleans[0], e.booleans[1] = e.booleans[0] || !value, e.booleans[1] || value
		default:
			c.failed = true
		}
	}
	return e
}

func (c *compiler) text(schema *openapi3.Schema) text {
	t := text{min: schema.MinLength, max: schema.MaxLength}
	if schema.Pattern != "" {
		var err error
		if t.pattern, err = newPattern(schema.Pattern); err != nil || strings.Contains(schema.Pattern, `\u`) {
			c.failed = true // kin-openapi writes \u in another way
		}
	}
	validator, isKnown := openapi3.SchemaStringFormats[schema.Format]
	for _, formats := range []Formats{Times, c.formats} {
		if own, isOwn := formats[schema.Format]; isOwn {
			validator, isKnown = own, true
		}
	}
	if isKnown {
		t.format = func(text string) bool { return validator.Validate(text) == nil }
	}
	return t
}

func isDigit(sign byte) bool { return '0' <= sign && sign <= '9' }

func areDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

func (c *compiler) number(schema *openapi3.Schema) number {
	n := number{min: schema.Min, max: schema.Max}
	n.integer = schema.Type.Permits(openapi3.TypeInteger) && !schema.Type.Permits(openapi3.TypeNumber)
	if schema.MultipleOf != nil || schema.ExclusiveMin.IsSet() || schema.ExclusiveMax.IsSet() {
		n.rest = schema
	}
	if validator, ok := openapi3.SchemaNumberFormats[schema.Format]; ok && !n.integer {
		n.format = func(value float64) bool { return validator.Validate(value) == nil }
	}
	for _, formats := range []map[string]openapi3.IntegerFormatValidator{openapi3.SchemaIntegerFormats, integers} {
		if validator, ok := formats[schema.Format]; ok && n.integer {
			n.format = func(value float64) bool { return acceptsInteger(validator, value) }
		}
	}
	return n
}

// acceptsInteger reports whether a format accepts a number, as kin-openapi hands it over.
func acceptsInteger(validator openapi3.IntegerFormatValidator, value float64) bool {
	switch {
	case value == math.MaxInt64: // which is not a float64: 2^63 is
		return validator.Validate(math.MaxInt64) == nil
	case value >= math.MinInt64 && value < math.MaxInt64:
		return validator.Validate(int64(value)) == nil
	}
	return false
}

func (c *compiler) object(schema *openapi3.Schema, above []*openapi3.Schema) object {
	o := object{min: schema.MinProps, max: schema.MaxProps, properties: map[string]*property{}}
	others := schema.AdditionalProperties
	if o.closed = others.Has != nil && !*others.Has; others.Schema != nil && !o.closed {
		o.others = c.part(others.Schema)
	}
	for name, ref := range schema.Properties {
		if ref == nil {
			c.failed = true
			continue
		}
		o.properties[name] = &property{Tree: c.part(ref), hidden: ref.Value != nil && c.direction.hides(ref.Value)}
	}
	for _, name := range schema.Required {
		if c.isSpared(name, above) {
			continue
		}
		p := o.properties[name]
		if p == nil {
			p = &property{Tree: o.others, closed: o.closed}
			o.properties[name] = p
		}
		if !p.required {
			p.required = true
			o.required++
		}
	}
	return o
}

// sparesAny reports whether a schema spares a property, or one that it adds with allOf does.
func (c *compiler) sparesAny(schema *openapi3.Schema) bool {
	if schema == nil {
		return false
	}
	if does, known := c.sparing[schema]; known {
		return does
	}
	c.sparing[schema] = false // if it adds itself
	does := slices.ContainsFunc(schema.AllOf, func(ref *openapi3.SchemaRef) bool { return c.sparesAny(ref.Value) })
	for _, ref := range schema.Properties {
		does = does || ref != nil && ref.Value != nil && c.direction.spares(ref.Value)
	}
	c.sparing[schema] = does
	return does
}

// isSpared reports whether one of the schemas of a value, or one that it adds with allOf, spares a property: then none
// of them requires it.
func (c *compiler) isSpared(name string, schemas []*openapi3.Schema) bool {
	var seen []*openapi3.Schema
	var spares func(*openapi3.Schema) bool
	spares = func(schema *openapi3.Schema) bool {
		if schema == nil || slices.Contains(seen, schema) {
			return false
		}
		seen = append(seen, schema)
		if ref := schema.Properties[name]; ref != nil && ref.Value != nil && c.direction.spares(ref.Value) {
			return true
		}
		return slices.ContainsFunc(schema.AllOf, func(ref *openapi3.SchemaRef) bool { return spares(ref.Value) })
	}
	return slices.ContainsFunc(schemas, spares)
}
