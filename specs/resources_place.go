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
	if isOne && o.answersWith(r.at.Join(r.Keys[0])) {
		return []Pointer{r.at}
	}
	return nil
}

// answersWith reports whether the schema of an answer of success has something at a pointer.
func (o *Operation) answersWith(at Pointer) bool {
	if o.Spec.Responses == nil {
		return false
	}
	for status, ref := range o.Spec.Responses.Map() {
		if !strings.HasPrefix(status, "2") || ref.Value == nil {
			continue
		}
		for mediaType, media := range ref.Value.Content {
			if isJSONType(mediaType) && media.Schema != nil && leads(media.Schema.Value, at, maxReferences) {
				return true
			}
		}
	}
	return false
}

// leads reports whether values of a schema may have something at a pointer.
func leads(s *openapi3.Schema, at Pointer, depth int) bool {
	if s == nil || depth == 0 {
		return false
	}
	if len(at) == 0 {
		return true
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		if leads(part.Value, at, depth-1) {
			return true
		}
	}
	switch child := s.Properties[at[0]]; {
	case at[0] == "*":
		return s.Items != nil && leads(s.Items.Value, at[1:], depth-1)
	case child != nil:
		return leads(child.Value, at[1:], depth-1)
	case s.AdditionalProperties.Schema != nil:
		return leads(s.AdditionalProperties.Schema.Value, at[1:], depth-1)
	}
	return false
}

// asksFor reports whether the schema of the request has something at a pointer.
func (o *Operation) asksFor(at Pointer) bool {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return false
	}
	for _, media := range o.Spec.RequestBody.Value.Content {
		if media.Schema != nil && leads(media.Schema.Value, at, maxReferences) {
			return true
		}
	}
	return false
}
