package dwh_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/dwh"
	"svc.example/understudy/mockserver/internal/mocktest"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// rules applies rules to a world without a server, so that some of them can be switched off.
type rules struct {
	*testing.T
	world world.World
	skip  op.Skips
}

// newRules makes a world with the tables that orders loads into, and that integration.
func newRules(t *testing.T, skip op.Skips) *rules {
	t.Helper()
	r := &rules{T: t, skip: skip, world: world.World{Clock: clock.New(clock.Frozen, mocktest.Now)}}
	f, err := fixtures.Read("test.yaml", []byte(
		`core: {databases: [{name: sales, tables: [{name: orders}, {name: customers}]}]}`))
	if err == nil {
		err = errors.Join(core.SeedAccount(&r.world, f.Account), core.Seed(&r.world, f.Core),
			workflow.Seed(&r.world, f.Workflow))
	}
	if err != nil {
		t.Fatal(err)
	}
	r.want("200", "POST", "/v1/dwh/", orders)
	return r
}

// call answers the status, as text.
func (r *rules) call(method, path, body string) string {
	r.Helper()
	return r.callAt(dwh.Interface(), method, path, body)
}

func (r *rules) callAt(iface op.Interface, method, path, body string) string {
	r.Helper()
	doc, err := specs.Load(iface.Name, specs.Neutral)
	if err != nil {
		r.Fatal(err)
	}
	table, err := iface.Table(doc)
	if err != nil {
		r.Fatal(err)
	}
	match := doc.Find(method, path)
	tx := r.world
	user, _ := tx.Account.Users.Get(1)
	reply, err := table[match.Operation.ID].Rule(&op.Call{
		World: &tx, Operation: match.Operation, Match: &match, Body: []byte(body), Now: tx.Now(), Skip: r.skip,
		Caller: world.Caller{User: user},
	})
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		return fmt.Sprint(iface.Error(nil, op.Errors{refusal}).Status)
	}
	if err != nil {
		r.Fatal(err)
	}
	r.world = tx
	return fmt.Sprint(max(reply.Status, http.StatusOK))
}

func (r *rules) want(status, method, path, body string) {
	r.Helper()
	if got := r.call(method, path, body); got != status {
		r.Fatalf("%s %s: %s, want %s", method, path, got, status)
	}
}

// TestSkippedRules shows of every rule that can be switched off what a client sees with it and without it.
func TestSkippedRules(t *testing.T) {
	t.Parallel()
	carts := strings.ReplaceAll(orders, `"customers"`, `"carts"`)
	deleted := func(path string) func(*rules) string {
		return func(r *rules) string {
			r.want("200", "DELETE", "/v1/dwh/1", "")
			return r.call("GET", path, "")
		}
	}
	tests := map[string]struct {
		see           func(r *rules) string
		with, without string
	}{
		dwh.SkipDeletionIntegration: {deleted("/v1/dwh/1"), "404", "200"},
		dwh.SkipDeletionSessions:    {deleted("/v1/dwh/1/bulkload_sessions"), "404", "200"},
		dwh.SkipDeletionProject: {func(r *rules) string {
			r.want("200", "DELETE", "/v1/dwh/1", "")
			return r.callAt(workflow.Interface(), "GET", "/api/projects/1", "")
		}, "404", "200"},
		dwh.SkipTarget: {func(r *rules) string {
			return r.call("POST", "/v1/dwh/", strings.ReplaceAll(carts, `"sales"`, `"sails"`))
		}, "400", "200"},
		dwh.SkipTargetCreates: {func(r *rules) string {
			return r.call("POST", "/v1/dwh/", carts) + " " +
				r.callAt(core.Interface(core.Engine{}), "GET", "/table/show/sales/carts", "")
		}, "400 404", "200 200"},
	}
	for _, name := range dwh.Skippable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test, ok := tests[name]
			if !ok {
				t.Fatal("nothing shows that this rule can be switched off")
			}
			if got := test.see(newRules(t, nil)); got != test.with {
				t.Errorf("with the rule a client sees %s, want %s", got, test.with)
			}
			if got := test.see(newRules(t, op.Skips{name: true})); got != test.without {
				t.Errorf("without the rule a client sees %s, want %s", got, test.without)
			}
		})
	}
	if n := len(slices.Compact(dwh.Skippable())); n != len(tests) {
		t.Errorf("%d rules can be switched off, %d are tested", n, len(tests))
	}
}

func TestSkippedTargetIsNotMade(t *testing.T) {
	t.Parallel()
	r := newRules(t, op.Skips{dwh.SkipTarget: true})
	r.want("200", "POST", "/v1/dwh/", strings.ReplaceAll(orders, `"customers"`, `"carts"`))
	if got := r.callAt(core.Interface(core.Engine{}), "GET", "/table/show/sales/carts", ""); got != "404" {
		t.Errorf("the table is answered with %s, want 404", got)
	}
}
