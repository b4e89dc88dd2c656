package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/accept/flat"
	"svc.example/understudy/specs/recording"
)

// judgeUndeclaredFields looks for fields that no schema names, whether or not the body is valid otherwise. A field is
// declared if any schema that applies to the object names it, however the schemas are combined.
func (j *Judge) judgeUndeclaredFields(o *judgement, b *content) {
	if !cacheOf(b.op.Document).fields.mayHaveUndeclared(b.decoded, b.fields) {
		o.check(UndeclaredField, report.Pass)
		return
	}
	s := searchFields(b)
	if len(s.found) == 0 {
		o.check(UndeclaredField, report.Pass)
		return
	}
	o.check(UndeclaredField, report.Fail)
	o.omit(UndeclaredField, s.more)
	for _, f := range s.found {
		provenance := j.place(b.op, f.pointer).Provenance
		severity := j.severity(b.side, provenance, b.outcome)
		isOfPlatform := !b.op.Document.IsUsers()
		if isOfPlatform && b.side == request || !isOfPlatform && !j.undeclared {
			// The platform ignores what it does not know; elsewhere an object is open unless its schema closes it
			// (3.0, Schema Object, additionalProperties; JSON Schema 2020-12, 10.3.2.3).
			severity = report.Notice
		}
		j.addFinding(o, b.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail, Severity: severity, Message: f.message,
			Pointer: join("/"+b.side.String()+"/body", f.path...), Spec: report.Spec{Pointer: f.pointer},
		})
	}
}

// judgeExpectedFields notes the members that a request lacks although its document expects them.
func (j *Judge) judgeExpectedFields(o *judgement, b *content) {
	if b.side != request {
		return
	}
	for _, name := range b.expected {
		if b.decoded.Lines || b.decoded.Value[0].Kind != flat.Object || b.decoded.Value.Member(name) != nil {
			continue
		}
		o.check(Schema, report.Fail)
		j.addFinding(o, b.message, report.Finding{
			Rule: Schema, Verdict: report.Fail, Severity: report.Notice,
			Message: fmt.Sprintf("property %q is missing: one public document requires it, and clients leave it out", name),
			Pointer: join("/request/body", name), Spec: report.Spec{Pointer: b.schemaPointer + "/" + expectedExtension},
		})
	}
}

// judgeHiddenFields warns of members that messages of the side do not have: in a request what is readOnly, which should
// not be sent, and in an answer what is writeOnly (3.0, Schema Object; JSON Schema 2020-12 Validation, 9.4). A secret
// in an answer is as loud as other deviations.
func (j *Judge) judgeHiddenFields(o *judgement, b *content) {
	if b.compiled == nil || !b.hidesAny {
		return
	}
	for i, value := range b.decoded.Values() {
		var at []string
		if b.decoded.Lines {
			at = []string{strconv.Itoa(i)}
		}
		b.hidden(value, []locatedSchema{{b.media.Schema.Value, b.schemaPointer}}, at, func(path []string, w locatedSchema) {
			name, keyword := path[len(path)-1], map[side]string{request: "readOnly", response: "writeOnly"}[b.side]
			pointer := join(w.pointer, keyword)
			severity := j.severity(b.side, j.place(b.op, pointer).Provenance, b.outcome)
			if b.side == request || w.schema.Format != "password" && !recording.IsSecret(name) {
				severity = severity.AtMost(report.Warning)
			}
			o.check(Schema, report.Fail)
			j.addFinding(o, b.message, report.Finding{
				Rule: Schema, Verdict: report.Fail, Severity: severity,
				Message: fmt.Sprintf("%s property %q in %s", keyword, name, b.side),
				Pointer: b.instance("/"+b.side.String()+"/body", path), Found: j.foundAt(b, path),
				Spec: report.Spec{Pointer: pointer},
			})
		})
	}
}

// hidden calls a function with each member of a value that messages of the side do not have, and its schema.
func (b *content) hidden(value any, schemas []locatedSchema, at []string, found func(path []string, w locatedSchema)) {
	if len(at) > body.MaxDepth {
		return
	}
	schemas = withCombined(schemas, flat.Of(value))
	inner := func(token string, value any) {
		path := append(slices.Clip(at), token)
		below := mapSchemas(schemas, func(w locatedSchema) locatedSchema { return innerSchema(w.schema, w.pointer, token) })
		for _, w := range withCombined(below, nil) {
			if b.hides(w) {
				found(path, w)
				return
			}
		}
		b.hidden(value, below, path, found)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner(name, v[name])
		}
	case []any:
		for i, item := range v {
			inner(strconv.Itoa(i), item)
		}
	}
}

// hidesAny reports whether a schema, or one that it consists of, is readOnly or writeOnly.
func hidesAny(schema *openapi3.Schema) bool {
	return openapi3.NewSchemaRef("", schema).WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
		if ref.Value != nil && (ref.Value.ReadOnly || ref.Value.WriteOnly) {
			return errHides
		}
		return nil
	}) != nil
}

var errHides = errors.New("it is readOnly or writeOnly")

// searchFields searches a body for undeclared fields.
func searchFields(b *content) *fieldSearch {
	s := &fieldSearch{}
	root := []locatedSchema{{b.media.Schema.Value, b.schemaPointer}}
	for i, value := range b.decoded.All() {
		if b.decoded.Lines {
			s.path = append(s.path[:0], strconv.Itoa(i))
		}
		s.value(value, root)
	}
	return s
}

// fieldSearch walks a body.
type fieldSearch struct {
	path  []string // of the current value
	found []fault  // the first ones
	more  int      // beyond them
}

