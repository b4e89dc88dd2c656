package format

import (
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// isMockServer recognises what MockServer recorded: expectations, and requests with their responses.
func isMockServer(h *record.Head) bool { return h.Begins("[") && h.Has("/0/httpRequest") }

func decodeMockServer(_ record.Raw, v tree.Value) (record.Draft, error) {
	request, response := v.Get("httpRequest"), v.Get("httpResponse")
	d := record.Draft{
		Method: textOf(request.Get("method")), URL: textOf(request.Get("path")), Status: response.Get("statusCode"),
		Request:  record.Message{Headers: multimap(request.Get("headers")), Body: mockBody(request.Get("body"))},
		Response: record.Message{Headers: multimap(response.Get("headers")), Body: mockBody(response.Get("body"))},
	}
	if response.Kind == tree.Object && d.Status.Kind == tree.Null {
		d.Status = tree.Value{Kind: tree.Scalar, Text: "200"} // as MockServer answers
	}
	if host := d.Request.Headers.Value("Host"); host != "" && strings.HasPrefix(d.URL, "/") {
		scheme := "http"
		if request.Get("secure").Text == "true" {
			scheme = "https"
		}
		d.URL = scheme + "://" + host + d.URL
	}
	d.URL = withQuery(d.URL, multimap(request.Get("queryStringParameters")))
	d.Start = record.ParseTime(v.Get("timestamp").Text) // often without its zone, and then it is not known
	d.End = d.Start
	return d.OrAt("http://localhost:1080"), nil
}

// textOf is a text, or that of an object with a value.
func textOf(v tree.Value) string {
	if v.Kind == tree.Object {
		return v.Get("value").Text
	}
	return v.Text
}

// multimap takes {"A": ["b"]}, or the older [{"name": "A", "values": ["b"]}].
func multimap(v tree.Value) recording.Headers {
	if v.Kind == tree.List {
		return named(v, "name", "values")
	}
	return headersOf(v)
}

// mockBody takes a text, JSON, or an object that says which of these, or bytes, it holds.
func mockBody(v tree.Value) record.Body {
	if v.Kind != tree.Object || v.Get("type").Kind == tree.Null {
		return heldValue(v)
	}
	switch strings.ToUpper(v.Get("type").Text) {
	case "STRING":
		return record.TextBody(v.Get("string").Text)
	case "JSON":
		body := heldValue(v.Get("json"))
		body.IsUnsized = true
		return body
	case "XML":
		return record.TextBody(v.Get("xml").Text)
	case "BINARY":
		return heldBase64(v.Get("base64Bytes").Text)
	case "PARAMETERS":
		return record.Body{
			Bytes:     []byte(strings.TrimPrefix(withQuery("", multimap(v.Get("parameters"))), "?")),
			IsUnsized: true,
		}
	}
	return record.Body{Doubt: "the recording has a pattern for the body, not the body"}
}
