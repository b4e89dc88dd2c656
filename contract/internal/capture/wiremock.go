package capture

import (
	"fmt"

	"svc.example/understudy/specs/recording"
)

// isMapping recognises a mapping of WireMock that is alone in its file. A line of NDJSON has none of these members.
func isMapping(h *head) bool {
	return h.begins("{") && h.has("/request", "/response") && (h.hasAny("/request/urlPath", "/request/urlPattern",
		"/request/urlPathPattern", "/request/urlPathTemplate", "/request/bodyPatterns", "/response/jsonBody",
		"/response/bodyFileName", "/response/base64Body", "/response/proxyBaseUrl") ||
		h.has("/request/url") && (h.hasAny("/uuid", "/persistent", "/mapping", "/id") || isMessy(h)))
}

// isMessy reports whether headers or bodies stand where NDJSON would have them, but in another form.
func isMessy(h *head) bool {
	return h.members["/response/headers"] == '{' || h.members["/request/headers"] == '{' || h.members["/response/body"] == '"'
}

// isMappings recognises the mappings that WireMock exports.
func isMappings(h *head) bool {
	return h.has("/mappings/0/request") || h.has("/mappings", "/meta/total")
}

// isJournal recognises the answer to GET /__admin/requests.
func isJournal(h *head) bool {
	return h.has("/requests/0/request") || h.has("/requests", "/meta/total") || h.has("/requests", "/requestJournalDisabled")
}

// readMapping reads mappings one behind the other, of which each is an entry.
func readMapping(in *input, yield func(Record, error) bool) bool {
	a := &archive{input: in, yield: yield, begun: true, found: true}
	for {
		if more, err := a.more(); err != nil || !more {
			return err == nil || a.fail(err)
		}
		if err := a.entry(inJSON(decodeMapping)); err != nil {
			return a.fail(err)
		}
	}
}

// decodeMapping takes what a request was matched by as the request, if that is exact.
func decodeMapping(r Record, v value) (draft, error) {
	request, response := v.get("request"), v.get("response")
	d := draft{method: request.get("method").text, url: request.get("url").text, status: response.get("status")}
	if d.url == "" {
		d.url = request.get("urlPath").text
	}
	if d.url == "" || d.method == "ANY" || response.get("proxyBaseUrl").kind != null {
		return d, fmt.Errorf("%w: its url or method is a pattern, or it is a proxy mapping", errNotRecorded)
	}
	parameters := equalTo(request.get("queryParameters"))
	d.url = withQuery(d.url, parameters)
	d.request = side{headers: equalTo(request.get("headers")), body: patternBody(request.get("bodyPatterns"))}
	d.response = side{headers: headersOf(response.get("headers")), body: mappedBody(r, response)}
	if d.status.kind == null {
		d.status = value{kind: scalar, text: "200"} // as WireMock answers
	}
	if host := request.get("host", "equalTo").text; host != "" {
		return d.orAt(orElse(request.get("scheme").text, "http") + "://" + host), nil
	}
	return d.orAt("http://localhost:8080"), nil
}

// equalTo returns the values that are matched exactly. Others are not known.
func equalTo(matchers value) recording.Headers {
	headers := recording.Headers{}
	for i, name := range matchers.keys {
		matcher := matchers.items[i]
		texts := matcher.get("equalTo").all()
		for _, each := range matcher.get("hasExactly").items {
			texts = append(texts, each.get("equalTo").all()...)
		}
		for _, text := range texts {
			headers = append(headers, [2]string{name, text})
		}
	}
	return headers
}

// patternBody returns the body that is matched exactly, in doubt if it is matched by a pattern.
func patternBody(patterns value) held {
	for _, pattern := range patterns.items {
		switch {
		case pattern.get("equalToJson").kind != null:
			body := heldValue(pattern.get("equalToJson"))
			body.isUnsized = true
			return body
		case pattern.get("equalTo").kind == scalar:
			return heldText(pattern.get("equalTo").text)
		case pattern.get("binaryEqualTo").kind == scalar:
			return heldBase64(pattern.get("binaryEqualTo").text)
		}
	}
	if len(patterns.items) > 0 {
		return held{doubt: "the recording has a pattern for the body, not the body"}
	}
	return held{}
}

func mappedBody(r Record, response value) held {
	switch file := response.get("bodyFileName"); {
	case file.kind == scalar:
		body, doubt := r.attached.body(file.text)
		if body == nil {
			return held{doubt: doubt}
		}
		return held{bytes: body.Bytes}
	case response.get("jsonBody").kind != null:
		return held{bytes: response.get("jsonBody").appendJSON(nil), isUnsized: true}
	case response.get("base64Body").kind == scalar:
		return heldBase64(response.get("base64Body").text)
	}
	return heldText(response.get("body").text)
}

// servedFile returns the name of the file that a mapping refers to.
func servedFile(raw []byte) []string {
	v, err := parseJSON(raw)
	if err != nil {
		return nil // decoding will say so
	}
	return []string{v.get("response", "bodyFileName").text}
}

// decodeServed takes a request of the journal, and the answer that it got.
func decodeServed(_ Record, v value) (draft, error) {
	request, response := v.get("request"), v.get("response")
	d := draft{method: request.get("method").text, url: request.get("absoluteUrl").text, status: response.get("status")}
	if d.url == "" {
		d.url = request.get("url").text
	}
	d.request, d.response = servedSide(request), servedSide(response)
	if d.start = unixMilliseconds(request.get("loggedDate").text); !d.start.IsZero() {
		d.end = d.start.Add(milliseconds(v.get("timing", "totalTime").text))
	}
	return d, nil
}

func servedSide(message value) side {
	s := side{headers: headersOf(message.get("headers")), body: heldText(message.get("body").text)}
	if coded := message.get("bodyAsBase64").text; coded != "" {
		s.body = heldBase64(coded)
	}
	return s
}
