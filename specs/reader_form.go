package specs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
)

// fields returns the fields of a form.
func (r *Reader) fields(sent Sent) (fields url.Values, isForm bool, err error) {
	if sent.ContentType == mediaJSON || len(sent.Body) == 0 || !r.Accepts(mediaForm) {
		return nil, false, nil
	}
	mediaType, parameters, err := mime.ParseMediaType(sent.ContentType)
	if err != nil || mediaType == mediaJSON || !r.Accepts(mediaType) {
		return nil, false, nil //nolint:nilerr // the validator refuses the type
	}
	if mediaType == mediaMultipart {
		fields, err = multipartFields(sent.Body, parameters["boundary"], nil)
	} else {
		fields, err = address.Query(string(sent.Body))
	}
	for name, separator := range r.separators {
		if values := fields[name]; len(values) == 1 {
			fields[name] = strings.Split(values[0], separator)
		}
	}
	for name, values := range fields {
		if err == nil && !(utf8.ValidString(name) && !slices.ContainsFunc(values, notUTF8)) {
			err = fmt.Errorf("a field is not UTF-8")
		}
	}
	return fields, true, err
}

func notUTF8(text string) bool { return !utf8.ValidString(text) }

// maxFields is the number of fields that a form may have, the same as in net/url for the other kind.
const maxFields = 10_000

// Multipart returns the JSON object that the parts of a body stand for, with the names of files in place of what they
// hold; nil if the body is not of that kind. An error says why it cannot be read, or which part has a media type that
// the document does not want.
func (r *Reader) Multipart(media *openapi3.MediaType, contentType string, body []byte) ([]byte, error) {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != mediaMultipart || media.Schema == nil {
		return nil, nil //nolint:nilerr // it is no form in parts
	}
	fields, err := multipartFields(body, parameters["boundary"], media)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r.object(media.Schema.Value, fields))
}

// multipartFields returns the fields of a form in parts: of files, what they hold, or their names where the document
// describes the parts.
func multipartFields(body []byte, boundary string, media *openapi3.MediaType) (url.Values, error) {
	if boundary == "" {
		return nil, fmt.Errorf("the Content-Type has no boundary")
	}
	fields := url.Values{}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		if len(fields) > maxFields {
			return nil, fmt.Errorf("it has more than %d fields", maxFields)
		}
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // NextPart documents the bare value; a wrapped one is a body that was cut
			return fields, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		name, kind := part.FormName(), part.Header.Get("Content-Type")
		if file := part.FileName(); media != nil && file != "" {
			value = []byte(file)
		}
		if media != nil && !TakesPart(media.Encoding[name], kind) {
			return nil, fmt.Errorf("%s: want %s, not %s", name, media.Encoding[name].ContentType, TypeOfPart(kind))
		}
		fields.Add(name, string(value))
	}
}

// TypeOfPart returns the media type in the Content-Type of a part, which is a plain text without one (RFC 7578, 4.4).
func TypeOfPart(contentType string) string {
	name, _, _ := strings.Cut(strings.ToLower(cmp.Or(contentType, "text/plain")), ";")
	return strings.TrimSpace(name)
}

// TakesPart reports whether a part may have a Content-Type. An encoding may list several media types, and ranges such
// as image/* (3.0 and 3.1, Encoding Object); nil and an empty list have all.
func TakesPart(encoding *openapi3.Encoding, contentType string) bool {
	if encoding == nil || encoding.ContentType == "" {
		return true
	}
	kind := TypeOfPart(contentType)
	return slices.ContainsFunc(strings.Split(encoding.ContentType, ","), func(wanted string) bool {
		wanted = TypeOfPart(wanted)
		family, isRange := strings.CutSuffix(wanted, "*")
		return wanted == kind || isRange && strings.HasPrefix(kind, strings.TrimPrefix(family, "*/"))
	})
}

// moveParameters moves the parameters of the query out of a form. They come before those in the query itself.
func (r *Reader) moveParameters(fields url.Values, read *Read) {
	for _, p := range r.parameters {
		values, found := fields[p.name]
		if !found || bodyMember(r.body, p.name) != nil {
			continue
		}
		if read.Query == nil {
			read.Query = url.Values{}
		}
		delete(fields, p.name)
		read.Query[p.name], read.Changed.Query = values, true
	}
}

