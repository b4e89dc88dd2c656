package mockserver

import (
	"sync"

	"svc.example/understudy/mockserver/internal/world"
)

// used holds memory that requests have left, for later ones. The copy of the world that a handler has changed is the
// world from then on, so it is not among it.
type used struct {
	exchanges sync.Pool // of *exchange
	snapshots sync.Pool // of *world.State
}

func (u *used) newExchange() *exchange {
	if x, ok := u.exchanges.Get().(*exchange); ok {
		return x
	}
	return new(exchange)
}

func (u *used) newSnapshot() *world.State {
	if snapshot, ok := u.snapshots.Get().(*world.State); ok {
		return snapshot
	}
	return new(world.State)
}

// recycle takes back what an exchange that is over has used, if it came to a handler. No world refers to a call: what a
// handler leaves in there to be done later has what it needs of the call, and not the call.
func (u *used) recycle(x *exchange) {
	if x.call.World == nil {
		return
	}
	if snapshot := x.snapshot; x.call.World == snapshot {
		*snapshot = world.State{}
		u.snapshots.Put(snapshot)
	}
	*x = exchange{}
	u.exchanges.Put(x)
}
