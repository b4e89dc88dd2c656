package suggest

import (
	"encoding/json"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// evidence is an exchange with its decoded bodies.
type evidence struct {
	r        *judge.Result
	redactor *recording.Redactor
	draft    *draft
	bodies   map[string]bodyValue // by side
}

// bodyValue is the value of a body, and whether it could be read.
type bodyValue struct {
	value any
	ok    bool
}

// media returns the media type of a body, without parameters; empty if there is none.
func (e *evidence) media(side string) string {
	headers, body := e.r.Item.Request.Headers, e.r.Item.Request.Body
	if side == "response" {
		if e.r.Item.Response == nil {
			return ""
		}
		headers, body = e.r.Item.Response.Headers, e.r.Item.Response.Body
	}
	kind, _, err := mime.ParseMediaType(headers.Value("Content-Type"))
	if err != nil || body == nil || len(body.Bytes) == 0 || len(kind) > maxName {
		return ""
	}
	return kind
}

// body returns the value of a body of JSON, or of a form as an object. It is decoded once.
func (e *evidence) body(side string) (value any, ok bool) {
	known, isKnown := e.bodies[side]
	if !isKnown {
		known.value, known.ok = e.readBody(side)
		if e.bodies == nil {
			e.bodies = map[string]bodyValue{}
		}
		e.bodies[side] = known
	}
	return known.value, known.ok
}

func (e *evidence) readBody(side string) (value any, ok bool) {
	if side == "response" {
		answer := e.r.JSONResponse(&jsontree.Tree{})
		if !answer.Exists() {
			return nil, false
		}
		value, err := body.DecodeJSON([]byte(answer.Raw()))
		return value, err == nil
	}
	sent := e.r.Item.Request.Body
	if sent == nil || e.r.Item.RequestDoubt != "" {
		return nil, false
	}
	if e.media(side) != "application/x-www-form-urlencoded" {
		value, err := body.DecodeJSON(sent.Bytes)
		return value, err == nil
	}
	form, err := address.Query(string(sent.Bytes))
	object := map[string]any{}
	for name, values := range form {
		object[name] = values[0]
	}
	return object, err == nil
}

// addMember adds the value at a place such as body/pools/0/name to a node. If the body cannot be read, the value is
// only counted.
func (e *evidence) addMember(n *valueNode, side, place string) {
	value, ok := e.body(side)
	if !ok {
		n.seen++
		return
	}
	for token := range jsontext.Pointer(strings.TrimPrefix(place, "body")).Tokens() {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				return
			}
			value = v[i]
		}
	}
	n.add(e, value, 0)
}

func (e *evidence) queryNames() []string {
	query, _ := address.Query(e.r.Owner.Query)
	return slices.Sorted(maps.Keys(query))
}

// addQueryValues adds the values that a request gives to a parameter. Texts of numbers count as numbers.
func (e *evidence) addQueryValues(n *valueNode, name string) {
	query, _ := address.Query(e.r.Owner.Query)
	for _, text := range query[name] {
		var value any = text
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = json.Number(text)
		} else if text == "true" || text == "false" {
			value = text == "true"
		}
		n.add(e, value, 0)
	}
}

// isNameShown reports whether a name may be in the patch: it is not secret, as in a map of keys, and not long.
func (e *evidence) isNameShown(name string) bool {
	return len(name) <= maxName && e.redactor.Value(name, specs.Part{}) == name && !strings.Contains(name, recording.Mark)
}

// isShown reports whether a text may be an example: it is not secret, not a stand-in, and not long.
func (e *evidence) isShown(name, text string) bool {
	const longest = 80
	return len(text) <= longest && text != "" && !recording.IsSecret(name) && !strings.Contains(text, recording.Mark) &&
		judge.IsPlain(text) && e.redactor.Value(text, specs.Part{}) == text
}
