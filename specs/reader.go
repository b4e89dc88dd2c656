package specs

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
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
	form       bool              // whether the document lists a form
	mediaType  string            // of the JSON object that bodies stand for, by the document
	body       *openapi3.Schema  // of that object, or nil
	separators map[string]string // of fields of a form whose lists are one text, by their style (Encoding Object)
	raw        bool              // a body is bytes, whatever its media type says
	parameters []queryParameter
	work       accept.Work
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
		form := content[keyOfMedia(content, mediaForm)]
		r.form, r.separators = form != nil && !isText(form), separatorsOf(form)
		r.mediaType, r.body = bodyOf(content)
		r.raw = r.body == nil && len(content) > 0
	}
	return r
}

// keyOfMedia returns the key of a media type, which may have parameters there.
func keyOfMedia(content openapi3.Content, mediaType string) string {
	for _, key := range slices.Sorted(maps.Keys(content)) {
		if TypeOfPart(key) == mediaType {
			return key
		}
	}
	return mediaType
}

// isText reports whether the schema of a form is that of a string, which is then the text of the form as it was sent.
func isText(form *openapi3.MediaType) bool {
	return form.Schema != nil && form.Schema.Value != nil && form.Schema.Value.Type.Is(openapi3.TypeString)
}

func separatorsOf(form *openapi3.MediaType) map[string]string {
	separators := map[string]string{}
	if form != nil {
		for name, encoding := range form.Encoding {
			if separator := Separator(encoding.Style); separator != "," {
				separators[name] = separator
			}
		}
	}
	return separators
}

// Separator returns what stands between the values of a list that is one text, by its style.
func Separator(style string) string {
	switch style {
	case openapi3.SerializationSpaceDelimited:
		return " "
	case openapi3.SerializationPipeDelimited:
		return "|"
	}
	return ","
}

// bodyOf returns the key and the schema of the object that a body is: of JSON, or else of a form.
func bodyOf(content openapi3.Content) (string, *openapi3.Schema) {
	key, _ := jsonOf(content)
	for _, name := range []string{key, keyOfMedia(content, mediaForm), mediaMultipart} {
		if media := content[name]; media != nil && media.Schema != nil && (name == key || !isText(media)) {
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

// vendorType is the versioned media type of a vendor's JSON, with parameters or without.
var vendorType = regexp.MustCompile(`(?i)^application/vnd\.[\w-]+(\.[\w-]+)*\.v1(\.[\w-]+)*\+json *(;|$)`)

// ContentType returns the Content-Type by which a body is read: the one that was sent, or that of JSON in place of a
// vendor's if the interface takes these.
func (r *Reader) ContentType(sent string) string {
	if r.lenient.VendorTypes && sent != mediaJSON && vendorType.MatchString(sent) {
		return mediaJSON
	}
	return sent
}

// GuessType returns the media type of a body that was sent without one: JSON or a form, by its first character.
func GuessType(body []byte) string {
	if text := bytes.TrimSpace(body); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return mediaForm
	}
	return mediaJSON
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
