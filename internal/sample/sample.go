// Package sample makes values that fit the schemas of a document: what it gives as examples first, else values made of
// the schema. A value is a function of the seed and of the place at which it stands, so that the same request to the
// same world gives the same value.
package sample

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

// The bounds of a sample. Optional parts of what is nested deeper are left out.
const (
	maxSteps    = 20_000 // parts of schemas that are looked at
	maxDepth    = 64
	maxOptional = 4 // how deep optional members stand
	maxItems    = 64
	maxTries    = 6
)

// Maker makes samples for one place, such as an operation's answer.
type Maker struct {
	Direction accept.Direction // of the messages that the samples are parts of
	Seed      uint64
	Place     string
	Plain     bool // the first value of a list, instead of any
	Filled    bool // no list is empty that may have an item, since a form cannot say that one is

	steps int
	try   int // the number of samples that were made and did not fit
	stack []*openapi3.Schema
}

var (
	errSteps = errors.New("the schema is too large to make a sample of it")
	errDepth = errors.New("the schema needs a value that contains itself")
)

// Of returns a value that fits a schema, as encoding/json decodes one. The error says why there is none.
func (m *Maker) Of(schema *openapi3.Schema) (value any, err error) {
	for m.try = 0; m.try < maxTries; m.try++ {
		m.steps, m.stack = 0, m.stack[:0]
		if value, err = m.value(schema, ""); err != nil {
			continue
		}
		if err = m.check(schema, value); err == nil {
			return value, nil
		}
	}
	reason, _, _ := strings.Cut(err.Error(), "\n") // which is enough to find the schema
	return nil, fmt.Errorf("no sample fits the schema: %s", reason)
}

// check holds a value against a schema. The last try need not have the formats that validators alone know.
func (m *Maker) check(schema *openapi3.Schema, value any) error {
	if m.try == maxTries-1 {
		return Check(schema, value, m.Direction)
	}
	return CheckFormats(schema, value, m.Direction)
}

var work accept.Work

// Check holds a decoded value against a schema. One that would take kin-openapi too many steps is refused unless it is
// known to be valid.
func Check(
	schema *openapi3.Schema, value any, direction accept.Direction, more ...openapi3.SchemaValidationOption,
) error {
	return checkWith(nil, schema, value, direction, more...)
}

// CheckFormats does the same, and holds values against formats that kin-openapi does not know, as validators do.
func CheckFormats(schema *openapi3.Schema, value any, direction accept.Direction) error {
	return checkWith(accept.Known, schema, value, direction, accept.Known.Options()...)
}

func checkWith(
	formats accept.Formats, schema *openapi3.Schema, value any, direction accept.Direction,
	more ...openapi3.SchemaValidationOption,
) error {
	err := work.Visit(schema, value, append(direction.Options(), more...)...)
	if errors.Is(err, accept.ErrTooMuch) && accept.CompileWith(formats, schema, direction).Accepts(value) {
		return nil
	}
	return err
}

// chance returns a number that depends on the seed and the place alone. The seeds 2n-1 and 2n never choose alike,
// however few there are to choose from: what two such worlds have in common depends on no seed.
func (m *Maker) chance(at string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s %s %d", (m.Seed+1)/2, m.Place, at, m.try)
	n := h.Sum64() // of which the low bits of near places are alike
	n ^= n >> 33
	n *= 0xff51afd7ed558ccd
	return (n ^ n>>33) + m.Seed%2
}

func (m *Maker) value(s *openapi3.Schema, at string) (any, error) {
	if s == nil {
		return "sample", nil
	}
	if m.steps++; m.steps > maxSteps {
		return nil, errSteps
	}
	if len(m.stack) > maxDepth {
		return nil, errDepth
	}
	if value, found := m.stated(s, at); found {
		return value, nil
	}
	if isWithin := slices.Contains(m.stack, s); isWithin && s.PermitsNull() {
		return nil, nil
	}
	m.stack = append(m.stack, s)
	defer func() { m.stack = m.stack[:len(m.stack)-1] }()
	switch {
	case len(s.AllOf) > 0:
		return m.value(merged(s), at)
	case len(s.OneOf) > 0:
		return m.alternative(s, s.OneOf, at)
	case len(s.AnyOf) > 0:
		return m.alternative(s, s.AnyOf, at)
	}
	return m.typed(s, at)
}

