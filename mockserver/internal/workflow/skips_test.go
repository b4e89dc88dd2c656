package workflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// rules applies rules to a world without a server, so that some of them can be switched off.
type rules struct {
	*testing.T
	world world.World
	doc   *specs.Document
	table map[string]*op.Route
	skip  op.Skips
}

func newRules(t *testing.T, skip op.Skips) *rules {
	t.Helper()
	doc, err := specs.Load("workflow", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	iface := workflow.Interface()
	table, err := iface.Table(doc)
	if err != nil {
		t.Fatal(err)
	}
	r := &rules{T: t, world: world.World{Clock: clock.New(clock.Frozen, now)}, doc: doc, table: table, skip: skip}
	err = workflow.Seed(&r.world, fixtures.Workflow{Projects: []fixtures.Project{{
		Name: "shop", Revisions: []fixtures.Revision{{Name: "v1", Files: map[string]string{
			"ok.dig": "+a: {echo>: a}\n", "bad.dig": "+a: {echo>: a}\n+b: {+a: {fail>: b}}\n",
		}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call answers the status, and the body as text.
func (r *rules) call(method, path, body string) (status int, answer string) {
	r.Helper()
	u, err := url.Parse(path)
	if err != nil {
		r.Fatal(err)
	}
	match := r.doc.Find(method, u.EscapedPath())
	tx := r.world
	reply, err := r.table[match.Operation.ID].Rule(&op.Call{
		World: &tx, Operation: match.Operation, Match: &match, Query: u.Query(), Body: []byte(body), Now: tx.Now(),
		Skip: r.skip,
	})
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		return workflow.Interface().Error(nil, op.Errors{refusal}).Status, refusal.Message
	}
	if err != nil {
		r.Fatal(err)
	}
	r.world = tx
	text, err := json.Marshal(reply.Body)
	if err != nil {
		r.Fatal(err)
	}
	return max(reply.Status, http.StatusOK), string(text)
}

func (r *rules) status(method, path, body string) string {
	r.Helper()
	status, _ := r.call(method, path, body)
	return fmt.Sprint(status)
}

func (r *rules) want(status int, method, path, body string) string {
	r.Helper()
	got, answer := r.call(method, path, body)
	if got != status {
		r.Fatalf("%s %s: %d, want %d: %s", method, path, got, status, answer)
	}
	return answer
}

func (r *rules) start(name, more string) (status int, a attempt) {
	r.Helper()
	status, answer := r.call("PUT", "/api/attempts", `{"projectName":"shop","workflowName":"`+name+
		`","sessionTime":"2026-01-15T00:00:00Z","params":{}`+more+`}`)
	_ = json.Unmarshal([]byte(answer), &a) // an error has no attempt in it
	return status, a
}

func (r *rules) run(by time.Duration) {
	r.world.Clock = r.world.Clock.To(r.world.Now().Add(by))
	for event, ok := r.world.Next(); ok && !event.At.After(r.world.Now()); event, ok = r.world.Next() {
		r.world.Cancel(event)
		workflow.Interface().Settle[event.Kind](&r.world, event, r.skip)
	}
}

const (
	anyOfShop = `"conditions":[{"type":"project_name","operator":"starts_with","values":["shop"]}]}`
	newPool   = `{"name":"p","concurrencyLimit":10}`
)

func (r *rules) poolOfNext() string {
	_, a := r.start("ok", "")
	return *a.PoolID
}

// TestSkippedRules shows of every rule that can be switched off what a client sees with it and without it.
func TestSkippedRules(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		see           func(r *rules) string
		with, without string
	}{
		workflow.SkipDeletionWithAttempts: {func(r *rules) string {
			r.want(201, "POST", "/api/pools", newPool)
			r.want(201, "POST", "/api/pool_rules", `{"priority":1,"poolId":"2",`+anyOfShop)
			r.start("ok", "")
			r.want(200, "DELETE", "/api/pool_rules/1", "")
			return r.status("DELETE", "/api/pools/2", "")
		}, "400", "200"},
		workflow.SkipDeletionWithRules: {func(r *rules) string {
			r.want(201, "POST", "/api/pools", newPool)
			r.want(201, "POST", "/api/pool_rules", `{"priority":1,"poolId":"2",`+anyOfShop)
			return r.status("DELETE", "/api/pools/2", "")
		}, "400", "200"},
		workflow.SkipDeletionOfDefault: {func(r *rules) string {
			return r.status("DELETE", "/api/pools/1", "")
		}, "400", "200"},
		workflow.SkipDefaultUpdate: {func(r *rules) string {
			return r.status("PATCH", "/api/pools/1", `{"name":"mine"}`)
		}, "400", "200"},
		workflow.SkipDefaultAbsorb: {func(r *rules) string {
			r.want(201, "POST", "/api/pools", newPool)
			p, _ := r.world.Workflow.Pools.Get(1)
			return fmt.Sprint(p.Limit)
		}, "90", "100"},
		workflow.SkipRuleOrder: {func(r *rules) string {
			r.want(201, "POST", "/api/pools", newPool)
			r.want(201, "POST", "/api/pool_rules", `{"priority":1,"poolId":"2",`+anyOfShop)
			r.want(201, "POST", "/api/pool_rules", `{"priority":2,"poolId":"1",`+anyOfShop)
			return r.poolOfNext()
		}, "2", "1"},
		workflow.SkipFirstFit: {func(r *rules) string {
			r.want(201, "POST", "/api/pools", newPool)
			r.want(201, "POST", "/api/pool_rules", `{"priority":1,"poolId":"2",`+anyOfShop)
			r.want(201, "POST", "/api/pool_rules", `{"priority":2,"poolId":"1",`+anyOfShop)
			return r.poolOfNext()
		}, "2", "1"},
		workflow.SkipFailedOfSuccess: {func(r *rules) string {
			r.start("ok", "")
			r.run(time.Minute)
			status, _ := r.start("ok", `,"retryAttemptName":"r","resume":{"mode":"failed","attemptId":"1"}`)
			return fmt.Sprint(status)
		}, "400", "200"},
		workflow.SkipCopies: {func(r *rules) string {
			r.start("bad", "")
			r.run(time.Minute)
			r.start("bad", `,"retryAttemptName":"r","resume":{"mode":"failed","attemptId":"1"}`)
			tasks, _ := r.world.Workflow.Tasks.Get(2)
			return string(tasks[1].State)
		}, "success", "running"},
		workflow.SkipFromFitsOne: {func(r *rules) string {
			r.start("bad", "")
			r.run(time.Minute)
			status, _ := r.start("bad", `,"retryAttemptName":"r","resume":{"mode":"from","attemptId":"1","from":"+a"}`)
			return fmt.Sprint(status)
		}, "400", "200"},
		workflow.SkipConflict: {func(r *rules) string {
			r.start("ok", "")
			status, a := r.start("ok", "")
			return fmt.Sprint(status, " ", a.ID)
		}, "409 1", "200 2"},
	}
	for _, name := range workflow.Skippable() {
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
	if n := len(slices.Compact(workflow.Skippable())); n != len(tests) {
		t.Errorf("%d rules can be switched off, %d are tested", n, len(tests))
	}
}
