package recording

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs"
)

// Redactor takes secrets out of exchanges: keys in headers and addresses, what a document marks as secret in a body, a
// query or a header, what is named like a secret there, and credentials inside texts wherever they stand. In their
// place stands a short hash, salted, so that a reader still sees which requests came from the same caller but cannot
// find out from whom.
type Redactor struct {
	Brand specs.Brand
	Salt  []byte

	// Documents say where keys stand in exchanges of any operation, or of none.
	Documents []*specs.Document

	// Decode undoes content codings other than gzip and deflate; nil knows none. A body whose coding cannot be undone
	// may hold any secret, so it is taken out whole.
	Decode func(coding string, r io.Reader) (io.Reader, error)

	// Room is called before a body of more than 256 KiB is searched, which may take some hundred times that much memory.
	// If it returns false, the body is taken out whole. Nil: there is always room.
	Room func() bool
}

// What a redaction may cost is bounded. What would cost more is taken out whole.
const (
	maxPlain  = 8 << 20   // bytes of a body that are decoded; the rest is left out
	smallBody = 256 << 10 // bytes that are searched without asking for room
	maxNames  = 1000      // of places from which something was taken out; those of others are not listed
	maxWork   = 64 << 20  // bytes of one text that are searched, again for each text that they are in
	valueWork = 8         // bytes that could be searched in the time that a value of JSON takes
	hashWork  = 128       // the same of a secret
)

// Mark begins every redacted value, so that readers know one when they see it.
const Mark = "[redacted"

var mark = regexp.MustCompile(`^\[redacted:[0-9a-f]{8}\]$`)

// Hash returns the mark that replaces a secret. It returns a mark as it is.
func (r *Redactor) Hash(secret string) string {
	if mark.MatchString(secret) {
		return secret
	}
	mac := hmac.New(sha256.New, r.Salt)
	mac.Write([]byte(secret))
	return Mark + ":" + hex.EncodeToString(mac.Sum(nil)[:4]) + "]"
}

// redaction is the redaction of one exchange.
type redaction struct {
	*Redactor
	op          *specs.Operation // nil where none fits
	names       []string         // of what was taken out
	remarks     []string         // on bodies that are not as they were sent
	notedPlaces map[string]bool  // the same
	depth       int              // of texts in texts: JSON in JSON, archives in archives
	work        int              // bytes of a text that were searched so far
	room        *room
	secrets     []string // that were taken out, if they have to be found in notes
	hasNotes    bool
}

// room is the answer of Redactor.Room, which is asked once for an exchange.
type room struct{ isAsked, isThere bool }

func (x *redaction) hasRoom() bool {
	if x.Room == nil {
		return true
	}
	if x.room == nil {
		x.room = &room{}
	}
	if !x.room.isAsked {
		x.room.isAsked, x.room.isThere = true, x.Room()
	}
	return x.room.isThere
}

// Hash is the Redactor's, for which it charges.
func (x *redaction) Hash(secret string) string {
	if !x.affords(hashWork) {
		return Mark + "]" // which is taken out with all the rest
	}
	if x.hasNotes && len(secret) >= minRepeated && !strings.HasPrefix(secret, Mark) {
		x.secrets = append(x.secrets, secret)
	}
	return x.Redactor.Hash(secret)
}

// minRepeated is the length of a secret from which on a note that has it repeats the secret, rather than any word.
const minRepeated = 6

// notes returns the notes on an exchange without secrets, which a message may repeat without their names.
func (x *redaction) notes(notes []string) (clean []string) {
	x.hasNotes = false
	for _, note := range notes {
		for _, secret := range x.secrets {
			note = strings.ReplaceAll(note, secret, x.Redactor.Hash(secret))
		}
		clean = append(clean, x.search(note, x.inText))
	}
	return append(clean, x.remarks...)
}

// affords charges for bytes that are searched next, and reports whether they may be.
func (x *redaction) affords(bytes int) bool {
	x.work += bytes
	return x.work <= maxWork
}

// search searches a text for secrets. One that costs too much is a secret as a whole.
func (x *redaction) search(text string, search func(text string) string) string {
	x.work = 0
	clean := search(text)
	if x.work > maxWork {
		return x.Hash(text)
	}
	return clean
}

