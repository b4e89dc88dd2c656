package data_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// databasesGrant returns a grant on databases: an operation, and the ids that it is for.
func databasesGrant(operation, ids string) world.Permissions {
	entry := map[string]string{"operation": operation}
	if ids != "" {
		entry["ids"] = ids
	}
	return world.Permissions{"Databases": {entry}}
}

// granted returns the permissions of a policy, several grants in one.
func granted(grants ...world.Permissions) world.Permissions {
	all := world.Permissions{}
	for _, grant := range grants {
		all["Databases"] = append(all["Databases"], grant["Databases"]...)
	}
	return all
}

// TestRights tests the rights that the entries of policies grant on the databases shop, which user 1 has created, and
// mine, which user 9 has created.
func TestRights(t *testing.T) {
	t.Parallel()
	const nothing, queries, imports = "", "query_only query", "import_only import"
	const edits, all = "full_access query edit import", "administrator query edit import download delete"
	for _, test := range []struct {
		name       string
		granted    world.Permissions
		shop, mine string
		creates    bool
	}{
		{"nothing", nil, nothing, nothing, false},
		{"query", databasesGrant("query", "1"), queries, nothing, false},
		{"import", databasesGrant("import", "1"), imports, nothing, false},
		{"edit", databasesGrant("edit", "1"), edits, nothing, false},
		{"several ids", databasesGrant("query", "7, 3,1"), queries, queries, false},
		{"an id that only begins alike", databasesGrant("query", "11,31"), nothing, nothing, false},
		{"no ids where they are needed", databasesGrant("edit", ""), nothing, nothing, false},
		{
			"query and import", granted(databasesGrant("query", "1"), databasesGrant("import", "1")), "query_only query import",
			nothing, false,
		},
		{"download alone", databasesGrant("download", ""), nothing, nothing, false},
		{
			"download of what it may query", granted(databasesGrant("query", "1"), databasesGrant("download", "")),
			queries + " download", nothing, false,
		},
		{
			"download of another", granted(databasesGrant("query", "1"), databasesGrant("download", "3")), queries, nothing,
			false,
		},
		{
			"download of the one", granted(databasesGrant("edit", "1"), databasesGrant("download", "1")), edits + " download",
			nothing, false,
		},
		{"manage", databasesGrant("manage", ""), all, all, true},
		{"owner_manage", databasesGrant("owner_manage", ""), nothing, all, true},
		{"an operation that is none", databasesGrant("own", "1"), nothing, nothing, false},
		{"another kind of resource", world.Permissions{"Sources": {{"operation": "full"}}}, nothing, nothing, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			user := world.User{ID: 9, Role: world.Restricted, Permissions: test.granted}
			checkRights(t, user, func(*world.State) {}, test.shop, test.mine, test.creates)
		})
		t.Run(test.name+", of a policy", func(t *testing.T) {
			t.Parallel()
			user := world.User{ID: 9, Role: world.Restricted, Policies: []int64{20, 21}}
			checkRights(t, user, func(w *world.State) {
				w.Account.Policies.Put(21, world.Policy{ID: 21, Permissions: test.granted})
			}, test.shop, test.mine, test.creates)
		})
	}
	t.Run("the tag of a policy group grants nothing", func(t *testing.T) {
		t.Parallel()
		user := world.User{ID: 9, Role: world.Restricted, Groups: []int64{30}}
		checkRights(t, user, func(w *world.State) {
			w.Account.PolicyGroups.Put(30, world.PolicyGroup{ID: 30, Policies: []int64{21}})
			w.Account.Policies.Put(21,
				world.Policy{ID: 21, Permissions: world.Permissions{"Databases": {{"operation": "manage"}}}})
		}, "", "", false)
	})
	for _, role := range []world.Role{world.Owner, world.Administrator} {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			checkRights(t, world.User{ID: 8, Role: role}, func(*world.State) {}, all, all, true)
		})
	}
}

