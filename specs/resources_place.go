package specs

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// shownAt returns where an answer shows a resource: where the document says so, or else, when one is got, created or
// updated, where that resource always stands, if the schema of the answer has its key there.
func (d *Document) shownAt(o *Operation, r *Resource, w *writtenAction) []Pointer {
	if w.At != nil {
		return w.At.pointers()
	}
	isOne := w.Verb == Get || w.Verb == Create || w.Verb == Update
	if isOne && o.answerHas(r.at.Join(r.Keys[0])) {
		return []Pointer{r.at}
	}
	return nil
}

// answerHas reports whether the schema of a successful answer allows a value at a pointer.
func (o *Operation) answerHas(at Pointer) bool {
	if o.Spec.Responses == nil {
		return false
	}
	for status, ref := range o.Spec.Responses.Map() {
		if !strings.HasPrefix(status, "2") || ref.Value == nil {
			continue
		}
		for mediaType, media := range ref.Value.Content {
			isRange := strings.HasSuffix(mediaType, "/*")
			if (isJSONType(mediaType) || isRange) && media.Schema != nil &&
				(mayHaveAnything(media, at) || mayHaveValueAt(media.Schema.Value, at)) {
				return true
			}
		}
	}
	return false
}

// mayHaveAnything reports whether a document says nothing of the members of a body, and shows no example without a
// value at a pointer.
func mayHaveAnything(media *openapi3.MediaType, at Pointer) bool {
	if media == nil || media.Schema == nil || !isFreeForm(media.Schema.Value) {
		return false
	}
	examples := []any{media.Example, media.Schema.Value.Example}
	for _, ref := range media.Examples {
		if ref != nil && ref.Value != nil {
			examples = append(examples, ref.Value.Value)
		}
	}
	return !slices.ContainsFunc(examples, func(value any) bool {
		for _, token := range at {
			if object, isObject := value.(map[string]any); value != nil && (!isObject || object[token] == nil) {
				return true
			} else if isObject {
				value = object[token]
			}
		}
		return false
	})
}

// isFreeForm reports whether a schema says nothing of the members of an object.
func isFreeForm(s *openapi3.Schema) bool {
	if s == nil || len(s.Properties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 || s.Not != nil {
		return false
	}
	others := s.AdditionalProperties
	isOpen := (others.Has == nil || *others.Has) && (others.Schema == nil || others.Schema.Value.IsEmpty())
	return isOpen && (s.Type == nil || s.Type.Is(openapi3.TypeObject))
}

// mayHaveValueAt reports whether a schema allows a value at a pointer.
func mayHaveValueAt(s *openapi3.Schema, at Pointer) bool { return places{}.allows(s, at) }

// places holds the schemas that were asked already, by how much of the pointer was left.
type places map[place]bool

type place struct {
	schema *openapi3.Schema
	left   int
}

func (p places) allows(s *openapi3.Schema, at Pointer) bool {
	here := place{s, len(at)}
	if s == nil || p[here] {
		return false
	}
	if len(at) == 0 {
		return true
	}
	p[here] = true
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		if p.allows(part.Value, at) {
			return true
		}
	}
	switch child := s.Properties[at[0]]; {
	case at[0] == "*":
		return s.Items != nil && p.allows(s.Items.Value, at[1:])
	case child != nil:
		return p.allows(child.Value, at[1:])
	case s.AdditionalProperties.Schema != nil:
		return p.allows(s.AdditionalProperties.Schema.Value, at[1:])
	}
	return false
}

// requestHas reports whether the schema of the request allows a value at a pointer.
func (o *Operation) requestHas(at Pointer) bool {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return false
	}
	for _, media := range o.Spec.RequestBody.Value.Content {
		if media.Schema != nil && mayHaveValueAt(media.Schema.Value, at) {
			return true
		}
	}
	return false
}
