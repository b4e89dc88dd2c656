package match

import (
	"encoding/json"
	"math"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Request is the request of a call. It is read by one goroutine at a time, and remembers what it has decoded.
type Request struct {
	Path     string // escaped, below the base path of the interface's document
	RawQuery string
	Header   http.Header
	Body     []byte         // without a content encoding
	Key      string         // the API key that it shows
	Account  *world.Account // whose users have keys; nil: only keys are compared

	plain     string // the path, unescaped
	query     url.Values
	body      any
	isDecoded bool
	caller    caller
	values    [5]string // room for what Values returns
}

// unescaped returns the path without escapes, and without a slash at its end.
func (r *Request) unescaped() string {
	if r.plain == "" {
		r.plain = r.Path
		if plain, err := url.PathUnescape(r.Path); err == nil {
			r.plain = plain
		}
		if len(r.plain) > 1 {
			r.plain = strings.TrimSuffix(r.plain, "/")
		}
	}
	return r.plain
}

func (m *Matcher) fitsCaller(r *Request) bool {
	name := m.calls.Caller
	if name == "" || name == r.Key {
		return true
	}
	c := r.callerOf()
	return name == c.key || name == c.name || c.email != "" && strings.EqualFold(c.email, name) ||
		c.key != "" && specs.IsPlatformKey(name) && name == r.platformKey()
}

// caller holds the names by which a description can refer to the caller of a request. Those that it has not are empty.
type caller struct {
	isRead   bool
	key      string // as it was given out
	platform string // the same in the platform's form, once it was asked for
	email    string // of the user
	name     string // of a user without an email
}

// callerOf finds out who calls.
func (r *Request) callerOf() *caller {
	if r.caller.isRead {
		return &r.caller
	}
	r.caller.isRead = true
	if r.Account == nil || r.Key == "" {
		return &r.caller
	}
	if shown, known := r.Account.Keys.Get(r.Key); known {
		r.caller.key = shown.Key
		user, _ := r.Account.Users.Get(shown.User)
		if r.caller.email = user.Email; user.Email == "" {
			r.caller.name = user.Name
		}
	}
	return &r.caller
}

// platformKey returns the caller's key in the platform's form, or the empty string if the key is unknown.
func (r *Request) platformKey() string {
	c := r.callerOf()
	if c.platform == "" && c.key != "" {
		c.platform = specs.PlatformKey(r.Account.ID, c.key)
	}
	return c.platform
}

// parameter returns the values of a parameter of the query. What cannot be read is not there.
func (r *Request) parameter(name string) []string {
	if r.query == nil && r.RawQuery != "" {
		r.query, _ = address.Query(r.RawQuery)
	}
	return r.query[name]
}

// haveAll reports whether each of some names has a value that fits what is wanted of it.
func haveAll[W any](wanted map[string]W, values func(name string) []string, fits func(W, string) bool) bool {
	for name, want := range wanted {
		if !slices.ContainsFunc(values(name), func(value string) bool { return fits(want, value) }) {
			return false
		}
	}
	return true
}

func isEqual(want, value string) bool { return want == value }

// Decoded returns the body as JSON, with numbers as json.Number, or as an object of the texts of a form; nil if it is
// neither. It is not to be changed.
func (r *Request) Decoded() any {
	if r.isDecoded {
		return r.body
	}
	r.isDecoded = true
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/x-www-form-urlencoded" {
		if form, err := address.Query(string(r.Body)); err == nil {
			r.body = formMembers(form)
		}
	} else if body, err := jsontree.Decode[any](r.Body); err == nil {
		r.body = body
	}
	return r.body
}

// formMembers returns a form as an object: of names with one value, the value, and of others the list.
func formMembers(form url.Values) map[string]any {
	members := make(map[string]any, len(form))
	for name, values := range form {
		if len(values) == 1 {
			members[name] = values[0]
			continue
		}
		list := make([]any, len(values))
		for i, value := range values {
			list[i] = value
		}
		members[name] = list
	}
	return members
}

func (m *Matcher) decodeBody() error {
	if m.calls.Request.Body == nil {
		return nil
	}
	var err error
	if m.body, err = normal(m.calls.Request.Body); err != nil {
		return op.Invalid("request.body", "want JSON: %v", err)
	}
	return nil
}

// normal returns a value that can be marshalled as requests are decoded.
func normal(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return jsontree.Decode[any](text)
}

// contains reports whether a value of JSON has all that another one has.
func contains(value, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		members, isObject := value.(map[string]any)
		for name, wanted := range part {
			if member, found := members[name]; !found || !contains(member, wanted) {
				return false
			}
		}
		return isObject
	case []any:
		items, isList := value.([]any)
		return isList && slices.EqualFunc(items, part, contains)
	case json.Number:
		number, isNumber := value.(json.Number)
		return isNumber && sameNumber(number, part)
	case *regexp.Regexp:
		return matchesValue(part, value)
	}
	return value == part
}

// sameNumber reports whether numbers are equal however they are written, as 1 and 1.0 are.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y && math.Abs(x) <= 1<<53
}
