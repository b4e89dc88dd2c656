package capture

import (
	"strings"

	"svc.example/understudy/specs/recording"
)

// isMockServer recognises what MockServer recorded: expectations, and requests with their responses.
func isMockServer(h *head) bool { return h.begins("[") && h.has("/0/httpRequest") }

func decodeMockServer(_ Record, v value) (draft, error) {
	request, response := v.get("httpRequest"), v.get("httpResponse")
	d := draft{
		method: textOf(request.get("method")), url: textOf(request.get("path")), status: response.get("statusCode"),
		request:  side{headers: multimap(request.get("headers")), body: mockBody(request.get("body"))},
		response: side{headers: multimap(response.get("headers")), body: mockBody(response.get("body"))},
	}
	if response.kind == object && d.status.kind == null {
		d.status = value{kind: scalar, text: "200"} // as MockServer answers
	}
	if host := d.request.headers.Value("Host"); host != "" && strings.HasPrefix(d.url, "/") {
		scheme := "http"
		if request.get("secure").text == "true" {
			scheme = "https"
		}
		d.url = scheme + "://" + host + d.url
	}
	d.url = withQuery(d.url, multimap(request.get("queryStringParameters")))
	d.start = timeOf(v.get("timestamp").text) // often without its zone, and then it is not known
	d.end = d.start
	return d.orAt("http://localhost:1080"), nil
}

// textOf is a text, or that of an object with a value.
func textOf(v value) string {
	if v.kind == object {
		return v.get("value").text
	}
	return v.text
}

// multimap takes {"A": ["b"]}, or the older [{"name": "A", "values": ["b"]}].
func multimap(v value) recording.Headers {
	if v.kind == list {
		return v.named("name", "values")
	}
	return headersOf(v)
}

// mockBody takes a text, JSON, or an object that says which of these, or bytes, it holds.
func mockBody(v value) held {
	if v.kind != object || v.get("type").kind == null {
		return heldValue(v)
	}
	switch strings.ToUpper(v.get("type").text) {
	case "STRING":
		return heldText(v.get("string").text)
	case "JSON":
		body := heldValue(v.get("json"))
		body.isUnsized = true
		return body
	case "XML":
		return heldText(v.get("xml").text)
	case "BINARY":
		return heldBase64(v.get("base64Bytes").text)
	case "PARAMETERS":
		return held{bytes: []byte(strings.TrimPrefix(withQuery("", multimap(v.get("parameters"))), "?")), isUnsized: true}
	}
	return held{doubt: "the recording has a pattern for the body, not the body"}
}
