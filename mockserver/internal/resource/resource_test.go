package resource_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// pools is a resource without hooks that refuse anything, over a table of worlds.
func pools() resource.Of[world.Pool] {
	return resource.Of[world.Pool]{
		Noun: "pool", Plural: "pools", IDs: "pool", Key: "poolId",
		Rows: func(w *world.State) *table.Table[world.Pool] { return &w.Workflow.Pools },
		Bind: func(c *op.Call, id int64, p *world.Pool) error {
			p.ID = id
			return c.Decode(p)
		},
		View: func(_ *op.Call, p world.Pool) any { return p.Name },
	}
}

// newCall is a call in a world with pools named a to e, whose ids are 1 to 5.
func newCall(t *testing.T, key, query, body string) *op.Call {
	t.Helper()
	doc, err := specs.Load("workflow", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	match := doc.Find(http.MethodGet, "/api/pools/"+key)
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	c := &op.Call{World: &world.State{}, Match: &match, Query: values, Body: []byte(body)}
	for name := range strings.FieldsSeq("a b c d e") {
		id := c.World.NewID("pool")
		c.World.Workflow.Pools.Put(id, world.Pool{ID: id, Name: name})
	}
	return c
}

func TestLists(t *testing.T) {
	t.Parallel()
	byID := resource.ByID{Last: "last_id", Size: "size", Default: 3, Max: 4}
	newest := resource.ByID{Newest: true, Last: "last_id", Size: "size", Default: 3, Max: 4}
	fixed := resource.ByID{Last: "last_id", Default: 2}
	pages := resource.ByPage{Page: "page", Size: "size", Default: 2}
	offset := resource.ByOffset{Offset: "page[offset]", Limit: "page[limit]", Default: 2, Max: 4}
	for _, test := range []struct {
		name  string
		page  func(*op.Call) (resource.Page, error)
		query string
		want  string // the items, what is known of further ones, and the total if it is counted
	}{
		{"all", nil, "", "a b c d e"},
		{"by id", byID.PageOf, "", "a b c more"},
		{"by id, after one", byID.PageOf, "last_id=3", "d e"},
		{"by id, to the end", byID.PageOf, "last_id=2&size=3", "c d e"},
		{"by id, below all", byID.PageOf, "last_id=-7&size=1", "a more"},
		{"by id, beyond all", byID.PageOf, "last_id=9223372036854775807", ""},
		{"newest first", newest.PageOf, "", "e d c more"},
		{"newest first, below one", newest.PageOf, "last_id=3", "b a"},
		{"newest first, below all", newest.PageOf, "last_id=0", ""},
		{"newest first, beyond all", newest.PageOf, "last_id=9223372036854775807&size=1", "e more"},
		{"a fixed size", fixed.PageOf, "last_id=1&size=4", "b c more"},
		{"by offset", offset.PageOf, "", "a b more of 5"},
		{"by offset, further on", offset.PageOf, "page[offset]=3&page[limit]=4", "d e of 5"},
		{"by offset, beyond all", offset.PageOf, "page[offset]=9", " of 5"},
		{"by page", pages.PageOf, "", "a b more of 5"},
		{"by page, further on", pages.PageOf, "page=2&size=3", "d e of 5"},
		{"by page, beyond all", pages.PageOf, "page=9223372036854775807&size=9223372036854775807", " of 5"},
		{"no page", pages.PageOf, "page=0", "error page"},
		{"no size of a page", pages.PageOf, "size=-1", "error size"},
		{"no number", byID.PageOf, "last_id=x", "error last_id"},
		{"no size", byID.PageOf, "size=0", "error size"},
		{"too large a size", byID.PageOf, "size=5", "error size"},
		{"a negative offset", offset.PageOf, "page[offset]=-1", "error page[offset]"},
		{"too large a limit", offset.PageOf, "page[limit]=5", "error page[limit]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := pools()
			r.Page = test.page
			r.Dialect.List = func(_ *op.Call, list resource.List) any { return list }
			if got := shown(resource.New(r).List(newCall(t, "1", test.query, ""))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func shown(reply op.Reply, err error) string {
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		return "error " + refusal.Field
	}
	list := reply.Body.(resource.List)
	words := []string{}
	for _, item := range list.Items {
		words = append(words, item.(string))
	}
	if list.More {
		words = append(words, "more")
	}
	text := strings.Join(words, " ")
	if list.Page.Count {
		text += " of " + string(rune('0'+list.Total))
	}
	return text
}

func TestFive(t *testing.T) {
	t.Parallel()
	r := resource.New(pools())
	c := newCall(t, "2", "", `{"name":"f"}`)
	for _, test := range []struct {
		name string
		rule op.Handler
		want op.Reply
	}{
		{"create", r.Create, op.Reply{Status: http.StatusCreated, Body: "f"}},
		{"get", r.Get, op.Reply{Status: http.StatusOK, Body: "b"}},
		{"update", r.Update, op.Reply{Status: http.StatusOK, Body: "f"}},
		{"get what was updated", r.Get, op.Reply{Status: http.StatusOK, Body: "f"}},
		{"delete", r.Delete, op.Reply{Status: http.StatusOK, Body: "f"}},
		{"list", r.List, op.Reply{Status: http.StatusOK, Body: map[string]any{"pools": []any{"a", "c", "d", "e", "f"}}}},
	} {
		got, err := test.rule(c)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for name, rule := range map[string]op.Handler{"get": r.Get, "update": r.Update, "delete": r.Delete} {
		if _, err := rule(c); err == nil || err.Error() != "pool with id 2 not found" {
			t.Errorf("%s of a removed one: %v", name, err)
		}
	}
}

func TestHooksAndDialects(t *testing.T) {
	t.Parallel()
	of := pools()
	of.KeyName = "name"
	of.Lookup = func(w *world.State, name string) (int64, bool) {
		for id, p := range table.All(&w.Workflow.Pools) {
			if p.Name == name {
				return id, true
			}
		}
		return 0, false
	}
	of.Match = func(*op.Call) (func(world.Pool) bool, error) {
		return func(p world.Pool) bool { return p.ID%2 == 1 }, nil
	}
	of.Guard = func(_ *op.Call, before, after *world.Pool) error {
		if before != nil && before.Name == "a" || after != nil && after.Name == "z" {
			return op.Conflict("guarded")
		}
		return nil
	}
	of.Dialect = resource.Dialect{
		Created: http.StatusOK, Deleted: http.StatusNoContent,
		One: func(_ *op.Call, noun string, view any) any { return map[string]any{noun: view} },
	}
	r := resource.New(of)
	for _, test := range []struct {
		name, key, body string
		rule            op.Handler
		want            op.Reply
		err             string
	}{
		{"a key that is no id", "c", "", r.Get, op.Reply{Status: 200, Body: map[string]any{"pool": "c"}}, ""},
		{"a key that names nothing", "x", "", r.Get, op.Reply{}, "pool with name x not found"},
		{"a filter", "a", "", r.List, op.Reply{Status: 200, Body: map[string]any{"pools": []any{"a", "c", "e"}}}, ""},
		{
			"another status of creation", "a", `{"name":"n"}`, r.Create,
			op.Reply{Status: 200, Body: map[string]any{"pool": "n"}},
			"",
		},
		{"another status of deletion", "b", "", r.Delete, op.Reply{Status: 204}, ""},
		{"a guarded creation", "a", `{"name":"z"}`, r.Create, op.Reply{}, "guarded"},
		{"a guarded update", "b", `{"name":"z"}`, r.Update, op.Reply{}, "guarded"},
		{"a guarded deletion", "a", "", r.Delete, op.Reply{}, "guarded"},
		{"a body that cannot be read", "b", `{"name":1}`, r.Update, op.Reply{}, "request body"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCall(t, test.key, "", test.body)
			got, err := test.rule(c)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
