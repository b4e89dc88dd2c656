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
	"svc.example/understudy/specs"
)

// leftOut are headers that belong to the recorded connection, or say how the answer is to be encoded.
var leftOut = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Authorization", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Expect",
}

// request makes the request that corresponds to a recorded one.
func (r *replay) request(ctx context.Context, e *Exchange, known *ids) (*http.Request, error) {
	op, owner := e.Operation(), &e.Owner
	s := r.sites[owner.Document]
	t := &translation{sites: s, ids: known}
	path, query := s.parameters(op)
	target := "http://127.0.0.1/" + string(op.Interface) + owner.Document.BasePath +
		t.path(op, owner.Path, &owner.Match, path)
	if owner.Query != "" {
		target += "?" + t.query(owner.Query, query)
	}
	content := t.body(e)
	request, err := http.NewRequestWithContext(ctx, e.Item.Request.Method, target, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	for _, h := range e.Item.Request.Headers {
		if !slices.Contains(leftOut, http.CanonicalHeaderKey(h[0])) && !strings.HasPrefix(h[0], ":") {
			request.Header.Add(h[0], r.header(e, known, h))
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
	case r.subject.keyFor(identity) != "":
		return scheme + r.subject.keyFor(identity)
	case r.refused[identity] || identity == "" || strings.HasPrefix(identity, "malformed "):
		return h[1]
	}
	return scheme + r.subject.Key
}

// maxPadded bounds the body of a request of which the recording has only the beginning.
const maxPadded = 64 << 20

// translation puts the subject's ids in the place of recorded ones.
type translation struct {
	sites *sites
	ids   *ids
}

// value translates one value of a parameter.
func (t *translation) value(kind, text string) string {
	if kind == "" && !uuid.MatchString(text) {
		return text
	}
	return t.ids.translate(kind, text)
}

func (t *translation) path(op *specs.Operation, recorded string, m *specs.Match, kinds map[string]string) string {
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

func (t *translation) query(raw string, kinds map[string]string) string {
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

// body translates a request's body, if it is JSON.
func (t *translation) body(e *Exchange) []byte {
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
	root := place{sites: []*site{t.sites.request(op)}}
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

func (t *translation) json(p *place, value any, isChanged *bool) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			next := p.below(t.sites, v, name)
			v[name] = t.json(&next, member, isChanged)
		}
	case []any:
		next := p.below(t.sites, v, items)
		for i := range v {
			v[i] = t.json(&next, v[i], isChanged)
		}
	case string:
		other := t.value(p.id(t.sites), v)
		if isSecret(v) {
			if other = t.ids.translate(secrets, v); other == v {
				other = unmarked(v)
			}
		}
		*isChanged = *isChanged || other != v
		return other
	case json.Number:
		if kind := p.id(t.sites); kind != "" {
			other := t.ids.translate(kind, v.String())
			*isChanged = *isChanged || other != v.String()
			return json.Number(other)
		}
	}
	return value
}
