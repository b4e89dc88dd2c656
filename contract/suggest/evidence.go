package suggest

import (
	"encoding/json"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// evidence is an exchange as something to learn from.
type evidence struct {
	r        *judge.Result
	redactor *recording.Redactor
	draft    *draft
	bodies   map[string]read // by side
}

// read is the value of a body, and whether it could be read.
type read struct {
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

// body returns the value of a body of JSON, or of a form as an object. It is read once, however many findings are about
// it.
func (e *evidence) body(side string) (value any, ok bool) {
	known, isKnown := e.bodies[side]
	if !isKnown {
		known.value, known.ok = e.bodyAnew(side)
		if e.bodies == nil {
			e.bodies = map[string]read{}
		}
		e.bodies[side] = known
	}
	return known.value, known.ok
}

func (e *evidence) bodyAnew(side string) (value any, ok bool) {
	if side == "response" {
		text, isJSON := e.r.JSONResponse()
		if !isJSON {
			return nil, false
		}
		value, err := body.DecodeJSON([]byte(text.Raw))
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
	form, err := url.ParseQuery(string(sent.Bytes))
	object := map[string]any{}
	for name, values := range form {
		object[name] = values[0]
	}
	return object, err == nil
}

// member adds the value at a place such as body/pools/0/name to a node. Where the body cannot be read, nothing is known
// of the value.
func (e *evidence) member(n *node, side, place string) {
	value, ok := e.body(side)
	if !ok {
		n.seen++
		return
	}
	for _, token := range strings.Split(place, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[unescape(token)]
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
	query, _ := url.ParseQuery(e.r.Owner.Query)
	return slices.Sorted(maps.Keys(query))
}

// query adds the values that a request gives to a parameter. They are texts, which may be numbers.
func (e *evidence) query(n *node, name string) {
	query, _ := url.ParseQuery(e.r.Owner.Query)
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

// isNameShown reports whether a name may be in the patch: no secret, as the names of a map of keys are, and not long.
func (e *evidence) isNameShown(name string) bool {
	return len(name) <= maxName && e.redactor.Value(name, specs.Part{}) == name && !strings.Contains(name, recording.Mark)
}

// isShown reports whether a text may be an example: no secret, nothing that was taken out, and not long.
func (e *evidence) isShown(name, text string) bool {
	const longest = 80
	return len(text) <= longest && text != "" && !recording.IsSecret(name) && !strings.Contains(text, recording.Mark) &&
		judge.IsPlain(text) && e.redactor.Value(text, specs.Part{}) == text
}
