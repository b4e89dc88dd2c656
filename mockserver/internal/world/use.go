package world

import (
	"slices"

	"svc.example/understudy/mockserver/internal/table"
)

// Use holds counts of the attempts that are not done, so that a thousand of them cost no more than one.
type Use struct {
	Pools     table.Table[PoolUse]
	Waiting   int                         // attempts that are queued or blocked
	Tasks     int                         // tasks that run
	Starved   int                         // attempts with tasks that wait for a slot
	Followers table.Index[int64, []int64] // by an attempt, those that wait for its end; replaced, never changed in place
}

// PoolUse counts the attempts that use one pool.
type PoolUse struct {
	Running int // canceling ones included
	Waiting int // queued or blocked
}

// PutAttempt stores an attempt and keeps Use and Unfinished in step.
func (x *Workflow) PutAttempt(a Attempt) {
	before, _ := x.Attempts.Get(a.ID)
	x.count(before, -1)
	x.Attempts.Put(a.ID, a)
	x.enter(a)
}

// enter takes an attempt that is stored into the account.
func (x *Workflow) enter(a Attempt) {
	x.count(a, 1)
	if a.State == Done {
		table.Delete(&x.Unfinished, a.ID)
		return
	}
	x.Unfinished.Put(a.ID, a.Pool)
	if followers, _ := x.Use.Followers.Get(a.After); a.State == Blocked && !slices.Contains(followers, a.ID) {
		x.Use.Followers.Put(a.After, append(slices.Clip(followers), a.ID))
	}
}

func (x *Workflow) count(a Attempt, n int) {
	pool, _ := x.Use.Pools.Get(a.Pool)
	switch a.State {
	case Running:
		pool.Running += n
	case Queued, Blocked:
		pool.Waiting += n
		x.Use.Waiting += n
	default: // done, or not there yet
		return
	}
	x.Use.Pools.Put(a.Pool, pool)
	x.Use.Tasks += n * a.RunningTasks
	if a.Starved {
		x.Use.Starved += n
	}
}

// PoolUse returns the counts of the attempts that use a pool.
func (x *Workflow) PoolUse(pool int64) PoolUse {
	use, _ := x.Use.Pools.Get(pool)
	return use
}

// FirstQueued returns the attempt that has waited longest for room in a pool.
func (x *Workflow) FirstQueued(pool int64) (Attempt, bool) {
	if x.PoolUse(pool).Waiting == 0 {
		return Attempt{}, false
	}
	for id, of := range table.All(&x.Unfinished) {
		if of != pool {
			continue
		}
		if a, _ := x.Attempts.Get(id); a.State == Queued {
			return a, true
		}
	}
	return Attempt{}, false
}
