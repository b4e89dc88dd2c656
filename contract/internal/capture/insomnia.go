package capture

import (
	"errors"
	"strings"
)

// isInsomnia recognises exports of Insomnia, version 4.
func isInsomnia(h *head) bool { return h.has("/__export_format") || h.has("/_type", "/resources") }

// insomnia holds the variables and responses of an export.
type insomnia struct {
	variables *variables
	responses map[string]value // by the request that they answer: the latest one
}

var errOnlyRequests = errors.New("the export contains requests without responses: only the requests are judged")

func draftsOfInsomnia(export value) ([]draft, error) {
	i := insomnia{variables: newVariables(), responses: map[string]value{}}
	for _, resource := range export.get("resources").items {
		switch resource.get("_type").text {
		case "environment":
			i.environment("", resource.get("data"))
		case "response":
			i.responses[resource.get("parentId").text] = resource
		}
	}
	var drafts []draft
	for _, resource := range export.get("resources").items {
		if resource.get("_type").text == "request" {
			drafts = append(drafts, i.draft(resource))
		}
	}
	if len(i.responses) == 0 && len(drafts) > 0 {
		return drafts, errOnlyRequests
	}
	return drafts, nil
}

// environment takes variables, which may be nested. The first ones count: the base environment comes first.
func (i *insomnia) environment(prefix string, data value) {
	for k, name := range data.keys {
		switch v := data.items[k]; v.kind {
		case object:
			i.environment(prefix+name+".", v)
		case scalar:
			if _, known := i.variables.values[prefix+name]; !known {
				i.variables.values[prefix+name] = v.text
			}
		case null, list:
		}
	}
}

func (i *insomnia) draft(request value) draft {
	d := draft{
		method:  request.get("method").text,
		url:     withQuery(i.variables.resolve(request.get("url").text), i.variables.resolveAll(request.get("parameters").named("name", "value"))),
		request: side{headers: i.variables.resolveAll(request.get("headers").named("name", "value")), body: i.body(request.get("body"))},
	}
	if auth := request.get("authentication"); auth.get("type").text == "bearer" && d.request.headers.Value("Authorization") == "" {
		token := orElse(auth.get("prefix").text, "Bearer") + " " + i.variables.resolve(auth.get("token").text)
		d.request.headers = append(d.request.headers, [2]string{"Authorization", token})
	}
	d.request.headers = typed(d.request.headers, request.get("body", "mimeType").text)
	response, known := i.responses[request.get("_id").text]
	if !known {
		return d
	}
	d.status = response.get("statusCode")
	d.response = side{headers: response.get("headers").named("name", "value"), body: held{doubt: doubtMissing}}
	if body := response.get("body"); body.kind != null {
		d.response.body = heldValue(body)
	}
	if at := unixMilliseconds(response.get("created").text); !at.IsZero() {
		d.start, d.end = at.Add(-milliseconds(response.get("elapsedTime").text)), at
	}
	return d
}

func (i *insomnia) body(v value) held {
	fields := v.get("params")
	switch {
	case v.get("fileName").text != "":
		return held{doubt: doubtMissing}
	case fields.kind != list || len(fields.items) == 0:
		return heldText(i.variables.resolve(v.get("text").text))
	case strings.HasPrefix(v.get("mimeType").text, "application/x-www-form-urlencoded"):
		text := withQuery("", i.variables.resolveAll(fields.named("name", "value")))
		return held{bytes: []byte(strings.TrimPrefix(text, "?")), isUnsized: true}
	}
	return held{doubt: "the recording has the fields of the body, not its bytes"}
}
