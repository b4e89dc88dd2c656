package format

import (
	"errors"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// isPostman recognises collections of Postman, version 2.
func isPostman(h *record.Head) bool {
	return h.Has("/info") && (h.HasAny("/info/_postman_id") || h.Has("/info/schema", "/item") ||
		strings.Contains(string(h.Text), "getpostman.com/json/collection"))
}

// postman gathers the saved responses of a collection. Requests without one were never sent.
type postman struct {
	variables *variables
	drafts    []record.Draft
}

func draftsOfPostman(collection tree.Value) ([]record.Draft, error) {
	p := postman{variables: newVariables()}
	for _, pair := range named(collection.Get("variable"), "key", "value") {
		p.variables.values[pair[0]] = pair[1]
	}
	p.items(collection.Get("item"), collection.Get("auth"))
	if len(p.drafts) == 0 {
		return nil, errors.New("the collection contains requests without saved responses: none of them was sent")
	}
	return p.drafts, nil
}

func (p *postman) items(list, auth tree.Value) {
	for _, item := range list.Items {
		own := auth
		for _, closer := range []tree.Value{item.Get("auth"), item.Get("request", "auth")} {
			if closer.Kind == tree.Object {
				own = closer
			}
		}
		p.items(item.Get("item"), own)
		for _, saved := range item.Get("response").Items {
			request := saved.Get("originalRequest")
			if request.Kind != tree.Object {
				request = item.Get("request")
			}
			p.drafts = append(p.drafts, p.draft(request, saved, own))
		}
	}
}

func (p *postman) draft(request, saved, auth tree.Value) record.Draft {
	d := record.Draft{
		Method: orElse(request.Get("method").Text, "GET"), URL: p.address(request.Get("url")), Status: saved.Get("code"),
		Request: record.Message{
			Headers: p.variables.resolveAll(named(request.Get("header"), "key", "value")),
			Body:    p.body(request.Get("body")),
		},
		Response: record.Message{
			Headers: named(saved.Get("header"), "key", "value"),
			Body:    record.TextBody(saved.Get("body").Text),
		},
	}
	if d.Request.Headers.Value("Authorization") == "" {
		d.Request.Headers = append(d.Request.Headers, p.credentials(auth)...)
	}
	mode := request.Get("body", "mode").Text
	if mode == "urlencoded" {
		d.Request.Headers = typed(d.Request.Headers, "application/x-www-form-urlencoded")
	}
	return d
}

// address is the URL, with its variables: those of the collection, and those of its path, as in /pools/:id.
func (p *postman) address(v tree.Value) string {
	raw := v.Text
	if v.Kind == tree.Object {
		raw = v.Get("raw").Text
	}
	path, query, isQuery := strings.Cut(raw, "?")
	segments := strings.Split(path, "/")
	own := named(v.Get("variable"), "key", "value")
	for i, segment := range segments {
		if name, isName := strings.CutPrefix(segment, ":"); isName {
			segments[i] = orElse(own.Value(name), segment)
		}
	}
	address := p.variables.resolve(strings.Join(segments, "/"))
	if parameters := v.Get("query"); parameters.Kind == tree.List {
		return withQuery(address, p.variables.resolveAll(named(parameters, "key", "value")))
	}
	if isQuery {
		address += "?" + p.variables.resolve(query)
	}
	return address
}

func (p *postman) body(v tree.Value) record.Body {
	switch v.Get("mode").Text {
	case "", "none":
		return record.Body{}
	case "raw":
		return record.TextBody(p.variables.resolve(v.Get("raw").Text))
	case "graphql":
		return record.Body{Bytes: v.Get("graphql").AppendJSON(nil), IsUnsized: true}
	case "urlencoded":
		fields := p.variables.resolveAll(named(v.Get("urlencoded"), "key", "value"))
		return record.Body{Bytes: []byte(strings.TrimPrefix(withQuery("", fields), "?")), IsUnsized: true}
	}
	return record.Body{Doubt: "the recording has the fields of the body, not its bytes"}
}

// credentials are the headers that Postman adds for an authorization.
func (p *postman) credentials(auth tree.Value) recording.Headers {
	fields := map[string]string{}
	for _, pair := range named(auth.Get(auth.Get("type").Text), "key", "value") {
		fields[pair[0]] = p.variables.resolve(pair[1])
	}
	switch {
	case auth.Get("type").Text == "bearer":
		return recording.Headers{{"Authorization", "Bearer " + fields["token"]}}
	case auth.Get("type").Text == "apikey" && fields["in"] != "query" && fields["key"] != "":
		return recording.Headers{{fields["key"], fields["value"]}}
	}
	return nil
}
