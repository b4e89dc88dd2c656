package judge

import (
	"fmt"
	"slices"
	"strconv"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
)

// judgeUndeclaredFields looks for fields that no schema names, whether or not the body is valid otherwise. A field is
// declared if any schema that applies to the object names it, however the schemas are combined.
func (j *Judge) judgeUndeclaredFields(o *judgement, b *content) {
	s := searchFields(b, noPointer)
	if len(s.found) == 0 {
		o.check(UndeclaredField, report.Pass)
		return
	}
	s = searchFields(b, b.schemaPointer())
	o.check(UndeclaredField, report.Fail)
	o.omit(UndeclaredField, s.more)
	for _, f := range s.found {
		provenance := j.place(b.op, f.pointer).Provenance
		severity := j.severity(b.side, provenance, b.outcome)
		if b.side == request {
			severity = report.Notice // the platform ignores what it does not know
		}
		j.addFinding(o, b.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail, Severity: severity, Message: f.message,
			Pointer: join("/"+b.side.String()+"/body", f.path...), Spec: report.Spec{Pointer: f.pointer},
		})
	}
}

// searchFields searches a body for undeclared fields. The pointer is that of its schema, or noPointer if the places of
// what is found are not needed.
func searchFields(b *content, pointer string) *fieldSearch {
	s := &fieldSearch{}
	root := []locatedSchema{{b.media.Schema.Value, pointer}}
	for i, value := range b.decoded.Values {
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

func (s *fieldSearch) value(value any, schemas []locatedSchema) {
	if len(s.path) > body.MaxDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		s.object(v, withCombined(schemas, v))
	case []any:
		items := mapSchemas(withCombined(schemas, nil), func(w locatedSchema) locatedSchema {
			if w.schema.Items == nil {
				return locatedSchema{}
			}
			return locatedSchema{w.schema.Items.Value, inside(w.pointer, "items")}
		})
		if len(items) == 0 {
			return // they are not described
		}
		for i, item := range v {
			s.descend(strconv.Itoa(i), item, items)
		}
	}
}

func (s *fieldSearch) descend(token string, value any, schemas []locatedSchema) {
	s.path = append(s.path, token)
	s.value(value, schemas)
	s.path = s.path[:len(s.path)-1]
}

func (s *fieldSearch) object(object map[string]any, schemas []locatedSchema) {
	if !slices.ContainsFunc(schemas, func(w locatedSchema) bool { return len(w.schema.Properties) > 0 }) {
		if !slices.ContainsFunc(schemas, hasMap) {
			return // its fields are not described
		}
	}
	open := slices.ContainsFunc(schemas, isOpen)
	isNamed := func(name string) bool {
		return slices.ContainsFunc(schemas,
			func(w locatedSchema) bool { return w.schema.Properties[name] != nil || hasMap(w) })
	}
	names := make([]string, 0, 16) // of what is to be looked at, mostly little
	for name, value := range object {
		if isContainer(value) || !open && !isNamed(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case isNamed(name):
			s.documentedField(name, object[name], schemas)
		case open:
		case len(s.found) >= maxFaults:
			s.more++
		default:
			s.found = append(s.found, fault{
				path: append(slices.Clone(s.path), name), pointer: schemas[0].pointer,
				message: fmt.Sprintf("field %q is not documented", name),
			})
		}
	}
}

// documentedField searches the value of a documented field.
func (s *fieldSearch) documentedField(name string, value any, schemas []locatedSchema) {
	if isContainer(value) {
		s.descend(name, value, mapSchemas(schemas, func(w locatedSchema) locatedSchema {
			if w.schema.Properties[name] == nil && !hasMap(w) {
				return locatedSchema{}
			}
			return innerSchema(w.schema, w.pointer, name)
		}))
	}
}

// isContainer reports whether a value may have fields below it.
func isContainer(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func hasMap(w locatedSchema) bool { return w.schema.AdditionalProperties.Schema != nil }

// isOpen reports whether a schema allows fields that it does not name, by additionalProperties: true.
func isOpen(w locatedSchema) bool {
	allowed := w.schema.AdditionalProperties.Has
	return allowed != nil && *allowed
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
func withCombined(schemas []locatedSchema, object map[string]any) []locatedSchema {
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
	return len(w.schema.AllOf)+len(w.schema.AnyOf)+len(w.schema.OneOf) > 0
}

func discriminated(w locatedSchema, parts []locatedSchema, object map[string]any) (locatedSchema, bool) {
	if w.schema.Discriminator == nil || object == nil {
		return locatedSchema{}, false
	}
	kind, _ := object[w.schema.Discriminator.PropertyName].(string)
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
