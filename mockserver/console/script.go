package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// scriptPage shows the script of a world: faults, stubs, results of queries, turns of chats, and outcomes.
type scriptPage struct {
	Faults, Stubs []planned
	Results       []script
	Turns         []script
	Outcomes      []script
	Suggested     map[string][]string // by field
	Networks      []string
}

// planned is a fault or a stub with its counts.
type planned struct {
	ID    string `json:"id"`
	Calls int64  `json:"calls"`
	Hits  int64  `json:"hits"`
	Text  string `json:"-"` // what it says, as JSON
}

// script is something queued, as JSON.
type script struct{ Text string }

func (v *view) scriptPage() error {
	body := scriptPage{
		Networks: []string{"noAnswer", "reset", "closed", "resetInBody", "truncated", "wrongLength", "garbage"},
	}
	var err error
	for path, into := range map[string]*[]planned{"faults": &body.Faults, "stubs": &body.Stubs} {
		var raw []json.RawMessage
		if raw, err = v.items(path, path); err != nil {
			return err
		}
		*into = plans(raw)
	}
	for _, q := range []struct {
		path, member string
		into         *[]script
	}{{"jobs/results", "results", &body.Results}, {"chats/turns", "turns", &body.Turns}, {
		"attempts/outcomes", "outcomes", &body.Outcomes,
	}} {
		raw, err := v.items(q.path, q.member)
		if err != nil {
			return err
		}
		for _, one := range raw {
			*q.into = append(*q.into, script{string(one)})
		}
	}
	if err = v.visit(func(v *visitor) error { body.Suggested = v.suggestions(); return nil }); err != nil {
		return err
	}
	if body.Suggested["operation"], err = v.operations(); err != nil {
		return err
	}
	return v.ok("script", "script", "Script", body)
}

// suggestions returns what there is in the world for fields of a script, as far as its interfaces are served.
func (v *visitor) suggestions() map[string][]string {
	list := map[string][]string{}
	add := func(field, path string, at ...string) (found []string) {
		body, err := v.fetch(path)
		if err != nil {
			return nil
		}
		for _, value := range specs.Pointer(at).In(body) {
			if text, ok := scalar(value); ok {
				found = append(found, text)
			}
		}
		list[field] = slices.Compact(slices.Sorted(slices.Values(append(list[field], found...))))
		return found
	}
	add("caller", "/core/v3/user/list", "users", "*", "email")
	add("project", "/workflow/api/projects", "projects", "*", "name")
	add("workflow", "/workflow/api/workflows", "workflows", "*", "name")
	for _, id := range add("attempt", "/workflow/api/attempts?page_size=20", "attempts", "*", "id") {
		add("task", "/workflow/api/attempts/"+url.PathEscape(id)+"/tasks", "tasks", "*", "fullName")
	}
	add("agent", "/llm/api/agents", "data", "*", "attributes", "name")
	add("chat", "/llm/api/chats", "data", "*", "id")
	return list
}

// items returns a list of the world.
func (v *view) items(path, member string) ([]json.RawMessage, error) {
	var list map[string]json.RawMessage
	if err := v.getIn(path, &list); err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	err := json.Unmarshal(list[member], &raw)
	return raw[:min(len(raw), maxShown)], err
}

func plans(raw []json.RawMessage) (list []planned) {
	for _, one := range raw {
		var p planned
		var members map[string]json.RawMessage
		if json.Unmarshal(one, &p) != nil || json.Unmarshal(one, &members) != nil {
			continue // cannot be: they come from the server
		}
		for _, name := range []string{"id", "calls", "hits"} {
			delete(members, name)
		}
		text, _ := json.Marshal(members) // it was read as JSON
		p.Text = string(text)
		list = append(list, p)
	}
	return list
}

// operations names the operations of all interfaces.
func (v *view) operations() ([]string, error) {
	var coverage struct {
		Operations map[string]json.RawMessage `json:"operations"`
	}
	if err := v.get("coverage", &coverage); err != nil {
		return nil, err
	}
	order, err := v.Interfaces()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range coverage.Operations {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		first, _, _ := strings.Cut(a, ".")
		second, _, _ := strings.Cut(b, ".")
		if first != second {
			return slices.Index(order, first) - slices.Index(order, second)
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// remove takes a fault or a stub out of the plan, whose id is in the address of the call.
func (v *view) remove() error {
	path := "worlds/" + url.PathEscape(v.r.PostFormValue("world")) + "/" + url.PathEscape(v.r.PostFormValue("kind")) +
		"/" + url.PathEscape(v.r.PostFormValue("id"))
	return v.doing(url.Values{"back": {v.r.PostFormValue("back")}, "call": {http.MethodDelete + " " + path}})
}
