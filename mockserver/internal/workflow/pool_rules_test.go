package workflow_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

type poolRule struct {
	ID, PoolID string
	Priority   int
	Conditions []map[string]any
}

func (c client) poolRules() []poolRule {
	c.Helper()
	return decode[struct{ PoolRules []poolRule }](c.Get("/api/pool_rules").Want(http.StatusOK)).PoolRules
}

// onDemand and scheduled are conditions by how an attempt is started.
var (
	onDemand  = map[string]any{"type": "invocation_type", "values": []string{"on_demand"}}
	scheduled = map[string]any{"type": "invocation_type", "values": []string{"scheduled"}}
)

func TestPoolRules(t *testing.T) {
	t.Parallel()
	t.Run("a rule is made, read, changed in part, listed by priority and removed", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		p := c.createPool("small", 1)
		late := c.createRule(20, p.ID, startsWith("project_name", "shop"), onDemand)
		early := c.createRule(10, "1", scheduled)
		c.send(http.MethodPatch, "/api/pool_rules/"+early, `{"priority":30}`).Want(http.StatusOK)
		c.send(http.MethodPatch, "/api/pool_rules/"+late, `{"poolId":1,"conditions":[
			{"type":"workflow_name","operator":"starts_with","values":["a","b"]}]}`).Want(http.StatusOK)
		want := []poolRule{
			{late, "1", 20, []map[string]any{
				{"type": "workflow_name", "operator": "starts_with", "values": []any{"a", "b"}},
			}},
			{early, "1", 30, []map[string]any{{"type": "invocation_type", "values": []any{"scheduled"}}}},
		}
		if diff := cmp.Diff(want, c.poolRules()); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
		got := decode[poolRule](c.Get("/api/pool_rules/" + late).Want(http.StatusOK))
		if diff := cmp.Diff(want[0], got); diff != "" {
			t.Errorf("get (-want +got):\n%s", diff)
		}
		got = decode[poolRule](c.send(http.MethodDelete, "/api/pool_rules/"+late, nil).Want(http.StatusOK))
		if diff := cmp.Diff(want[0], got); diff != "" {
			t.Errorf("delete (-want +got):\n%s", diff)
		}
		c.Get("/api/pool_rules/" + late).Refused(http.StatusNotFound)
		if diff := cmp.Diff(want[1:], c.poolRules()); diff != "" {
			t.Errorf("list after the deletion (-want +got):\n%s", diff)
		}
	})
	t.Run("a priority is used once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		first, second := c.createRule(10, "1", onDemand), c.createRule(20, "1", onDemand)
		c.send(http.MethodPost, "/api/pool_rules", map[string]any{
			"priority": 10, "poolId": "1", "conditions": []any{onDemand},
		}).Refused(http.StatusBadRequest, "rule "+first, "10")
		c.send(http.MethodPatch, "/api/pool_rules/"+second, `{"priority":10}`).Refused(http.StatusBadRequest, "rule "+first)
		c.send(http.MethodPatch, "/api/pool_rules/"+second, `{"priority":20}`).Want(http.StatusOK)
	})
	t.Run("a pool that does not exist is refused", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		rule := c.createRule(10, "1", onDemand)
		for _, id := range []any{"7", 7} {
			body := map[string]any{"priority": 1, "poolId": id, "conditions": []any{onDemand}}
			c.send(http.MethodPost, "/api/pool_rules", body).Refused(http.StatusBadRequest, "pool", "7")
			c.send(http.MethodPatch, "/api/pool_rules/"+rule, body).Refused(http.StatusBadRequest, "pool", "7")
		}
	})
	t.Run("administrators only", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		rule := c.createRule(10, "1", onDemand)
		c.Key = "1/analyst"
		c.Get("/api/pool_rules").Refused(http.StatusForbidden)
		c.Get("/api/pool_rules/" + rule).Refused(http.StatusForbidden)
		c.send(http.MethodPost, "/api/pool_rules", `{}`).Refused(http.StatusForbidden)
		c.send(http.MethodPatch, "/api/pool_rules/"+rule, `{}`).Refused(http.StatusForbidden)
		c.send(http.MethodDelete, "/api/pool_rules/"+rule, nil).Refused(http.StatusForbidden)
	})
	t.Run("an id that names nothing", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, id := range []string{"99", "0", "-1", "one", "99999999999999999999"} {
			c.Get("/api/pool_rules/" + id).Refused(http.StatusNotFound)
			c.send(http.MethodPatch, "/api/pool_rules/"+id, `{"priority":1}`).Refused(http.StatusNotFound)
			c.send(http.MethodDelete, "/api/pool_rules/"+id, nil).Refused(http.StatusNotFound)
		}
	})
}