// stated returns what the document gives as a value: an example, a constant, a value of a list, or a default.
func (m *Maker) stated(s *openapi3.Schema, at string) (any, bool) {
	candidates := append([]any{s.Example}, s.Examples...)
	if m.try > 0 { // an example may be what did not fit
		candidates = nil
	}
	if s.Const != nil {
		candidates = append(candidates, s.Const)
	}
	if len(s.Enum) > 0 {
		first := 0
		if !m.Plain {
			first = int(m.chance(at) % uint64(len(s.Enum)))
		}
		candidates = append(candidates, s.Enum[first:]...)
		candidates = append(candidates, s.Enum[:first]...)
	} else {
		candidates = append(candidates, s.Default)
	}
	for _, value := range candidates {
		if value != nil && m.check(s, value) == nil {
			return value, true
		}
	}
	return nil, false
}

// alternative returns a sample of the first alternative that makes the whole fit.
func (m *Maker) alternative(s *openapi3.Schema, alternatives openapi3.SchemaRefs, at string) (value any, err error) {
	rest := *s
	rest.OneOf, rest.AnyOf, rest.Example, rest.Discriminator = nil, nil, nil, nil
	first := m.try % len(alternatives)
	for i := range alternatives {
		alternative := alternatives[(first+i)%len(alternatives)]
		if alternative.Value == nil {
			continue
		}
		part := alternative.Value
		if len(rest.Properties) > 0 || len(rest.Required) > 0 || rest.Type != nil {
			part = merged(&openapi3.Schema{AllOf: openapi3.SchemaRefs{{Value: &rest}, alternative}})
		}
		one, failed := m.value(part, at)
		if failed != nil {
			err = cmp.Or(err, failed)
			if errors.Is(failed, errSteps) {
				return nil, failed
			}
			continue
		}
		one = m.discriminated(one, s, alternative)
		if len(m.stack) > maxNestedChecks {
			return one, nil
		}
		failed = m.check(s, one)
		if failed == nil {
			return one, nil
		}
		if value == nil {
			value = one
		}
		err = cmp.Or(err, failed)
	}
	if value != nil { // what is around it may fit all the same
		return value, nil
	}
	return nil, err
}

// maxNestedChecks is the depth to which alternatives are checked one by one: the cost doubles with each level.
const maxNestedChecks = 8

// discriminated sets the member that says which alternative an object is, where the alternative allows it.
func (m *Maker) discriminated(value any, s *openapi3.Schema, alternative *openapi3.SchemaRef) any {
	object, isObject := value.(map[string]any)
	if !isObject || s.Discriminator == nil {
		return value
	}
	name := alternative.Ref[strings.LastIndexByte(alternative.Ref, '/')+1:]
	for _, key := range slices.Sorted(maps.Keys(s.Discriminator.Mapping)) {
		if ref := s.Discriminator.Mapping[key].Ref; ref == alternative.Ref || ref == name {
			name = key
			break
		}
	}
	if with := maps.Clone(object); name != "" {
		with[s.Discriminator.PropertyName] = name
		if m.check(alternative.Value, with) == nil {
			return with
		}
	}
	return object
}

// merged returns one schema that says what all parts of an allOf say, as far as samples need it.
func merged(s *openapi3.Schema) *openapi3.Schema {
	all := *s
	all.AllOf, all.Example, all.Examples = nil, nil, nil
	all.Properties, all.Required = maps.Clone(s.Properties), slices.Clone(s.Required)
	if all.Properties == nil {
		all.Properties = openapi3.Schemas{}
	}
	parts := map[*openapi3.Schema]bool{s: true}
	addParts(&all, s, parts)
	for part := range parts {
		if has := part.AdditionalProperties.Has; has != nil && !*has { // it refuses what only others have
			isOther := func(name string, _ *openapi3.SchemaRef) bool { return part.Properties[name] == nil }
			maps.DeleteFunc(all.Properties, isOther)
		}
	}
	return &all
}

// addParts makes a schema say what all parts of an allOf say, each once: what two levels share says nothing more.
func addParts(all, s *openapi3.Schema, added map[*openapi3.Schema]bool) {
	for _, ref := range s.AllOf {
		if part := ref.Value; part != nil && !added[part] {
			added[part] = true
			add(all, part)
			addParts(all, part, added)
		}
	}
}