func checkRights(t *testing.T, user world.User, prepare func(*world.State), shop, mine string, creates bool) {
	t.Helper()
	b := newBare(t)
	b.world.Core.Databases.Put(3,
		world.Database{ID: 3, Name: "mine", Owner: 9, CreatedAt: mocktest.Now, UpdatedAt: mocktest.Now})
	b.world.Core.DatabaseNames.Put("mine", 3)
	prepare(b.world)
	b.caller.User = user

	var list struct{ Databases []listedDatabase }
	b.call("GET /database/list").Want(200).Into(&list)
	got := map[string]string{}
	for _, d := range list.Databases {
		got[d.Name] = d.words()
	}
	want := map[string]string{}
	for name, words := range map[string]string{"shop": shop, "mine": mine} {
		status := 200
		if words == "" {
			status = 403
		} else {
			want[name] = words
		}
		a := b.call("GET /database/show/" + name).Want(status)
		if one := (listedDatabase{}); status == 200 {
			if a.Into(&one); one.words() != words {
				t.Errorf("%s on its own: %q, want %q", name, one.words(), words)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if got := b.call("POST /database/create/fresh").Status == 200; got != creates {
		t.Errorf("creates databases: %v, want %v", got, creates)
	}
}

type listedDatabase struct {
	Name, Permission string
	Permissions      map[string]bool `json:"database_permissions"`
}

// words returns the word for all permissions, and the single permissions.
func (d listedDatabase) words() string {
	words := d.Permission
	for _, name := range []string{"query", "edit", "import", "download", "delete"} {
		if d.Permissions[name] {
			words += " " + name
		}
	}
	return words
}

// TestRightsOfOperations tests the right that each operation requires.
func TestRightsOfOperations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ operation, allowed, refused string }{
		{"query", "/table/list/shop /table/show/shop/orders /table/tail/shop/orders", "POST /table/delete/shop/orders"},
		{"import", "/table/list/shop /table/show/shop/orders", "GET /table/tail/shop/orders"},
		{"edit", "/table/tail/shop/orders", "POST /database/delete/shop"},
	} {
		t.Run(test.operation, func(t *testing.T) {
			t.Parallel()
			r := newShop(t).grant(test.operation, "1")
			for path := range strings.FieldsSeq(test.allowed) {
				r.Get(path).Want(200)
			}
			refused := strings.Fields(test.refused)
			r.Call(refused[0], refused[1], "").Refused(403, "shop")
		})
	}
	t.Run("who makes a database manages it", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "").grant("owner_manage", "")
		r.Post("/database/create/mine", "").Want(200)
		r.Post("/table/create/mine/visits", "").Want(200)
		r.Post("/database/delete/mine", "").Want(200)
		r.Post("/table/recover/3", "").Want(200)
		r.Get("/table/show/mine/visits").Want(200)
		r.Post("/database/delete/shop", "").Refused(403, "shop")
	})
	t.Run("a write-only key has the right to import alone", func(t *testing.T) {
		t.Parallel()
		b := newBare(t)
		b.caller.WriteOnly = true
		var list struct{ Databases []listedDatabase }
		b.call("GET /database/list").Want(200).Into(&list)
		if got := list.Databases[0].words(); got != "import_only import" {
			t.Errorf("got %q", got)
		}
		b.call("POST /database/create/fresh").Refused(403, "databases")
	})
}

// bare is a world with the database shop that calls the handlers directly, without a server, for cases that requests
// cannot produce: rights that a user has without a policy, rules of policies that are not in the document, and keys
// that the server would have refused. Answers are checked against the document.
type bare struct {
	*testing.T
	world  *world.State
	caller world.Caller
}

func newBare(t *testing.T) *bare {
	t.Helper()
	b := &bare{
		T: t, world: &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)},
		caller: world.Caller{User: world.User{ID: 1, Role: world.Administrator}},
	}
	b.call("POST /database/create/shop").Want(200)
	return b
}

// call sends a request that asks for the single permissions.
func (b *bare) call(target string) mocktest.Answer {
	b.Helper()
	doc, err := specs.Load("core", "")
	if err != nil {
		b.Fatal(err)
	}
	iface := core.Interface(jobs.Engine{})
	routes, err := iface.Table(doc)
	if err != nil {
		b.Fatal(err)
	}
	method, path, _ := strings.Cut(target, " ")
	match := doc.Find(method, path)
	reply, err := routes[match.Operation.ID].Handle(&op.Call{
		World: b.world, Operation: match.Operation, Match: &match, Caller: b.caller, Now: b.world.Now(),
		Query: url.Values{"require_permissions": {"true"}},
	})
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		reply = iface.Error(op.Asked{}, op.Errors{refusal})
	} else if err != nil {
		b.Fatal(err)
	}
	a := validate.Answer{Status: max(reply.Status, 200), Type: "application/json"}
	if a.Body, err = json.Marshal(reply.Body); err != nil {
		b.Fatal(err)
	}
	if err := validate.New(match.Operation).Answer(a); err != nil {
		b.Error(err)
	}
	return mocktest.Answer{TB: b, Iface: "core", Status: a.Status, Body: string(a.Body)}
}
