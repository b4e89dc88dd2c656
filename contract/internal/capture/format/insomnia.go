package format

import (
	"errors"
	"regexp"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
)

var insomniaLine = regexp.MustCompile(
	`(?m)^["']?(?:__export_format["']?[ \t]*:|type["']?[ \t]*:[ \t]*["']?collection\.insomnia\.)`)

// isInsomnia recognises exports of Insomnia: version 4 in JSON or YAML, and version 5, which is YAML.
func isInsomnia(h *record.Head) bool {
	return insomniaLine.Match(h.Text) || h.Has("/__export_format") || h.Has("/_type", "/resources")
}

// insomnia holds the variables and responses of an export.
type insomnia struct {
	variables *variables
	responses map[string]tree.Value // by the request that they answer: the latest one
}

var errOnlyRequests = errors.New("the export contains requests without responses: only the requests are judged")

func draftsOfInsomnia(export tree.Value) ([]record.Draft, error) {
	i := insomnia{variables: newVariables(), responses: map[string]tree.Value{}}
	for _, resource := range export.Get("resources").Items {
		switch resource.Get("_type").Text {
		case "environment":
			i.environment("", resource.Get("data"))
		case "response":
			i.responses[resource.Get("parentId").Text] = resource
		}
	}
	i.environment("", export.Get("environments", "data"))
	drafts := i.collected(export.Get("collection"))
	for _, resource := range export.Get("resources").Items {
		if resource.Get("_type").Text == "request" {
			drafts = append(drafts, i.draft(resource))
		}
	}
	if len(i.responses) == 0 && len(drafts) > 0 {
		return drafts, errOnlyRequests
	}
	return drafts, nil
}

// collected makes drafts of the requests of a collection and of its folders, as version 5 has them.
func (i *insomnia) collected(collection tree.Value) (drafts []record.Draft) {
	for _, entry := range collection.Items {
		if children := entry.Get("children"); children.Kind == tree.List {
			drafts = append(drafts, i.collected(children)...)
		} else if entry.Get("url").Text != "" {
			drafts = append(drafts, i.draft(entry))
		}
	}
	return drafts
}

// environment takes variables, which may be nested. The first ones count: the base environment comes first.
func (i *insomnia) environment(prefix string, data tree.Value) {
	for k, name := range data.Keys {
		switch v := data.Items[k]; v.Kind {
		case tree.Object:
			i.environment(prefix+name+".", v)
		case tree.Scalar:
			if _, known := i.variables.values[prefix+name]; !known {
				i.variables.values[prefix+name] = v.Text
			}
		case tree.Null, tree.List:
		}
	}
}

func (i *insomnia) draft(request tree.Value) record.Draft {
	d := record.Draft{
		Method: request.Get("method").Text,
		URL: withQuery(i.variables.resolve(request.Get("url").Text),
			i.variables.resolveAll(named(request.Get("parameters"), "name", "value"))),
		Request: record.Message{
			Headers: i.variables.resolveAll(named(request.Get("headers"), "name", "value")),
			Body:    i.body(request.Get("body")),
		},
	}
	if auth := request.Get("authentication"); auth.Get("type").Text == "bearer" &&
		d.Request.Headers.Value("Authorization") == "" {
		token := orElse(auth.Get("prefix").Text, "Bearer") + " " + i.variables.resolve(auth.Get("token").Text)
		d.Request.Headers = append(d.Request.Headers, [2]string{"Authorization", token})
	}
	d.Request.Headers = typed(d.Request.Headers, request.Get("body", "mimeType").Text)
	response, known := i.responses[request.Get("_id").Text]
	if !known {
		return d
	}
	d.Status = response.Get("statusCode")
	d.Response = record.Message{
		Headers: named(response.Get("headers"), "name", "value"),
		Body:    record.Body{Doubt: record.DoubtMissing},
	}
	if body := response.Get("body"); body.Kind != tree.Null {
		d.Response.Body = heldValue(body)
	}
	if at := record.ParseUnixMilliseconds(response.Get("created").Text); !at.IsZero() {
		d.Start, d.End = at.Add(-record.ParseMilliseconds(response.Get("elapsedTime").Text)), at
	}
	return d
}

func (i *insomnia) body(v tree.Value) record.Body {
	fields := v.Get("params")
	switch {
	case v.Get("fileName").Text != "":
		return record.Body{Doubt: record.DoubtMissing}
	case fields.Kind != tree.List || len(fields.Items) == 0:
		return record.TextBody(i.variables.resolve(v.Get("text").Text))
	case strings.HasPrefix(v.Get("mimeType").Text, "application/x-www-form-urlencoded"):
		text := withQuery("", i.variables.resolveAll(named(fields, "name", "value")))
		return record.Body{Bytes: []byte(strings.TrimPrefix(text, "?")), IsUnsized: true}
	}
	return record.Body{Doubt: "the recording has the fields of the body, not its bytes"}
}
