package worlds

import (
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
)

// Beginning describes the value with which a world begins. It is made when the world is first used, since most of the
// worlds that a client makes for itself wait for that, and some for ever.
type Beginning struct {
	// The value is made of Like, which stands for it until then: its size, its seed and its account are the same.
	// It must not be changed.
	Like *world.State
	// Anew makes a value of its own, for a world whose times are not those of Like. It is nil for others.
	Anew func() (world.State, error)

	Seed  uint64
	Clock clock.Clock
}

// beginningLike returns the beginning of a world that is the same as a value.
func beginningLike(like *world.State) Beginning {
	return Beginning{Like: like, Seed: like.Seed, Clock: like.Clock}
}

// make returns the value, with keys that belong to an administrator. It shares what it can.
func (b *Beginning) make(keys map[string]string) *world.State {
	if b.Anew == nil && len(keys) == 0 && b.Seed == b.Like.Seed && b.Clock == b.Like.Clock {
		return b.Like
	}
	value := *b.Like
	if b.Anew != nil {
		if anew, err := b.Anew(); err == nil { // nor could Like have been made otherwise
			value = anew
		}
	}
	value.Seed, value.Clock = b.Seed, b.Clock
	putKeys(&value, keys)
	return &value
}

// lock locks the world for a writer, and makes its value if nothing has used it yet.
func (w *World) lock() {
	w.mu.Lock()
	b := w.begin.Load()
	if b == nil {
		return
	}
	value := b.make(w.Keys)
	if b.Anew != nil {
		w.bytes = value.MemorySize()
	}
	w.origin.value, w.origin.bytes = value, w.bytes
	w.put(value, w.bytes)
	w.begin.Store(nil)
}

// Peek returns the world as it is, without settling what is due.
func (w *World) Peek() *world.State {
	if value := w.value.Load(); value != nil {
		return value
	}
	w.lock()
	defer w.mu.Unlock()
	return w.value.Load()
}

// Sketch returns the world as Peek does, if it was used. Of one that was not it returns what it begins like, with its
// own seed and clock, but not its own times and keys.
func (w *World) Sketch() *world.State {
	b := w.begin.Load()
	if b == nil {
		return w.Peek()
	}
	value := *b.Like
	value.Seed, value.Clock = b.Seed, b.Clock
	return &value
}

// knows reports whether the account of the world has a key that was not minted for it.
func (w *World) knows(key string) bool {
	value := w.value.Load()
	if value == nil {
		value = w.Sketch()
	}
	_, known := value.Account.Keys.Get(key)
	return known
}