// add makes a schema say what another one says, too.
func add(all, part *openapi3.Schema) {
	for name, property := range part.Properties {
		if before := all.Properties[name]; before != nil && before.Value != property.Value {
			property = &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{before, property}}}
		}
		all.Properties[name] = property
	}
	all.Required = append(all.Required, part.Required...)
	all.Type = cmp.Or(all.Type, part.Type)
	all.Format = cmp.Or(all.Format, part.Format)
	all.Pattern = cmp.Or(all.Pattern, part.Pattern)
	all.MinLength, all.MinItems = max(all.MinLength, part.MinLength), max(all.MinItems, part.MinItems)
	all.MinProps = max(all.MinProps, part.MinProps)
	all.MaxLength, all.MaxItems = least(all.MaxLength, part.MaxLength), least(all.MaxItems, part.MaxItems)
	all.MaxProps = least(all.MaxProps, part.MaxProps)
	all.Min, all.Max = greatest(all.Min, part.Min), least(all.Max, part.Max)
	all.UniqueItems = all.UniqueItems || part.UniqueItems
	all.MultipleOf = cmp.Or(all.MultipleOf, part.MultipleOf)
	all.ExclusiveMin = cmp.Or(all.ExclusiveMin, part.ExclusiveMin)
	all.ExclusiveMax = cmp.Or(all.ExclusiveMax, part.ExclusiveMax)
	if len(all.Enum) == 0 {
		all.Enum = part.Enum
	}
	if all.Const == nil {
		all.Const = part.Const
	}
	all.Items = cmp.Or(all.Items, part.Items)
	if len(all.OneOf) == 0 {
		all.OneOf = part.OneOf
	}
	if len(all.AnyOf) == 0 {
		all.AnyOf = part.AnyOf
	}
	all.Discriminator = cmp.Or(all.Discriminator, part.Discriminator)
	all.AdditionalProperties = cmp.Or(all.AdditionalProperties, part.AdditionalProperties)
}

func least[N uint64 | float64](a, b *N) *N {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

func greatest(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// typed makes a value of the type of a schema.
func (m *Maker) typed(s *openapi3.Schema, at string) (any, error) {
	for _, kind := range s.Type.Slice() {
		switch kind {
		case openapi3.TypeObject:
			return m.object(s, at)
		case openapi3.TypeArray:
			return m.list(s, at)
		case openapi3.TypeString:
			return m.text(s, at)
		case openapi3.TypeInteger, openapi3.TypeNumber:
			return m.number(s, at, kind == openapi3.TypeInteger)
		case openapi3.TypeBoolean:
			return m.chance(at)%2 == 0, nil
		}
	}
	switch {
	case s.Type.Is(openapi3.TypeNull):
		return nil, nil
	case len(s.Properties) > 0, len(s.Required) > 0, s.MinProps > 0, s.AdditionalProperties.Schema != nil:
		return m.object(s, at)
	case s.Items != nil, s.MinItems > 0:
		return m.list(s, at)
	case s.Min != nil, s.Max != nil, s.MultipleOf != nil:
		return m.number(s, at, false)
	case s.Format != "", s.Pattern != "", s.MinLength > 0:
		return m.text(s, at)
	}
	return map[string]any{}, nil // anything goes
}

func (m *Maker) object(s *openapi3.Schema, at string) (any, error) {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name].Value
		isRequired := slices.Contains(s.Required, name)
		isHidden := property == nil || m.isHidden(property)
		if isHidden || !isRequired && !m.wants(property, len(object), s) {
			continue
		}
		value, err := m.value(property, at+"/"+name)
		if err != nil {
			if isRequired || errors.Is(err, errSteps) {
				return nil, err
			}
			continue
		}
		object[name] = value
	}
	return object, m.fill(object, s, at)
}

func (m *Maker) isHidden(property *openapi3.Schema) bool {
	return m.Direction == accept.Request && property.ReadOnly || m.Direction == accept.Response && property.WriteOnly
}

// requiresHidden reports whether a schema requires a member that the other side alone sends. Some validators want it
// all the same, so that no value suits all of them.
func (m *Maker) requiresHidden(s *openapi3.Schema) bool {
	return slices.ContainsFunc(s.Required, func(name string) bool {
		member := s.Properties[name]
		return member != nil && member.Value != nil && m.Direction == accept.Response && m.isHidden(member.Value)
	})
}

// wants reports whether an object should have an optional member.
func (m *Maker) wants(property *openapi3.Schema, size int, s *openapi3.Schema) bool {
	isFull := s.MaxProps != nil && uint64(size+len(s.Required)) >= *s.MaxProps
	isOnlyRequired := m.try >= maxTries/2
	return !isFull && !isOnlyRequired && len(m.stack) <= maxOptional && !slices.Contains(m.stack, property)
}

