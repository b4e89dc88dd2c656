package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// undeclaredFields looks for fields that no schema names, whether or not the body is valid otherwise. A field is
// declared when any of the schemas that speak of the object names it, whichever way they are combined.
func (j *Judge) undeclaredFields(o *judgement, b *content) {
	s := search{}
	root := []way{{b.media.Schema.Value, b.schemaPointer}}
	for i, value := range b.decoded.Values {
		if b.decoded.Lines {
			s.at = append(s.at[:0], strconv.Itoa(i))
		}
		s.value(value, root)
	}
	if len(s.found) == 0 {
		o.check(UndeclaredField, report.Pass)
		return
	}
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

// search walks a body.
type search struct {
	at    []string // the path of the value at hand
	found []fault  // the first ones
	more  int      // beyond them
}

func (s *search) value(value any, ways []way) {
	if len(s.at) > body.MaxDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		s.object(v, spread(ways, v))
	case []any:
		items := each(spread(ways, nil), func(w way) way {
			if w.schema.Items == nil {
				return way{}
			}
			return way{w.schema.Items.Value, w.pointer + "/items"}
		})
		if len(items) == 0 {
			return // they are not described
		}
		for i, item := range v {
			s.part(strconv.Itoa(i), item, items)
		}
	}
}

func (s *search) part(token string, value any, ways []way) {
	s.at = append(s.at, token)
	s.value(value, ways)
	s.at = s.at[:len(s.at)-1]
}

func (s *search) object(object map[string]any, ways []way) {
	if !slices.ContainsFunc(ways, func(w way) bool { return len(w.schema.Properties) > 0 }) {
		if !slices.ContainsFunc(ways, hasMap) {
			return // its fields are not described
		}
	}
	open := slices.ContainsFunc(ways, isOpen)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		isNamed := func(w way) bool { return w.schema.Properties[name] != nil || hasMap(w) }
		switch {
		case slices.ContainsFunc(ways, isNamed):
			s.member(name, object[name], ways)
		case open:
		case len(s.found) >= maxFaults:
			s.more++
		default:
			s.found = append(s.found, fault{
				path: append(slices.Clone(s.at), name), pointer: ways[0].pointer,
				message: fmt.Sprintf("field %q is not documented", name),
			})
		}
	}
}

// member looks into a documented field, unless it is empty.
func (s *search) member(name string, value any, ways []way) {
	switch value.(type) {
	case map[string]any, []any:
		s.part(name, value, each(ways, func(w way) way {
			if w.schema.Properties[name] == nil && !hasMap(w) {
				return way{}
			}
			return step(w.schema, w.pointer, name)
		}))
	}
}

func hasMap(w way) bool { return w.schema.AdditionalProperties.Schema != nil }

// isOpen reports whether a schema welcomes fields that it does not name: it says so, or it says nothing of fields.
func isOpen(w way) bool {
	allowed := w.schema.AdditionalProperties.Has
	return allowed != nil && *allowed
}

func each(ways []way, next func(way) way) []way {
	var list []way
	for _, w := range ways {
		if n := next(w); n.schema != nil {
			list = append(list, n)
		}
	}
	return list
}

// spread adds to schemas those that they are combined of. Of alternatives that a discriminator distinguishes, only the
// one that the object is meant to be counts.
func spread(ways []way, object map[string]any) []way {
	var list []way
	for i := 0; i < len(ways) && len(list) <= maxWalk; i++ {
		w := ways[i]
		if len(w.schema.AllOf)+len(w.schema.AnyOf)+len(w.schema.OneOf) == 0 {
			list = append(list, w)
			continue
		}
		list = append(list, w)
		parts := branches(w.schema, w.pointer)
		if chosen, ok := discriminated(w, parts, object); ok {
			parts = []way{chosen}
		}
		ways = append(slices.Clip(ways), parts...)
	}
	return list
}

func discriminated(w way, parts []way, object map[string]any) (way, bool) {
	if w.schema.Discriminator == nil || object == nil {
		return way{}, false
	}
	kind, _ := object[w.schema.Discriminator.PropertyName].(string)
	target, ok := w.schema.Discriminator.Mapping[kind]
	if !ok {
		return way{}, false
	}
	for i, ref := range slices.Concat(w.schema.AllOf, w.schema.AnyOf, w.schema.OneOf) {
		if ref.Ref == target.Ref {
			return parts[i], true
		}
	}
	return way{}, false
}

// undeclaredParameters looks for query parameters that the operation does not name. One whose name is a prefix with
// brackets may be a part of an object.
func (j *Judge) undeclaredParameters(o *judgement, p *parameters) {
	verdict := report.Pass
	for _, name := range slices.Sorted(maps.Keys(p.query)) {
		if declaresQuery(p.op, name) || p.op.Reader.TakesFromQuery(name) {
			continue
		}
		verdict = report.Fail
		if o.isFull(UndeclaredField) {
			o.omit(UndeclaredField, 1)
			continue
		}
		provenance := j.place(p.op, p.op.Pointer+"/parameters").Provenance
		j.addFinding(o, &p.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail,
			Severity: j.severity(request, provenance, p.outcome).AtMost(report.Warning),
			Message:  fmt.Sprintf("query parameter %q is not documented", name),
			Pointer:  join("/request/query", name), Spec: report.Spec{Pointer: p.op.Pointer + "/parameters"},
		})
	}
	o.check(UndeclaredField, verdict)
}

func declaresQuery(op *specs.Operation, name string) bool {
	for _, ref := range op.Parameters {
		if p := ref.Value; p.In == openapi3.ParameterInQuery {
			if p.Name == name || p.Name+"[]" == name || p.Style == "deepObject" && hasPrefix(name, p.Name+"[") {
				return true
			}
			isForm := p.Schema != nil && p.Schema.Value.Type.Is("object") && p.Style != "deepObject"
			if isForm && p.Schema.Value.Properties[name] != nil {
				return true
			}
		}
	}
	for _, scheme := range credentialSchemes(op) {
		if scheme.In == "query" && scheme.Name == name {
			return true
		}
	}
	return false
}

func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && name[:len(prefix)] == prefix
}
