package jsonapi

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// readOnlyReason is the message for an attribute that clients cannot send.
const readOnlyReason = "is set by the server"

// rejectReadOnly refuses attributes that the document does not let clients write (public).
func rejectReadOnly(c *op.Call, sent map[string]jsontext.Value) error {
	var errs []error
	known := attributesOf(c.Operation)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		switch schema := known[name]; {
		case schema == nil:
			errs = append(errs, BadRequest(AttributesField+"."+name, reasonReadOnly,
				"is not an attribute of this kind of resource"))
		case schema.Value.ReadOnly:
			errs = append(errs, BadRequest(AttributesField+"."+name, reasonReadOnly, readOnlyReason))
		}
	}
	return errors.Join(errs...)
}

// attributesOf returns the attributes that the document allows in a request of an operation.
func attributesOf(o *specs.Operation) openapi3.Schemas {
	all := openapi3.Schemas{}
	data := o.JSONBody().Properties["data"]
	if data == nil || data.Value.Properties["attributes"] == nil {
		return all
	}
	gatherAttributes(data.Value.Properties["attributes"].Value, all)
	return all
}

func gatherAttributes(schema *openapi3.Schema, into openapi3.Schemas) {
	maps.Copy(into, schema.Properties)
	for _, part := range schema.AllOf {
		gatherAttributes(part.Value, into)
	}
}

// readOnlyErrors replaces every error on an attribute that the server sets by one that only states this: clients cannot
// send the attribute, whatever its value.
func readOnlyErrors(o *specs.Operation, list op.Errors) op.Errors {
	changed := slices.Clone(list)
	for i, e := range list {
		name, inside := strings.CutPrefix(e.Field, AttributesField+".")
		name, _, _ = strings.Cut(name, ".") // a part of an attribute counts as the attribute
		if !inside || e.Code != op.CodeInvalid {
			continue
		}
		if schema := attributesOf(o)[name]; schema != nil && schema.Value.ReadOnly {
			changed[i] = &op.Error{Code: e.Code, Field: e.Field, Reason: reasonReadOnly, Message: readOnlyReason}
		}
	}
	return changed
}
