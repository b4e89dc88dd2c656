package specs

import (
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// secretExtension marks a schema whose value must never appear in a journal, a recording, or a report.
const secretExtension = "x-secret"

// IsSecret reports whether a schema is marked as holding a secret.
func IsSecret(schema *openapi3.Schema) bool {
	secret, _ := schema.Extensions[secretExtension].(bool)
	return secret
}

// JSONBody returns the schema of an operation's JSON request body, or nil.
func (o *Operation) JSONBody() *openapi3.Schema {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return nil
	}
	return jsonSchema(o.Spec.RequestBody.Value.Content)
}

// JSONAnswer returns the schema of an operation's JSON answer with a status, or nil.
func (o *Operation) JSONAnswer(status int) *openapi3.Schema {
	if o.Spec.Responses == nil {
		return nil
	}
	response := o.Spec.Responses.Status(status)
	if response == nil || response.Value == nil {
		return nil
	}
	return jsonSchema(response.Value.Content)
}

func jsonSchema(content openapi3.Content) *openapi3.Schema {
	media := content.Get("application/json")
	if media == nil || media.Schema == nil {
		return nil
	}
	return media.Schema.Value
}

var secretive sync.Map // *openapi3.Schema → bool: whether it or a part of it is secret

// HasSecrets reports whether a schema, or any part of it, is marked as holding a secret.
func HasSecrets(schema *openapi3.Schema) bool {
	if schema == nil {
		return false
	}
	if known, ok := secretive.Load(schema); ok {
		return known.(bool)
	}
	found := searchSecret(schema, map[*openapi3.Schema]bool{})
	secretive.Store(schema, found)
	return found
}

func searchSecret(schema *openapi3.Schema, seen map[*openapi3.Schema]bool) bool {
	if schema == nil || seen[schema] {
		return false
	}
	seen[schema] = true
	if IsSecret(schema) {
		return true
	}
	parts := append(openapi3.SchemaRefs{schema.Items, schema.AdditionalProperties.Schema}, schema.AllOf...)
	parts = append(append(parts, schema.AnyOf...), schema.OneOf...)
	for _, property := range schema.Properties {
		parts = append(parts, property)
	}
	for _, part := range parts {
		if part != nil && searchSecret(part.Value, seen) {
			return true
		}
	}
	return false
}
