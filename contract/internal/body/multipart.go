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
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs"
)

// Part is a part of a form whose headers the document describes.
type Part struct {
	Name    string
	Headers textproto.MIMEHeader
}

// decodeMultipart reads a form of several parts as an object: each part is the value of a property, read by the part's
// own media type, or else by the schema of the property. Several parts of a name are a list (3.0 and 3.1, Media Type
// Object, Special Considerations for multipart Content).
func (f *Format) decodeMultipart(text []byte) (d Decoded, reason string) {
	const broken = "the form cannot be parsed"
	boundary, media := f.params["boundary"], f.media
	if boundary == "" {
		return d, "the Content-Type has no boundary between the parts"
	}
	read := newFields(media)
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
		kind, encoding := part.Header.Get("Content-Type"), media.Encoding[name]
		if encoding != nil && len(encoding.Headers) > 0 {
			d.Parts = append(d.Parts, Part{name, part.Header})
		}
		if f.hasStyles && isStyled(encoding) { // contentType is ignored
			if !read.styled(name, []string{string(content)}) {
				return d, fmt.Sprintf("no decoder for the part %q of the form", name)
			}
			continue
		}
		read.add(name, string(content), kind)
		if !specs.TakesPart(encoding, kind) {
			read.wrong = append(slices.DeleteFunc(read.wrong, func(w Fault) bool { return w.Name == name }),
				Fault{name, fmt.Sprintf("part %q is %s, want %s", name, specs.TypeOfPart(kind), encoding.ContentType)})
		}
	}
	return read.decoded(d), ""
}

// isStyled reports whether an encoding says itself in which style a field is written (3.1, Encoding Object, style).
func isStyled(encoding *openapi3.Encoding) bool {
	return encoding != nil && (encoding.Style != "" || encoding.Explode != nil || encoding.AllowReserved)
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
		value, _, problem := partOf(string(content), part.Header.Get("Content-Type"), items)
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

// fields are those of a form: as what their schemas have them stand for, and as the texts that they are.
type fields struct {
	media        *openapi3.MediaType
	schemas      openapi3.Schemas
	typed, plain map[string][]any
	wrong        []Fault
}

func newFields(media *openapi3.MediaType) *fields {
	return &fields{
		media: media, schemas: specs.Members(media.Schema), typed: map[string][]any{}, plain: map[string][]any{},
	}
}

// add adds the text of a field that has a media type, or none.
func (f *fields) add(name, text, kind string) {
	value, isText, problem := partOf(text, kind, f.schemas[name])
	if problem != "" {
		f.wrong = append(f.wrong, Fault{name, problem})
	}
	f.typed[name] = append(f.typed[name], value)
	if isText {
		value = text
	}
	f.plain[name] = append(f.plain[name], value)
}

// styled adds the texts of a field, as its style writes them. It reports false for a style that is not read.
func (f *fields) styled(name string, texts []string) bool {
	method, kind := openapi3.SerializationMethod{Style: openapi3.SerializationForm, Explode: true}, ""
	if encoding := f.media.Encoding[name]; encoding != nil {
		method, kind = *encoding.SerializationMethod(), encoding.ContentType
		if isStyled(encoding) {
			kind = ""
		}
	}
	separator, isKnown := separators[method.Style]
	if !isKnown || strings.Contains(name, "[") && f.schemas[name] == nil {
		return false
	}
	if !method.Explode && typesOf(f.schemas[name])["array"] {
		texts = strings.Split(strings.Join(texts, separator), separator)
	}
	for _, text := range texts {
		f.add(name, text, kind)
	}
	return true
}

// decoded adds the object of the form: several values of a name are a list, and so is one where the schema wants one.
func (f *fields) decoded(d Decoded) Decoded {
	d.Values, d.Wrong = []any{f.object(f.typed)}, f.wrong
	if plain := f.object(f.plain); !reflect.DeepEqual(plain, d.Values[0]) {
		d.Plain = plain
	}
	return d
}

func (f *fields) object(values map[string][]any) map[string]any {
	object := make(map[string]any, len(values))
	for name, list := range values {
		_, isWhole := list[0].([]any)
		if object[name] = list[0]; len(list) > 1 || !isWhole && typesOf(f.schemas[name])["array"] {
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
	values, err := address.Query(text)
	if err != nil {
		return d, "the form cannot be parsed"
	}
	read := newFields(media)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !read.styled(name, values[name]) {
			return d, fmt.Sprintf("no decoder for the field %q of the form", name)
		}
	}
	return read.decoded(d), ""
}

// partOf returns the value of a part, or what is wrong with it. Without a media type, objects are JSON and all else is
// a text that stands for itself; parts of a list are its items (3.0.4 and 3.1.1, Encoding Object, contentType). Where a
// schema has objects among others, the text decides. A value isText if it may stay the text that it is.
func partOf(content, kind string, schema *openapi3.SchemaRef) (value any, isText bool, problem string) {
	isJSON, types := IsJSON(MediaType(kind)), typesOf(schema)
	if items := itemsOf(schema, 0); types["array"] && !isJSON && items != nil {
		types = typesOf(items)
	}
	isText = !isJSON && (len(types) == 0 || types["string"])
	delete(types, "null")
	if !isJSON && (kind != "" || !types["object"]) {
		return Scalar(content, types), isText, ""
	}
	value, err := DecodeJSON([]byte(content))
	_, isObject := value.(map[string]any)
	switch {
	case !isJSON && len(types) > 1 && !isObject:
		return Scalar(content, types), isText, ""
	case err != nil:
		return content, false, "the part is " + err.Error()
	}
	return value, isText, ""
}

// itemsOf returns the schema of the items of a list, or nil.
func itemsOf(ref *openapi3.SchemaRef, depth int) *openapi3.SchemaRef {
	if ref == nil || ref.Value == nil || depth > maxCombined {
		return nil
	}
	if ref.Value.Items != nil {
		return ref.Value.Items
	}
	for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		if items := itemsOf(part, depth+1); items != nil {
			return items
		}
	}
	return nil
}

// typesOf returns the types that a schema and those that it combines name; a part that is not described is a string.
func typesOf(ref *openapi3.SchemaRef) map[string]bool {
	if ref == nil || ref.Value == nil {
		return map[string]bool{"string": true}
	}
	types := map[string]bool{}
	addTypes(types, ref.Value, 0)
	return types
}

func addTypes(types map[string]bool, schema *openapi3.Schema, depth int) {
	for _, name := range schema.Type.Slice() {
		types[name] = true
	}
	if schema.Type == nil && len(schema.Properties) > 0 {
		types["object"] = true
	}
	if depth == maxCombined {
		return
	}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		if part != nil && part.Value != nil {
			addTypes(types, part.Value, depth+1)
		}
	}
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
