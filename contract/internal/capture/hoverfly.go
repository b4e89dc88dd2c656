package capture

import (
	"fmt"
	"strings"

	"svc.example/understudy/specs/recording"
)

// isSimulation recognises simulations of Hoverfly, of all versions, that were exported after capturing.
func isSimulation(h *head) bool {
	return h.has("/data/pairs/0/request") || h.has("/data/pairs") && h.has("/meta/schemaVersion") ||
		h.hasAny("/meta/hoverflyVersion")
}

// decodePair takes a request whose fields are texts, or matchers that fit one text exactly.
func decodePair(_ Record, v value) (d draft, err error) {
	request, response := v.get("request"), v.get("response")
	field := func(name string) string {
		texts, wrong := exactly(name, request.get(name))
		if err == nil {
			err = wrong
		}
		return strings.Join(texts, "")
	}
	d.method = field("method")
	scheme, host, path := field("scheme"), field("destination"), field("path")
	d.url = path
	if host != "" {
		d.url = orElse(scheme, "http") + "://" + host + path
	}
	if query := request.get("query"); query.isMatcher() {
		if text := field("query"); text != "" {
			d.url += "?" + text
		}
	} else {
		d.url = withQuery(d.url, exactAll(query, &err))
	}
	d.request = side{headers: exactAll(request.get("headers"), &err), body: held{bytes: []byte(field("body"))}}
	body := heldText(response.get("body").text)
	if response.get("encodedBody").text == "true" {
		body = heldBase64(response.get("body").text)
	}
	if file := response.get("bodyFile").text; file != "" && body.isEmpty() {
		body.doubt = fmt.Sprintf("the recording does not contain the body: it is in a file %q", file)
	}
	d.status, d.response = response.get("status"), side{headers: headersOf(response.get("headers")), body: body}
	return d.orAt("http://localhost"), err
}

// isMatcher reports whether a value is a text or its matcher, as opposed to an object of them by name.
func (v value) isMatcher() bool {
	return v.kind != object || v.get("exactMatch").kind != null || v.get("matcher").kind != null
}

// exactly returns the texts that a matcher wants: "a", {"exactMatch": "a"} or [{"matcher": "exact", "value": "a"}].
func exactly(name string, v value) ([]string, error) {
	switch {
	case v.kind == scalar:
		return []string{v.text}, nil
	case v.kind == null, v.kind == list && len(v.items) == 0:
		return nil, nil
	case v.kind == list && v.items[0].kind == scalar:
		return v.all(), nil
	case v.kind == list && len(v.items) == 1:
		return exactly(name, v.items[0])
	case v.get("exactMatch").kind == scalar:
		return v.get("exactMatch").all(), nil
	}
	switch v.get("matcher").text {
	case "exact", "json", "xml", "array":
		return v.get("value").all(), nil
	}
	return nil, fmt.Errorf("%w: its %s is a pattern", errNotRecorded, name)
}

// exactAll returns the texts of matchers by name.
func exactAll(v value, err *error) recording.Headers {
	list := recording.Headers{}
	for i, name := range v.keys {
		texts, wrong := exactly(name, v.items[i])
		if *err == nil {
			*err = wrong
		}
		for _, text := range texts {
			list = append(list, [2]string{name, text})
		}
	}
	return list
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
