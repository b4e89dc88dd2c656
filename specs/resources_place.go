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
			if (isJSONType(mediaType) || isRange) && media.Schema != nil && mayHaveValueAt(media.Schema.Value, at) {
				return true
			}
		}
	}
	return false
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
