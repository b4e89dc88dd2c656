// Package worlds keeps worlds that change: a value behind a pointer, a mutex for those who write, a journal, and the
// checkpoints to go back to. Readers take no lock.
package worlds

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
)

// World is one world of a server. All methods are safe for concurrent use.
type World struct {
	ID      string
	Fork    string            // id of the world that it was forked from, if it was
	Keys    map[string]string // minted keys by kind, admin and write; nil when none were
	Journal *journal.Journal

	// MaxSettled bounds how many events one request may have to settle, so that a clock that is to move by a thousand
	// years does not hang a test.
	MaxSettled int

	settle Settle
	plan   Plan
	pace   pace
	begin  atomic.Pointer[Beginning]   // nil once there is a value
	value  atomic.Pointer[world.State] // nil until the world is used
	budget *budget
	source *source      // what it shares with other forks of its original, if it is one
	limit  int64        // bytes
	used   atomic.Int64 // when it was used last, by the clock of the registry
	faults atomic.Pointer[fault.Index]
	latest struct{ bytes, written atomic.Int64 } // as below, for those who only read
	epoch  atomic.Int64                          // counts how often another value was put in its place

	mu          sync.Mutex // held by writers
	origin      version
	checkpoints map[string]version
	bytes       int64        // that the value takes
	written     int64        // that were ever written
	charged     atomic.Int64 // of the budget
	forks       *source      // what its forks share, if it has any
	readers     []reader     // oldest first
	readable    int64        // bytes of the value that queries can read
	deleted     bool
}

// Settle changes a world by one event that is due.
type Settle func(*world.State, world.DueEvent)

// Now returns the world's time.
func (w *World) Now() time.Time { return w.Peek().Now() }

// Epoch returns how often the world was reset, restored or replaced.
func (w *World) Epoch() int64 { return w.epoch.Load() }

// Read returns the world as it is now, with everything settled that was due. The result is shared: it must not be
// changed, but a copy of it may. Jobs whose queries have not run are still under way in it.
func (w *World) Read() *world.State {
	value := w.Peek()
	if !hasDue(value) {
		return value
	}
	w.lock()
	defer w.mu.Unlock()
	return w.settleDue()
}

// ReadAll returns the world as Read does, once all queries have run that something waits for.
func (w *World) ReadAll(ctx context.Context) (*world.State, error) {
	for {
		value := w.Read()
		if value.Waiting().Len() == 0 {
			return value, nil
		}
		if err := w.Finish(ctx, value.Waiting().First(maxAwaited)); err != nil {
			return value, err
		}
	}
}

// maxAwaited is the number of queries that one caller waits for at a time: more than run side by side, but not so many
// that it matters what their results take until the world has them, and counts them.
const maxAwaited = 64

// Finish waits for the queries of events, and settles those of the events that have waited for them, in their order.
// When the context ends first, it settles those whose queries have ended.
func (w *World) Finish(ctx context.Context, events []world.DueEvent) error {
	for some := range slices.Chunk(events, maxAwaited) {
		err := world.RunAll(ctx, some)
		w.settleEnded(some)
		if err != nil {
			return err
		}
		clear(some) // and so their results
	}
	return nil
}

// settleEnded settles those of some events whose queries have ended.
func (w *World) settleEnded(events []world.DueEvent) {
	w.lock()
	defer w.mu.Unlock()
	next := *w.value.Load()
	n := 0
	for _, e := range events {
		if e, waits := next.WaitingAs(e); waits && e.Query.Done() {
			next.End(e)
			w.settleEvent(&next, e)
			n++
		}
	}
	if n > 0 {
		w.dropResultsToFit(&next, next.MemorySize(), 0)
		w.store(&next, int64(n)*eventCost)
	}
}

// Write runs a transaction: change gets a copy of the world, which takes the world's place unless change returns an
// error, or the world would take more than it may. Size is how many bytes the request has that asks for the change.
func (w *World) Write(size int, change func(*world.State) error) error {
	w.lock()
	defer w.mu.Unlock()
	next := *w.settleDue()
	if err := change(&next); err != nil {
		return err
	}
	return w.storeWithinLimits(&next, transactionCost+int64(size))
}

// FaultIndex returns the index of the plan of a value of the world.
func (w *World) FaultIndex(value *world.State, documents match.Documents) (*fault.Index, error) {
	before := w.faults.Load()
	if before.IsOf(value.Faults.Plan) {
		return before, nil
	}
	index, err := fault.NewIndex(value.Faults.Plan, before, documents)
	w.faults.Store(index)
	return index, err
}

// Note changes the world beside what requests do to it. It is never refused, so it adds little.
func (w *World) Note(change func(*world.State)) {
	w.lock()
	defer w.mu.Unlock()
	next := *w.settleDue()
	change(&next)
	w.store(&next, eventCost)
}

func isDue(value *world.State, now time.Time) bool {
	event, ok := value.Next()
	return ok && !event.At.After(now)
}

