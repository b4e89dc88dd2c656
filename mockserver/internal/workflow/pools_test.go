package workflow_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func (c client) pools() []pool {
	c.Helper()
	return decode[struct{ Pools []pool }](c.Get("/api/pools").Want(http.StatusOK)).Pools
}

func (c client) createPool(name string, limit int) pool {
	c.Helper()
	body := map[string]any{"name": name, "concurrencyLimit": limit}
	return decode[pool](c.send(http.MethodPost, "/api/pools", body).Want(http.StatusCreated))
}

func (c client) createRule(priority int, poolID string, conditions ...map[string]any) string {
	c.Helper()
	body := map[string]any{"priority": priority, "poolId": poolID, "conditions": conditions}
	return decode[struct{ ID string }](c.send(http.MethodPost, "/api/pool_rules", body).Want(http.StatusCreated)).ID
}

func startsWith(kind string, prefixes ...string) map[string]any {
	return map[string]any{"type": kind, "operator": "starts_with", "values": prefixes}
}

// withPool is a world with the project shop, whose workflow wait goes to the pool small with a limit.
func withPool(t *testing.T, limit int) (client, pool) {
	t.Helper()
	c := newClient(t)
	c.upload("shop", "v1", map[string]string{"wait": wait})
	p := c.createPool("small", limit)
	c.createRule(10, p.ID, startsWith("project_name", "shop"))
	return c, p
}

