package recording_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// planted is a secret that must not remain in a redacted exchange. It needs an escape wherever there is one.
const planted = `geh/eim & "42"`

// plant makes a value that a schema describes, with a secret in every place that it marks.
func plant(schema *openapi3.Schema, secret bool, depth int) any {
	secret = secret || specs.IsSecret(schema)
	parts := slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf)
	switch {
	case depth > 8:
		return nil
	case schema.Type.Is("array"):
		return []any{plant(schema.Items.Value, secret, depth+1)}
	case schema.Type.Is("object") || len(schema.Properties) > 0:
		object := map[string]any{}
		for _, part := range parts {
			if more, ok := plant(part.Value, secret, depth+1).(map[string]any); ok {
				maps.Copy(object, more)
			}
		}
		for name, property := range schema.Properties {
			object[name] = plant(property.Value, secret, depth+1)
		}
		if more := schema.AdditionalProperties; more.Schema != nil {
			object["more"] = plant(more.Schema.Value, secret, depth+1)
		} else if secret {
			object["more"] = map[string]any{"deep": []any{planted}}
		}
		return object
	case len(parts) > 0: // the last of several kinds is the one with most in it
		return plant(parts[len(parts)-1].Value, secret, depth+1)
	case secret:
		return planted
	}
	return "plain"
}

// asForm writes the members of a body as fields: objects as name[x], or as JSON.
func asForm(object map[string]any, nested bool) string {
	values := url.Values{}
	for name, value := range object {
		if inner, ok := value.(map[string]any); ok && nested {
			for key, part := range inner {
				values.Set(name+"["+key+"]", textOf(part))
			}
			continue
		}
		values.Set(name, textOf(value))
	}
	return values.Encode()
}

// asParts writes members as multipart/form-data.
func asParts(object map[string]any) string {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("b")
	for name, value := range object {
		_ = w.WriteField(name, textOf(value))
	}
	_ = w.Close()
	return body.String()
}

func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// Whatever a document marks is taken out, of requests and answers, of JSON, forms and queries alike.
func TestSecretsPlantedEverywhere(t *testing.T) {
	t.Parallel()
	redactor := &recording.Redactor{Salt: []byte("salt")}
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range d.All() {
			t.Run(op.Name(), func(t *testing.T) {
				t.Parallel()
				for kind, e := range plantedExchanges(op) {
					clean := redactor.Redact(e, op)
					line, err := json.Marshal(clean)
					if err != nil {
						t.Fatal(err)
					}
					for _, part := range []string{"geh", "eim", "%2242"} {
						if strings.Contains(string(line), part) {
							t.Errorf("%s: %s is left in %s", kind, part, line)
						}
					}
				}
			})
		}
	}
}

// plantedExchanges are exchanges of an operation with its secrets in them, by where these are.
func plantedExchanges(op *specs.Operation) map[string]*recording.Exchange {
	list := map[string]*recording.Exchange{}
	add := func(kind, query, contentType, body string) *recording.Exchange {
		e := &recording.Exchange{Request: recording.Request{
			Method: op.Method, URL: "https://h.example" + op.Path + "?" + query,
			Headers: recording.Headers{{"Content-Type", contentType}},
		}}
		for _, p := range op.Parameters {
			if p.Value.In == openapi3.ParameterInHeader && specs.IsSecret(p.Value.Schema.Value) {
				e.Request.Headers = append(e.Request.Headers, [2]string{p.Value.Name, "SVC1 " + planted})
			}
		}
		if body != "" {
			e.Request.Body = &recording.Body{Bytes: []byte(body)}
		}
		list[kind] = e
		return e
	}
	if schema := op.JSONBody(); schema != nil {
		object, _ := plant(schema, false, 0).(map[string]any)
		add("json", "", "application/json", textOf(object))
		add("json, cut", "", "application/json", textOf(object)+`,"x":"`)
		add("form", "", "application/x-www-form-urlencoded", asForm(object, false))
		add("nested form", "", "application/x-www-form-urlencoded; charset=utf-8", asForm(object, true))
		parts := asParts(object)
		half := parts[:max(0, len(parts)-10)]
		add("parts", "", "multipart/form-data; boundary=b", parts)
		add("parts, not told to be cut", "", "multipart/form-data; boundary=b", half)
		if e := add("parts, cut", "", "multipart/form-data; boundary=b", half); half != "" {
			e.Request.Body.Truncated = true
		}
		add("parts, with another boundary", "", "multipart/form-data; boundary=c", parts)
		add("query", asForm(object, false), "", "")
		add("nested query", asForm(object, true), "", "")
	}
	for status := range op.Spec.Responses.Map() {
		var code int
		_, _ = fmt.Sscan(status, &code)
		if schema := op.JSONAnswer(code); schema != nil {
			e := add(status, "", "", "")
			e.Response = &recording.Response{Status: code, Body: &recording.Body{Bytes: []byte(textOf(plant(schema, false, 0)))}}
		}
	}
	return list
}
