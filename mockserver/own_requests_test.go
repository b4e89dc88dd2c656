package mockserver_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
)

// send calls an operation with what its document requires: the keys of what was made in the path, and samples
// elsewhere.
func (w *ownWalk) send(o *specs.Operation) (status int, answer []byte, location string, err error) {
	path, query, header := o.Path, url.Values{}, http.Header{}
	w.path = nil
	for i, name := range o.PathParameters() {
		value := w.pathValue(o, name, i)
		w.path = append(w.path, value)
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	for _, ref := range o.Parameters {
		p := ref.Value
		switch value := w.parameter(o, p); {
		case !p.Required:
		case p.In == openapi3.ParameterInQuery:
			addParameter(query, p, value)
		case p.In == openapi3.ParameterInHeader:
			header.Set(p.Name, joined(value))
		}
	}
	body, media, err := w.content(o)
	if err != nil {
		return 0, nil, "", err
	}
	w.credentials(query, header)
	address := w.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(w.t.Context(), o.Method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	request.Header = header
	if media != "" {
		header.Set("Content-Type", media)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	isUnsaid := response.StatusCode == http.StatusNotFound && o.Spec.Responses.Status(http.StatusNotFound) == nil
	if said := response.Header.Get("Sl-Violations"); strings.Contains(said, `["response`) && !isUnsaid { // of Prism
		w.fail(o, "status %d: %s", response.StatusCode, said)
	}
	return response.StatusCode, answer, response.Header.Get("Location"), err
}

// pathValue returns the key of a thing that was made, or else a sample.
func (w *ownWalk) pathValue(o *specs.Operation, name string, i int) string {
	for _, a := range o.Actions() {
		if keys := w.made[a.Resource.Name]; i < len(keys) {
			return keys[i]
		}
		if keys := w.parents(a); i < len(keys) {
			return keys[i]
		}
	}
	p := o.Parameters.GetByInAndName(openapi3.ParameterInPath, name)
	if p == nil {
		return "1"
	}
	for _, a := range o.Actions() { // a thing that this makes has what names it as a member
		if key := w.keyOf(a.Resource); key != nil && a.Verb == specs.Update && i == len(a.Path)-1 {
			p = &openapi3.Parameter{Name: name, Schema: key}
		}
	}
	return joined(w.parameter(o, p))
}

// keyOf returns the schema of the member that names one of a resource, if it wants more than a text.
func (w *ownWalk) keyOf(r *specs.Resource) *openapi3.SchemaRef {
	key := specs.SchemaAt(w.doc.ObjectSchema(r), r.Keys[0])
	if key == nil || key.Value.Format == "" && key.Value.Pattern == "" {
		return nil
	}
	return key
}

func (w *ownWalk) parents(a *specs.Action) []string {
	if parent := a.Resource.Parent(); parent != "" && len(a.Within) > 0 {
		return slices.Clone(w.made[parent])
	}
	return nil
}

// parameter returns a sample of a parameter.
func (w *ownWalk) parameter(o *specs.Operation, p *openapi3.Parameter) any {
	schema := &openapi3.Schema{Type: &openapi3.Types{"string"}}
	if p.Schema != nil && p.Schema.Value != nil {
		schema = p.Schema.Value
	}
	m := sample.Maker{Direction: accept.Request, Place: p.Name}
	value, err := m.Of(schema)
	if err != nil {
		w.t.Logf("%s, parameter %s: %v", o.ID, p.Name, err)
	}
	return value
}

// addParameter writes a parameter into a query in its style.
func addParameter(query url.Values, p *openapi3.Parameter, value any) {
	object, isObject := value.(map[string]any)
	switch {
	case p.Style == openapi3.SerializationDeepObject:
		addFields(query, p.Name, value, true)
	case p.Explode != nil && !*p.Explode, p.Content != nil:
		query.Set(p.Name, joined(value))
	case isObject:
		for name, part := range object {
			query.Set(name, textOf(part))
		}
	default:
		addFields(query, p.Name, value, false)
	}
}

// joined writes a value as a text, and the items of a list with commas between.
func joined(value any) string {
	list, isList := value.([]any)
	if !isList {
		return textOf(value)
	}
	var texts []string
	for _, item := range list {
		texts = append(texts, textOf(item))
	}
	return strings.Join(texts, ",")
}

// textOf writes a text as it is, and all else as JSON.
func textOf(value any) string {
	if text, isText := value.(string); isText {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// content returns a body: JSON if the document has that, or else whatever it has.
func (w *ownWalk) content(o *specs.Operation) (body []byte, media string, err error) {
	w.body = nil
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil || len(o.Spec.RequestBody.Value.Content) == 0 {
		return nil, "", nil
	}
	content := o.Spec.RequestBody.Value.Content
	rank := func(name string) int {
		base, _, _ := strings.Cut(name, ";")
		first := []string{"application/json", "application/json-patch+json", "application/merge-patch+json"}
		switch i := slices.Index(first, base); {
		case i >= 0:
			return i
		case strings.HasSuffix(base, "json"):
			return len(first)
		case content[name].Schema != nil && (base == "*/*" || base == "application/*"):
			return len(first) + 1
		}
		return len(first) + 2
	}
	media = slices.MinFunc(slices.Sorted(maps.Keys(content)), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	says := content[media]
	media = strings.Replace(strings.Replace(media, "*/*", "application/json", 1), "application/*", "application/json", 1)
	base, _, _ := strings.Cut(media, ";")
	isForm, isMultipart := base == "application/x-www-form-urlencoded", strings.HasPrefix(base, "multipart/")
	isJSON := strings.HasSuffix(base, "json")
	switch {
	case says.Schema == nil && isJSON:
		return []byte("{}"), media, nil
	case says.Schema == nil || !isJSON && !isForm && !isMultipart:
		return []byte("sample"), media, nil
	}
	m := sample.Maker{Direction: accept.Request, Place: o.ID}
	if w.body, err = m.Of(says.Schema.Value); err != nil {
		return nil, "", fmt.Errorf("no body: %w", err)
	}
	w.body = w.naming(o, w.body)
	object, _ := w.body.(map[string]any)
	switch {
	case isForm:
		fields := url.Values{}
		for name, value := range object {
			style := says.Encoding[name]
			addFields(fields, name, value, style != nil && style.Style == openapi3.SerializationDeepObject)
		}
		return []byte(fields.Encode()), media, nil
	case isMultipart:
		return partsOf(object, says)
	}
	body, err = json.Marshal(w.body)
	return body, media, err
}

// naming gives a body that changes a thing the key of that thing, where the body has a place for it, and one that makes
// a thing a key that it can have.
func (w *ownWalk) naming(o *specs.Operation, body any) any {
	for _, a := range o.Actions() {
		keys := w.made[a.Resource.Name]
		if key := w.keyOf(a.Resource); a.Verb == specs.Create && key != nil {
			keys = []string{joined(w.parameter(o, &openapi3.Parameter{Name: "key", Schema: key}))}
		} else if a.Verb != specs.Update && !a.Changes || len(keys) == 0 {
			continue
		}
		at := slices.Concat(a.Request, a.Resource.Keys[0])
		had := valueIn(body, at)
		if had == nil && (len(a.Path) > 0 || a.Verb == specs.Create) {
			continue
		}
		key := keys[len(keys)-1]
		holder, isObject := valueIn(body, at[:len(at)-1]).(map[string]any)
		if _, isText := had.(string); isObject && (isText || !json.Valid([]byte(key))) {
			holder[at[len(at)-1]] = key
		} else if isObject {
			holder[at[len(at)-1]] = json.RawMessage(key)
		}
	}
	return body
}

// valueIn returns what a pointer leads to in a value, of a list in its first item; nil if it leads nowhere.
func valueIn(value any, at specs.Pointer) any {
	for _, token := range at {
		object, _ := value.(map[string]any)
		if list, isList := value.([]any); isList && token == "*" && len(list) > 0 {
			value = list[0]
		} else {
			value = object[token]
		}
	}
	return value
}

// partsOf writes an object as a form in parts.
func partsOf(object map[string]any, media *openapi3.MediaType) (body []byte, contentType string, err error) {
	var sent bytes.Buffer
	form := multipart.NewWriter(&sent)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		items, isList := object[name].([]any)
		if !isList {
			items = []any{object[name]}
		}
		for _, item := range items {
			header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", name)}}
			_, isObject := item.(map[string]any)
			if encoding := media.Encoding[name]; encoding != nil && encoding.ContentType != "" {
				kind, _, _ := strings.Cut(encoding.ContentType, ",")
				header.Set("Content-Type", strings.ReplaceAll(kind, "/*", "/plain"))
			} else if isObject {
				header.Set("Content-Type", "application/json")
			}
			part, failed := form.CreatePart(header)
			if failed == nil {
				_, failed = part.Write([]byte(textOf(item)))
			}
			err = errors.Join(err, failed)
		}
	}
	err = errors.Join(err, form.Close())
	return sent.Bytes(), form.FormDataContentType(), err
}

// addFields writes a value as fields of a form or a query: the members of it in brackets, and so the items if they are
// numbered, or are no scalars.
func addFields(fields url.Values, name string, value any, isNumbered bool) {
	switch value := value.(type) {
	case map[string]any:
		for member, part := range value {
			addFields(fields, name+"["+member+"]", part, isNumbered)
		}
	case []any:
		for i, item := range value {
			_, isObject := item.(map[string]any)
			if _, isList := item.([]any); isNumbered || isObject || isList {
				addFields(fields, fmt.Sprintf("%s[%d]", name, i), item, isNumbered)
			} else {
				fields.Add(name, textOf(item))
			}
		}
	default:
		fields.Add(name, textOf(value))
	}
}

// credentials shows one of everything that the document may want.
func (w *ownWalk) credentials(query url.Values, header http.Header) {
	if w.doc.T.Components == nil {
		return
	}
	header.Set("Authorization", "Bearer token")
	for _, ref := range w.doc.T.Components.SecuritySchemes {
		switch s := ref.Value; {
		case s.Type == "apiKey" && s.In == "query":
			query.Set(s.Name, "key")
		case s.Type == "apiKey" && s.In == "header":
			header.Set(s.Name, "key")
		case s.Type == "apiKey":
			header.Add("Cookie", s.Name+"=key")
		case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
			header.Set("Authorization", "Basic dXNlcjpwYXNz")
		}
	}
}