// Redact returns the exchange without its secrets; what it shares with the original is not changed. The operation,
// which may be nil, describes what is secret beside what always is.
func (r *Redactor) Redact(e *Exchange, op *specs.Operation) *Exchange {
	x := &redaction{Redactor: r, op: op, names: slices.Clone(e.Redacted), hasNotes: len(e.Notes) > 0}
	clean := *e
	clean.Request.Headers = x.headers(e.Request.Headers)
	clean.Request.URL = x.search(e.Request.URL, x.url)
	clean.Request.Body = x.body("request.body", e.Request.Body, e.Request.Headers,
		x.markedParts((*specs.Operation).JSONBody))
	if e.Response != nil {
		response := *e.Response
		response.Headers = x.headers(response.Headers)
		response.Body = x.body("response.body", response.Body, response.Headers,
			x.markedParts(func(op *specs.Operation) *openapi3.Schema {
				return op.JSONAnswer(response.Status)
			}))
		clean.Response = &response
	}
	clean.Redacted = x.names
	clean.Notes = x.notes(e.Notes)
	return &clean
}

// markedParts returns what the documents say of secrets in a body.
func (x *redaction) markedParts(schema func(*specs.Operation) *openapi3.Schema) specs.Part {
	var schemas []*openapi3.Schema
	for _, op := range x.operations() {
		schemas = append(schemas, schema(op))
	}
	return specs.Whole(schemas...)
}

// operations returns the operation of the user's own document, which may mark no secrets, and ours.
func (x *redaction) operations() []*specs.Operation {
	switch {
	case x.op == nil:
		return nil
	case x.op.Embedded == nil || x.op.Embedded == x.op:
		return []*specs.Operation{x.op}
	}
	return []*specs.Operation{x.op, x.op.Embedded}
}

// note names a place from which something was taken out, once.
func (x *redaction) note(what string) {
	if x.notedPlaces == nil {
		x.notedPlaces = map[string]bool{}
		for _, name := range x.names {
			x.notedPlaces[name] = true
		}
	}
	if !x.notedPlaces[what] && len(x.names) < maxNames {
		x.notedPlaces[what] = true
		x.names = append(x.names, what)
	}
}

func (x *redaction) headers(headers Headers) Headers {
	var clean Headers
	for i, h := range headers {
		value := x.search(h[1], func(value string) string { return x.header(h[0], value) })
		if value == h[1] {
			continue
		}
		if clean == nil {
			clean = slices.Clone(headers)
		}
		clean[i][1] = value
		x.note(h[0])
	}
	if clean == nil {
		return headers
	}
	return clean
}

func (x *redaction) header(name, value string) string {
	switch {
	case isCookie(name):
		return x.Hash(value)
	case x.secretParameter(openapi3.ParameterInHeader, name), isSecretFor(name, value):
		return x.credential(name, value)
	case strings.Contains(value, "://"):
		value = x.url(value)
	}
	return x.field(name, value, specs.Part{})
}

// isCookie reports whether a header carries cookies, of which nothing is left.
func isCookie(name string) bool {
	return strings.EqualFold(name, "Cookie") || strings.EqualFold(name, "Set-Cookie")
}

// secretParameter reports whether a document marks a parameter, or takes a key there.
func (x *redaction) secretParameter(in, name string) bool {
	marks := func(ref *openapi3.ParameterRef) bool {
		p := ref.Value
		isIt := p.In == in && (p.Name == name || in == openapi3.ParameterInHeader && strings.EqualFold(p.Name, name))
		return isIt && p.Schema != nil && specs.IsSecret(p.Schema.Value)
	}
	takesKey := func(d *specs.Document) bool { return d.TakesKey(in, name) }
	isKeyOf := func(op *specs.Operation) bool {
		return takesKey(op.Document) || slices.ContainsFunc(op.Parameters, marks)
	}
	return slices.ContainsFunc(x.Documents, takesKey) || slices.ContainsFunc(x.operations(), isKeyOf)
}

// hasScheme reports whether the values of a header are a scheme and a credential.
func hasScheme(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "secondary-authorization":
		return true
	}
	return false
}

