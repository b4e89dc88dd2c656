package specdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// maxSteps is the number of schemas of one operation that are compared.
const maxSteps = 20_000

// pair is two schemas that are compared.
type pair struct{ old, new *openapi3.Schema }

// view is a schema with all that it is combined of by allOf, as one.
type view []*openapi3.Schema

func viewOf(ref *openapi3.SchemaRef) (v view) {
	if ref == nil || ref.Value == nil {
		return nil
	}
	v = view{ref.Value}
	for i := 0; i < len(v); i++ {
		for _, part := range v[i].AllOf {
			if part.Value != nil && !slices.Contains(v, part.Value) {
				v = append(v, part.Value)
			}
		}
	}
	return v
}

// schema compares what is allowed at a place.
func (c *comparison) schema(at place, before, after *openapi3.SchemaRef) {
	old, changed := viewOf(before), viewOf(after)
	switch {
	case old == nil && changed == nil:
		return
	case old == nil:
		old = view{{}}
	case changed == nil:
		changed = view{{}}
	}
	here := pair{old[0], changed[0]}
	if c.steps++; c.steps == maxSteps {
		c.add(report.Warning, "too-large", at, "the schemas are too large to be compared from here on", trace{what: called})
	}
	if c.steps >= maxSteps || c.open[here] || reflect.DeepEqual(old[0], changed[0]) {
		return
	}
	c.open[here] = true
	defer delete(c.open, here)
	if !c.types(at, old, changed) {
		return
	}
	c.format(at, old, changed)
	c.enum(at, old, changed)
	for _, b := range bounds {
		c.bound(at, b, old, changed)
	}
	c.flags(at, old, changed)
	c.properties(at, old, changed)
	c.additional(at, old, changed)
	c.inner(at.at("*"), old, changed, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
	c.alternatives(at, "oneOf", old, changed, func(s *openapi3.Schema) openapi3.SchemaRefs { return s.OneOf })
	c.alternatives(at, "anyOf", old, changed, func(s *openapi3.Schema) openapi3.SchemaRefs { return s.AnyOf })
	c.keywords(at, old, changed)
}

// types compares types, and reports whether some are in both.
func (c *comparison) types(at place, old, changed view) (overlap bool) {
	a, b := old.types(), changed.types()
	lost := a == nil && b != nil || b != nil && slices.ContainsFunc(a, func(t string) bool { return !allows(b, t) })
	gained := b == nil && a != nil || a != nil && slices.ContainsFunc(b, func(t string) bool { return !allows(a, t) })
	message := fmt.Sprintf("type %s → %s", orAny(a), orAny(b))
	switch {
	case lost && gained:
		c.other("type", at, message, report.Error)
	case lost:
		c.narrower("type", at, message)
	case gained:
		c.wider("type", at, message, report.Error)
	}
	switch before, after := old.takesNull(), changed.takesNull(); {
	case before && !after:
		c.narrower("nullable", at, "no longer null")
	case after && !before:
		c.wider("nullable", at, "may now be null", report.Error)
	}
	return a == nil || b == nil || slices.ContainsFunc(a, func(t string) bool { return allows(b, t) }) ||
		slices.ContainsFunc(b, func(t string) bool { return allows(a, t) })
}

// types lists the types of a schema but null; nil if it allows all.
func (v view) types() (list []string) {
	for _, s := range v {
		if s.Type == nil {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(s.Type.Slice()), func(t string) bool { return t == openapi3.TypeNull })
		if list != nil {
			own = slices.DeleteFunc(own, func(t string) bool { return !allows(list, t) })
		}
		list = own
	}
	slices.Sort(list)
	return list
}

func allows(types []string, one string) bool {
	return slices.Contains(types, one) || one == openapi3.TypeInteger && slices.Contains(types, openapi3.TypeNumber)
}

func orAny(types []string) string {
	if types == nil {
		return "any"
	}
	return strings.Join(types, " or ")
}

// takesNull reports whether null is allowed by name. A schema without a type says nothing of it.
func (v view) takesNull() bool {
	return slices.ContainsFunc(v, func(s *openapi3.Schema) bool { return s.PermitsNull() })
}

// first returns the first value of a keyword that is not zero.
func first[T comparable](v view, of func(*openapi3.Schema) T) (value T) {
	for _, s := range v {
		if own := of(s); own != value {
			return own
		}
	}
	return value
}

// within holds formats all of whose values fit others.
var within = map[[2]string]bool{{"int32", "int64"}: true, {"float", "double"}: true}

func (c *comparison) format(at place, old, changed view) {
	format := func(s *openapi3.Schema) string { return s.Format }
	a, b := first(old, format), first(changed, format)
	c.keyword(at, "format", a, b, b == "" || within[[2]string{a, b}], a == "" || within[[2]string{b, a}], report.Error)
	pattern := func(s *openapi3.Schema) string { return s.Pattern }
	a, b = first(old, pattern), first(changed, pattern)
	c.keyword(at, "pattern", a, b, b == "", a == "", report.Warning)
}

// keyword compares a keyword that restricts texts, and may be there alone in the other schema.
func (c *comparison) keyword(at place, name, old, changed string, isWider, isNarrower bool, inAnswers report.Severity) {
	message := fmt.Sprintf("%s %s → %s", name, orNone(old), orNone(changed))
	switch {
	case old == changed:
	case isWider:
		c.wider(name, at, message, inAnswers)
	case isNarrower:
		c.narrower(name, at, message)
	default:
		c.other(name, at, message, inAnswers)
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// enum compares enumerated values; a constant is an enumeration of one.
func (c *comparison) enum(at place, old, changed view) {
	a, b := old.enum(), changed.enum()
	switch {
	case a == nil && b == nil:
		return
	case a == nil:
		c.narrower("enum-added", at, "only "+literals(b)+" allowed")
		return
	case b == nil:
		c.wider("enum-removed", at, "no longer only "+literals(a), report.Warning)
		return
	}
	for _, value := range a {
		switch {
		case contains(b, value):
		case at.isAnswer():
			c.add(report.Notice, "enum-value-removed", at, "value "+literals([]any{value})+" removed", trace{})
		default:
			t := at.trace()
			t.part, t.aspect = t.part+"="+plain(value), coverage.EnumParts
			c.add(report.Error, "enum-value-removed", at, "value "+literals([]any{value})+" removed", t)
		}
	}
	for _, value := range b {
		if !contains(a, value) {
			c.wider("enum-value-added", at, "value "+literals([]any{value})+" added", report.Warning)
		}
	}
}

func (v view) enum() []any {
	for _, s := range v {
		switch {
		case s.Const != nil:
			return []any{s.Const}
		case s.Enum != nil:
			return slices.DeleteFunc(slices.Clone(s.Enum), func(value any) bool { return value == nil })
		}
	}
	return nil
}

func contains(list []any, value any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return reflect.DeepEqual(value, other) })
}

func literals(list []any) string {
	texts := make([]string, len(list))
	for i, value := range list {
		text, err := json.Marshal(value)
		if err != nil {
			text = fmt.Append(nil, value)
		}
		texts[i] = string(text)
	}
	return strings.Join(texts, ", ")
}

// plain returns a value as coverage names it.
func plain(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

// bound is a keyword with a number that values may not pass.
type bound struct {
	name    string
	isLower bool
	of      func(*openapi3.Schema) limit
}

// limit is the value of a bound; nil if there is none.
type limit struct {
	value       *float64
	isExclusive bool
}

var bounds = []bound{
	{"minimum", true, func(s *openapi3.Schema) limit { return numberOf(s.Min, s.ExclusiveMin) }},
	{"maximum", false, func(s *openapi3.Schema) limit { return numberOf(s.Max, s.ExclusiveMax) }},
	{"minLength", true, func(s *openapi3.Schema) limit { return leastOf(s.MinLength) }},
	{"maxLength", false, func(s *openapi3.Schema) limit { return countOf(s.MaxLength) }},
	{"minItems", true, func(s *openapi3.Schema) limit { return leastOf(s.MinItems) }},
	{"maxItems", false, func(s *openapi3.Schema) limit { return countOf(s.MaxItems) }},
	{"minProperties", true, func(s *openapi3.Schema) limit { return leastOf(s.MinProps) }},
	{"maxProperties", false, func(s *openapi3.Schema) limit { return countOf(s.MaxProps) }},
}

// numberOf returns the limit of a number. The exclusive one is another number from version 3.1 on, and before that says
// of the same one that it is exclusive.
func numberOf(value *float64, exclusive openapi3.ExclusiveBound) limit {
	if exclusive.Value != nil {
		return limit{exclusive.Value, true}
	}
	return limit{value, exclusive.IsTrue()}
}

func countOf(count *uint64) limit {
	if count == nil {
		return limit{}
	}
	return leastOf(*count)
}

func leastOf(count uint64) limit {
	value := float64(count)
	return limit{value: &value}
}

func (l limit) String() string {
	switch {
	case l.value == nil:
		return "none"
	case l.isExclusive:
		return number(*l.value) + " exclusive"
	}
	return number(*l.value)
}

// isStricter reports whether a limit allows less than another one.
func (b bound) isStricter(one, other limit) bool {
	switch {
	case one.value == nil || other.value == nil:
		return one.value != nil
	case *one.value == *other.value:
		return one.isExclusive && !other.isExclusive
	}
	return (*one.value > *other.value) == b.isLower
}

func (b bound) strictest(v view) (strictest limit) {
	for _, s := range v {
		if own := b.of(s); b.isStricter(own, strictest) {
			strictest = own
		}
	}
	return strictest
}

func (c *comparison) bound(at place, b bound, old, changed view) {
	before, after := b.strictest(old), b.strictest(changed)
	message := fmt.Sprintf("%s %s → %s", b.name, before, after)
	switch {
	case before.String() == after.String():
	case b.isStricter(after, before):
		c.narrower(b.name, at, message)
	default:
		c.wider(b.name, at, message, report.Warning)
	}
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// flags compares keywords that are there or not, and the step of numbers.
func (c *comparison) flags(at place, old, changed view) {
	unique := func(s *openapi3.Schema) bool { return s.UniqueItems }
	switch a, b := first(old, unique), first(changed, unique); {
	case b && !a:
		c.narrower("uniqueItems", at, "items must now differ")
	case a && !b:
		c.wider("uniqueItems", at, "items may now be equal", report.Warning)
	}
	step := func(s *openapi3.Schema) float64 {
		if s.MultipleOf == nil {
			return 0
		}
		return *s.MultipleOf
	}
	a, b := first(old, step), first(changed, step)
	c.keyword(at, "multipleOf", stepText(a), stepText(b), b == 0 || isMultiple(a, b), a == 0 || isMultiple(b, a),
		report.Warning)
	deprecated := func(s *openapi3.Schema) bool { return s.Deprecated }
	c.deprecated(at, first(old, deprecated), first(changed, deprecated), at.trace())
	if a, b := literals([]any{old.byDefault()}), literals([]any{changed.byDefault()}); a != b && !at.isAnswer() {
		c.add(report.Warning, "default", at, fmt.Sprintf("default %s → %s", a, b), trace{what: called})
	}
}

func stepText(step float64) string {
	if step == 0 {
		return ""
	}
	return number(step)
}

func isMultiple(of, step float64) bool { return of != 0 && step != 0 && math.Mod(of, step) == 0 }

func (v view) byDefault() any {
	for _, s := range v {
		if s.Default != nil {
			return s.Default
		}
	}
	return nil
}

// properties compares the properties that a message of the side may have.
func (c *comparison) properties(at place, old, changed view) {
	before, after := old.properties(at.isAnswer()), changed.properties(at.isAnswer())
	for _, name := range slices.Sorted(maps.Keys(before)) {
		here := at.at(specs.EscapePointer(name))
		if after[name] == nil {
			message := "property removed"
			if other := changed.properties(!at.isAnswer())[name]; other != nil {
				message = map[bool]string{true: "property now writeOnly", false: "property now readOnly"}[at.isAnswer()]
			}
			c.add(report.Error, "property-removed", here, message, here.trace())
			continue
		}
		switch a, b := old.requires(name), changed.requires(name); {
		case b && !a && at.isAnswer():
			c.add(report.Notice, "property-required", here, "property now always there", trace{})
		case b && !a:
			c.add(report.Error, "property-required", here, "property now required", here.refused())
		case a && !b && at.isAnswer():
			c.add(report.Error, "property-optional", here, "property may now be absent", here.trace())
		case a && !b:
			c.add(report.Notice, "property-optional", here, "property now optional", trace{})
		}
		c.schema(here, before[name], after[name])
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		here := at.at(specs.EscapePointer(name))
		switch {
		case before[name] != nil:
		case changed.requires(name) && !at.isAnswer():
			c.add(report.Error, "required-property-added", here, "required property added", here.refused())
		default:
			c.add(report.Notice, "property-added", here, "property added", trace{})
		}
	}
}

func (v view) properties(isAnswer bool) map[string]*openapi3.SchemaRef {
	list := map[string]*openapi3.SchemaRef{}
	for _, s := range v {
		for name, ref := range s.Properties {
			if list[name] == nil && ref.Value != nil && !(isAnswer && ref.Value.WriteOnly) && (isAnswer || !ref.Value.ReadOnly) {
				list[name] = ref
			}
		}
		for _, name := range s.Required { // which may have no schema
			if list[name] == nil && !v.declares(name) {
				list[name] = &openapi3.SchemaRef{Value: &openapi3.Schema{}}
			}
		}
	}
	return list
}

func (v view) declares(name string) bool {
	return slices.ContainsFunc(v, func(s *openapi3.Schema) bool { return s.Properties[name] != nil })
}

func (v view) requires(name string) bool {
	return slices.ContainsFunc(v, func(s *openapi3.Schema) bool { return slices.Contains(s.Required, name) })
}

// additional compares what properties without a name may be.
func (c *comparison) additional(at place, old, changed view) {
	switch a, b := old.isClosed(), changed.isClosed(); {
	case b && !a:
		c.narrower("additionalProperties", at, "other properties no longer allowed")
	case a && !b:
		c.wider("additionalProperties", at, "other properties now allowed", report.Notice)
	}
	c.inner(at.at("*"), old, changed,
		func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
}

func (v view) isClosed() bool {
	return slices.ContainsFunc(v, func(s *openapi3.Schema) bool {
		return s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has
	})
}

// inner compares schemas of what is within values.
func (c *comparison) inner(at place, old, changed view, of func(*openapi3.Schema) *openapi3.SchemaRef) {
	c.schema(at, first(old, of), first(changed, of))
}

// alternatives compares the schemas that a value may have: by their names where they have any, else by their order.
func (c *comparison) alternatives(at place, keyword string, old, changed view,
	of func(*openapi3.Schema) openapi3.SchemaRefs,
) {
	a, b := named(old, of), named(changed, of)
	switch {
	case len(a) == 0 && len(b) == 0:
		return
	case len(a) == 0:
		c.narrower(keyword, at, "now one of several schemas")
		return
	case len(b) == 0:
		c.wider(keyword, at, "no longer one of several schemas", report.Warning)
		return
	}
	at.choice = cmp.Or(at.choice, at.path)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if b[name] == nil {
			c.narrower(keyword+"-removed", at, "alternative "+name+" removed")
			continue
		}
		c.schema(at, a[name], b[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] == nil {
			c.wider(keyword+"-added", at, "alternative "+name+" added", report.Error)
		}
	}
}

func named(v view, of func(*openapi3.Schema) openapi3.SchemaRefs) map[string]*openapi3.SchemaRef {
	list := map[string]*openapi3.SchemaRef{}
	for _, s := range v {
		for i, ref := range of(s) {
			name := ref.Ref[strings.LastIndexByte(ref.Ref, '/')+1:]
			if name == "" {
				name = strconv.Itoa(i + 1)
			}
			list[name] = ref
		}
	}
	return list
}

// keywords compares keywords whose effect on values is not known: they are never passed over.
func (c *comparison) keywords(at place, old, changed view) {
	a, b := old.written(), changed.written()
	for _, name := range []string{
		"not", "if", "then", "else", "prefixItems", "contains", "minContains", "maxContains", "patternProperties",
		"propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties",
		"discriminator",
	} {
		if a[name] != b[name] {
			c.other(name, at, name+" changed", report.Warning)
		}
	}
}

// written returns the keywords of a schema as the document has them.
func (v view) written() map[string]string {
	keywords := map[string]string{}
	for _, s := range v {
		var members map[string]json.RawMessage
		if text, err := json.Marshal(s); err == nil && json.Unmarshal(text, &members) == nil {
			for name, value := range members {
				keywords[name] += string(value)
			}
		}
	}
	return keywords
}