func TestPools(t *testing.T) {
	t.Parallel()
	t.Run("a world has a default pool with the limit of the account", func(t *testing.T) {
		t.Parallel()
		want := []pool{{ID: "1", Name: "default", ConcurrencyLimit: 100, Default: true}}
		if diff := cmp.Diff(want, newClient(t).pools()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("the default pool absorbs what other pools take and give back", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		small, etl := c.createPool("small", 10), c.createPool("etl", 20)
		c.send(http.MethodPatch, "/api/pools/"+small.ID, `{"concurrencyLimit":25}`).Want(http.StatusOK)
		c.send(http.MethodPatch, "/api/pools/"+small.ID, `{"name":"adhoc"}`).Want(http.StatusOK)
		want := []pool{{"1", "default", 55, true}, {small.ID, "adhoc", 25, false}, {etl.ID, "etl", 20, false}}
		if diff := cmp.Diff(want, c.pools()); diff != "" {
			t.Errorf("after an update (-want +got):\n%s", diff)
		}
		removed := decode[pool](c.send(http.MethodDelete, "/api/pools/"+small.ID, nil).Want(http.StatusOK))
		if diff := cmp.Diff(want[1], removed); diff != "" {
			t.Errorf("removed (-want +got):\n%s", diff)
		}
		want = []pool{{"1", "default", 80, true}, {etl.ID, "etl", 20, false}}
		if diff := cmp.Diff(want, c.pools()); diff != "" {
			t.Errorf("after a deletion (-want +got):\n%s", diff)
		}
		c.Get("/api/pools/"+small.ID).Refused(http.StatusNotFound, "pool", small.ID)
		if got := decode[pool](c.Get("/api/pools/" + etl.ID).Want(http.StatusOK)); got != etl {
			t.Errorf("get: %v, want %v", got, etl)
		}
	})
	t.Run("a name is used once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		small, other := c.createPool("small", 1), c.createPool("other", 1)
		for _, name := range []string{"small", "default"} {
			body := map[string]any{"name": name, "concurrencyLimit": 1}
			c.send(http.MethodPost, "/api/pools", body).Refused(http.StatusConflict, name)
			body = map[string]any{"name": name}
			c.send(http.MethodPatch, "/api/pools/"+other.ID, body).Refused(http.StatusBadRequest, name)
		}
		c.send(http.MethodPatch, "/api/pools/"+small.ID, `{"name":"small"}`).Want(http.StatusOK)
	})
	t.Run("the default pool keeps at least one slot", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.send(http.MethodPost, "/api/pools", `{"name":"all","concurrencyLimit":100}`).Refused(http.StatusBadRequest, "100")
		p := c.createPool("most", 99)
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":100}`).
			Refused(http.StatusBadRequest, "default pool")
		if got := c.pools(); got[0].ConcurrencyLimit != 1 || got[1].ConcurrencyLimit != 99 {
			t.Errorf("the refusals have changed something: %v", got)
		}
	})
	t.Run("the default pool keeps enough for the attempts that run in it", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("workflow: {accountLimit: 4}")
		c.upload("shop", "v1", map[string]string{"wait": wait})
		c.startMany("shop", "wait", 1, 2)
		const tooMuch = `{"name":"p","concurrencyLimit":3}`
		c.send(http.MethodPost, "/api/pools", tooMuch).Refused(http.StatusBadRequest, "2 attempts")
		p := c.createPool("p", 1)
		c.send(http.MethodPatch, "/api/pools/"+p.ID, tooMuch).Refused(http.StatusBadRequest, "2 attempts")
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":2}`).Want(http.StatusOK)
	})
	t.Run("the default pool is neither updated nor deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, body := range []string{`{}`, `{"name":"mine"}`, `{"concurrencyLimit":100}`} {
			c.send(http.MethodPatch, "/api/pools/1", body).Refused(http.StatusBadRequest, "default pool")
		}
		c.send(http.MethodDelete, "/api/pools/1", nil).Refused(http.StatusBadRequest, "default pool")
	})
	t.Run("a limit is not lowered below the attempts that run", func(t *testing.T) {
		t.Parallel()
		c, p := withPool(t, 3)
		c.startMany("shop", "wait", 1, 2)
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":1}`).Refused(http.StatusBadRequest, "2 attempts")
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":2}`).Want(http.StatusOK)
	})
	t.Run("a pool that a rule references cannot be deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		p := c.createPool("small", 1)
		c.createRule(5, "1", startsWith("project_name", "x"))
		rule := c.createRule(77, p.ID, startsWith("project_name", "shop"))
		c.send(http.MethodDelete, "/api/pools/"+p.ID, nil).Refused(http.StatusBadRequest, "rule "+rule, "77")
		c.send(http.MethodDelete, "/api/pool_rules/"+rule, nil).Want(http.StatusOK)
		c.send(http.MethodDelete, "/api/pools/"+p.ID, nil).Want(http.StatusOK)
	})
	t.Run("administrators only", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Key = "1/analyst"
		body := `{"name":"p","concurrencyLimit":1}`
		for method, path := range map[string]string{
			http.MethodGet: "/api/pools", http.MethodPost: "/api/pools",
			http.MethodPatch: "/api/pools/1", http.MethodDelete: "/api/pools/1",
		} {
			c.send(method, path, body).Refused(http.StatusForbidden)
		}
		c.Get("/api/pools/1").Refused(http.StatusForbidden)
		c.Key = "1/nobody"
		c.Get("/api/pools").Refused(http.StatusUnauthorized)
	})
	t.Run("an id that names nothing", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, id := range []string{"99", "0", "-1", "one", "99999999999999999999"} {
			c.Get("/api/pools/" + id).Refused(http.StatusNotFound)
			c.send(http.MethodPatch, "/api/pools/"+id, `{"name":"p"}`).Refused(http.StatusNotFound)
			c.send(http.MethodDelete, "/api/pools/"+id, nil).Refused(http.StatusNotFound)
		}
	})
}

