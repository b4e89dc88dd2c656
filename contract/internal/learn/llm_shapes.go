package learn

import (
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// shape describes the members of an object by their names.
type shape map[string]*openapi3.Schema

// shapeOf returns the attributes of a kind, as its document describes them in answers.
func (b *llmBuilder) shapeOf(kind string) shape {
	if known := b.shapes[kind]; known != nil {
		return known
	}
	known := shape{}
	for _, d := range b.Documents {
		for _, op := range d.Operations {
			actions := op.Actions()
			if len(actions) == 0 || actions[0].Resource.Name != kind || op.Spec.Responses.Status(200) == nil {
				continue
			}
			for _, media := range op.Spec.Responses.Status(200).Value.Content {
				collectProperties(media.Schema, known, "data", "attributes")
			}
		}
	}
	b.shapes[kind] = known
	return known
}

// collectProperties collects the properties of what a schema describes at a path.
func collectProperties(ref *openapi3.SchemaRef, into shape, path ...string) {
	if ref == nil || ref.Value == nil {
		return
	}
	for _, parts := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
		for _, part := range parts {
			collectProperties(part, into, path...)
		}
	}
	collectProperties(ref.Value.Items, into, path...)
	if len(path) > 0 {
		collectProperties(ref.Value.Properties[path[0]], into, path[1:]...)
		return
	}
	for name, property := range ref.Value.Properties {
		into[name] = property.Value
	}
}

// writable returns a value as YAML, without what only a server sets.
func writable(schema *openapi3.Schema, value gjson.Result) *yaml.Node {
	switch {
	case value.IsArray() && schema.Items != nil && schema.Items.Value != nil:
		s := newSequence()
		for _, item := range value.Array() {
			s.node.Content = append(s.node.Content, writable(schema.Items.Value, item))
		}
		return s.node
	case value.IsObject():
		properties := shape{}
		collectProperties(&openapi3.SchemaRef{Value: schema}, properties)
		maps.DeleteFunc(properties, func(_ string, p *openapi3.Schema) bool { return p == nil })
		m := newMapping()
		value.ForEach(func(name, member gjson.Result) bool {
			switch property := properties[name.Str]; {
			case property == nil:
				m.add(name.Str, jsonNode(member), "")
			case !property.ReadOnly && member.Type != gjson.Null:
				m.add(name.Str, writable(property, member), "")
			}
			return true
		})
		return m.node
	}
	return jsonNode(value)
}
