package sight_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"core POST /table/delete/shop/orders":   "core.table shop/orders in core.database shop",
		"core GET /table/list/shop":             "core.table  in core.database shop",
		"core GET /connections/lookup?name=crm": "core.connection crm in  ",
		"core POST /table/swap/shop/a/b": "core.table shop/a in core.database shop, " +
			"core.table shop/b in core.database shop",
		"workflow GET /api/projects/3/secrets":         "workflow.secret  in workflow.project 3",
		"workflow DELETE /api/projects/3/secrets/a%2F": "workflow.secret 3/a/ in workflow.project 3",
	} {
		var got []string
		names, op := namesOf(t, address)
		for _, a := range op.Actions() {
			target, parent := names.Target(a), names.Parent(a)
			got = append(got, target.Kind+" "+target.ID+" in "+parent.Kind+" "+parent.ID)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestShows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, address, body, want string }{
		{
			"items of a list", "workflow GET /api/pools", `{"pools":[{"id":"1"},{"id":2},{"name":"none"}]}`,
			"workflow.pool 1 of list 1, workflow.pool 2 of list 1",
		},
		{
			"a part stands behind its parent", "core GET /table/list/shop", `{"tables":[{"name":"orders"}]}`,
			"core.table shop/orders of list 1",
		},
		{
			"an identity of its own", "core POST /table/rename/shop/old/new", `{"database":"shop","table":"new"}`,
			"core.table shop/new apart",
		},
		{"an identity that lacks a part", "core POST /table/rename/shop/old/new", `{"table":"new"}`, ""},
		{
			"objects that are embedded", "workflow GET /api/sessions/7", `{"id":"7","lastAttempt":{"id":"9"}}`,
			"workflow.session 7, workflow.attempt 9 in workflow.session",
		},
		{"a reference in the place of an object", "workflow GET /api/sessions/7", `{"id":"7","lastAttempt":9}`, "workflow.session 7"},
		{
			"lists that are embedded", "core GET /access_control/users",
			`[{"user_id":1,"policies":[{"id":5}]},{"user_id":2,"policies":[{"id":5},{"id":6}]}]`,
			"core.access-control-user 1 of list 1, core.policy 5 of list 2 in core.access-control-user, " +
				"core.access-control-user 2 of list 1, core.policy 5 of list 3 in core.access-control-user, " +
				"core.policy 6 of list 3 in core.access-control-user",
		},
		{
			"objects that say their types", "llm GET /api/agents/a",
			`{"data":{"type":"agents","id":"a"},"included":[{"type":"projects","id":"p"},{"type":"unknown","id":"u"}]}`,
			"llm.agent a, llm.project p of list 1",
		},
		{"an object of another type", "llm GET /api/agents/a", `{"data":{"type":"projects","id":"a"}}`, "llm.project a"},
		{"nothing of the kind", "workflow GET /api/pools", `[]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, strings.Join(shown(t, test.address, test.body), ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// shown describes the entities that an answer shows.
func shown(tb testing.TB, address, body string) (list []string) {
	tb.Helper()
	names, op := namesOf(tb, address)
	for _, a := range op.Actions() {
		answer := sight.Answer{
			Document: op.Document, Action: a, Body: new(jsontree.Tree).Read(body), Parent: names.Parent(a),
		}
		var before sight.Shown
		for s := range answer.Shows {
			text := s.Resource.Name + " " + s.ID
			if s.Items > 0 {
				text += " of list " + string(rune('0'+s.Items))
			}
			if s.IsApart {
				text += " apart"
			}
			if s.Whole.Exists() {
				text += " in " + before.Resource.Name
			} else {
				before = s
			}
			list = append(list, text)
		}
	}
	return list
}

func namesOf(tb testing.TB, address string) (sight.Names, *specs.Operation) {
	tb.Helper()
	words := strings.Fields(address)
	d, err := specs.Load(specs.Interface(words[0]), specs.Neutral)
	if err != nil {
		tb.Fatal(err)
	}
	path, raw, _ := strings.Cut(words[2], "?")
	m := d.Find(words[1], path)
	if m.Operation == nil {
		tb.Fatalf("no operation of %s", address)
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return sight.Names{Match: &m, Query: query}, m.Operation
}

// Pointers lead to the same as in what encoding/json has decoded.
func TestValues(t *testing.T) {
	t.Parallel()
	const text = `{"a":{"b.c":[{"d":1},{"d":"x"},{},7]},"l":[[1],[2,3]],"n":null,"*":{"d":4}}`
	var decoded any
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	for _, at := range []specs.Pointer{
		nil, {}, {"a", "b.c", "*", "d"}, {"l", "*", "*"}, {"l", "*"}, {"n"}, {"n", "d"}, {"a", "*"}, {"*", "d"}, {"missing"},
	} {
		var want, got []any
		want = append(want, at.In(decoded)...)
		for value := range sight.Values(new(jsontree.Tree).Read(text), at) {
			var one any
			if err := json.Unmarshal([]byte(value.Raw()), &one); err != nil {
				t.Fatal(err)
			}
			got = append(got, one)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
	for range sight.Values(jsontree.Value{}, specs.Pointer{}) {
		t.Error("nothing has a value")
	}
}

// An entity is known by each of its keys, behind the id of its parent.
func TestShownIsNamed(t *testing.T) {
	t.Parallel()
	s := sight.Shown{
		Resource: &specs.Resource{
			Keys:    []specs.Pointer{{"id"}, {"name"}},
			Parents: []specs.Link{{Resource: "shop.shop"}},
		},
		ID: "3/1", Object: new(jsontree.Tree).Read(`{"id":1,"name":"one"}`),
	}
	for id, want := range map[string]bool{"3/1": true, "3/one": true, "one": false, "4/one": false, "3/": false} {
		if got := s.IsNamed(id); got != want {
			t.Errorf("IsNamed(%q) = %v, want %v", id, got, want)
		}
	}
}

// Each entity of an answer has an id and an object, whatever the body is.
func FuzzShows(f *testing.F) {
	addresses := []string{
		"workflow GET /api/sessions/7", "core GET /access_control/users", "llm GET /api/agents/a",
		"core POST /table/rename/shop/old/new", "core GET /table/list/shop",
	}
	for _, body := range []string{
		`{"id":"7","lastAttempt":{"id":"9"}}`, `[{"user_id":1,"policies":[{"id":5},{"id":5}]}]`, `{"database":"a","table":"b"}`,
		`{"data":{"type":"agents","id":"a"},"included":[{"type":"projects","id":"p"}]}`, `{"tables":[{"name":"*"}]}`, `0`, `[[]]`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if !json.Valid([]byte(body)) {
			return
		}
		for _, address := range addresses {
			for _, text := range shown(t, address, body) {
				if kind, id, _ := strings.Cut(text, " "); kind == "" || id == "" {
					t.Errorf("%s shows %q", address, text)
				}
			}
		}
	})
}
