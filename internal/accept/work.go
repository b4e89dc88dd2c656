package accept

import (
	"errors"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/memo"
)

// Work reports how much an engine does that holds values against schemas. Engines hold each value against all schemas
// that combine it, as often as they meet it: what a schema combines with itself, level by level, takes a power of the
// levels. Its zero value can be used, by several at a time.
type Work struct {
	patterns memo.Map[string, int]           // the instructions of a regular expression
	empty    memo.Map[*openapi3.Schema, int] // the steps to find out whether a schema is empty
}

// Steps returns about how many steps an engine takes at most to hold a decoded value against a schema, and whether it
// should take them. Each is about a microsecond. It counts no further than to stepsAlone, and stepsPerValue for each
// part of the value: a schema that takes more multiplies those that it combines.
func (w *Work) Steps(schema *openapi3.Schema, decoded any) (steps int, isBounded bool) {
	c := counter{work: w, limit: stepsAlone + stepsPerValue*size(decoded, MaxSteps)}
	c.value(schema, decoded)
	return c.steps, c.steps <= c.limit
}

// ErrTooMuch is the error of a value that an engine would take too long to hold against a schema.
var ErrTooMuch = errors.New("the schema combines so many others that it takes too many steps to hold a value against " +
	"it")

// Visit returns the error of kin-openapi of a decoded value, ErrTooMuch if that takes too many steps.
func (w *Work) Visit(schema *openapi3.Schema, decoded any, options ...openapi3.SchemaValidationOption) error {
	if _, isBounded := w.Steps(schema, decoded); !isBounded {
		return ErrTooMuch
	}
	return schema.VisitJSON(decoded, options...)
}

// Refuses reports whether kin-openapi is known to refuse a decoded value.
func (w *Work) Refuses(schema *openapi3.Schema, decoded any) bool {
	err := w.Visit(schema, decoded, BriefErrors())
	return err != nil && !errors.Is(err, ErrTooMuch)
}

// What a step is to an engine beside holding a value against a schema: it copies so many values, and takes so many
// steps to compare one with others.
const (
	valuesCopied   = 8
	stepsToCompare = 32
)

// The number of steps that an engine may take for one value, whatever it is, and further ones for each of its parts.
const (
	stepsAlone    = 1 << 18
	stepsPerValue = 32
)

// counter counts the steps for one value, in the way that kin-openapi takes them.
type counter struct {
	work  *Work
	limit int
	steps int
	above []*openapi3.Schema // of the value that is looked at
}

// add counts steps, up to the first beyond the limit.
func (c *counter) add(steps int) { c.steps = min(c.steps+steps, c.limit+1) }

// value counts the steps for a value of its own.
func (c *counter) value(schema *openapi3.Schema, v any) {
	above := c.above
	c.above = nil
	c.schema(schema, v)
	c.above = above
}

func (c *counter) refs(refs openapi3.SchemaRefs, v any) {
	for _, ref := range refs {
		if ref != nil {
			c.schema(ref.Value, v)
		}
	}
}

func (c *counter) schema(s *openapi3.Schema, v any) {
	if s == nil || c.steps > c.limit || slices.Contains(c.above, s) {
		return
	}
	c.add(1 + c.work.emptiness(s))
	c.above = append(c.above, s)
	defer func() { c.above = c.above[:len(c.above)-1] }()
	c.combined(s, v)
	switch v := v.(type) {
	case string:
		if s.Pattern != "" {
			c.add(patternSteps(c.work.pattern(s.Pattern), v))
		}
	case []any:
		c.list(s, v)
	case map[string]any:
		c.object(s, v)
	}
	if len(s.Enum) > 0 {
		c.add(len(s.Enum) / 16)
	}
}

