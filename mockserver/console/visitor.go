package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/specs"
)

// adminKey is the key of an administrator that every scenario knows.
const adminKey = "1/admin"

// visitor asks the interfaces about a world in a fork of it, so that looking changes nothing: neither the journal nor
// the clock, nor what a fault counts.
type visitor struct {
	*view
	fork string
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
	return ask(&visitor{v, made.ID})
}

// ask sends a request to an interface about the fork, as the administrator.
func (v *visitor) ask(c call) (answer, error) {
	c.Header = append(c.Header, [2]string{worldHeader, v.fork}, v.authorization())
	return v.send(c)
}

// authorization is the header of the administrator.
func (v *view) authorization() [2]string {
	return [2]string{"Authorization", v.brand.Scheme() + " " + adminKey}
}

// read asks an operation, and returns the body of its answer, decoded.
func (v *visitor) read(o *specs.Operation, values map[string]string, query string) (any, error) {
	address := addressOf(o, values)
	if query != "" {
		address += "?" + query
	}
	a, err := v.ask(call{Method: o.Method, Path: address})
	if err != nil {
		return nil, err
	}
	if a.Status >= http.StatusBadRequest {
		return nil, &refusal{a}
	}
	return decode(a.Body)
}

// decode reads JSON with its numbers as they are.
func decode(text []byte) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// follow returns what a pointer leads to; a * stands for every item of a list.
func follow(value any, at specs.Pointer) []any {
	if len(at) == 0 {
		return []any{value}
	}
	switch value := value.(type) {
	case map[string]any:
		if inner, ok := value[at[0]]; ok {
			return follow(inner, at[1:])
		}
	case []any:
		if at[0] == "*" {
			var found []any
			for _, item := range value {
				found = append(found, follow(item, at[1:])...)
			}
			return found
		}
	}
	return nil
}

// first returns the text of the first scalar that one of the pointers leads to.
func first(value any, at ...specs.Pointer) string {
	for _, pointer := range at {
		if pointer == nil {
			continue
		}
		for _, found := range follow(value, pointer) {
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
