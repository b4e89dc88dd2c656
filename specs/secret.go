package specs

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// secretExtension marks a schema whose value must never appear in a journal, a recording, or a report.
const secretExtension = "x-secret"

// IsSecret reports whether a schema is marked as holding a secret, or a password by its format.
func IsSecret(schema *openapi3.Schema) bool {
	secret, _ := schema.Extensions[secretExtension].(bool)
	return secret || schema.Format == "password"
}

// TakesKey reports whether a security scheme of the document takes a key from a place: from header, query or cookie.
func (d *Document) TakesKey(in, name string) bool {
	for _, s := range d.keys {
		if s.In == in && (s.Name == name || in == openapi3.ParameterInHeader && strings.EqualFold(s.Name, name)) {
			return true
		}
	}
	return false
}

func (d *Document) findKeys() {
	if d.T.Components == nil {
		return
	}
	for _, ref := range d.T.Components.SecuritySchemes {
		if ref != nil && ref.Value != nil && ref.Value.Type == "apiKey" {
			d.keys = append(d.keys, ref.Value)
		}
	}
}

// JSONBody returns the schema of an operation's JSON request body, or nil.
func (o *Operation) JSONBody() *openapi3.Schema {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return nil
	}
	return jsonSchema(o.Spec.RequestBody.Value.Content)
}

// JSONAnswer returns the schema of an operation's JSON answer with a status, or nil.
func (o *Operation) JSONAnswer(status int) *openapi3.Schema {
	if o.Spec.Responses == nil {
		return nil
	}
	response := o.Spec.Responses.Status(status)
	if response == nil || response.Value == nil {
		return nil
	}
	return jsonSchema(response.Value.Content)
}

// jsonSchema returns the schema under application/json, or else under a range or what is JSON by its suffix.
func jsonSchema(content openapi3.Content) *openapi3.Schema {
	media := content.Get(mediaJSON)
	if _, exact := jsonOf(content); media == nil || exact != nil && content[mediaJSON] == nil {
		media = exact
	}
	if media == nil || media.Schema == nil || media.Schema.Value.Format == "binary" {
		return nil
	}
	return media.Schema.Value
}

// jsonOf returns what is documented for JSON, and its key, which may have parameters such as a charset. It is that of
// application/json, or else of a media type that is JSON by its suffix.
func jsonOf(content openapi3.Content) (key string, media *openapi3.MediaType) {
	isPlain := func(name string) bool { return TypeOfPart(name) == mediaJSON }
	names := slices.Sorted(maps.Keys(content))
	for _, is := range []func(string) bool{isPlain, isJSONType} {
		if i := slices.IndexFunc(names, is); i >= 0 {
			return names[i], content[names[i]]
		}
	}
	return "", nil
}

var secretSchemas sync.Map // *openapi3.Schema → bool: whether it or a part of it is secret

// HasSecrets reports whether a schema, or any part of it, is marked as holding a secret.
func HasSecrets(schema *openapi3.Schema) bool {
	if schema == nil {
		return false
	}
	if known, ok := secretSchemas.Load(schema); ok {
		return known.(bool)
	}
	found := searchSecret(schema, map[*openapi3.Schema]bool{})
	secretSchemas.Store(schema, found)
	return found
}

func searchSecret(schema *openapi3.Schema, seen map[*openapi3.Schema]bool) bool {
	if schema == nil || seen[schema] {
		return false
	}
	seen[schema] = true
	if IsSecret(schema) {
		return true
	}
	parts := append(openapi3.SchemaRefs{schema.Items, schema.AdditionalProperties.Schema}, schema.AllOf...)
	parts = append(append(parts, schema.AnyOf...), schema.OneOf...)
	for _, property := range schema.Properties {
		parts = append(parts, property)
	}
	for _, part := range parts {
		if part != nil && searchSecret(part.Value, seen) {
			return true
		}
	}
	return false
}

// Part describes a value, or a part of one, as far as a document says whether it is secret. Its zero value describes
// nothing.
type Part struct {
	Secret  bool // it is a secret, or a part of one
	schemas []*openapi3.Schema
}

// Whole returns what schemas, each of which may be nil, say of a value.
func Whole(schemas ...*openapi3.Schema) (p Part) {
	for _, schema := range schemas {
		p = p.with(schema)
	}
	return p
}

func (p Part) with(schema *openapi3.Schema) Part {
	if schema == nil || slices.Contains(p.schemas, schema) {
		return p
	}
	p.Secret = p.Secret || IsSecret(schema)
	p.schemas = append(slices.Clip(p.schemas), schema)
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
		p = p.with(part.Value)
	}
	return p
}

// HasSecrets reports whether the value may hold a secret.
func (p Part) HasSecrets() bool { return p.Secret || slices.ContainsFunc(p.schemas, HasSecrets) }

// Member returns the description of a member of an object.
func (p Part) Member(name string) Part {
	return p.inner(func(schema *openapi3.Schema) *openapi3.SchemaRef {
		if property := schema.Properties[name]; property != nil {
			return property
		}
		return schema.AdditionalProperties.Schema
	})
}

