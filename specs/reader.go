package specs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// The media types of bodies that stand for one JSON object.
const (
	mediaJSON      = "application/json"
	mediaForm      = "application/x-www-form-urlencoded"
	mediaMultipart = "multipart/form-data"
)

// Reader reads the requests of one operation as the platform's framework does: a query, a form of either kind and JSON
// become the same typed values. It is safe for concurrent use.
type Reader struct {
	lenient    Lenient
	form       bool             // whether the document lists a form
	mediaType  string           // of the JSON object that bodies stand for, by the document
	body       *openapi3.Schema // of that object, or nil
	raw        bool             // a body is bytes, whatever its media type says
	parameters []queryParameter
}

type queryParameter struct {
	name    string
	boolean bool
}

// Sent holds the parts of a request that a Reader looks at.
type Sent struct {
	Query       url.Values // may be changed
	ContentType string     // value of the header
	Body        []byte     // after content codings are undone
}

// Read is a request as it was read.
type Read struct {
	Query   url.Values
	Body    []byte
	Changed struct {
		Query bool // Query differs from what was sent
		Body  bool // Body was made of a form, of the query, or of JSON that is written leniently, and is JSON now
	}
	FromQuery []string // names in the query that became members of the body, sorted
}

func newReader(o *Operation) *Reader {
	r := &Reader{lenient: o.Document.Lenient}
	for _, ref := range o.Parameters {
		if p := ref.Value; p.In == openapi3.ParameterInQuery {
			r.parameters = append(r.parameters, queryParameter{p.Name, p.Schema != nil && hasType(p.Schema.Value, "boolean")})
		}
	}
	if o.Spec.RequestBody != nil && o.Spec.RequestBody.Value != nil {
		content := o.Spec.RequestBody.Value.Content
		r.form = content[mediaForm] != nil
		r.mediaType, r.body = bodyOf(content)
		r.raw = r.body == nil && len(content) > 0
	}
	return r
}

// bodyOf returns the media type and the schema of the object that a body is: of JSON, or else of a form.
func bodyOf(content openapi3.Content) (string, *openapi3.Schema) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if strings.HasSuffix(name, "+json") {
			names = append(names, name)
		}
	}
	names = append(append([]string{mediaJSON}, names...), mediaForm, mediaMultipart)
	for _, name := range names {
		if media := content[name]; media != nil && media.Schema != nil {
			return name, media.Schema.Value
		}
	}
	return "", nil
}

// MediaType returns the media type in the document whose schema a body has to fit that was made into JSON.
func (r *Reader) MediaType() string { return r.mediaType }

// IsExact reports whether requests are taken as they are written.
func (r *Reader) IsExact() bool { return r.lenient == Lenient{} && !r.form }

// Accepts reports whether a body of a media type is read although the document may not list the type.
func (r *Reader) Accepts(mediaType string) bool {
	switch mediaType {
	case mediaForm:
		return !r.raw && (r.form || r.lenient.Bodies)
	case mediaMultipart, mediaJSON:
		return !r.raw && r.lenient.Bodies
	}
	return false
}

// TakesFromQuery reports whether a query parameter is a member of the body instead.
func (r *Reader) TakesFromQuery(name string) bool {
	return r.lenient.Bodies && bodyMember(r.body, name) != nil && !r.isParameter(name)
}

func (r *Reader) isParameter(name string) bool {
	return slices.ContainsFunc(r.parameters, func(p queryParameter) bool { return p.name == name })
}

