package mockserver

import (
	"sync"

	"svc.example/understudy/mockserver/internal/world"
)

// used holds what requests that only read have left, for later ones: it is most of the memory that such a request
// takes. A handler that changes the world may have left its call behind in there.
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

// recycle takes back what an exchange that is over has used, if it had a copy of the world and no more.
func (u *used) recycle(x *exchange) {
	snapshot := x.snapshot
	if snapshot == nil || x.call.World != snapshot {
		return
	}
	*snapshot, *x = world.State{}, exchange{}
	u.snapshots.Put(snapshot)
	u.exchanges.Put(x)
}
