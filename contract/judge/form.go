package judge

import (
	"encoding/json"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

const formKind = "application/x-www-form-urlencoded"

// decodeForm reads a form as the JSON object that it stands for, so that both engines judge what the schema speaks of
// and not how they read forms themselves.
func decodeForm(text []byte, schema *openapi3.SchemaRef) (d decoded, reason string) {
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return d, "the form cannot be read"
	}
	var fields *openapi3.Schema
	if schema != nil {
		fields = schema.Value
	}
	object, err := json.Marshal(specs.FormObject(fields, values))
	if err != nil {
		return d, "the form cannot be read"
	}
	return decodeJSON(object)
}
