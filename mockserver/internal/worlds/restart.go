package worlds

import "svc.example/understudy/mockserver/internal/world"

// Plan returns the plan that the world was made from.
func (w *World) Plan() Plan { return w.plan }

// Scenario returns the name of the scenario that the world begins with.
func (w *World) Scenario() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.origin.value.Scenario
}

// Restart lets the world begin with another value, which gets its minted keys: from its next reset on, or now, as a
// reset does.
func (w *World) Restart(value *world.State, now bool) {
	if user, ok := administrator(value); ok {
		for kind, key := range w.Keys {
			value.Account.PutKey(world.Key{Key: key, User: user, WriteOnly: kind == "write"})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written += value.MemorySize()
	w.origin = version{value, value.MemorySize(), w.written - value.MemorySize()}
	if now {
		w.putVersion(w.origin)
		w.Journal.Clear()
	}
	w.chargeChanges()
}