// credential keeps the scheme, which the contract speaks of, and hashes the rest.
func (r *Redactor) credential(name, value string) string {
	scheme, key, found := strings.Cut(strings.TrimSpace(value), " ")
	if !found || !hasScheme(name) {
		return r.Hash(value)
	}
	return scheme + " " + r.Hash(strings.TrimSpace(key))
}

func (x *redaction) url(raw string) string {
	if p, isPlain := address.Cut(raw); isPlain && x.inText(p.Path) == p.Path {
		if p.Query == "" {
			return raw
		}
		return p.Origin + p.Path + "?" + x.query(p.Query[1:])
	}
	u, err := url.Parse(raw)
	if err != nil {
		before, query, found := strings.Cut(raw, "?")
		if before = x.inText(before); found {
			before += "?" + x.query(query)
		}
		return before
	}
	query, path, fragment := x.query(u.RawQuery), x.inText(u.Path), x.inText(u.Fragment)
	if u.User == nil && query == u.RawQuery && path == u.Path && fragment == u.Fragment {
		return raw
	}
	u.Fragment, u.RawFragment = fragment, ""
	if u.RawQuery = query; path != u.Path {
		u.Path, u.RawPath = path, ""
		x.note("url.path")
	}
	if u.User != nil {
		u.User = url.User(x.Hash(u.User.String()))
		x.note("url.userinfo")
	}
	return u.String()
}

// query takes secrets out of a query: parameters that the document marks, members of the body that it marks, which may
// stand in a query, and what is named like a secret.
func (x *redaction) query(raw string) string {
	if raw == "" {
		return raw
	}
	members := x.markedParts((*specs.Operation).JSONBody)
	return x.fields("url.query", raw, func(name string) specs.Part {
		part := members.Field(name)
		part.Secret = part.Secret || x.secretParameter(openapi3.ParameterInQuery, name)
		return part
	})
}

// fields takes secrets out of the fields of a form or a query, and leaves all others as they were written.
func (x *redaction) fields(where, raw string, said func(name string) specs.Part) string {
	fields := strings.Split(raw, "&")
	for i, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		plainName, err1 := url.QueryUnescape(name)
		plain, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			plainName, plain = name, value
		}
		part := said(plainName)
		part.Secret = part.Secret || isSecretField(plainName, plain)
		if cleanName := x.inText(plainName); cleanName != plainName { // such as JSON without a name
			fields[i] = url.QueryEscape(cleanName)
			x.note(where)
			continue
		}
		if clean := x.field(below(where, plainName), plain, part); clean != plain {
			fields[i] = name + "=" + url.QueryEscape(clean)
			x.note(below(where, plainName))
		}
	}
	return strings.Join(fields, "&")
}

// isSecretField reports whether a field has the name of a secret, or is a part of one, as password[value] is. Before
// the name may stand what separates fields where that is not &.
func isSecretField(name, value string) bool {
	name = name[strings.LastIndexAny(name, "?;")+1:]
	for part := range strings.SplitSeq(name, "[") {
		if isSecretFor(part, value) {
			return true
		}
	}
	return false
}

// maxDepth is the depth to which JSON in texts of JSON is read. What is deeper and may hold a secret is taken out
// whole.
const maxDepth = 8

// maxPlace bounds the name of a place. What is deeper is known by the name of where that began, so that the names in a
// deep text are not longer together than the text.
const maxPlace = 1 << 10

// below returns the name of a place inside another.
func below(where, name string) string {
	if len(where)+len(name) > maxPlace {
		return where
	}
	return where + "." + name
}

// field takes secrets out of one value. That of a form may be JSON itself.
func (x *redaction) field(where, value string, part specs.Part) string {
	if part.Secret && value != "" {
		return x.Hash(value)
	}
	if part.HasSecrets() || mayHoldJSON(value) {
		if x.depth >= maxDepth {
			return x.hashText(value)
		}
		x.depth++
		clean, ok := x.jsonText(where, []byte(value), part, false)
		if x.depth--; ok {
			return string(clean)
		}
		if part.HasSecrets() && looksLikeJSON(value) { // it may hold them anywhere
			return x.Hash(value)
		}
		return x.inText(value)
	}
	return x.inText(value)
}