func TestPoolRuleBodies(t *testing.T) {
	t.Parallel()
	with := func(conditions string) string { return `{"priority":1,"poolId":"1","conditions":` + conditions + `}` }
	const one = `{"type":"invocation_type","values":["on_demand"]}`
	for name, body := range map[string]string{
		"no body": "", "null": "null", "a list": "[]",
		"no priority":              `{"poolId":"1","conditions":[` + one + `]}`,
		"priority 0":               `{"priority":0,"poolId":"1","conditions":[` + one + `]}`,
		"priority 10001":           `{"priority":10001,"poolId":"1","conditions":[` + one + `]}`,
		"priority of text":         `{"priority":"1","poolId":"1","conditions":[` + one + `]}`,
		"no pool":                  `{"priority":1,"conditions":[` + one + `]}`,
		"a pool of null":           `{"priority":1,"poolId":null,"conditions":[` + one + `]}`,
		"a pool of a list":         `{"priority":1,"poolId":[1],"conditions":[` + one + `]}`,
		"a pool that is no number": `{"priority":1,"poolId":"one","conditions":[` + one + `]}`,
		"a huge pool":              `{"priority":1,"poolId":1e99,"conditions":[` + one + `]}`,
		"no conditions":            `{"priority":1,"poolId":"1"}`,
		"conditions of null":       with(`null`), "no condition": with(`[]`), "a condition of null": with(`[null]`),
		"three conditions":            with(`[` + one + `,` + one + `,` + one + `]`),
		"conditions that are no list": with(one),
		"an unknown type":             with(`[{"type":"user","values":["a"]}]`),
		"names without operator":      with(`[{"type":"project_name","values":["a"]}]`),
		"names with another one":      with(`[{"type":"workflow_name","operator":"equals","values":["a"]}]`),
		"no values":                   with(`[{"type":"project_name","operator":"starts_with"}]`),
		"an empty list":               with(`[{"type":"project_name","operator":"starts_with","values":[]}]`),
		"an empty prefix":             with(`[{"type":"project_name","operator":"starts_with","values":[""]}]`),
		"a value of a number":         with(`[{"type":"project_name","operator":"starts_with","values":[1]}]`),
		"an unknown invocation":       with(`[{"type":"invocation_type","values":["manual"]}]`),
		"an unknown kind":             with(`[{"type":"workflow_type","values":["other"]}]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Off} {
				c := newClient(t, mockserver.WithValidation(mode))
				c.send(http.MethodPost, "/api/pool_rules", body).Refused(http.StatusBadRequest)
				if n := len(c.poolRules()); n != 0 {
					t.Errorf("%s: there are %d rules", mode, n)
				}
			}
		})
	}
}

// Worlds share what none of them has changed. The race detector notices a handler that writes into it.
func TestUpdatesOfForksShareNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.upload("shop", "v1", map[string]string{"wait": wait})
	rule := c.createRule(1, c.createPool("small", 9).ID, onDemand)
	var forks sync.WaitGroup
	for range 4 {
		world := c.World().Fork().ID()
		forks.Go(func() {
			for i := range 20 {
				path, body := "/api/pool_rules/"+rule, fmt.Sprintf(`{"priority":%d}`, i+1)
				c.Call(http.MethodPatch, path, body, "X-Understudy-World", world).Want(http.StatusOK)
				c.start("shop", "wait", map[string]any{"retryAttemptName": fmt.Sprint(world, i), "allowQueueing": true})
			}
		})
	}
	forks.Wait()
}

func TestPoolRuleOrder(t *testing.T) {
	t.Parallel()
	const first, second = 1, 2 // pools beside the default one
	nothing := map[string]any{"type": "workflow_type", "values": []string{"audience"}}
	for _, test := range []struct {
		name  string
		rules func(c client, pools []pool)
		want  string
	}{
		{"the lowest priority value is tried first, whatever was made first", func(c client, p []pool) {
			c.createRule(20, p[first].ID, startsWith("project_name", "shop"))
			c.createRule(3, p[second].ID, startsWith("project_name", "shop"))
		}, "second"},
		{"the first rule that fits wins", func(c client, p []pool) {
			c.createRule(1, p[first].ID, startsWith("project_name", "other"))
			c.createRule(2, p[second].ID, startsWith("project_name", "sh"))
			c.createRule(3, p[first].ID, startsWith("project_name", "shop"))
		}, "second"},
		{"all conditions of a rule must hold", func(c client, p []pool) {
			c.createRule(1, p[first].ID, startsWith("project_name", "shop"), startsWith("workflow_name", "load"))
			c.createRule(2, p[second].ID, startsWith("project_name", "shop"), startsWith("workflow_name", "wait"))
		}, "second"},
		{"any prefix of a condition fits", func(c client, p []pool) {
			c.createRule(1, p[first].ID, startsWith("workflow_name", "load", "wa"))
		}, "first"},
		{"a prefix is not a part", func(c client, p []pool) {
			c.createRule(1, p[first].ID, startsWith("workflow_name", "ait"))
		}, "default"},
		{"what a client starts is on demand", func(c client, p []pool) {
			c.createRule(1, p[first].ID, scheduled)
			c.createRule(2, p[second].ID, onDemand)
		}, "second"},
		{"a workflow of a project has no type", func(c client, p []pool) {
			c.createRule(1, p[first].ID, nothing)
		}, "default"},
		{"what fits no rule goes to the default pool", func(c client, p []pool) {
			c.createRule(1, p[first].ID, startsWith("project_name", "other"))
		}, "default"},
		{"a rule may point at the default pool", func(c client, p []pool) {
			c.createRule(1, "1", onDemand)
			c.createRule(2, p[first].ID, onDemand)
		}, "default"},
		{"an attempt keeps its pool when the rules change", func(c client, p []pool) {
			rule := c.createRule(1, p[first].ID, onDemand)
			a := c.start("shop", "wait", map[string]any{"retryAttemptName": "before"})
			c.send(http.MethodPatch, "/api/pool_rules/"+rule, fmt.Sprintf(`{"poolId":%q}`, p[second].ID)).Want(http.StatusOK)
			if got := *c.attempt(a.ID).PoolID; got != p[first].ID {
				c.Errorf("the attempt has moved to %s", got)
			}
		}, "second"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.upload("shop", "v1", map[string]string{"wait": wait})
			c.createPool("first", 1)
			c.createPool("second", 1)
			pools := c.pools()
			test.rules(c.in(t), pools)
			a := c.start("shop", "wait")
			for _, p := range pools {
				if p.ID == *a.PoolID && p.Name != test.want {
					t.Errorf("the attempt is in the pool %s, want %s", p.Name, test.want)
				}
			}
		})
	}
	t.Run("what a schedule starts is scheduled", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		p := c.createPool("night", 1)
		c.createRule(1, p.ID, scheduled)
		c.upload("shop", "v1", map[string]string{"wait": "schedule: {hourly>: '00:00'}\n" + wait})
		c.Advance(30 * 60e9)
		list := decode[struct{ Attempts []attempt }](c.Get("/api/attempts").Want(http.StatusOK)).Attempts
		if len(list) != 1 || *list[0].PoolID != p.ID {
			t.Errorf("the attempts are %v, want one in pool %s", list, p.ID)
		}
	})
}
