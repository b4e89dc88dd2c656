package worlds

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Default is the id of the world that a request means when it names none.
const Default = "default"

// Plan describes a world to create: from a scenario, or as a fork of another world. With neither it is made of the
// server's own scenario. Seed, Mode and Now are those of the scenario, the server, or the fork's original, unless
// given.
type Plan struct {
	ID       string
	Scenario string
	Fork     string
	Before   int64 // forks the world as it was before the exchange with this number; 0: as it is
	Seed     *uint64
	Mode     clock.Mode
	Now      time.Time
	MintKeys bool
}

// Build returns how a world begins, from a plan that names no fork.
type Build func(Plan) (Beginning, error)

// Worlds are the worlds of one server, by id and by minted key.
type Worlds struct {
	build  Build
	settle Settle
	limits Limits
	budget budget
	seeded bool // a seed was requested, and so keys that are always the same

	mu     sync.RWMutex
	order  []*World
	byID   map[string]*World
	byKey  map[string]*World
	serial uint64
}

// NewWorlds makes the registry, with the world Default in it.
func NewWorlds(build Build, settle Settle, limits Limits, seeded bool) (*Worlds, error) {
	ws := &Worlds{
		build: build, settle: settle, limits: limits, seeded: seeded,
		byID: map[string]*World{}, byKey: map[string]*World{},
	}
	ws.budget.limit, ws.budget.reclaim = limits.Server, ws.shortenJournals
	_, err := ws.Create(Plan{ID: Default})
	return ws, err
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Create makes a world.
func (ws *Worlds) Create(plan Plan) (*World, error) {
	if plan.ID != "" && !validID.MatchString(plan.ID) {
		return nil, op.Invalid("id", "want 1 to 64 letters, digits, dots, underscores or dashes, not %q", plan.ID)
	}
	if plan.Now.After(lastTime) {
		return nil, clockLimitError("now")
	}
	ws.expire()
	w, err := ws.newWorld(plan)
	if err != nil {
		return nil, err
	}
	if err := ws.register(w, plan); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// newWorld creates a world that is not registered yet.
func (ws *Worlds) newWorld(plan Plan) (*World, error) {
	w := &World{
		MaxSettled: maxSettled, settle: ws.settle, plan: plan, Fork: plan.Fork, budget: &ws.budget, limit: ws.limits.World,
	}
	begin, err := ws.beginning(plan, w)
	if err != nil {
		return nil, err
	}
	w.Journal = ws.newJournal()
	w.begin.Store(&begin)
	w.bytes = begin.Like.MemorySize()
	w.origin.bytes = w.bytes
	w.latest.bytes.Store(w.bytes)
	w.chargeChanges()
	return w, nil
}

// register adds a world under its id and its keys, if there is room for it.
func (ws *Worlds) register(w *World, plan Plan) error {
	if !ws.budget.hasRoom(0) {
		return op.Conflict("%s", ws.budget.fullMessage())
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if limit := ws.limits.Worlds; limit > 0 && len(ws.order) >= limit {
		return op.Conflict("the limit of %d worlds is reached: delete some; the limit is set with --max-worlds or "+
			"WithMaxWorlds", limit)
	}
	for plan.ID == "" {
		ws.serial++
		if id := fmt.Sprintf("w%d", ws.serial); ws.byID[id] == nil {
			plan.ID = id
		}
	}
	if ws.byID[plan.ID] != nil {
		return op.Conflict("a world with id %s exists already; delete it first, or choose another id", plan.ID)
	}
	if plan.MintKeys {
		w.Keys = mintKeys(w.Sketch(), plan.ID, ws.seeded || plan.Seed != nil)
	}
	w.ID = plan.ID
	w.used.Store(clock.Wall().UnixNano())
	ws.byID[w.ID] = w
	ws.order = append(ws.order, w)
	for _, key := range w.Keys {
		ws.byKey[key] = w
	}
	return nil
}

// beginning returns how a world begins. A fork shares its value with its original.
func (ws *Worlds) beginning(plan Plan, w *World) (Beginning, error) {
	if plan.Fork == "" {
		if plan.Before != 0 {
			return Beginning{}, op.Invalid("before", "want the world to fork, too, as fork")
		}
		return ws.build(plan)
	}
	if plan.Scenario != "" {
		return Beginning{}, op.Invalid("fork", "a world is created from a scenario or a fork; want only one of them")
	}
	original := ws.Get(plan.Fork)
	if original == nil {
		return Beginning{}, op.Invalid("fork", "world with id %s not found", plan.Fork)
	}
	b, err := original.forkInto(w, plan.Before)
	if err != nil {
		return Beginning{}, err
	}
	if plan.Seed != nil {
		b.Seed = *plan.Seed
	}
	if plan.Mode != "" || !plan.Now.IsZero() {
		mode, now := cmp.Or(plan.Mode, b.Clock.Mode()), plan.Now
		if now.IsZero() {
			now = b.Clock.Now()
		}
		b.Clock = clock.New(mode, now)
	}
	return b, nil
}

// mintKeys returns keys for a world of its own, so that a client that sends one of them is in that world without
// knowing. They have the platform's own form, since some clients send no other.
func mintKeys(value *world.State, id string, seeded bool) map[string]string {
	keys := map[string]string{}
	if _, ok := administrator(value); !ok {
		return keys
	}
	for _, kind := range []string{"admin", "write"} {
		random := value.Random("key:"+id+":"+kind, 0)
		if !seeded {
			_, _ = rand.Read(random[:]) // never fails
		}
		keys[kind] = fmt.Sprintf("%d/%s", value.Account.ID, hex.EncodeToString(random[:20]))
	}
	return keys
}

// putKeys gives an administrator keys that were minted.
func putKeys(value *world.State, keys map[string]string) {
	user, ok := administrator(value)
	for _, kind := range slices.Sorted(maps.Keys(keys)) {
		if ok {
			value.Account.PutKey(world.Key{Key: keys[kind], User: user, WriteOnly: kind == "write"})
		}
	}
}

func administrator(value *world.State) (int64, bool) {
	for id, user := range table.All(&value.Account.Users) {
		if user.Role.Administers() {
			return id, true
		}
	}
	return 0, false
}

// Get returns the world with an id, or nil. A world that was unused for too long is gone.
func (ws *Worlds) Get(id string) *World {
	ws.mu.RLock()
	w := ws.byID[id]
	ws.mu.RUnlock()
	return ws.markUsed(w)
}

// ByKey returns the world that a key was minted for, or nil.
func (ws *Worlds) ByKey(key string) *World {
	ws.mu.RLock()
	w := ws.byKey[key]
	ws.mu.RUnlock()
	return ws.markUsed(w)
}

// Knowing returns the world with minted keys whose account has a key as well: one that was made there, by a client that
// a minted key has led there. Of several such worlds, and of none, it is nil.
func (ws *Worlds) Knowing(key string) (found *World) {
	ws.mu.RLock()
	all := ws.order // a world that goes leaves this list as it is, and one that comes follows its end
	if len(ws.byKey) == 0 {
		all = nil
	}
	ws.mu.RUnlock()
	for _, w := range all {
		if len(w.Keys) == 0 {
			continue
		}
		if known := w.knows(key); known && found != nil {
			return nil
		} else if known {
			found = w
		}
	}
	return found
}

// List lists the worlds in the order in which they were made.
func (ws *Worlds) List() []*World {
	ws.expire()
	return ws.all()
}

func (ws *Worlds) all() []*World {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return append([]*World(nil), ws.order...)
}

// Delete forgets a world. Requests that are in it finish; others no longer find it.
func (ws *Worlds) Delete(id string) error {
	if id == Default {
		return op.Conflict("the world default cannot be deleted; reset it instead")
	}
	w := ws.remove(id)
	if w == nil {
		return op.NotFound("world", "id", id)
	}
	w.close()
	return nil
}

func (ws *Worlds) remove(id string) *World {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.byID[id]
	if w == nil {
		return nil
	}
	delete(ws.byID, id)
	for _, key := range w.Keys {
		delete(ws.byKey, key)
	}
	i := slices.Index(ws.order, w)
	ws.order = slices.Delete(slices.Clone(ws.order), i, i+1)
	return w
}
