package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
)

// leftOut are headers that belong to the recorded connection, or say how the answer is to be encoded.
var leftOut = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Authorization", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Expect",
}

// request makes the request that corresponds to a recorded one.
func (r *replay) request(ctx context.Context, e *Exchange) (*http.Request, error) {
	t := r.memory.translated(e, r.ids)
	request, err := http.NewRequestWithContext(ctx, e.Item.Request.Method, "http://127.0.0.1"+t.target,
		bytes.NewReader(t.body))
	if err != nil {
		return nil, err
	}
	for _, h := range e.Item.Request.Headers {
		if !slices.Contains(leftOut, http.CanonicalHeaderKey(h[0])) && !strings.HasPrefix(h[0], ":") {
			request.Header.Add(h[0], r.header(e, r.ids, h))
		}
	}
	if cookies := request.Header.Get("Cookie"); e.Operation().Interface.IsOwn() && isSecret(cookies) {
		request.Header.Del("Cookie") // of which the recording hides the names, too
		for _, c := range e.Operation().Cookies() {
			request.AddCookie(&http.Cookie{Name: c, Value: r.subject.Key})
		}
	}
	request.RemoteAddr = "127.0.0.1:0"
	return request, nil
}

// header returns the value of a header, with a key of the subject's in the place of a recorded one.
func (r *replay) header(e *Exchange, known *ids, h [2]string) string {
	identity := e.Credential().Identity
	isKey := strings.EqualFold(h[0], "Authorization") || strings.EqualFold(h[0], e.Operation().Document.KeyHeader())
	if !isKey {
		return known.translate(secrets, h[1])
	}
	scheme, key, found := strings.Cut(h[1], " ")
	if !found {
		scheme, key = "", h[1]
	} else {
		scheme += " "
	}
	switch {
	case known.knows(secrets, key):
		return scheme + known.translate(secrets, key)
	case r.KeyFor(&r.subject, identity) != "":
		key = r.KeyFor(&r.subject, identity)
	case r.keys.refused[identity] && !r.keys.accepted[identity], strings.HasPrefix(identity, "malformed "):
		return h[1]
	case identity == "" && strings.EqualFold(scheme, "basic ") && isSecret(key): // of which nothing is left
		key = unmarked(key)
	case identity == "":
		return h[1]
	default:
		key = r.subject.Key
	}
	if strings.EqualFold(scheme, "basic ") {
		key = specs.BasicCredentials(key)
	}
	return scheme + key
}

// maxPadded bounds the body of a request of which the recording has only the beginning.
const maxPadded = 64 << 20

// Translation puts other ids in the place of recorded ones, wherever a document describes that such stand.
type Translation struct {
	nodes *nodes
	ids   *ids
}

// NewTranslation returns a translation that changes nothing yet.
func NewTranslation(d *specs.Document) *Translation {
	return &Translation{nodes: newNodes(d), ids: newIDs(nil)}
}

// Set puts a text in the place of an id of a kind. A text that is not a number begins with Unquoted in the place of a
// number.
func (t *Translation) Set(kind, id, text string) { t.ids.to[keyOf(kind, id)] = text }

// Unquoted begins a text that stands for a number in JSON.
const Unquoted = "\x01"

// Target returns the path and the query of a request, below that of its interface.
func (t *Translation) Target(r *judge.Result) string {
	op, owner := r.Operation(), &r.Owner
	path, query := t.nodes.parameters(op)
	target := "/" + string(op.Interface) + owner.Document.BasePath + t.path(op, owner.Path, &owner.Match, path)
	if owner.Query != "" {
		target += "?" + t.query(owner.Query, query)
	}
	return target
}

// Answer translates a recorded answer that is JSON.
func (t *Translation) Answer(r *judge.Result, value any) any {
	root := t.answerPlace(r)
	isChanged := false
	return t.json(&root, value, &isChanged)
}

// value translates one value of a parameter.
func (t *Translation) value(kind, text string) string {
	if kind == "" && !isUUID(text) {
		return text
	}
	return t.ids.translate(kind, text)
}

func (t *Translation) path(op *specs.Operation, recorded string, m *specs.Match, kinds map[string]string) string {
	isChanged := false
	segments := strings.Split(op.Template, "/")
	for i, segment := range segments {
		for _, name := range parameterNames(&specs.Operation{Template: segment}) {
			value := m.Declared(name)
			other := t.value(kinds[name], value)
			isChanged = isChanged || other != value
			segments[i] = strings.ReplaceAll(segments[i], "{"+name+"}", url.PathEscape(other))
		}
	}
	if !isChanged {
		return recorded
	}
	return strings.Join(segments, "/")
}

func (t *Translation) query(raw string, kinds map[string]string) string {
	fields := strings.Split(raw, "&")
	for i, field := range fields {
		name, value, found := strings.Cut(field, "=")
		plainName, err1 := url.QueryUnescape(name)
		plain, err2 := url.QueryUnescape(value)
		if !found || err1 != nil || err2 != nil {
			continue
		}
		if other := t.value(kinds[plainName], plain); other != plain {
			fields[i] = name + "=" + url.QueryEscape(other)
		}
	}
	return strings.Join(fields, "&")
}

// Body translates a request's body, if it is JSON.
func (t *Translation) Body(e *judge.Result) []byte {
	r := &e.Item.Request
	if r.Body == nil {
		return nil
	}
	if e.Item.RequestDoubt != "" { // it was refused for its size alone
		size, _ := strconv.Atoi(r.Headers.Value("Content-Length"))
		size = min(size, maxPadded)
		return append(slices.Clip(r.Body.Bytes), bytes.Repeat([]byte(" "), max(0, size-len(r.Body.Bytes)))...)
	}
	if !body.IsJSON(body.MediaType(r.Headers.Value("Content-Type"))) || r.Headers.Value("Content-Encoding") != "" {
		return r.Body.Bytes
	}
	value, err := body.DecodeJSON(r.Body.Bytes)
	if err != nil {
		return r.Body.Bytes
	}
	op := e.Operation()
	root := place{nodes: []*node{t.nodes.request(op)}}
	if op.Spec.RequestBody != nil && op.Spec.RequestBody.Value != nil {
		if media := op.Spec.RequestBody.Value.Content.Get(body.JSONType); media != nil {
			root.add(media.Schema)
		}
	}
	isChanged := false
	value = t.json(&root, value, &isChanged)
	if !isChanged {
		return r.Body.Bytes
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return r.Body.Bytes
	}
	return bytes.TrimSpace(text.Bytes())
}

func (t *Translation) json(p *place, value any, isChanged *bool) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			next := p.below(t.nodes, v, name)
			v[name] = t.json(&next, member, isChanged)
		}
	case []any:
		next := p.below(t.nodes, v, items)
		for i := range v {
			v[i] = t.json(&next, v[i], isChanged)
		}
	case string:
		other := t.value(p.id(t.nodes), v)
		if isSecret(v) {
			if other = t.ids.translate(secrets, v); other == v {
				other = unmarked(v)
			}
		}
		*isChanged = *isChanged || other != v
		return other
	case json.Number:
		if kind := p.id(t.nodes); kind != "" {
			other := t.ids.translate(kind, v.String())
			*isChanged = *isChanged || other != v.String()
			if _, err := strconv.ParseFloat(other, 64); err != nil {
				return Unquoted + other
			}
			return json.Number(other)
		}
	}
	return value
}
