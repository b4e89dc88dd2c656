package recording

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"svc.example/understudy/specs"
)

// Redactor takes secrets out of exchanges: keys in headers and addresses, and what a document marks as secret in a
// body. In their place stands a short hash, salted, so that a reader still sees which requests came from the same
// caller but cannot find out from whom.
type Redactor struct {
	Brand specs.Brand
	Salt  []byte
}

// Mark begins every redacted value, so that readers know one when they see it.
const Mark = "[redacted"

// Hash is what stands in place of a secret.
func (r *Redactor) Hash(secret string) string {
	mac := hmac.New(sha256.New, r.Salt)
	mac.Write([]byte(secret))
	return Mark + ":" + hex.EncodeToString(mac.Sum(nil)[:4]) + "]"
}

// Redact returns the exchange without its secrets; what it shares with the original is not changed. The operation,
// which may be nil, tells which parts of the bodies are secret.
func (r *Redactor) Redact(e *Exchange, op *specs.Operation) *Exchange {
	clean := *e
	clean.Redacted = slices.Clone(e.Redacted)
	note := func(what string) {
		if !slices.Contains(clean.Redacted, what) {
			clean.Redacted = append(clean.Redacted, what)
		}
	}
	clean.Request.Headers = r.headers(e.Request.Headers, note)
	clean.Request.URL = r.url(e.Request.URL, note)
	if op != nil && e.Request.Body != nil {
		clean.Request.Body = r.body(e.Request.Body, op.JSONBody(), "request.body", note)
	}
	if e.Response == nil {
		return &clean
	}
	response := *e.Response
	response.Headers = r.headers(e.Response.Headers, note)
	if op != nil && response.Body != nil {
		response.Body = r.body(response.Body, op.JSONAnswer(response.Status), "response.body", note)
	}
	clean.Response = &response
	return &clean
}

func (r *Redactor) headers(headers Headers, note func(string)) Headers {
	var clean Headers
	for i, h := range headers {
		if !r.secretHeader(h[0]) {
			continue
		}
		if clean == nil {
			clean = slices.Clone(headers)
		}
		clean[i][1] = r.credential(h[1])
		note(h[0])
	}
	if clean == nil {
		return headers
	}
	return clean
}

func (r *Redactor) secretHeader(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "secondary-authorization", "cookie", "set-cookie":
		return true
	}
	return strings.EqualFold(name, r.Brand.WriteKeyHeader()) || strings.EqualFold(name, specs.Neutral.WriteKeyHeader())
}

// credential keeps the scheme, which the contract speaks of, and hashes the rest.
func (r *Redactor) credential(value string) string {
	scheme, key, found := strings.Cut(strings.TrimSpace(value), " ")
	if !found {
		return r.Hash(value)
	}
	return scheme + " " + r.Hash(strings.TrimSpace(key))
}

var secretParameter = regexp.MustCompile(`(?i)(^|[_-])(write_?key|api_?key|apikey|access_token|token|password|secret)$`)

func (r *Redactor) url(raw string, note func(string)) string {
	u, err := url.Parse(raw)
	if err != nil || (u.User == nil && u.RawQuery == "") {
		return raw
	}
	changed := false
	if u.User != nil {
		u.User, changed = url.User(r.Hash(u.User.String())), true
		note("url.userinfo")
	}
	parts := strings.Split(u.RawQuery, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if plain, _ := url.QueryUnescape(name); value != "" && secretParameter.MatchString(plain) {
			parts[i], changed = name+"="+url.QueryEscape(r.Hash(value)), true
			note("url.query." + plain)
		}
	}
	if !changed {
		return raw
	}
	u.RawQuery = strings.Join(parts, "&")
	return u.String()
}

// body hashes the parts that the schema marks as secret. A body that cannot be read as JSON may hold them anywhere,
// so it is taken out whole.
func (r *Redactor) body(body *Body, schema *openapi3.Schema, name string, note func(string)) *Body {
	if !specs.HasSecrets(schema) || len(body.Bytes) == 0 {
		return body
	}
	if !json.Valid(body.Bytes) {
		note(name)
		return &Body{Bytes: []byte(r.Hash(string(body.Bytes))), Truncated: body.Truncated}
	}
	clean := body.Bytes
	walkSecrets(gjson.ParseBytes(body.Bytes), schema, "", func(path string, value gjson.Result) {
		if changed, err := sjson.SetBytes(clean, path, r.Hash(value.String())); err == nil {
			clean = changed
			note(name + "." + path)
		}
	})
	left := false // such as the second of two members of one name
	walkSecrets(gjson.ParseBytes(clean), schema, "", func(_ string, value gjson.Result) {
		left = left || !strings.HasPrefix(value.String(), Mark)
	})
	if left {
		note(name)
		clean = []byte(strconv.Quote(r.Hash(string(body.Bytes))))
	}
	return &Body{Bytes: clean, Truncated: body.Truncated}
}

func walkSecrets(value gjson.Result, schema *openapi3.Schema, path string, found func(string, gjson.Result)) {
	if specs.IsSecret(schema) {
		found(path, value)
		return
	}
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
		walkSecrets(value, part.Value, path, found)
	}
	i := 0
	value.ForEach(func(key, child gjson.Result) bool {
		token := strconv.Itoa(i)
		part := schema.Items
		if value.IsObject() {
			token = gjson.Escape(key.String())
			if part = schema.Properties[key.String()]; part == nil {
				part = schema.AdditionalProperties.Schema
			}
		}
		i++
		if part != nil && part.Value != nil {
			walkSecrets(child, part.Value, strings.TrimPrefix(path+"."+token, "."), found)
		}
		return true
	})
}
