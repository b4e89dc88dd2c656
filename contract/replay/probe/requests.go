package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// draft is a request before it is written.
type draft struct {
	op     *specs.Operation
	path   []string // the values in the path
	values map[*openapi3.Parameter]any
	media  string // of the body; empty: it has none
	body   any    // nil unless it is written by a schema
	text   []byte // the body, if it is not written by a schema, or is broken

	expects     []string // what recording.ExpectHeader says of the answer
	isAnonymous bool
	fault       string // what the document forbids about it; empty: nothing
}

// clone returns a draft that can be changed. Its body is the same one.
func (d *draft) clone() *draft {
	c := *d
	c.path, c.values = slices.Clone(d.path), maps.Clone(d.values)
	return &c
}

// request writes a draft.
func (d *draft) request(ctx context.Context, base string, o *Options) (*http.Request, error) {
	path, query, header := d.op.Path, url.Values{}, http.Header{}
	for i, name := range d.op.PathParameters() {
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(d.path[i]), 1)
	}
	for p, value := range d.values {
		switch p.In {
		case openapi3.ParameterInQuery:
			addParameter(query, p, value)
		case openapi3.ParameterInHeader:
			header.Set(p.Name, joined(value))
		case openapi3.ParameterInCookie:
			header.Add("Cookie", p.Name+"="+joined(value))
		}
	}
	body, media, err := d.content()
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, d.op.Method, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	if media != "" {
		header.Set("Content-Type", media)
	}
	maps.Copy(header, o.Header)
	if o.Key != "" {
		for _, c := range d.op.Credentials(o.Key) {
			c.Show(request)
		}
	}
	if d.isAnonymous {
		d.hideCredentials(request)
	}
	header.Set(recording.ProbeHeader, cmp.Or(headerText(d.fault), recording.ProbeValid))
	for _, line := range d.expects {
		header.Add(recording.ExpectHeader, headerText(line))
	}
	return request, nil
}

// hideCredentials takes away what shows who sends a request.
func (d *draft) hideCredentials(request *http.Request) {
	request.Header.Del("Authorization")
	request.Header.Del("Cookie")
	query := request.URL.Query()
	for _, scheme := range slices.Concat(d.op.Security()...) {
		request.Header.Del(scheme.Name)
		query.Del(scheme.Name)
	}
	request.URL.RawQuery = query.Encode()
}