func TestPoolsInUse(t *testing.T) {
	t.Parallel()
	t.Run("a pool is not deleted while attempts run, wait or end in it", func(t *testing.T) {
		t.Parallel()
		c, p := withPool(t, 1)
		rules := decode[struct{ PoolRules []struct{ ID string } }](c.Get("/api/pool_rules")).PoolRules
		list := c.startMany("shop", "wait", 1, 2)
		c.send(http.MethodDelete, "/api/pool_rules/"+rules[0].ID, nil).Want(http.StatusOK)
		remove := func() mocktest.Answer { return c.send(http.MethodDelete, "/api/pools/"+p.ID, nil) }
		remove().Refused(http.StatusBadRequest, "1 running", "1 queued")
		c.send(http.MethodPost, "/api/attempts/"+list[1].ID+"/kill", nil).Want(http.StatusOK)
		remove().Refused(http.StatusBadRequest, "1 running", "0 queued")
		c.send(http.MethodPost, "/api/attempts/"+list[0].ID+"/kill", nil).Want(http.StatusOK)
		if got := c.statuses(list); got != "canceling killed" {
			t.Fatalf("the attempts are %s", got)
		}
		remove().Refused(http.StatusBadRequest, "1 running")
		c.Advance(time.Second)
		remove().Want(http.StatusOK)
		if got := c.attempt(list[0].ID).PoolID; got == nil || *got != p.ID {
			t.Errorf("the attempt has forgotten its pool")
		}
	})
	t.Run("queued attempts start in their order as others end", func(t *testing.T) {
		t.Parallel()
		c, _ := withPool(t, 2)
		list := c.startMany("shop", "wait", 1, 5)
		for _, want := range []string{
			"running running queued queued queued", "success success running running queued",
			"success success success success running", "success success success success success",
		} {
			if got := c.statuses(list); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			c.Advance(time.Second)
		}
		if got := *c.attempt(list[4].ID).FinishedAt; got != "2026-01-15T09:30:03Z" {
			t.Errorf("the last one ended at %s", got)
		}
	})
	t.Run("queued attempts start when the limit is raised", func(t *testing.T) {
		t.Parallel()
		c, p := withPool(t, 1)
		list := c.startMany("shop", "wait", 1, 4)
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":3}`).Want(http.StatusOK)
		if got := c.statuses(list); got != "running running running queued" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("queued attempts start when the default pool gets slots back", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("workflow: {accountLimit: 3}")
		c.upload("shop", "v1", map[string]string{"wait": wait})
		p := c.createPool("idle", 2)
		list := c.startMany("shop", "wait", 1, 3)
		if got := c.statuses(list); got != "running queued queued" {
			t.Fatalf("got %s", got)
		}
		c.send(http.MethodPatch, "/api/pools/"+p.ID, `{"concurrencyLimit":1}`).Want(http.StatusOK)
		if got := c.statuses(list); got != "running running queued" {
			t.Errorf("after an update: %s", got)
		}
		c.send(http.MethodDelete, "/api/pools/"+p.ID, nil).Want(http.StatusOK)
		if got := c.statuses(list); got != "running running running" {
			t.Errorf("after a deletion: %s", got)
		}
	})
	t.Run("without allowQueueing a full pool refuses", func(t *testing.T) {
		t.Parallel()
		c, _ := withPool(t, 1)
		c.startMany("shop", "wait", 1, 1)
		c.tryStart("shop", "wait").Refused(http.StatusBadRequest, "limit is 1", "1 attempts run")
	})
	t.Run("at most a thousand attempts wait in a pool", func(t *testing.T) {
		t.Parallel()
		c, _ := withPool(t, 1)
		for i := range 1001 {
			at := mocktest.Now.Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
			c.start("shop", "wait", map[string]any{"sessionTime": at, "allowQueueing": true})
		}
		c.tryStart("shop", "wait", map[string]any{"allowQueueing": true}).Refused(http.StatusBadRequest, "1000")
	})
}

func TestPoolBodies(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 257) + `"`
	for name, body := range map[string]string{
		"no body": "", "no JSON": "{", "null": "null", "a list": "[]", "text": `"pool"`, "a number": "1",
		"no name": `{"concurrencyLimit":1}`, "an empty name": `{"name":"","concurrencyLimit":1}`,
		"a long name": `{"name":` + long + `,"concurrencyLimit":1}`, "a name of null": `{"name":null,"concurrencyLimit":1}`,
		"a name of a number": `{"name":1,"concurrencyLimit":1}`, "no limit": `{"name":"p"}`,
		"a limit of nothing": `{"name":"p","concurrencyLimit":0}`, "a negative limit": `{"name":"p","concurrencyLimit":-1}`,
		"a limit of text": `{"name":"p","concurrencyLimit":"1"}`, "a huge limit": `{"name":"p","concurrencyLimit":1e99}`,
		"a limit beyond 32 bits": `{"name":"p","concurrencyLimit":4294967297}`,
		"half a slot":            `{"name":"p","concurrencyLimit":0.5}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Off} {
				c := newClient(t, mockserver.WithValidation(mode))
				c.send(http.MethodPost, "/api/pools", body).Refused(http.StatusBadRequest)
				if n := len(c.pools()); n != 1 {
					t.Errorf("%s: there are %d pools", mode, n)
				}
			}
		})
	}
}