// bodyMember returns the schema of the member that a form's field or a query's parameter belongs to: for policy[name]
// and policy_ids[] that of policy and of policy_ids. It is nil if the body has no such member.
func bodyMember(schema *openapi3.Schema, field string) *openapi3.Schema {
	name, _, _ := strings.Cut(field, "[")
	return member(schema, name)
}

func member(schema *openapi3.Schema, name string) *openapi3.Schema {
	for _, part := range Whole(schema).schemas {
		if property := part.Properties[name]; property != nil {
			return property.Value
		}
	}
	return nil
}

// field returns the schema of a member, or of members that have no name in the schema; the platform ignores these.
func (r *Reader) field(schema *openapi3.Schema, name string) *openapi3.Schema {
	named := member(schema, name)
	for _, part := range Whole(schema).schemas {
		if others := part.AdditionalProperties.Schema; named == nil && others != nil && !r.lenient.Bodies {
			named = others.Value
		}
	}
	return named
}

// Deep returns the value of a query parameter whose members are fields by themselves, as in name[member], and whether
// the query has any.
func (r *Reader) Deep(p *openapi3.Parameter, query url.Values) (value any, isSent bool) {
	const name = "value"
	fields := url.Values{}
	for field, values := range query {
		if rest, isPart := strings.CutPrefix(field, p.Name+"["); isPart {
			fields[name+"["+rest] = values
		}
	}
	around := &openapi3.Schema{Properties: openapi3.Schemas{name: p.Schema}}
	return r.object(around, fields)[name], len(fields) > 0
}

// maxNesting is the number of brackets that a field may have behind its first: with more, it is a name like any other.
const maxNesting = 32

// object returns the JSON object that a form, or a part of a query, stands for. A field name[x] is the member x of an
// object, and name[] one more item of an array, unless the schema has a member of the whole name. A text becomes what
// the schema wants there, if it can: a number, a boolean, an array, an object. Otherwise it stays a text, for a
// validator to refuse.
func (r *Reader) object(schema *openapi3.Schema, fields url.Values) map[string]any {
	object, nested := map[string]any{}, map[string]url.Values{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		values := fields[field]
		name, rest, isNested := strings.Cut(field, "[")
		if strings.Count(rest, "][") > maxNesting || isNested && member(schema, field) != nil { // documented as it is
			name, isNested = field, false
		}
		switch key := strings.TrimSuffix(rest, "]"); {
		case !isNested:
			if value := r.value(r.field(schema, name), values); value != notSent {
				object[name] = value
			}
		case key == "":
			object[name] = r.items(r.field(schema, name), values)
		default:
			if nested[name] == nil {
				nested[name] = url.Values{}
			}
			nested[name][strings.Replace(key, "][", "[", 1)+missingBracket(key)] = values
		}
	}
	for name, inner := range nested {
		of := r.field(schema, name)
		if list := r.numbered(of, inner); list != nil {
			object[name] = list
			continue
		}
		before, _ := object[name].(map[string]any)
		if before == nil {
			before = map[string]any{}
		}
		maps.Copy(before, r.object(of, inner))
		object[name] = before
	}
	return object
}

// numbered returns the array that the fields name[0], name[1] and so on stand for; nil if it is none. The platform
// makes objects of them.
func (r *Reader) numbered(schema *openapi3.Schema, fields url.Values) (list []any) {
	items := Whole(schema).Item()
	if r.lenient.Bodies || len(items.schemas) == 0 {
		return nil
	}
	byNumber := &openapi3.Schema{Properties: openapi3.Schemas{}}
	var numbers []int
	for field := range fields {
		key, _, _ := strings.Cut(field, "[")
		n, err := strconv.Atoi(key)
		if err != nil || strconv.Itoa(n) != key {
			return nil
		}
		numbers = append(numbers, n)
		byNumber.Properties[key] = &openapi3.SchemaRef{Value: items.schemas[0]}
	}
	slices.Sort(numbers)
	object := r.object(byNumber, fields)
	for _, n := range slices.Compact(numbers) {
		list = append(list, object[strconv.Itoa(n)])
	}
	return list
}

