package specs

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// kin-openapi decodes each object of a document twice, and once more for every object around it, which took most of the
// time of a start. The decoders below fill the same types in one pass, and leave rare forms to kin.

// load reads a document: JSON in one pass, unless it is wrong, which kin says best.
func load(source []byte) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc := &openapi3.T{}
	if !bytes.HasPrefix(source, []byte("{")) || jsonv2.Unmarshal(source, doc, decoders) != nil {
		return loader.LoadFromData(source)
	}
	return doc, loader.ResolveRefsIn(doc, nil)
}

// The types of kin without their UnmarshalJSON.
type (
	document     openapi3.T
	components   openapi3.Components
	pathItem     openapi3.PathItem
	operation    openapi3.Operation
	parameter    openapi3.Parameter
	requestBody  openapi3.RequestBody
	responseBody openapi3.Response
	mediaType    openapi3.MediaType
	schema       openapi3.Schema
)

var decoders = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	object(func(v *openapi3.T) (*document, *map[string]any) { return (*document)(v), &v.Extensions }),
	object(func(v *openapi3.Components) (*components, *map[string]any) { return (*components)(v), &v.Extensions }),
	object(func(v *openapi3.PathItem) (*pathItem, *map[string]any) { return (*pathItem)(v), &v.Extensions }),
	object(func(v *openapi3.Operation) (*operation, *map[string]any) { return (*operation)(v), &v.Extensions }),
	object(func(v *openapi3.Parameter) (*parameter, *map[string]any) { return (*parameter)(v), &v.Extensions }),
	object(func(v *openapi3.Header) (*parameter, *map[string]any) {
		return (*parameter)(&v.Parameter), &v.Extensions
	}),
	object(func(v *openapi3.RequestBody) (*requestBody, *map[string]any) { return (*requestBody)(v), &v.Extensions }),
	object(func(v *openapi3.Response) (*responseBody, *map[string]any) { return (*responseBody)(v), &v.Extensions }),
	object(func(v *openapi3.MediaType) (*mediaType, *map[string]any) { return (*mediaType)(v), &v.Extensions }),
	object(func(v *openapi3.Schema) (*schema, *map[string]any) { return (*schema)(v), &v.Extensions }),
	reference(func(v *openapi3.SchemaRef) (*string, **openapi3.Schema) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.ParameterRef) (*string, **openapi3.Parameter) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.HeaderRef) (*string, **openapi3.Header) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.RequestBodyRef) (*string, **openapi3.RequestBody) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.ResponseRef) (*string, **openapi3.Response) { return &v.Ref, &v.Value }),
	named(func(v *openapi3.Paths) map[string]any {
		*v = *openapi3.NewPathsWithCapacity(0)
		v.Extensions = map[string]any{}
		return v.Extensions
	}, (*openapi3.Paths).Set),
	named(func(v *openapi3.Responses) map[string]any {
		*v = *openapi3.NewResponsesWithCapacity(0)
		v.Extensions = map[string]any{}
		return v.Extensions
	}, (*openapi3.Responses).Set),
	jsonv2.UnmarshalFromFunc(boolSchema),
))

// object decodes an object. Members without a field in the type become extensions.
func object[T, Fields any](parts func(*T) (*Fields, *map[string]any)) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, value *T) error {
		if kind := d.PeekKind(); kind == 't' || kind == 'f' { // a schema may be a boolean
			text, err := d.ReadValue()
			if err != nil {
				return err
			}
			return json.Unmarshal(text, value)
		}
		var all struct {
			Fields *Fields        `json:",embed"`
			Others map[string]any `json:",embed"`
		}
		var extensions *map[string]any
		all.Fields, extensions = parts(value)
		err := jsonv2.UnmarshalDecode(d, &all)
		*extensions = all.Others
		return err
	})
}

// reference decodes a $ref, or the object itself.
func reference[T, Value any](parts func(*T) (ref *string, value **Value)) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, whole *T) error {
		ref, value := parts(whole)
		if !bytes.HasPrefix(bytes.TrimLeft(d.UnreadBuffer(), ":,"), []byte(`{"$`)) {
			return jsonv2.UnmarshalDecode(d, value)
		}
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		var only struct {
			Ref string `json:"$ref"`
		}
		if err := jsonv2.Unmarshal(text, &only, jsonv2.RejectUnknownMembers(true)); err != nil {
			return json.Unmarshal(text, whole) // the $ref has siblings, or it is another word
		}
		*ref = only.Ref
		return nil
	})
}

// named decodes a map of objects, such as paths, which may have extensions, too.
func named[T, Value any](begin func(*T) (extensions map[string]any),
	set func(*T, string, *Value),
) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, whole *T) error {
		extensions := begin(whole)
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			if key := name.String(); strings.HasPrefix(key, "x-") {
				var value any
				err = jsonv2.UnmarshalDecode(d, &value)
				extensions[key] = value
			} else {
				value := new(Value)
				err = jsonv2.UnmarshalDecode(d, value)
				set(whole, key, value)
			}
			if err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	})
}

// boolSchema decodes additionalProperties: true, false or a schema.
func boolSchema(d *jsontext.Decoder, value *openapi3.BoolSchema) error {
	if d.PeekKind() == '{' {
		return jsonv2.UnmarshalDecode(d, &value.Schema)
	}
	return jsonv2.UnmarshalDecode(d, &value.Has)
}