// headerText writes a text in ASCII.
func headerText(text string) string {
	quoted := strconv.QuoteToASCII(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// draft returns a valid request, of what was made or seen before.
func (w *walk) draft(o *specs.Operation) (*draft, error) {
	d := &draft{op: o, values: map[*openapi3.Parameter]any{}}
	for i, name := range o.PathParameters() {
		d.path = append(d.path, w.pathValue(o, name, i))
	}
	for _, ref := range o.Parameters {
		p := ref.Value
		if !p.Required || p.In == openapi3.ParameterInPath {
			continue
		}
		value, err := w.parameter(p)
		if err != nil {
			return nil, err
		}
		d.values[p] = value
	}
	return d, w.fill(d)
}

// pathValue returns the key of an entity that was made, or of one that was seen if the request cannot change it, or
// else a sample.
func (w *walk) pathValue(o *specs.Operation, name string, i int) string {
	for _, a := range o.Actions() {
		if keys := w.known(o, a.Resource.Name); i < len(keys) {
			return keys[i]
		}
		if parent := a.Resource.Parent(); parent != "" && len(a.Within) > 0 {
			if keys := w.known(o, parent); i < len(keys) {
				return keys[i]
			}
		}
	}
	p := o.Parameters.GetByInAndName(openapi3.ParameterInPath, name)
	if p == nil {
		return "1"
	}
	for _, a := range o.Actions() { // an entity that this makes has what names it as a member
		if key := w.keyOf(a.Resource); key != nil && a.Verb == specs.Update && i == len(a.Path)-1 {
			p = &openapi3.Parameter{Name: name, Schema: key}
		}
	}
	value, _ := w.parameter(p) // without one, a text that stands for null
	return joined(value)
}

// known returns what names an entity that was made, or of one that was seen if a request cannot change it.
func (w *walk) known(o *specs.Operation, resource string) pathKeys {
	if made := w.made[resource]; len(made) > 0 {
		return made[0]
	}
	if seen := w.seen[resource]; len(seen) > 0 && methods[o.Method] {
		return seen[0]
	}
	return nil
}

// keyOf returns the schema of the member that names one of a resource, if it wants more than a text.
func (w *walk) keyOf(r *specs.Resource) *openapi3.SchemaRef {
	key := specs.SchemaAt(w.doc.ObjectSchema(r), r.Keys[0])
	if key == nil || key.Value.Format == "" && key.Value.Pattern == "" {
		return nil
	}
	return key
}

// parameter returns a sample of a parameter.
func (w *walk) parameter(p *openapi3.Parameter) (any, error) {
	m := sample.Maker{Direction: accept.Request, Place: p.Name, Seed: w.Seed}
	value, err := m.Of(schemaOf(p))
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
	}
	return value, nil
}

// schemaOf returns the schema of a parameter, by default one of texts.
func schemaOf(p *openapi3.Parameter) *openapi3.Schema {
	if p.Schema != nil && p.Schema.Value != nil {
		return p.Schema.Value
	}
	return &openapi3.Schema{Type: &openapi3.Types{"string"}}
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

// fill gives a draft its body: JSON if the document has that, or else whatever it has.
func (w *walk) fill(d *draft) (err error) {
	content := d.contents()
	if len(content) == 0 {
		return nil
	}
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
	d.media = slices.MinFunc(slices.Sorted(maps.Keys(content)), func(a, b string) int {
		return cmp.Compare(rank(a), rank(b))
	})
	says := content[d.media]
	isJSON, isForm, isMultipart := d.kind()
	switch {
	case says.Schema == nil && isJSON:
		d.text = []byte("{}")
		return nil
	case says.Schema == nil || !isJSON && !isForm && !isMultipart:
		d.text = []byte("sample")
		return nil
	}
	m := sample.Maker{Direction: accept.Request, Place: d.op.ID, Seed: w.Seed, Filled: !isJSON}
	if d.body, err = m.Of(says.Schema.Value); err != nil {
		return fmt.Errorf("no body: %w", err)
	}
	if text, isText := d.body.(string); isForm && isText {
		d.text = []byte(text)
		return nil
	}
	if d.body = w.naming(d.op, d.body); d.body == nil {
		d.text = []byte("null")
	}
	return nil
}

// contents returns what the document says of bodies, by media type.
func (d *draft) contents() openapi3.Content {
	if d.op.Spec.RequestBody == nil || d.op.Spec.RequestBody.Value == nil {
		return nil
	}
	return d.op.Spec.RequestBody.Value.Content
}

// kind returns how a body is written.
func (d *draft) kind() (isJSON, isForm, isMultipart bool) {
	base, _, _ := strings.Cut(d.media, ";")
	isJSON = strings.HasSuffix(base, "json") || base == "*/*" || base == "application/*"
	return isJSON, base == "application/x-www-form-urlencoded", strings.HasPrefix(base, "multipart/")
}

// content writes the body.
func (d *draft) content() (body []byte, media string, err error) {
	media = strings.NewReplacer(
		"*/*", "application/json", "/*+", "/vnd.sample+", "application/*", "application/json").Replace(d.media)
	if d.text != nil || d.body == nil {
		return d.text, media, nil
	}
	says := d.contents()[d.media]
	object, _ := d.body.(map[string]any)
	switch _, isForm, isMultipart := d.kind(); {
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
	body, err = json.Marshal(d.body)
	return body, media, err
}

// naming gives a body that changes an entity the key of that entity, where the body has a place for it, and one that
// makes an entity a key that it can have.
func (w *walk) naming(o *specs.Operation, body any) any {
	for _, a := range o.Actions() {
		keys := w.known(o, a.Resource.Name)
		if key := w.keyOf(a.Resource); a.Verb == specs.Create && key != nil {
			value, _ := w.parameter(&openapi3.Parameter{Name: "key", Schema: key}) // the body has a sample of its own
			keys = pathKeys{joined(value)}
		} else if a.Verb != specs.Update && !a.Changes || len(keys) == 0 {
			continue
		}
		at := slices.Concat(a.Request, a.Resource.Keys[0])
		had := at.FirstIn(body)
		if had == nil && (len(a.Path) > 0 || a.Verb == specs.Create) {
			continue
		}
		key := keys[len(keys)-1]
		holder, isObject := at[:len(at)-1].FirstIn(body).(map[string]any)
		if _, isText := had.(string); isObject && (isText || !json.Valid([]byte(key))) {
			holder[at[len(at)-1]] = key
		} else if isObject {
			holder[at[len(at)-1]] = json.RawMessage(key)
		}
	}
	return body
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
