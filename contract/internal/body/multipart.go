package body

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// decodeMultipart reads a form of several parts as an object: each part is the value of a property, read by the part's
// own media type, or else by the schema of the property. Several parts of a name are a list (3.0 and 3.1, Media Type
// Object, Special Considerations for multipart Content).
func decodeMultipart(text []byte, boundary string, media *openapi3.MediaType) (d Decoded, reason string) {
	const broken = "the form cannot be parsed"
	if boundary == "" {
		return d, "the Content-Type has no boundary between the parts"
	}
	values, schemas := map[string][]any{}, specs.Members(media.Schema)
	for parts := multipart.NewReader(bytes.NewReader(text), boundary); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return d, broken
		}
		content, err := contentOf(part)
		if err != nil {
			return d, broken
		}
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition")) // in a form it is form-data
		name := params["name"]
		if name == "" {
			return d, "a part of the form has no name, and stands for no member of an object"
		}
		kind := part.Header.Get("Content-Type")
		value, problem := partOf(string(content), kind, schemas[name])
		if encoding := media.Encoding[name]; !specs.TakesPart(encoding, kind) {
			problem = fmt.Sprintf("part %q is %s, want %s", name, specs.TypeOfPart(kind), encoding.ContentType)
		} else if missing := missingHeader(encoding, part.Header); missing != "" {
			problem = fmt.Sprintf("part %q lacks the header %s", name, missing)
		}
		if problem != "" {
			d.Wrong = append(d.Wrong, Fault{name, problem})
		}
		values[name] = append(values[name], value)
	}
	d.Values = []any{objectOf(values, schemas)}
	return d, ""
}

func contentOf(part *multipart.Part) ([]byte, error) {
	content, err := io.ReadAll(part)
	if err == nil && strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") { // RFC 7578, 4.7
		if plain, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(content))); err == nil {
			return plain, nil
		}
	}
	return content, err
}

// decodeParts reads a body of parts that have no names: the items of a list, or what itemSchema describes each of (3.2,
// Media Type Object, Sequential Media Types, and Encoding By Position). Of one that the document describes otherwise,
// it looks only whether it is complete.
func decodeParts(text []byte, boundary string, media *openapi3.MediaType) (d Decoded, reason string) {
	if boundary == "" {
		return d, "the Content-Type has no boundary between the parts"
	}
	isList, items := typesOf(media.Schema)["array"], media.ItemSchema
	if isList {
		items = media.Schema.Value.Items
	}
	values := []any{}
	parts := multipart.NewReader(bytes.NewReader(text), boundary)
	for n := 1; ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) && bytes.Contains(text, []byte("--"+boundary+"--")) { // the end, and not only of the text
			break
		}
		var content []byte
		if err == nil {
			content, err = contentOf(part)
		}
		if err != nil {
			return d, fmt.Sprintf("part %d of the body is damaged or cut off", n)
		}
		value, problem := partOf(string(content), part.Header.Get("Content-Type"), items)
		if problem != "" {
			d.Wrong = append(d.Wrong, Fault{strconv.Itoa(n - 1), problem})
		}
		values = append(values, value)
	}
	switch {
	case isList:
		d.Values = []any{values}
	case media.ItemSchema != nil:
		d.Values, d.Lines = values, true
	default:
		d = Decoded{Values: []any{string(text)}}
	}
	return d, ""
}

// objectOf returns the object of a form: several values of a name are a list, and so is one where the schema wants one.
func objectOf(values map[string][]any, schemas openapi3.Schemas) map[string]any {
	object := make(map[string]any, len(values))
	for name, list := range values {
		_, isWhole := list[0].([]any)
		if object[name] = list[0]; len(list) > 1 || !isWhole && typesOf(schemas[name])["array"] {
			object[name] = list
		}
	}
	return object
}

// separators stand between the values of a list that is not exploded, by style.
var separators = map[string]string{
	openapi3.SerializationForm: ",", openapi3.SerializationSpaceDelimited: " ", openapi3.SerializationPipeDelimited: "|",
}

// decodeForm reads a form of one text as an object: each field is the value of a property, as its schema and its
// encoding say (3.0 and 3.1, Encoding Object).
func decodeForm(text string, media *openapi3.MediaType) (d Decoded, reason string) {
	fields, err := url.ParseQuery(text)
	if err != nil {
		return d, "the form cannot be parsed"
	}
	values, schemas := map[string][]any{}, specs.Members(media.Schema)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		texts := fields[name]
		method, kind := openapi3.SerializationMethod{Style: openapi3.SerializationForm, Explode: true}, ""
		if encoding := media.Encoding[name]; encoding != nil {
			method, kind = *encoding.SerializationMethod(), encoding.ContentType
		}
		separator, isKnown := separators[method.Style]
		if !isKnown || strings.Contains(name, "[") && schemas[name] == nil {
			return d, fmt.Sprintf("no decoder for the field %q of the form", name)
		}
		if !method.Explode && typesOf(schemas[name])["array"] {
			texts = strings.Split(strings.Join(texts, separator), separator)
		}
		for _, text := range texts {
			value, problem := partOf(text, kind, schemas[name])
			if problem != "" {
				d.Wrong = append(d.Wrong, Fault{name, problem})
			}
			values[name] = append(values[name], value)
		}
	}
	d.Values = []any{objectOf(values, schemas)}
	return d, ""
}

// missingHeader returns the first header that a part must have and has not (Encoding Object, headers), or nothing.
func missingHeader(encoding *openapi3.Encoding, headers textproto.MIMEHeader) string {
	if encoding == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(encoding.Headers)) {
		if header := encoding.Headers[name].Value; header != nil && header.Required && headers.Get(name) == "" &&
			!strings.EqualFold(name, "Content-Type") {
			return name
		}
	}
	return ""
}

// partOf returns the value of a part, or what is wrong with it.
func partOf(content, kind string, schema *openapi3.SchemaRef) (value any, problem string) {
	types := typesOf(schema)
	isJSON := IsJSON(MediaType(kind)) || kind == "" && types["object"] // whose default is JSON
	if types["array"] && !isJSON && schema.Value.Items != nil {
		types = typesOf(schema.Value.Items)
	}
	if !isJSON {
		return Scalar(content, types), ""
	}
	value, err := DecodeJSON([]byte(content))
	if err != nil {
		return content, "the part is " + err.Error()
	}
	return value, ""
}

// typesOf returns the types that a schema names; a part that is not described is a string.
func typesOf(ref *openapi3.SchemaRef) map[string]bool {
	if ref == nil || ref.Value == nil {
		return map[string]bool{"string": true}
	}
	types := map[string]bool{}
	for _, name := range ref.Value.Type.Slice() {
		types[name] = true
	}
	if len(types) == 0 && len(ref.Value.Properties)+len(ref.Value.AllOf) > 0 {
		types["object"] = true
	}
	return types
}

// jsonNumber matches the numbers of JSON.
var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?$`)

// Scalar returns the value that a text stands for where values of some types are allowed, or the text. No types allow
// all.
func Scalar(text string, types map[string]bool) any {
	switch {
	case (len(types) == 0 || types["integer"] || types["number"]) && jsonNumber.MatchString(text):
		return json.Number(text)
	case (len(types) == 0 || types["boolean"]) && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}