// fill adds members that have no schema of their own: those that are required, and as many as there must be.
func (m *Maker) fill(object map[string]any, s *openapi3.Schema, at string) error {
	add := func(name string) error {
		if _, has := object[name]; has || len(object) > maxItems {
			return nil
		}
		if s.AdditionalProperties.Schema == nil {
			object[name] = "sample"
			return nil
		}
		value, err := m.value(s.AdditionalProperties.Schema.Value, at+"/"+name)
		object[name] = value
		return err
	}
	for _, name := range s.Required {
		if s.Properties[name] != nil {
			continue
		}
		if err := add(name); err != nil {
			return err
		}
	}
	least := s.MinProps
	if s.AdditionalProperties.Schema != nil && len(s.Properties) == 0 && len(m.stack) <= maxOptional {
		least = max(least, 1)
	}
	for i := 1; uint64(len(object)) < least && i <= maxItems; i++ {
		name := "key" + strconv.Itoa(i)
		if s.PropertyNames != nil {
			if made, err := m.value(s.PropertyNames.Value, at+"/"+name); err == nil {
				name = fmt.Sprint(made)
			}
		}
		if err := add(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *Maker) list(s *openapi3.Schema, at string) (any, error) {
	n := uint64(1)
	if len(m.stack) > maxOptional && !m.Filled || s.Items == nil || s.Items.Value != nil &&
		(slices.Contains(m.stack, s.Items.Value) || m.requiresHidden(s.Items.Value)) {
		n = 0
	}
	if s.MaxItems != nil {
		n = min(n, *s.MaxItems)
	}
	n = min(max(n, s.MinItems), maxItems)
	list := make([]any, 0, n)
	for i := range n {
		var item *openapi3.Schema
		if s.Items != nil {
			item = s.Items.Value
		}
		value, err := m.value(item, at+"/"+strconv.FormatUint(i, 10))
		if err != nil {
			if s.MinItems == 0 && !errors.Is(err, errSteps) {
				return []any{}, nil
			}
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

func (m *Maker) number(s *openapi3.Schema, at string, isWhole bool) (any, error) {
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	low, high := bounds(s, step)
	if isWhole {
		low, high = math.Ceil(low), math.Floor(high)
	}
	nearly := 0.0
	if s.MultipleOf != nil {
		nearly = 1e-9 // 0.07/0.01 is 7.000000000000001
	}
	first, last := math.Ceil(low/step-nearly), math.Floor(high/step+nearly)
	if first > last {
		if isWhole || s.MultipleOf != nil {
			return nil, fmt.Errorf("no number is between %v and %v", low, high)
		}
		return low + (high-low)/2, nil
	}
	span := min(last-first+1, 1000)
	n := (first + float64(m.chance(at)%uint64(span))) * step
	if isWhole && n != math.Trunc(n) {
		n = math.Ceil(n/step) * step * math.Ceil(1/step)
	}
	_, decimals, _ := strings.Cut(strconv.FormatFloat(step, 'f', -1, 64), ".")
	return strconv.ParseFloat(strconv.FormatFloat(n, 'f', len(decimals), 64), 64) // 0.07 is 7 times 0.01, as a decimal
}

// bounds returns the least and the greatest number that a schema allows, of those that people write.
func bounds(s *openapi3.Schema, step float64) (low, high float64) {
	low, high = 1, 1000*max(step, 1)
	limit := func(bound openapi3.ExclusiveBound, inclusive *float64) (at float64, isExclusive, isSet bool) {
		switch {
		case bound.Value != nil:
			return *bound.Value, true, true
		case inclusive != nil:
			return *inclusive, bound.IsTrue(), true
		}
		return 0, false, false
	}
	least, isAbove, hasLeast := limit(s.ExclusiveMin, s.Min)
	most, isBelow, hasMost := limit(s.ExclusiveMax, s.Max)
	nudge := step
	if s.MultipleOf == nil && !s.Type.Is(openapi3.TypeInteger) && hasLeast && hasMost {
		nudge = min(step, (most-least)/4)
	}
	if isAbove {
		least += nudge
	}
	if isBelow {
		most -= nudge
	}
	switch {
	case hasLeast && hasMost:
		low, high = max(least, min(low, most)), most
	case hasLeast:
		low, high = max(least, low), max(least, low)+999*step
	case hasMost:
		low, high = min(low, most), most
		if most < low {
			low = most - 999*step
		}
	}
	switch s.Format {
	case "int8":
		high = min(high, math.MaxInt8)
	case "uint8":
		high = min(high, math.MaxUint8)
	}
	return low, high
}
