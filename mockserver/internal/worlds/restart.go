package worlds

import "svc.example/understudy/mockserver/internal/world"

// Plan returns the plan that the world was made from.
func (w *World) Plan() Plan { return w.plan }

// Scenario returns the name of the scenario that the world begins with.
func (w *World) Scenario() string {
	if b := w.begin.Load(); b != nil {
		return b.Like.Scenario
	}
	w.lock()
	defer w.mu.Unlock()
	return w.origin.value.Scenario
}

// Restart lets the world begin with another value, which gets its minted keys: from its next reset on, or now, as a
// reset does.
func (w *World) Restart(value *world.State, now bool) {
	putKeys(value, w.Keys)
	w.lock()
	defer w.mu.Unlock()
	w.written += value.MemorySize()
	w.origin = version{value, value.MemorySize(), w.written - value.MemorySize()}
	if now {
		w.putVersion(w.origin)
		w.Journal.Clear()
	}
	w.chargeChanges()
}
