package workflow

import (
	"cmp"
	"math"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

var pools = resource.New(resource.Of[world.Pool]{
	Noun: "pool", Plural: "pools", IDs: "workflow.pool", Key: "poolId", Dialect: dialect,
	Rows:    func(w *world.State) *table.Table[world.Pool] { return &w.Workflow.Pools },
	Bind:    bindPool,
	Guard:   guardPool,
	Changed: func(w *world.State, before, after *world.Pool) { w.Workflow.ChangedPool(before, after) },
	View: func(_ *op.Call, p world.Pool) any {
		return poolForm{ID: op.IDText(p.ID), Name: p.Name, ConcurrencyLimit: p.Limit, Default: p.Default}
	},
})

const defaultPoolName = "default"

type poolForm struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	ConcurrencyLimit int    `json:"concurrencyLimit"`
	Default          bool   `json:"default"`
}

func createPool(c *op.Call) (op.Reply, error) {
	ensureDefaultPool(c.World)
	return rebalanceDefaultPool(c, pools.Create)
}

func updatePool(c *op.Call) (op.Reply, error) { return rebalanceDefaultPool(c, pools.Update) }
func deletePool(c *op.Call) (op.Reply, error) { return rebalanceDefaultPool(c, pools.Delete) }

// rebalanceDefaultPool sets the limit of the default pool to what the other pools leave after a change, and starts
// the attempts that have got room by that.
func rebalanceDefaultPool(c *op.Call, change func(*op.Call) (op.Reply, error)) (op.Reply, error) {
	reply, err := change(c)
	if err != nil {
		return reply, err
	}
	if d, ok := defaultPool(c.World); ok {
		d.Limit = max(1, unallocated(c.World))
		c.World.Workflow.Pools.Put(d.ID, d)
	}
	if c.World.Workflow.Use.Waiting == 0 {
		return reply, nil
	}
	for id := range table.All(&c.World.Workflow.Pools) {
		engine.Dispatch(c.World, id, c.Now)
	}
	return reply, nil
}

// unallocated returns what the account's limit leaves to the default pool.
func unallocated(w *world.State) int { return accountLimit(w) - w.Workflow.Allocated() }

// accountLimit returns the least that accounts have, unless the scenario says otherwise.
func accountLimit(w *world.State) int { return cmp.Or(w.Workflow.AccountLimit, defaultAccountLimit) }

func defaultPool(w *world.State) (world.Pool, bool) {
	return w.Workflow.Pools.Get(w.Workflow.DefaultPool)
}

// ensureDefaultPool makes the default pool if there is none. It has the limit of the account.
func ensureDefaultPool(w *world.State) {
	if _, ok := defaultPool(w); ok {
		return
	}
	p := world.Pool{ID: w.NewID("workflow.pool"), Name: defaultPoolName, Limit: max(1, unallocated(w)), Default: true}
	w.Workflow.Pools.Put(p.ID, p)
	w.Workflow.ChangedPool(nil, &p)
	w.Workflow.DefaultPool = p.ID
}

func bindPool(c *op.Call, id int64, p *world.Pool) error {
	body := struct {
		Name             *string `json:"name"`
		ConcurrencyLimit *int64  `json:"concurrencyLimit"`
	}{}
	if err := c.Decode(&body); err != nil {
		return err
	}
	if isNew := p.ID == 0; isNew && body.Name == nil {
		return op.Invalid("name", "is missing")
	} else if isNew && body.ConcurrencyLimit == nil {
		return op.Invalid("concurrencyLimit", "is missing")
	}
	p.ID = id
	if body.Name != nil {
		p.Name = *body.Name
	}
	if limit := body.ConcurrencyLimit; limit != nil {
		if *limit < 1 || *limit > math.MaxInt32 {
			return op.Invalid("concurrencyLimit", "want an integer from 1 to %d, not %d", math.MaxInt32, *limit)
		}
		p.Limit = int(*limit)
	}
	if n := utf8.RuneCountInString(p.Name); n < 1 || n > 256 {
		return op.Invalid("name", "want 1 to 256 characters, not %d", n)
	}
	return nil
}

func guardPool(c *op.Call, before, after *world.Pool) error {
	switch {
	case before == nil:
		return poolCreatable(c.World, *after)
	case after == nil:
		return poolDeletable(c, *before)
	}
	return poolUpdatable(c, *before, *after)
}

func poolCreatable(w *world.State, p world.Pool) error {
	if other, taken := w.Workflow.PoolNamed(p.Name); taken {
		return op.Conflict("pool %d already has the name %q", other.ID, other.Name)
	}
	return poolAffordable(w, 0, p.Limit)
}

// poolUpdatable checks a changed pool. A name in use is 400 here: the document of this operation has no 409.
func poolUpdatable(c *op.Call, before, after world.Pool) error {
	if before.Default {
		return op.Invalid("", "pool %s (id %d) is the default pool, which cannot be updated: "+
			"it gets the slots that other pools leave", before.Name, before.ID)
	}
	if other, taken := c.World.Workflow.PoolNamed(after.Name); taken && other.ID != after.ID {
		return op.Invalid("name", "pool %d already has the name %q", other.ID, other.Name)
	}
	if running := c.World.Workflow.PoolUse(after.ID).Running; after.Limit < running {
		return op.Invalid("concurrencyLimit", "%d is less than the %d attempts that run in pool %s (id %d)",
			after.Limit, running, before.Name, before.ID)
	}
	return poolAffordable(c.World, before.Limit, after.Limit)
}

// poolAffordable checks that the default pool can spare what a pool asks for more, and keeps at least one slot and
// enough for the attempts that run in it.
func poolAffordable(w *world.State, from, to int) error {
	d, ok := defaultPool(w)
	if !ok || to <= from {
		return nil
	}
	left := d.Limit - (to - from)
	switch running := w.Workflow.PoolUse(d.ID).Running; {
	case left < 1:
		return op.Invalid("concurrencyLimit", "the default pool has %d slots of the account's %d and cannot spare %d",
			d.Limit, accountLimit(w), to-from)
	case left < running:
		return op.Invalid("concurrencyLimit", "the default pool would keep %d slots, but %d attempts run in it",
			left, running)
	}
	return nil
}

// poolDeletable refuses to delete the default pool, and a pool that attempts or rules use.
func poolDeletable(c *op.Call, p world.Pool) error {
	use := c.World.Workflow.PoolUse(p.ID)
	switch {
	case p.Default:
		return op.Invalid("", "pool %s (id %d) is the default pool, which cannot be deleted", p.Name, p.ID)
	case use.Running+use.Waiting > 0:
		return op.Invalid("", "pool %s (id %d) cannot be deleted while attempts are in it: %d running, "+
			"%d queued or blocked", p.Name, p.ID, use.Running, use.Waiting)
	}
	for _, rule := range table.All(&c.World.Workflow.PoolRules) {
		if rule.Pool == p.ID {
			return op.Invalid("", "pool %s (id %d) cannot be deleted while pool rule %d (priority %d) references it",
				p.Name, p.ID, rule.ID, rule.Priority)
		}
	}
	return nil
}
