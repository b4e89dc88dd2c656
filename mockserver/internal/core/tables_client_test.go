package core_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/check"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// newShop is a client of a world with the databases shop, with the tables orders and carts, and archive, with carts.
func newShop(t *testing.T) *client {
	t.Helper()
	c := newClient(t).load("")
	for _, path := range []string{
		"/database/create/shop", "/database/create/archive", "/table/create/shop/orders/log",
		"/table/create/shop/carts", "/table/create/archive/carts",
	} {
		c.post(path, "").want(200)
	}
	return c
}

// tableNames are the names of a database's tables.
func (c *client) tableNames(database string) string {
	c.Helper()
	var list struct{ Tables []struct{ Name string } }
	c.get("/table/list/" + database).want(200).into(&list)
	names := []string{}
	for _, table := range list.Tables {
		names = append(names, table.Name)
	}
	return strings.Join(names, " ")
}

func (c *client) databaseNames() string {
	c.Helper()
	var list struct{ Databases []struct{ Name string } }
	c.get("/database/list").want(200).into(&list)
	names := []string{}
	for _, database := range list.Databases {
		names = append(names, database.Name)
	}
	return strings.Join(names, " ")
}

// table reads what a table has under some keys.
func (c *client) table(path string, keys ...string) map[string]any {
	c.Helper()
	object := c.get("/table/show/" + path).want(200).object()
	picked := map[string]any{}
	for _, key := range keys {
		picked[key] = object[key]
	}
	return picked
}

func (c *client) tableID(path string) string {
	c.Helper()
	var table struct{ ID jsontext.Value }
	c.get("/table/show/" + path).want(200).into(&table)
	return string(table.ID)
}

// same fails the test unless an answer's object is the one that a JSON text stands for.
func (a answer) same(want string) {
	a.Helper()
	var wanted, got any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		a.Fatal(err)
	}
	a.want(200).into(&got)
	if diff := cmp.Diff(wanted, got); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

// room is a world under the rules themselves, without a server, for what requests to this interface cannot bring
// about: records, policies, protection. Answers are held against the document.
type room struct {
	*testing.T
	world  *world.World
	caller world.Caller
	skip   op.Skips
}

// newRoom has an administrator calling in a world with the database shop and its tables orders and carts, and the empty
// database archive: ids 1 and 2, and 1 and 2.
func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{
		T: t, world: &world.World{Clock: clock.New(clock.Frozen, now)},
		caller: world.Caller{User: world.User{ID: 1, Role: world.Administrator}},
	}
	for _, path := range []string{
		"/database/create/shop", "/database/create/archive", "/table/create/shop/orders", "/table/create/shop/carts",
	} {
		r.post(path, "").want(200)
	}
	return r
}

// as is the same world with another caller.
func (r *room) as(u world.User) *room {
	other := *r
	other.caller = world.Caller{User: u}
	return &other
}

func (r *room) get(path string) answer        { r.Helper(); return r.call("GET", path, "") }
func (r *room) post(path, body string) answer { r.Helper(); return r.call("POST", path, body) }

func (r *room) call(method, target, body string, headers ...string) answer {
	r.Helper()
	doc, err := specs.Load("core", "")
	if err != nil {
		r.Fatal(err)
	}
	path, query, _ := strings.Cut(target, "?")
	match := doc.Find(method, path)
	values, err := url.ParseQuery(query)
	if err != nil || match.Operation == nil {
		r.Fatalf("%s %s: error %v, operation %v", method, target, err, match.Operation)
	}
	tx := *r.world
	c := &op.Call{
		World: &tx, Operation: match.Operation, Match: &match, Query: values, Body: []byte(body),
		Header: func(name string) string {
			for i := 0; i < len(headers); i += 2 {
				if headers[i] == name {
					return headers[i+1]
				}
			}
			return ""
		},
		Caller: r.caller, Now: tx.Now(), Skip: r.skip,
	}
	iface := core.Interface(core.Engine{})
	routes, err := iface.Table(doc)
	if err != nil {
		r.Fatal(err)
	}
	reply, err := routes[match.Operation.ID].Rule(c)
	switch refusal, ok := errors.AsType[*op.Error](err); {
	case ok:
		reply = iface.Error(nil, op.Errors{refusal})
	case err != nil:
		r.Fatal(err)
	default:
		*r.world = tx
	}
	a := r.checked(match.Operation, reply)
	note(method, path, a.status)
	return a
}

func (r *room) checked(operation *specs.Operation, reply op.Reply) answer {
	r.Helper()
	a := check.Answer{Status: max(reply.Status, 200), Type: reply.Type, Body: reply.Bytes}
	if reply.Body != nil {
		var err error
		a.Type = "application/json"
		if a.Body, err = json.Marshal(reply.Body, json.Deterministic(true)); err != nil {
			r.Fatal(err)
		}
	}
	if err := check.New(operation).Answer(a); err != nil {
		r.Error(err)
	}
	return answer{&client{T: r.T}, a.Status, nil, a.Body}
}

// store adds records to a table: texts by key, as JSON, a second apart.
func (r *room) store(table int64, values ...string) {
	for i, text := range values {
		t, _ := r.world.Core.Tables.Get(table)
		r.world.Core.Store(t, world.Record{Time: now.Unix() + int64(i), Values: text})
	}
}

// change changes the row of a table.
func (r *room) change(table int64, how func(*world.Table)) {
	t, _ := r.world.Core.Tables.Get(table)
	how(&t)
	r.world.Core.Tables.Put(table, t)
}
