package format

import (
	"fmt"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// isMapping recognises a mapping of WireMock that is alone in its file. A line of NDJSON has none of these members.
func isMapping(h *record.Head) bool {
	return h.Begins("{") && h.Has("/request", "/response") && (h.HasAny("/request/urlPath", "/request/urlPattern",
		"/request/urlPathPattern", "/request/urlPathTemplate", "/request/bodyPatterns", "/response/jsonBody",
		"/response/bodyFileName", "/response/base64Body", "/response/proxyBaseUrl") ||
		h.Has("/request/url") && (h.HasAny("/uuid", "/persistent", "/mapping", "/id") || isMessy(h)))
}

// isMessy reports whether headers or bodies stand where NDJSON would have them, but in another form.
func isMessy(h *record.Head) bool {
	return h.Members["/response/headers"] == '{' || h.Members["/request/headers"] == '{' ||
		h.Members["/response/body"] == '"'
}

// isMappings recognises the mappings that WireMock exports.
func isMappings(h *record.Head) bool {
	return h.Has("/mappings/0/request") || h.Has("/mappings", "/meta/total")
}

// isJournal recognises the answer to GET /__admin/requests.
func isJournal(h *record.Head) bool {
	return h.Has("/requests/0/request") || h.Has("/requests", "/meta/total") ||
		h.Has("/requests", "/requestJournalDisabled")
}

// readMapping reads mappings one behind the other, of which each is an entry.
func readMapping(in *record.Input, yield func(record.Raw, error) bool) bool {
	a := &archive{Input: in, yield: yield, begun: true, found: true}
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
func decodeMapping(r record.Raw, v tree.Value) (record.Draft, error) {
	request, response := v.Get("request"), v.Get("response")
	d := record.Draft{Method: request.Get("method").Text, URL: request.Get("url").Text, Status: response.Get("status")}
	if d.URL == "" {
		d.URL = request.Get("urlPath").Text
	}
	if d.URL == "" || d.Method == "ANY" || response.Get("proxyBaseUrl").Kind != tree.Null {
		return d, fmt.Errorf("%w: its url or method is a pattern, or it is a proxy mapping", record.ErrNotRecorded)
	}
	parameters := equalTo(request.Get("queryParameters"))
	d.URL = withQuery(d.URL, parameters)
	d.Request = record.Message{Headers: equalTo(request.Get("headers")), Body: patternBody(request.Get("bodyPatterns"))}
	d.Response = record.Message{Headers: headersOf(response.Get("headers")), Body: mappedBody(r, response)}
	if d.Status.Kind == tree.Null {
		d.Status = tree.Value{Kind: tree.Scalar, Text: "200"} // as WireMock answers
	}
	if host := request.Get("host", "equalTo").Text; host != "" {
		return d.OrAt(orElse(request.Get("scheme").Text, "http") + "://" + host), nil
	}
	return d.OrAt("http://localhost:8080"), nil
}

// equalTo returns the values that are matched exactly. Others are not known.
func equalTo(matchers tree.Value) recording.Headers {
	headers := recording.Headers{}
	for i, name := range matchers.Keys {
		matcher := matchers.Items[i]
		texts := matcher.Get("equalTo").All()
		for _, each := range matcher.Get("hasExactly").Items {
			texts = append(texts, each.Get("equalTo").All()...)
		}
		for _, text := range texts {
			headers = append(headers, [2]string{name, text})
		}
	}
	return headers
}

// patternBody returns the body that is matched exactly, in doubt if it is matched by a pattern.
func patternBody(patterns tree.Value) record.Body {
	for _, pattern := range patterns.Items {
		switch {
		case pattern.Get("equalToJson").Kind != tree.Null:
			body := heldValue(pattern.Get("equalToJson"))
			body.IsUnsized = true
			return body
		case pattern.Get("equalTo").Kind == tree.Scalar:
			return record.TextBody(pattern.Get("equalTo").Text)
		case pattern.Get("binaryEqualTo").Kind == tree.Scalar:
			return heldBase64(pattern.Get("binaryEqualTo").Text)
		}
	}
	if len(patterns.Items) > 0 {
		return record.Body{Doubt: "the recording has a pattern for the body, not the body"}
	}
	return record.Body{}
}

func mappedBody(r record.Raw, response tree.Value) record.Body {
	switch file := response.Get("bodyFileName"); {
	case file.Kind == tree.Scalar:
		body, doubt := r.Attached.Body(file.Text)
		if body == nil {
			return record.Body{Doubt: doubt}
		}
		return record.Body{Bytes: body.Bytes}
	case response.Get("jsonBody").Kind != tree.Null:
		return record.Body{Bytes: response.Get("jsonBody").AppendJSON(nil), IsUnsized: true}
	case response.Get("base64Body").Kind == tree.Scalar:
		return heldBase64(response.Get("base64Body").Text)
	}
	return record.TextBody(response.Get("body").Text)
}

// decodeServed takes a request of the journal, and the answer that it got.
func decodeServed(_ record.Raw, v tree.Value) (record.Draft, error) {
	request, response := v.Get("request"), v.Get("response")
	d := record.Draft{
		Method: request.Get("method").Text, URL: request.Get("absoluteUrl").Text,
		Status: response.Get("status"),
	}
	if d.URL == "" {
		d.URL = request.Get("url").Text
	}
	d.Request, d.Response = servedSide(request), servedSide(response)
	if d.Start = record.ParseUnixMilliseconds(request.Get("loggedDate").Text); !d.Start.IsZero() {
		d.End = d.Start.Add(record.ParseMilliseconds(v.Get("timing", "totalTime").Text))
	}
	return d, nil
}

func servedSide(message tree.Value) record.Message {
	s := record.Message{Headers: headersOf(message.Get("headers")), Body: record.TextBody(message.Get("body").Text)}
	if coded := message.Get("bodyAsBase64").Text; coded != "" {
		s.Body = heldBase64(coded)
	}
	return s
}
