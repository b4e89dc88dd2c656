package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Most messages of a long recording differ only in what no schema looks at: ids, names, times. A plan says what the
// schemas of a value do look at, so that a message can be reduced to its class: all messages of one class get the same
// verdict from both engines. Whoever was judged to be without fault vouches for its class.
//
// A plan is on the safe side: what it does not understand counts with its exact bytes.

// plan says what of a value matters.
type plan struct {
	open bool // nothing matters: no schema speaks of the value

	exactString bool
	patterns    []*regexp.Regexp
	formats     []string // date-time and uuid, of which a class can be told
	lengths     []int    // where a bound of the length lies

	exactNumber bool
	bounds      []float64

	properties map[string]*plan
	extra      *plan // of other properties
	counts     []int // where a bound of the number of properties lies

	items  *plan
	sizes  []int // where a bound of the number of items lies
	unique bool
}

// planner makes the plans of a document.
type planner struct {
	mu    sync.Mutex
	plans map[string]*plan
	ready sync.Map // *openapi3.Schema → *plan
}

// of is the plan of a schema.
func (p *planner) of(schema *openapi3.Schema) *plan {
	if ready, ok := p.ready.Load(schema); ok {
		return ready.(*plan)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plans == nil {
		p.plans = map[string]*plan{}
	}
	made := p.make([]*openapi3.Schema{schema})
	p.ready.Store(schema, made)
	return made
}

// make makes the plan of a value that several schemas speak of.
func (p *planner) make(schemas []*openapi3.Schema) *plan {
	all := combined(schemas)
	if len(all) == 0 {
		return &plan{open: true}
	}
	key := identity(all)
	if made := p.plans[key]; made != nil {
		return made
	}
	made := &plan{}
	p.plans[key] = made // before its parts, which may contain it
	for _, schema := range all {
		made.scalars(schema)
		made.containers(schema)
	}
	made.properties = map[string]*plan{}
	for _, schema := range all {
		for name := range schema.Properties {
			if made.properties[name] == nil {
				made.properties[name] = p.make(partsOf(all, name))
			}
		}
		if d := schema.Discriminator; d != nil {
			made.properties[d.PropertyName] = &plan{exactString: true, exactNumber: true}
		}
	}
	made.extra = p.make(gather(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema }))
	made.items = p.make(gather(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items }))
	return made
}

// identity names a set of schemas.
func identity(schemas []*openapi3.Schema) string {
	names := make([]string, len(schemas))
	for i, schema := range schemas {
		names[i] = fmt.Sprintf("%p", schema)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// combined is schemas and all that they are combined of, in whatever way.
func combined(schemas []*openapi3.Schema) []*openapi3.Schema {
	var all []*openapi3.Schema
	for i := 0; i < len(schemas); i++ {
		schema := schemas[i]
		if schema == nil || slices.Contains(all, schema) {
			continue
		}
		all = append(all, schema)
		for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
			schemas = append(slices.Clip(schemas), part.Value)
		}
		if schema.Not != nil {
			schemas = append(slices.Clip(schemas), schema.Not.Value)
		}
	}
	return all
}

// partsOf lists the schemas of a property.
func partsOf(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	return gather(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef {
		if property := s.Properties[name]; property != nil {
			return property
		}
		return s.AdditionalProperties.Schema
	})
}

func gather(schemas []*openapi3.Schema, part func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := part(schema); ref != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}

func (p *plan) scalars(schema *openapi3.Schema) {
	if len(schema.Enum) > 0 {
		p.exactString, p.exactNumber = true, true
	}
	if schema.Pattern != "" {
		if re, err := regexp.Compile(schema.Pattern); err == nil {
			p.patterns = append(p.patterns, re)
		} else {
			p.exactString = true
		}
	}
	switch schema.Format {
	case "", "int32", "int64", "float", "double":
	case "date-time", "uuid":
		p.formats = append(p.formats, schema.Format)
	default:
		p.exactString = true
	}
	if schema.MinLength > 0 {
		p.lengths = append(p.lengths, int(schema.MinLength))
	}
	if schema.MaxLength != nil {
		p.lengths = append(p.lengths, int(*schema.MaxLength)+1)
	}
	if schema.MultipleOf != nil {
		p.exactNumber = true
	}
	for _, bound := range []*float64{schema.Min, schema.Max} {
		if bound != nil {
			p.bounds = append(p.bounds, *bound)
		}
	}
}

func (p *plan) containers(schema *openapi3.Schema) {
	p.unique = p.unique || schema.UniqueItems
	if schema.MinItems > 0 {
		p.sizes = append(p.sizes, int(schema.MinItems))
	}
	if schema.MaxItems != nil {
		p.sizes = append(p.sizes, int(*schema.MaxItems)+1)
	}
	if schema.MinProps > 0 {
		p.counts = append(p.counts, int(schema.MinProps))
	}
	if schema.MaxProps != nil {
		p.counts = append(p.counts, int(*schema.MaxProps)+1)
	}
}