// combined counts the steps for the schemas that a schema combines. What is one of several is looked at again when it
// fits, and copied before.
func (c *counter) combined(s *openapi3.Schema, v any) {
	for _, refs := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(refs) == 0 {
			continue
		}
		c.add(len(refs) * size(v, MaxSteps) / valuesCopied)
		most := 0
		for _, ref := range refs {
			before := c.steps
			c.refs(openapi3.SchemaRefs{ref}, v)
			most = max(most, c.steps-before)
		}
		if most > 1 {
			c.add(most)
		}
	}
	c.refs(s.AllOf, v)
	c.refs(openapi3.SchemaRefs{s.Not, s.If, s.Then, s.Else}, v)
	c.refs(slices.Collect(maps.Values(s.DependentSchemas)), v)
}

func (c *counter) list(s *openapi3.Schema, v []any) {
	if s.UniqueItems {
		c.add(stepsToCompare * size(v, MaxSteps))
	}
	of := append(slices.Clip(s.PrefixItems), s.Items, s.Contains, s.UnevaluatedItems.Schema)
	for _, ref := range of {
		for i := 0; ref != nil && i < len(v) && c.steps <= c.limit; i++ {
			c.value(ref.Value, v[i])
		}
	}
}

func (c *counter) object(s *openapi3.Schema, v map[string]any) {
	c.add(len(s.Required) / 4)
	of := slices.AppendSeq(openapi3.SchemaRefs{}, maps.Values(s.PatternProperties))
	of = append(of, s.UnevaluatedProperties.Schema)
	for name, part := range v {
		if c.add(1); c.steps > c.limit {
			return
		}
		if ref := s.Properties[name]; ref != nil {
			c.value(ref.Value, part)
		} else if ref := s.AdditionalProperties.Schema; ref != nil {
			c.value(ref.Value, part)
		}
		for _, ref := range of {
			if ref != nil {
				c.value(ref.Value, part)
			}
		}
		if s.PropertyNames != nil {
			c.value(s.PropertyNames.Value, name)
		}
	}
}

// size returns the number of values in a decoded value, or a number above limit.
func size(decoded any, limit int) int {
	n := 1
	switch decoded := decoded.(type) {
	case []any:
		for _, item := range decoded {
			if n > limit {
				break
			}
			n += size(item, limit-n)
		}
	case map[string]any:
		for _, part := range decoded {
			if n > limit {
				break
			}
			n += size(part, limit-n)
		}
	}
	return n
}

// Spread returns the number of schemas that a schema consists of once each reference is replaced by what it refers to,
// other than to a schema around it; MaxSteps+1 if there are more than MaxSteps.
func Spread(schema *openapi3.Schema) int { return spread(schema, map[*openapi3.Schema]int{}) }

func spread(schema *openapi3.Schema, known map[*openapi3.Schema]int) int {
	if n, ok := known[schema]; ok {
		return n
	}
	known[schema] = 1
	n := 1
	for _, ref := range partsOf(schema) {
		if ref != nil && ref.Value != nil {
			n = min(n+spread(ref.Value, known), MaxSteps+1)
		}
	}
	known[schema] = n
	return n
}

func (w *Work) pattern(text string) int {
	return w.patterns.Of(text, func() int {
		size, _ := sizeOf(text) // an engine refuses one that is wrong
		return size
	})
}

// emptiness returns the number of steps to find out whether a schema is empty, beyond the first: it is if all are that
// it consists of. If it consists of itself, there is no end of them.
func (w *Work) emptiness(s *openapi3.Schema) int {
	return w.empty.Of(s, func() int { return emptinessOf(s, map[*openapi3.Schema]int{}) })
}

func emptinessOf(s *openapi3.Schema, known map[*openapi3.Schema]int) int {
	if steps, ok := known[s]; ok {
		return steps
	}
	known[s] = MaxSteps + 1
	steps := 0
	if !hasNewerParts(s) && withoutParts(s).IsEmpty() {
		for _, ref := range partsOf(s) {
			if ref != nil && ref.Value != nil {
				steps = min(steps+1+emptinessOf(ref.Value, known), MaxSteps+1)
			}
		}
	}
	known[s] = steps
	return steps
}
