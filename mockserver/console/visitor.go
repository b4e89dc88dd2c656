package console

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// adminKey is the key of an administrator that every scenario knows.
const adminKey = "1/admin"

// visitor asks the interfaces about a world in a fork of it, so that looking changes nothing: neither the journal nor
// the clock, nor what a fault counts.
type visitor struct {
	*view
	fork string
	now  time.Time // in the fork
}

// visit forks the world that the page is about, and deletes the fork in the end.
func (v *view) visit(ask func(*visitor) error) error {
	body, _ := json.Marshal(map[string]string{"fork": v.World, "clock": "frozen"}) // strings
	a, err := v.send(call{Method: http.MethodPost, Path: controlPath + "worlds", Body: body})
	if err != nil {
		return err
	}
	if a.Status != http.StatusCreated {
		return &refusal{a}
	}
	var made world
	if err := json.Unmarshal(a.Body, &made); err != nil {
		return fmt.Errorf("read the fork of a world: %w", err)
	}
	defer func() {
		after := *v
		after.ctx = context.WithoutCancel(v.ctx) // also when the person has left
		_, _ = after.send(call{Method: http.MethodDelete, Path: controlPath + "worlds/" + url.PathEscape(made.ID)})
	}()
	for _, plan := range []string{"faults", "stubs"} {
		if _, err := v.send(call{
			Method: http.MethodDelete, Path: controlPath + "worlds/" + url.PathEscape(made.ID) + "/" + plan,
		}); err != nil {
			return err
		}
	}
	return ask(&visitor{v, made.ID, made.Clock.Now})
}

// ask sends a request to an interface of the platform about the fork, as the administrator.
func (v *visitor) ask(c call) (answer, error) {
	c.Header = append(c.Header, [2]string{"Authorization", v.brand.Scheme() + " " + adminKey})
	return v.sendToFork(c)
}

// sendToFork sends a request about the fork, which the mock answers also where real services answer others.
func (v *visitor) sendToFork(c call) (answer, error) {
	c.Header = append(slices.Clip(c.Header), [2]string{targetHeader, "mock"})
	return v.send(c.inWorld(v.fork))
}

// inWorld returns a request with the header that chooses a world.
func (c call) inWorld(id string) call {
	if id != defaultWorld {
		c.Header = append(slices.Clip(c.Header), [2]string{worldHeader, id})
	}
	return c
}

// request returns a request to an operation, with the credentials that its document wants. The key is that of an
// interface of the platform, or what stands in the place of one.
func (v *view) request(o *specs.Operation, values map[string]string, query url.Values, key string) call {
	c := call{Method: o.Method, Path: addressOf(o, values)}
	query = maps.Clone(query)
	if !o.Interface.IsOwn() {
		c.Header = [][2]string{{"Authorization", v.brand.Scheme() + " " + key}}
	}
	for _, s := range schemes(o) {
		switch {
		case s.Type == "apiKey" && s.In == "query":
			if query == nil {
				query = url.Values{}
			}
			query.Set(s.Name, key)
		case s.Type == "apiKey" && s.In == "cookie":
			c.Header = append(c.Header, [2]string{"Cookie", s.Name + "=" + url.QueryEscape(key)})
		case s.Type == "apiKey":
			c.Header = append(c.Header, [2]string{s.Name, key})
		case strings.EqualFold(s.Scheme, "basic"):
			c.Header = append(c.Header, [2]string{
				"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"+key)),
			})
		case s.Type == "http":
			c.Header = append(c.Header, [2]string{"Authorization", capitalized(s.Scheme) + " " + key})
		default:
			c.Header = append(c.Header, [2]string{"Authorization", "Bearer " + key})
		}
	}
	if len(query) > 0 {
		c.Path += "?" + query.Encode()
	}
	return c
}

// schemes lists the security schemes of an interface of the user's own of which an operation wants a credential, by
// the first alternative.
func schemes(o *specs.Operation) (list []*openapi3.SecurityScheme) {
	wanted := o.Document.T.Security
	if o.Spec.Security != nil {
		wanted = *o.Spec.Security
	}
	if !o.Interface.IsOwn() || len(wanted) == 0 || o.Document.T.Components == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(wanted[0])) {
		if scheme := o.Document.T.Components.SecuritySchemes[name]; scheme != nil && scheme.Value != nil {
			list = append(list, scheme.Value)
		}
	}
	return list
}

// keyOf returns the key with which pages ask an interface. Those of a user's own take any.
func keyOf(o *specs.Operation) string {
	if o.Interface.IsOwn() {
		return "any"
	}
	return adminKey
}

// read asks an operation about the fork, and returns its answer, with its body decoded.
func (v *visitor) read(o *specs.Operation, values map[string]string, query url.Values) (a answer, body any, err error) {
	a, err = v.sendToFork(v.request(o, values, query, keyOf(o)))
	switch {
	case err != nil:
		return a, nil, err
	case a.Status >= http.StatusBadRequest:
		return a, nil, &refusal{a}
	}
	body, err = jsontree.Decode[any](a.Body)
	return a, body, err
}

// first returns the text of the first scalar that one of the pointers leads to.
func first(value any, at ...specs.Pointer) string {
	for _, pointer := range at {
		for _, found := range pointer.In(value) {
			if text, ok := scalar(found); ok {
				return text
			}
		}
	}
	return ""
}

// scalar returns the text of a value that is one.
func scalar(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return fmt.Sprint(value), true
	}
	return "", false
}

// shown returns a value in one line.
func shown(value any) string {
	if text, ok := scalar(value); ok {
		return text
	}
	if value == nil {
		return "–"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