// hasDue reports whether an event is due. It asks for the time only if there is one.
func hasDue(value *world.State) bool {
	event, ok := value.Next()
	return ok && !event.At.After(value.Now())
}

// maxSettled is the default number of events that a world settles at once.
const maxSettled = 100_000

// settleDue settles the events that are due, in time order, and returns the world after them. The caller holds the
// mutex.
func (w *World) settleDue() *world.State {
	value := w.value.Load()
	if !hasDue(value) {
		return value
	}
	next := *value
	n := w.settleUntil(&next, value.Now(), w.MaxSettled)
	w.store(&next, int64(n)*eventCost)
	return &next
}

// settleUntil settles at most limit events up to a time, as long as there is room for what they create, and returns
// their number.
func (w *World) settleUntil(value *world.State, now time.Time, limit int) int {
	n := 0
	for ; n < limit && isDue(value, now) && !w.isFull(value); n++ {
		w.settleNext(value)
	}
	return n
}

func (w *World) settleNext(value *world.State) {
	event, _ := value.Next()
	value.Cancel(event)
	w.settleEvent(value, event)
}

// settleEvent settles an event, and notes what the query reads that it may begin.
func (w *World) settleEvent(value *world.State, event world.DueEvent) {
	w.settle(value, event)
	w.noteReaders(value)
}

// Reset puts the world back to how it was made, with the clock in the mode that it was made with, and forgets its
// journal. Checkpoints stay.
func (w *World) Reset() {
	w.lock()
	defer w.mu.Unlock()
	w.putVersion(w.origin)
	w.Journal.Clear()
}

// putVersion replaces the world by a version. Bytes that were written since count as written again, as far as other
// versions hold them.
func (w *World) putVersion(v version) {
	w.pace.forget()
	w.epoch.Add(1)
	all := w.bytes
	for _, other := range w.checkpoints {
		all += other.bytes
	}
	if w.written += min(all, w.written-v.written); len(w.checkpoints) == 0 {
		w.written, w.origin.written = 0, 0
	}
	w.put(v.value, v.bytes)
}

// Replace replaces the value of the world. Reset returns to the new one from then on.
func (w *World) Replace(value world.State) error {
	w.lock()
	defer w.mu.Unlock()
	if err := w.storeWithinLimits(&value, value.MemorySize()); err != nil {
		return err
	}
	w.pace.forget()
	w.epoch.Add(1)
	w.origin = w.currentVersion()
	w.chargeChanges()
	return nil
}

func (w *World) currentVersion() version { return version{w.value.Load(), w.bytes, w.written} }

// Checkpoint remembers the world as it is under a name, in place of what had that name.
func (w *World) Checkpoint(name string) {
	w.lock()
	defer w.mu.Unlock()
	if w.checkpoints == nil {
		w.checkpoints = map[string]version{}
	}
	w.settleDue()
	w.checkpoints[name] = w.currentVersion()
	w.chargeChanges()
}

// Restore puts the world back to a checkpoint. It reports whether there is one with that name.
func (w *World) Restore(name string) bool {
	w.lock()
	defer w.mu.Unlock()
	v, ok := w.checkpoints[name]
	if ok {
		w.putVersion(v)
	}
	return ok
}

// DeleteCheckpoint forgets a checkpoint. It reports whether there was one with that name.
func (w *World) DeleteCheckpoint(name string) bool {
	w.lock()
	defer w.mu.Unlock()
	_, ok := w.checkpoints[name]
	delete(w.checkpoints, name)
	w.chargeChanges()
	return ok
}

// Checkpoints lists the names of the checkpoints.
func (w *World) Checkpoints() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.checkpoints))
}

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
	if b := w.begin.Load(); value == nil && b != nil { // it begins with these keys, and its own
		value = b.Like
	}
	_, known := cmp.Or(value, w.value.Load()).Account.Keys.Get(key)
	return known
}

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

// Calls are the exchanges of a world that fit a description.
type Calls struct {
	world   *World
	matcher *match.Matcher
}

// Calls returns the exchanges that fit a description. It fails, with an *op.Error or several joined, if none ever can.
func (w *World) Calls(described match.Calls, documents match.Documents) (Calls, error) {
	matcher, err := match.Compile(described, documents)
	return Calls{w, matcher}, err
}

// Seen returns those that the journal has, oldest first.
func (c Calls) Seen() []*journal.Entry {
	return slices.DeleteFunc(c.world.Journal.Entries(), func(e *journal.Entry) bool { return !c.fit(e) })
}

// WaitFor waits until there are n after the exchange with a number, as the journal does.
func (c Calls) WaitFor(ctx context.Context, number int64, n int) (found []*journal.Entry, lost int64, err error) {
	return c.world.Journal.WaitFor(ctx, number, n, c.fit)
}

// fit reports whether an exchange is one of them. Its caller is looked up among the users that there are now.
func (c Calls) fit(e *journal.Entry) bool { return c.matcher.Exchange(e, &c.world.Peek().Account) }
