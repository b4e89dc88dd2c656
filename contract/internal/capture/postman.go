package capture

import (
	"errors"
	"strings"

	"svc.example/understudy/specs/recording"
)

// isPostman recognises collections of Postman, version 2.
func isPostman(h *head) bool {
	return h.has("/info") && (h.hasAny("/info/_postman_id") || h.has("/info/schema", "/item") ||
		strings.Contains(string(h.text), "getpostman.com/json/collection"))
}

// postman gathers the saved responses of a collection. Requests without one were never sent.
type postman struct {
	variables *variables
	drafts    []draft
}

func draftsOfPostman(collection value) ([]draft, error) {
	p := postman{variables: newVariables()}
	for _, pair := range collection.get("variable").named("key", "value") {
		p.variables.values[pair[0]] = pair[1]
	}
	p.items(collection.get("item"), collection.get("auth"))
	if len(p.drafts) == 0 {
		return nil, errors.New("the collection contains requests without saved responses: none of them was sent")
	}
	return p.drafts, nil
}

func (p *postman) items(list, auth value) {
	for _, item := range list.items {
		own := auth
		for _, closer := range []value{item.get("auth"), item.get("request", "auth")} {
			if closer.kind == object {
				own = closer
			}
		}
		p.items(item.get("item"), own)
		for _, saved := range item.get("response").items {
			request := saved.get("originalRequest")
			if request.kind != object {
				request = item.get("request")
			}
			p.drafts = append(p.drafts, p.draft(request, saved, own))
		}
	}
}

func (p *postman) draft(request, saved, auth value) draft {
	d := draft{
		method: orElse(request.get("method").text, "GET"), url: p.address(request.get("url")), status: saved.get("code"),
		request:  side{headers: p.variables.resolveAll(request.get("header").named("key", "value")), body: p.body(request.get("body"))},
		response: side{headers: saved.get("header").named("key", "value"), body: heldText(saved.get("body").text)},
	}
	if d.request.headers.Value("Authorization") == "" {
		d.request.headers = append(d.request.headers, p.credentials(auth)...)
	}
	mode := request.get("body", "mode").text
	if mode == "urlencoded" {
		d.request.headers = typed(d.request.headers, "application/x-www-form-urlencoded")
	}
	return d
}

// address is the URL, with its variables: those of the collection, and those of its path, as in /pools/:id.
func (p *postman) address(v value) string {
	raw := v.text
	if v.kind == object {
		raw = v.get("raw").text
	}
	path, query, isQuery := strings.Cut(raw, "?")
	segments := strings.Split(path, "/")
	own := v.get("variable").named("key", "value")
	for i, segment := range segments {
		if name, isName := strings.CutPrefix(segment, ":"); isName {
			segments[i] = orElse(own.Value(name), segment)
		}
	}
	address := p.variables.resolve(strings.Join(segments, "/"))
	if parameters := v.get("query"); parameters.kind == list {
		return withQuery(address, p.variables.resolveAll(parameters.named("key", "value")))
	}
	if isQuery {
		address += "?" + p.variables.resolve(query)
	}
	return address
}

func (p *postman) body(v value) held {
	switch v.get("mode").text {
	case "", "none":
		return held{}
	case "raw":
		return heldText(p.variables.resolve(v.get("raw").text))
	case "graphql":
		return held{bytes: v.get("graphql").appendJSON(nil), isUnsized: true}
	case "urlencoded":
		fields := p.variables.resolveAll(v.get("urlencoded").named("key", "value"))
		return held{bytes: []byte(strings.TrimPrefix(withQuery("", fields), "?")), isUnsized: true}
	}
	return held{doubt: "the recording has the fields of the body, not its bytes"}
}

// credentials are the headers that Postman adds for an authorization.
func (p *postman) credentials(auth value) recording.Headers {
	fields := map[string]string{}
	for _, pair := range auth.get(auth.get("type").text).named("key", "value") {
		fields[pair[0]] = p.variables.resolve(pair[1])
	}
	switch {
	case auth.get("type").text == "bearer":
		return recording.Headers{{"Authorization", "Bearer " + fields["token"]}}
	case auth.get("type").text == "apikey" && fields["in"] != "query" && fields["key"] != "":
		return recording.Headers{{fields["key"], fields["value"]}}
	}
	return nil
}
