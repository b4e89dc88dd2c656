package match

import (
	"cmp"
	"net/http"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs"
)

// Trait is a value that one part of a call must have for the call to be one of those that were described. Who has many
// descriptions need not hold a call against those whose traits it lacks.
type Trait struct {
	Part  Part
	Value string
}

// Part is a part of a call that has values of its own.
type Part struct {
	kind partKind
	name string // of a parameter, a header, or a member of the body
}

type partKind byte

const (
	pathPart        partKind = iota
	callerPart               // by a key as it was given out, or a user
	platformKeyPart          // by the platform's form of the caller's key
	headerPart
	queryPart
	bodyPart // a text in the body's object
)

// Traits returns traits of the calls of an interface that are described, those first that are found out most easily.
// Two calls with the same traits may differ in what else is described: only Matches decides.
func (m *Matcher) Traits(iface specs.Interface) (traits []Trait) {
	if address := m.address(iface); address != "" {
		traits = append(traits, Trait{Part{kind: pathPart}, address})
	}
	if name := m.calls.Caller; name != "" {
		part := Part{kind: callerPart}
		if specs.IsPlatformKey(name) {
			part.kind = platformKeyPart
		}
		traits = append(traits, Trait{part, fold(name)})
	}
	for name, value := range m.calls.Request.Headers {
		traits = append(traits, Trait{Part{headerPart, http.CanonicalHeaderKey(name)}, value})
	}
	for name, value := range m.calls.Request.Query {
		traits = append(traits, Trait{Part{queryPart, name}, value})
	}
	if members, isObject := m.body.(map[string]any); isObject {
		for name, value := range members {
			if text, isText := value.(string); isText {
				traits = append(traits, Trait{Part{bodyPart, name}, text})
			}
		}
	}
	return traits
}

// Values returns the values that a part of the request has, as traits have them. They are good until the next call.
func (r *Request) Values(p Part) []string {
	switch p.kind {
	case pathPart:
		return r.value(r.unescaped())
	case callerPart:
		return r.callerValues()
	case platformKeyPart:
		return r.value(fold(cmp.Or(r.platformKey(), r.Key)))
	case headerPart:
		return r.Header[p.name]
	case queryPart:
		return r.parameter(p.name)
	case bodyPart:
		members, _ := r.Decoded().(map[string]any)
		if text, isText := members[p.name].(string); isText {
			return r.value(text)
		}
	}
	return nil
}

func (r *Request) value(text string) []string {
	r.values[0] = text
	return r.values[:1]
}

// callerValues returns the names of the caller.
func (r *Request) callerValues() []string {
	c := r.callerOf()
	values := r.values[:0]
	for i, name := range [...]string{r.Key, c.key, c.email, c.name} {
		if name != "" && (i == 0 || name != r.Key) {
			values = append(values, fold(name))
		}
	}
	return values
}

// fold makes texts the same that differ only in the case of letters. Most have no other case, and cost nothing.
func fold(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf }) {
		return text
	}
	return strings.ToLower(strings.ToUpper(text))
}
