package match

import (
	"bytes"
	"encoding/json"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Request is the request of a call. It is read by one goroutine at a time, and remembers what it has decoded.
type Request struct {
	Path     string // escaped, below the base path of the interface's document
	RawQuery string
	Header   http.Header
	Body     []byte         // without a content encoding
	Key      string         // the API key that it shows
	Account  *world.Account // whose users have keys; nil: only keys are compared

	plain  string // the path, unescaped
	query  url.Values
	body   any
	state  bodyState
	caller caller
}

type bodyState byte

const (
	notDecoded bodyState = iota
	decoded
	notJSON
)

// Unescaped returns the path without escapes, and without a slash at its end.
func (r *Request) Unescaped() string {
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
	if r.Account == nil || r.Key == "" {
		return false
	}
	if !r.caller.isRead {
		r.caller = callerOf(r.Account, r.Key)
	}
	return slices.Contains(r.caller.names, name) || r.caller.email != "" && strings.EqualFold(r.caller.email, name)
}

// caller holds every name by which a description can refer to the caller of a request.
type caller struct {
	isRead bool
	names  []string // both forms of the key, and the name of a user without an email
	email  string
}

func callerOf(a *world.Account, key string) caller {
	c := caller{isRead: true}
	shown, known := a.Keys.Get(key)
	if !known {
		return c
	}
	c.names = []string{shown.Key, a.PlatformKey(shown)}
	if user, known := a.Users.Get(shown.User); known && user.Email != "" {
		c.email = user.Email
	} else if known {
		c.names = append(c.names, user.Name)
	}
	return c
}

func (m *Matcher) fitsQuery(r *Request) bool {
	if len(m.calls.Request.Query) == 0 {
		return true
	}
	if r.query == nil {
		r.query, _ = url.ParseQuery(r.RawQuery) // what cannot be read is not there
	}
	for name, value := range m.calls.Request.Query {
		if !slices.Contains(r.query[name], value) {
			return false
		}
	}
	return true
}

func (m *Matcher) fitsHeaders(r *Request) bool {
	for name, value := range m.calls.Request.Headers {
		if !slices.Contains(r.Header.Values(name), value) {
			return false
		}
	}
	return true
}

func (m *Matcher) fitsBody(r *Request) bool {
	if m.body == nil {
		return true
	}
	if r.state == notDecoded {
		r.decode()
	}
	return r.state == decoded && contains(r.body, m.body)
}

func (r *Request) decode() {
	r.state = notJSON
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/x-www-form-urlencoded" {
		if form, err := url.ParseQuery(string(r.Body)); err == nil {
			r.body, r.state = formMembers(form), decoded
		}
		return
	}
	if body, err := decodeJSON(r.Body); err == nil {
		r.body, r.state = body, decoded
	}
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
	text, err := json.Marshal(m.calls.Request.Body)
	if err == nil {
		m.body, err = decodeJSON(text)
	}
	if err != nil {
		return op.Invalid("request.body", "want JSON: %v", err)
	}
	return nil
}

func decodeJSON(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
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
