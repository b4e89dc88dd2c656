package specs

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// ObjectSchema returns the schema of a resource's objects: that of what an operation shows which gets one, or else one
// that makes, changes or lists them; nil if no operation shows any.
func (d *Document) ObjectSchema(r *Resource) *openapi3.SchemaRef {
	set, err := d.resources()
	if err != nil {
		return nil
	}
	return set.objects[r].schema
}

// ShowsWhole reports whether an operation shows objects of a resource at a place as what gets one does.
func (o *Operation) ShowsWhole(r *Resource, at Pointer) bool {
	whole, here := o.Document.ObjectSchema(r), SchemaAt(o.successSchema(), at)
	return whole != nil && here != nil && whole.Value == here.Value
}

// shownObject is the schema of an object, with the rank of the verb of the operation that shows it.
type shownObject struct {
	schema *openapi3.SchemaRef
	rank   int
}

func (d *Document) addObjects(set *resourceSet) {
	set.objects = map[*Resource]shownObject{}
	for _, o := range d.Operations {
		for _, a := range set.actions[o] {
			verbs := []string{Get, Create, Update, List}
			rank := slices.Index(verbs, a.Verb)
			if rank < 0 || len(a.At) == 0 {
				continue
			}
			schema := SchemaAt(o.successSchema(), a.At[0])
			if schema == nil || schema.Value == nil {
				continue
			}
			if isFreeForm(schema.Value) { // another one says more
				rank += len(verbs)
			}
			if known := set.objects[a.Resource]; known.schema == nil || rank < known.rank {
				set.objects[a.Resource] = shownObject{schema, rank}
			}
		}
	}
}

// HidesNames reports whether a schema names members and does not say that there may be others.
func HidesNames(schema *openapi3.Schema) bool {
	extra := schema.AdditionalProperties
	return len(Members(&openapi3.SchemaRef{Value: schema})) > 0 && extra.Schema == nil && (extra.Has == nil || !*extra.Has)
}
