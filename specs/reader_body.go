package specs

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strings"
)

// readBody makes the JSON object that a body stands for.
func (r *Reader) readBody(sent Sent, fields url.Values, isForm bool, read *Read) (err error) {
	if r.body == nil {
		return nil
	}
	if !isForm && len(bytes.TrimSpace(sent.Body)) > 0 {
		return r.readJSON(sent, read)
	}
	if !isForm && !r.lenient.Bodies {
		return nil
	}
	read.Changed.Body = true
	read.Body, err = json.Marshal(r.withQuery(r.object(r.body, fields), read))
	if err == nil && r.lenient.Bodies {
		read.Body, _, err = r.rewrite(r.body, read.Body) // a field may hold JSON
	}
	return err
}

// readJSON reads a JSON body. One that is not valid is left to a validator.
func (r *Reader) readJSON(sent Sent, read *Read) error {
	if !r.lenient.Bodies || !isJSONType(sent.ContentType) {
		return nil
	}
	text, changed, err := r.rewrite(r.body, sent.Body)
	if err != nil {
		return nil //nolint:nilerr // the validator says where, and in the interface's words
	}
	if own, ok := r.besideQuery(text, read.Query); ok {
		changed = true
		if text, err = json.Marshal(r.withQuery(own, read)); err == nil {
			text, _, err = r.rewrite(r.body, text)
		}
		if err != nil {
			return err
		}
	}
	if changed {
		read.Body, read.Changed.Body = text, true
	}
	return nil
}

// besideQuery returns the members of a JSON object as they are written, if the query has members for it.
func (r *Reader) besideQuery(text []byte, query url.Values) (object map[string]any, ok bool) {
	for name := range query {
		ok = ok || r.TakesFromQuery(name)
	}
	own := map[string]json.RawMessage{}
	if !ok || json.Unmarshal(text, &own) != nil {
		return nil, false
	}
	object = make(map[string]any, len(own))
	for name, value := range own {
		object[name] = value
	}
	return object, true
}

func isJSONType(contentType string) bool {
	if contentType == "" || contentType == mediaJSON {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == mediaJSON || strings.HasSuffix(mediaType, "+json"))
}

// withQuery adds the members that stand in the query to those of a body, which come before.
func (r *Reader) withQuery(own map[string]any, read *Read) map[string]any {
	members := url.Values{}
	for name, values := range read.Query {
		base, _, _ := strings.Cut(name, "[")
		if _, isOwn := own[base]; !isOwn && r.TakesFromQuery(name) {
			members[name] = values
		}
	}
	maps.Copy(own, r.object(r.body, members))
	read.FromQuery = slices.Sorted(maps.Keys(members))
	return own
}
