package format

import (
	"fmt"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// isSimulation recognises simulations of Hoverfly, of all versions, that were exported after capturing.
func isSimulation(h *record.Head) bool {
	return h.Has("/data/pairs/0/request") || h.Has("/data/pairs") && h.Has("/meta/schemaVersion") ||
		h.HasAny("/meta/hoverflyVersion")
}

// decodePair takes a request whose fields are texts, or matchers that fit one text exactly.
func decodePair(_ record.Raw, v tree.Value) (d record.Draft, err error) {
	request, response := v.Get("request"), v.Get("response")
	field := func(name string) string {
		texts, wrong := exactly(name, request.Get(name))
		if err == nil {
			err = wrong
		}
		return strings.Join(texts, "")
	}
	d.Method = field("method")
	scheme, host, path := field("scheme"), field("destination"), field("path")
	d.URL = path
	if host != "" {
		d.URL = orElse(scheme, "http") + "://" + host + path
	}
	if query := request.Get("query"); isMatcher(query) {
		if text := field("query"); text != "" {
			d.URL += "?" + text
		}
	} else {
		d.URL = withQuery(d.URL, exactAll(query, &err))
	}
	d.Request = record.Message{
		Headers: exactAll(request.Get("headers"), &err),
		Body:    record.Body{Bytes: []byte(field("body"))},
	}
	body := record.TextBody(response.Get("body").Text)
	if response.Get("encodedBody").Text == "true" {
		body = heldBase64(response.Get("body").Text)
	}
	if file := response.Get("bodyFile").Text; file != "" && body.IsEmpty() {
		body.Doubt = fmt.Sprintf("the recording does not contain the body: it is in a file %q", file)
	}
	d.Status, d.Response = response.Get("status"), record.Message{Headers: headersOf(response.Get("headers")), Body: body}
	return d.OrAt("http://localhost"), err
}

// isMatcher reports whether a value is a text or its matcher, as opposed to an object of them by name.
func isMatcher(v tree.Value) bool {
	return v.Kind != tree.Object || v.Get("exactMatch").Kind != tree.Null || v.Get("matcher").Kind != tree.Null
}

// exactly returns the texts that a matcher wants: "a", {"exactMatch": "a"} or [{"matcher": "exact", "value": "a"}].
func exactly(name string, v tree.Value) ([]string, error) {
	switch {
	case v.Kind == tree.Scalar:
		return []string{v.Text}, nil
	case v.Kind == tree.Null, v.Kind == tree.List && len(v.Items) == 0:
		return nil, nil
	case v.Kind == tree.List && v.Items[0].Kind == tree.Scalar:
		return v.All(), nil
	case v.Kind == tree.List && len(v.Items) == 1:
		return exactly(name, v.Items[0])
	case v.Get("exactMatch").Kind == tree.Scalar:
		return v.Get("exactMatch").All(), nil
	}
	switch v.Get("matcher").Text {
	case "exact", "json", "xml", "array":
		return v.Get("value").All(), nil
	}
	return nil, fmt.Errorf("%w: its %s is a pattern", record.ErrNotRecorded, name)
}

// exactAll returns the texts of matchers by name.
func exactAll(v tree.Value, err *error) recording.Headers {
	list := recording.Headers{}
	for i, name := range v.Keys {
		texts, wrong := exactly(name, v.Items[i])
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
