package world

import (
	"iter"

	"svc.example/understudy/mockserver/internal/table"
)

// poolFacts holds what follows from all pools and their rules, so that a thousand of them cost no more than one.
type poolFacts struct {
	names     table.Index[string, int64] // pools by name
	rules     table.Table[int64]         // rules by priority
	allocated int                        // the limits of all pools but the default one
}

// ChangedPool keeps in step what follows from a pool that was stored: before is nil for a new one, after for one that
// is gone.
func (x *Workflow) ChangedPool(before, after *Pool) {
	if before != nil {
		x.pools.names.Delete(before.Name)
		x.pools.allocated -= before.allocated()
	}
	if after != nil {
		x.pools.names.Put(after.Name, after.ID)
		x.pools.allocated += after.allocated()
	}
}

func (p *Pool) allocated() int {
	if p.Default {
		return 0
	}
	return p.Limit
}

// PoolNamed returns the pool that has a name.
func (x *Workflow) PoolNamed(name string) (Pool, bool) {
	id, _ := x.pools.names.Get(name)
	return x.Pools.Get(id)
}

// Allocated returns the sum of the limits of all pools but the default one.
func (x *Workflow) Allocated() int { return x.pools.allocated }

// ChangedPoolRule keeps in step what follows from a pool rule that was stored, as ChangedPool does.
func (x *Workflow) ChangedPoolRule(before, after *PoolRule) {
	if before != nil {
		table.Delete(&x.pools.rules, int64(before.Priority))
	}
	if after != nil {
		x.pools.rules.Put(int64(after.Priority), after.ID)
	}
}

// PoolRuleAt returns the pool rule that has a priority.
func (x *Workflow) PoolRuleAt(priority int) (PoolRule, bool) {
	id, _ := x.pools.rules.Get(int64(priority))
	return x.PoolRules.Get(id)
}

// RulesInOrder yields the pool rules in the order in which they are tried: the lowest priority first.
func (x *Workflow) RulesInOrder() iter.Seq[PoolRule] {
	return func(yield func(PoolRule) bool) {
		for _, id := range table.All(&x.pools.rules) {
			if r, ok := x.PoolRules.Get(id); ok && !yield(r) {
				return
			}
		}
	}
}

func (x *Workflow) restorePools() {
	for _, p := range table.All(&x.Pools) {
		x.ChangedPool(nil, &p)
	}
	for _, r := range table.All(&x.PoolRules) {
		x.ChangedPoolRule(nil, &r)
	}
}