func (s *fieldSearch) value(value flat.Value, schemas []locatedSchema) {
	if len(s.path) > body.MaxDepth {
		return
	}
	switch value[0].Kind {
	case flat.Object:
		s.object(value, withCombined(schemas, value))
	case flat.List:
		items := itemSchemas(withCombined(schemas, nil))
		if len(items) == 0 {
			return // they are not described
		}
		rest := value.Parts()
		for i := 0; len(rest) > 0; i++ {
			s.descend(strconv.Itoa(i), rest.Cut(), items)
		}
	default: // it has no fields
	}
}

func (s *fieldSearch) descend(token string, value flat.Value, schemas []locatedSchema) {
	s.path = append(s.path, token)
	s.value(value, schemas)
	s.path = s.path[:len(s.path)-1]
}

// field is a member of an object.
type field struct {
	name  string
	value flat.Value
}

func (s *fieldSearch) object(object flat.Value, schemas []locatedSchema) {
	if !slices.ContainsFunc(schemas, func(w locatedSchema) bool { return len(w.schema.Properties) > 0 }) {
		if !slices.ContainsFunc(schemas, hasMap) {
			return // its fields are not described
		}
	}
	open := slices.ContainsFunc(schemas, isOpen)
	isNamed := func(name string) bool {
		return slices.ContainsFunc(schemas,
			func(w locatedSchema) bool { return declares(w, name) || hasMap(w) })
	}
	fields := make([]field, 0, 8) // that are to be looked at, mostly few
	for rest := object.Parts(); len(rest) > 0; {
		name := rest.CutName()
		if value := rest.Cut(); value.IsContainer() || !open && !isNamed(name) {
			fields = append(fields, field{name, value})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	for _, f := range fields {
		switch {
		case isNamed(f.name):
			s.documentedField(f, schemas)
		case open:
		case len(s.found) >= maxFaults:
			s.more++
		default:
			s.found = append(s.found, fault{
				path: append(slices.Clone(s.path), f.name), pointer: schemas[0].pointer,
				message: fmt.Sprintf("field %q is not documented", f.name),
			})
		}
	}
}

// declares reports whether a schema names a field, if only to require it.
func declares(w locatedSchema, name string) bool {
	for _, names := range w.schema.DependentRequired {
		if slices.Contains(names, name) {
			return true
		}
	}
	return w.schema.Properties[name] != nil || slices.Contains(w.schema.Required, name)
}

// documentedField searches the value of a documented field.
func (s *fieldSearch) documentedField(f field, schemas []locatedSchema) {
	if f.value.IsContainer() {
		s.descend(f.name, f.value, fieldSchemas(schemas, f.name))
	}
}

// fieldSchemas lists the schemas that schemas of an object have for a field.
func fieldSchemas(schemas []locatedSchema, name string) []locatedSchema {
	return mapSchemas(schemas, func(w locatedSchema) locatedSchema {
		if w.schema.Properties[name] == nil && !hasMap(w) {
			return locatedSchema{}
		}
		return innerSchema(w.schema, w.pointer, name)
	})
}

// itemSchemas lists the schemas that schemas of a list have for its items.
func itemSchemas(schemas []locatedSchema) []locatedSchema {
	return mapSchemas(schemas, func(w locatedSchema) locatedSchema {
		if w.schema.Items == nil {
			return locatedSchema{}
		}
		return locatedSchema{w.schema.Items.Value, inside(w.pointer, "items")}
	})
}

func hasMap(w locatedSchema) bool { return w.schema.AdditionalProperties.Schema != nil }

// isOpen reports whether a schema allows fields that it does not name, by additionalProperties: true, by patterns, by
// unevaluatedProperties, or because a discriminator leads to schemas that name more.
func isOpen(w locatedSchema) bool {
	allowed := w.schema.AdditionalProperties.Has
	return allowed != nil && *allowed ||
		len(w.schema.PatternProperties) > 0 || w.schema.UnevaluatedProperties.Schema != nil ||
		w.schema.Discriminator != nil && len(w.schema.OneOf)+len(w.schema.AnyOf) == 0
}

func mapSchemas(schemas []locatedSchema, next func(locatedSchema) locatedSchema) []locatedSchema {
	var list []locatedSchema
	for _, w := range schemas {
		if n := next(w); n.schema != nil {
			list = append(list, n)
		}
	}
	return list
}

// withCombined adds the schemas that schemas are combined of. If a discriminator names one of several alternatives for
// the object, only that one is added.
func withCombined(schemas []locatedSchema, object flat.Value) []locatedSchema {
	if len(schemas) <= maxWalk && !slices.ContainsFunc(schemas, isCombined) {
		return schemas
	}
	var list []locatedSchema
	for i := 0; i < len(schemas) && len(list) <= maxWalk; i++ {
		w := schemas[i]
		list = append(list, w)
		if !isCombined(w) {
			continue
		}
		parts := combinedSchemas(w.schema, w.pointer)
		if chosen, ok := discriminated(w, parts, object); ok {
			parts = []locatedSchema{chosen}
		}
		schemas = append(slices.Clip(schemas), parts...)
	}
	return list
}

func isCombined(w locatedSchema) bool {
	s := w.schema
	return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.DependentSchemas) > 0 || s.If != nil
}

func discriminated(w locatedSchema, parts []locatedSchema, object flat.Value) (locatedSchema, bool) {
	if w.schema.Discriminator == nil || object == nil {
		return locatedSchema{}, false
	}
	kind := ""
	if value := object.Member(w.schema.Discriminator.PropertyName); value != nil {
		kind = value[0].Text
	}
	target, ok := w.schema.Discriminator.Mapping[kind]
	if !ok {
		return locatedSchema{}, false
	}
	for i, ref := range slices.Concat(w.schema.AllOf, w.schema.AnyOf, w.schema.OneOf) {
		if ref.Ref == target.Ref {
			return parts[i], true
		}
	}
	return locatedSchema{}, false
}
