package compare

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// anyUUID finds UUIDs in a text.
var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// isUUID reports whether a text is a UUID.
func isUUID(text string) bool {
	const length = 36
	return len(text) == length && anyUUID.MatchString(text)
}

// textOf returns an id as text, whether it is a text or a number.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// instant reads the forms of time that the interfaces have, and returns which one it is, with the zone as it is
// written; none is the empty text. The form does not depend on how many digits a fraction has, and a whole second may
// lack it.
func instant(text string) (t time.Time, form string) {
	parts := timeParts.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, ""
	}
	for _, form = range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05",
		"2006-01-02T15:04:05", "2006-01-02T15:04:05.999Z0700", time.RFC1123,
	} {
		if t, err := time.Parse(form, text); err == nil {
			return t, form + parts[1] + parts[2]
		}
	}
	return time.Time{}, ""
}

// timeParts matches a time, with the comma before its fraction, and with its zone.
var timeParts = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d.|[A-Z][a-z]{2}, )[^:]{2,14}:\d\d:\d\d(,?)[.\d]*(.*)$`)

// isSecret reports whether something stands in the place of a secret.
func isSecret(text string) bool { return strings.Contains(text, recording.Mark) }

// mark finds what stands for a secret.
var mark = regexp.MustCompile(`\[redacted(?::([0-9a-f]+))?\]`)

// unmarked returns a text with something in the place of each secret that a server takes: for a whole one an address,
// which also passes for a password.
func unmarked(text string) string {
	if m := mark.FindStringSubmatch(text); m != nil && m[0] == text {
		return "https://redacted-" + m[1] + ".example"
	}
	return mark.ReplaceAllString(text, "redacted-$1")
}

// texts reports whether two texts correspond.
func (c *comparison) texts(was, is string) bool {
	switch {
	case was == is:
		if isUUID(was) {
			return c.ids.match(uuids, was, is)
		}
		return true
	case isSecret(was) || isSecret(is):
		return c.secret(was, is)
	case isUUID(was) && isUUID(is):
		return c.ids.match(uuids, was, is)
	}
	if t, form := instant(was); form != "" {
		u, other := instant(is)
		return form == other && t.Sub(u).Abs() <= c.Tolerance
	}
	return c.withUUIDs(was, is) || strings.Contains(was, "/") && strings.Contains(is, "/") && c.addresses(was, is)
}

// withUUIDs reports whether two texts are the same but for UUIDs in them that correspond.
func (c *comparison) withUUIDs(was, is string) bool {
	const hyphens = 4
	return strings.Count(was, "-") >= hyphens && sameBut(anyUUID, was, is, func(a, b string) bool {
		return c.ids.match(uuids, a, b)
	})
}

// links reports whether two Link headers are the same but for the hosts of their addresses, and ids that correspond.
func (c *comparison) links(was, is string) bool {
	return sameBut(bracketed, was, is, func(a, b string) bool {
		return c.addresses(strings.Trim(a, "<>"), strings.Trim(b, "<>"))
	})
}

// bracketed finds the addresses in a Link header.
var bracketed = regexp.MustCompile(`<[^<>]*>`)

// sameBut reports whether two texts are the same but for parts in them, of which there are some, that correspond.
func sameBut(part *regexp.Regexp, was, is string, correspond func(was, is string) bool) bool {
	old, others := part.FindAllString(was, -1), part.FindAllString(is, -1)
	if len(old) == 0 || len(old) != len(others) || part.ReplaceAllString(was, "") != part.ReplaceAllString(is, "") {
		return false
	}
	for i := range old {
		if !correspond(old[i], others[i]) {
			return false
		}
	}
	return true
}

// secret notes what stands for a secret. Both may be a part of a longer text.
func (c *comparison) secret(was, is string) bool {
	if !isSecret(is) {
		c.ids.match(secrets, was, is)
	}
	return true
}

// addresses reports whether two addresses are those of the same entity: of the same operation, with ids that
// correspond. The host does not matter.
func (c *comparison) addresses(was, is string) bool {
	u, err1 := url.Parse(was)
	v, err2 := url.Parse(is)
	if err1 != nil || err2 != nil || !strings.HasPrefix(u.Path, "/") || !strings.HasPrefix(v.Path, "/") {
		return false
	}
	a, b := c.route(u.EscapedPath()), c.route(v.EscapedPath())
	if a.Operation == nil || a.Operation != b.Operation {
		isSame := u.EscapedPath() == v.EscapedPath() || c.withUUIDs(u.EscapedPath(), v.EscapedPath())
		return isSame && c.queries(u.Query(), v.Query(), nil)
	}
	kinds, query := c.nodes.parameters(a.Operation)
	for _, name := range parameterNames(a.Operation) {
		if !c.corresponds(kinds[name], a.Declared(name), b.Declared(name)) {
			return false
		}
	}
	return c.queries(u.Query(), v.Query(), query)
}

func parameterNames(op *specs.Operation) (names []string) {
	for part := range strings.SplitSeq(op.Template, "{") {
		if name, _, found := strings.Cut(part, "}"); found {
			names = append(names, name)
		}
	}
	return names
}

// route finds an operation of the interface with a GET of an address, with or without what stands before its paths.
func (c *comparison) route(path string) specs.Match {
	d, path := c.nodes.document, specs.MergeSlashes(path)
	for i := 0; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		rest := strings.TrimPrefix(path[i:], d.BasePath)
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if m := d.Find(method, rest); m.Operation != nil {
				return m
			}
		}
	}
	return specs.Match{}
}

func (c *comparison) queries(was, is url.Values, kinds map[string]string) bool {
	if len(was) != len(is) {
		return false
	}
	for name, values := range was {
		others := is[name]
		if len(values) != len(others) {
			return false
		}
		for i := range values {
			if !c.corresponds(kinds[name], values[i], others[i]) {
				return false
			}
		}
	}
	return true
}

// corresponds reports whether two values of a parameter correspond.
func (c *comparison) corresponds(kind, was, is string) bool {
	switch {
	case kind != "":
		return c.ids.match(kind, was, is)
	case isUUID(was) && isUUID(is):
		return c.ids.match(uuids, was, is)
	}
	return was == is || isSecret(was) || isSecret(is)
}

// sameNumber reports whether two numbers are equal, however they are written.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if isDigits(a) && isDigits(b) { // which may be more than a float can hold
		return false
	}
	x, err1 := a.Float64()
	y, err2 := b.Float64()
	return err1 == nil && err2 == nil && x == y
}

// isDigits reports whether a number is written as an integer.
func isDigits(n json.Number) bool { return !strings.ContainsAny(n.String(), ".eE") }

// typeOf names the type of a JSON value.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", value)
}