// missingBracket returns the closing bracket that a nested key lacks once the outer one is removed.
func missingBracket(key string) string {
	if strings.Contains(key, "][") {
		return "]"
	}
	return ""
}

// notSent stands for a value that counts as not sent.
var notSent any = struct{ notSent bool }{true}

func (r *Reader) value(schema *openapi3.Schema, values []string) any {
	text := values[len(values)-1]
	if len(values) > 1 && !r.lenient.Bodies { // which only a list may be
		return r.items(schema, values)
	}
	if hasType(schema, "array") && (len(values) > 1 || !strings.HasPrefix(strings.TrimSpace(text), "[")) {
		if len(values) == 1 {
			if r.lenient.Bodies && text == "" {
				return notSent
			}
			if item := Whole(schema).Item(); len(item.schemas) == 0 || takesText(item.schemas[0]) || !isObject(text) {
				values = strings.Split(text, ",")
			}
		}
		return r.items(schema, values)
	}
	return r.text(schema, text)
}

// isObject reports whether a text is a JSON object, which is one item of a list of them (Encoding Object, contentType).
func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text))
}

func (r *Reader) items(schema *openapi3.Schema, values []string) any {
	var item *openapi3.Schema
	if schema != nil && schema.Items != nil {
		item = schema.Items.Value
	}
	list := make([]any, 0, len(values))
	for _, text := range values {
		if value := r.text(item, text); value != notSent {
			list = append(list, value)
		}
	}
	return list
}

// text returns what a text stands for. A lenient interface takes an empty one that the schema refuses for absent.
func (r *Reader) text(schema *openapi3.Schema, text string) any {
	if text == "" && schema != nil && r.lenient.Bodies && r.work.Refuses(schema, "") {
		return notSent
	}
	var value any = text
	switch {
	case schema == nil:
	case takesText(schema):
		return r.alternative(schema, text)
	case text == "" && schema.Nullable:
		value = nil
	case !r.lenient.Bodies && (hasType(schema, "integer") || hasType(schema, "number") || hasType(schema, "boolean")):
		if plain, err := jsontree.Decode[any]([]byte(text)); json.Valid([]byte(text)) && err == nil {
			value = plain
		}
	case hasType(schema, "integer"):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = n
		}
	case hasType(schema, "number"):
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			value = n
		}
	case hasType(schema, "boolean"):
		switch {
		case text == "1", strings.EqualFold(text, "true"):
			value = true
		case text == "0", strings.EqualFold(text, "false"):
			value = false
		}
	default:
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			value = text
		}
	}
	return value
}

// alternative returns what a text stands for that a schema refuses as a text: what one of its alternatives takes.
func (r *Reader) alternative(schema *openapi3.Schema, text string) any {
	alternatives := slices.Concat(schema.OneOf, schema.AnyOf)
	if r.lenient.Bodies || len(alternatives) == 0 || !r.work.Refuses(schema, text) {
		return text
	}
	for _, one := range alternatives {
		if one.Value == nil || len(one.Value.OneOf)+len(one.Value.AnyOf) > 0 {
			continue
		}
		if value := r.text(one.Value, text); value != any(text) && !r.work.Refuses(schema, value) {
			return value
		}
	}
	return text
}

func hasType(schema *openapi3.Schema, kind string) bool { return schema != nil && schema.Type.Is(kind) }

// takesText reports whether a schema accepts a text as it is, or one of those that it combines does.
func takesText(schema *openapi3.Schema) bool {
	if hasType(schema, "string") {
		return true
	}
	combined := []*openapi3.Schema{schema}
	for i := 0; i < len(combined); i++ {
		for _, part := range slices.Concat(combined[i].OneOf, combined[i].AnyOf) {
			switch {
			case hasType(part.Value, "string"):
				return true
			case part.Value != nil && !slices.Contains(combined, part.Value):
				combined = append(combined, part.Value)
			}
		}
	}
	return false
}