// Read reads a request. An error says why a form cannot be read.
func (r *Reader) Read(sent Sent) (read Read, err error) {
	read.Query, read.Body = sent.Query, sent.Body
	fields, isForm, err := r.fields(sent)
	if err != nil {
		return read, err
	}
	if isForm && r.lenient.Bodies {
		r.moveParameters(fields, &read)
	}
	if r.lenient.Query && len(read.Query) > 0 {
		r.readQuery(&read)
	}
	return read, r.readBody(sent, fields, isForm, &read)
}

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
		fields, err = multipartFields(sent.Body, parameters["boundary"])
	} else {
		fields, err = url.ParseQuery(string(sent.Body))
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

func multipartFields(body []byte, boundary string) (url.Values, error) {
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
		fields.Add(part.FormName(), string(value))
	}
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

// readQuery takes empty parameters out, known or not, and writes boolean ones as true or false.
func (r *Reader) readQuery(read *Read) {
	for name, values := range read.Query {
		i := slices.IndexFunc(r.parameters, func(p queryParameter) bool { return p.name == name })
		switch {
		case i < 0 && r.TakesFromQuery(name):
		case !slices.ContainsFunc(values, isNotEmpty):
			delete(read.Query, name)
			read.Changed.Query = true
		case i >= 0 && r.parameters[i].boolean && len(values) == 1 && values[0] != "true" && values[0] != "false":
			read.Query[name] = []string{isTrue(values[0])}
			read.Changed.Query = true
		}
	}
}

func isNotEmpty(text string) bool { return text != "" }

func isTrue(text string) string {
	if text == "1" || strings.EqualFold(text, "true") {
		return "true"
	}
	return "false"
}

// readBody makes the JSON object that a body stands for.
func (r *Reader) readBody(sent Sent, fields url.Values, isForm bool, read *Read) (err error) {
	if r.body == nil {
		return nil
	}
	if !isForm && len(bytes.TrimSpace(sent.Body)) > 0 {
		return r.readJSON(sent, read)
	}
	if !isForm && !r.lenient.Bodies {
		return nil
	}
	read.Changed.Body = true
	read.Body, err = json.Marshal(r.withQuery(r.object(r.body, fields), read))
	if err == nil && r.lenient.Bodies {
		read.Body, _, err = r.rewrite(r.body, read.Body) // a field may hold JSON
	}
	return err
}

// readJSON reads a JSON body. One that is not valid is left to a validator.
func (r *Reader) readJSON(sent Sent, read *Read) error {
	if !r.lenient.Bodies || !isJSONType(sent.ContentType) {
		return nil
	}
	text, changed, err := r.rewrite(r.body, sent.Body)
	if err != nil {
		return nil //nolint:nilerr // the validator says where, and in the interface's words
	}
	if own, ok := r.besideQuery(text, read.Query); ok {
		changed = true
		if text, err = json.Marshal(r.withQuery(own, read)); err == nil {
			text, _, err = r.rewrite(r.body, text)
		}
		if err != nil {
			return err
		}
	}
	if changed {
		read.Body, read.Changed.Body = text, true
	}
	return nil
}

// besideQuery returns the members of a JSON object as they are written, if the query has members for it.
func (r *Reader) besideQuery(text []byte, query url.Values) (object map[string]any, ok bool) {
	for name := range query {
		ok = ok || r.TakesFromQuery(name)
	}
	own := map[string]json.RawMessage{}
	if !ok || json.Unmarshal(text, &own) != nil {
		return nil, false
	}
	object = make(map[string]any, len(own))
	for name, value := range own {
		object[name] = value
	}
	return object, true
}

func isJSONType(contentType string) bool {
	if contentType == "" || contentType == mediaJSON {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == mediaJSON || strings.HasSuffix(mediaType, "+json"))
}

// withQuery adds the members that stand in the query to those of a body, which come before.
func (r *Reader) withQuery(own map[string]any, read *Read) map[string]any {
	members := url.Values{}
	for name, values := range read.Query {
		base, _, _ := strings.Cut(name, "[")
		if _, isOwn := own[base]; !isOwn && r.TakesFromQuery(name) {
			members[name] = values
		}
	}
	maps.Copy(own, r.object(r.body, members))
	read.FromQuery = slices.Sorted(maps.Keys(members))
	return own
}