// Describes reports whether a document names a member of an object.
func (p Part) Describes(name string) bool {
	return slices.ContainsFunc(p.schemas, func(schema *openapi3.Schema) bool { return schema.Properties[name] != nil })
}

// Item returns the description of an item of an array.
func (p Part) Item() Part {
	return p.inner(func(schema *openapi3.Schema) *openapi3.SchemaRef { return schema.Items })
}

func (p Part) inner(of func(*openapi3.Schema) *openapi3.SchemaRef) Part {
	part := Part{Secret: p.Secret}
	for _, schema := range p.schemas {
		if ref := of(schema); ref != nil {
			part = part.with(ref.Value)
		}
	}
	return part
}

// Field returns the description of a form's field, such as settings[password] or keys[].
func (p Part) Field(field string) Part {
	name, rest, nested := strings.Cut(field, "[")
	part := p.Member(name)
	for nested {
		name, rest, _ = strings.Cut(rest, "]")
		if name == "" {
			part = part.Item()
		} else {
			part = part.Member(name)
		}
		_, rest, nested = strings.Cut(rest, "[")
	}
	return part
}

// IsCredential reports whether a parameter is the header that carries the credentials of a request.
func IsCredential(p *openapi3.Parameter) bool {
	return p.In == openapi3.ParameterInHeader && strings.EqualFold(p.Name, "Authorization")
}

// keyDigits is the number of hexadecimal digits behind the slash of a platform key.
const keyDigits = 2 * sha1.Size

// PlatformKey returns an API key in the platform's own form: the id of the account, a slash, and 40 lower-case
// hexadecimal digits. A key in this form stays as it is. The digits of any other key, such as 1/admin, are the SHA-1 of
// its text, which anybody can compute: printf %s 1/admin | sha1sum.
func PlatformKey(account int64, key string) string {
	if IsPlatformKey(key) {
		return key
	}
	sum := sha1.Sum([]byte(key))
	var room [len("9223372036854775807/") + keyDigits]byte
	b := append(strconv.AppendInt(room[:0], account, 10), '/')
	return string(hex.AppendEncode(b, sum[:]))
}

// IsPlatformKey reports whether an API key has the platform's own form.
func IsPlatformKey(key string) bool {
	slash := len(key) - keyDigits - 1
	return slash > 0 && key[slash] == '/' && consistsOf(key[:slash], isDigit) && consistsOf(key[slash+1:], isHex)
}

// HoldsPlatformKey reports whether a text may have an API key in the platform's own form in it. In JSON the slash may
// be escaped.
func HoldsPlatformKey[T ~string | ~[]byte](text T) bool {
	for i := 1; i+keyDigits < len(text); i++ {
		if text[i] == '/' && (isDigit(text[i-1]) || text[i-1] == '\\') && consistsOf(text[i+1:i+1+keyDigits], isHex) {
			return true
		}
	}
	return false
}

func consistsOf[T ~string | ~[]byte](text T, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' }

// Credential holds the part of a request that shows who sends it.
type Credential struct {
	In          string // header, query or cookie
	Name, Value string
}

// Credentials returns what a request with a key shows: in the platform's scheme, or by the first alternative of the
// security schemes of a user's own document, where a key of basic credentials is USER:PASSWORD, or USER alone.
func (o *Operation) Credentials(key string) (list []Credential) {
	const authorization = "Authorization"
	if !o.Interface.IsOwn() {
		return []Credential{{"header", authorization, o.Document.Brand.Scheme() + " " + key}}
	}
	alternatives := o.Security()
	if len(alternatives) == 0 {
		return nil
	}
	for _, scheme := range alternatives[0] {
		switch {
		case scheme.Type == "apiKey":
			list = append(list, Credential{scheme.In, scheme.Name, key})
		case strings.EqualFold(scheme.Scheme, "basic"):
			list = append(list, Credential{"header", authorization, "Basic " + BasicCredentials(key)})
		default:
			list = append(list, Credential{"header", authorization, "Bearer " + key})
		}
	}
	return list
}

// Cookies returns the names of those that any of the security schemes of the operation wants.
func (o *Operation) Cookies() (names []string) {
	for _, alternative := range o.Security() {
		for _, scheme := range alternative {
			if scheme.Type == "apiKey" && scheme.In == openapi3.ParameterInCookie {
				names = append(names, scheme.Name)
			}
		}
	}
	return names
}

// BasicCredentials returns what stands behind the scheme Basic for USER:PASSWORD, or for a USER without one (RFC 7617).
func BasicCredentials(key string) string {
	if !strings.Contains(key, ":") {
		key += ":"
	}
	return base64.StdEncoding.EncodeToString([]byte(key))
}

// Show adds the credential to a request.
func (c Credential) Show(r *http.Request) {
	switch c.In {
	case "query":
		query := r.URL.Query()
		query.Set(c.Name, c.Value)
		r.URL.RawQuery = query.Encode()
	case "cookie":
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	default:
		r.Header.Set(c.Name, c.Value)
	}
}
