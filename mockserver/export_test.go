package mockserver

import (
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

// WithFailure reports the server's own faults to a function, rather than to a test.
func WithFailure(failed func(string)) Option {
	return func(c *config) error { c.failed = failed; return nil }
}

// ReplaceHandler puts another handler in the place of an operation's.
func (s *Server) ReplaceHandler(iface, operation string, reply op.Reply, panics bool) {
	v, err := s.loaded(specs.Interface(iface))
	if err != nil {
		panic(err)
	}
	route := *v.routes[operation]
	route.Handle = func(*op.Call) (op.Reply, error) {
		if panics {
			panic("on purpose")
		}
		return reply, nil
	}
	v.routes[operation] = &route
}

// Reply is the answer that ReplaceHandler takes.
type Reply = op.Reply

// TakeAllRoom takes all the room that there is for large bodies, and returns what gives it back.
func (s *Server) TakeAllRoom() (release func()) {
	if !s.memory.TryAcquire(maxAtATime) {
		panic("somebody works on a large body")
	}
	return func() { s.memory.Release(maxAtATime) }
}

// SharedWorlds counts the worlds that the process keeps to begin others with.
func SharedWorlds() (n int) {
	seeded.Range(func(any, any) bool { n++; return true })
	return n
}

// SettleAtMost bounds how many events the world default settles at once.
func (s *Server) SettleAtMost(n int) { s.worlds.Get(worlds.Default).MaxSettled = n }

// SkipIDs lets the ids of what a world makes from now on begin n later.
func (w *World) SkipIDs(n int64, kinds ...string) error {
	value := *w.live.Peek()
	for _, kind := range kinds {
		value.NewIDs(kind, n)
	}
	return w.live.Replace(value)
}

// Holding does something while it holds the world, as a transaction does, and then skips ids.
func (w *World) Holding(n int64, kind string, do func()) {
	w.live.Note(func(value *world.State) {
		do()
		value.NewIDs(kind, n)
	})
}

// WithSavePause sets the time between two looks at whether there are worlds to save.
func WithSavePause(pause time.Duration) Option {
	return func(c *config) error { c.savePause = pause; return nil }
}

// Watchers returns how many clients wait for exchanges of a server, or follow them.
func Watchers(s *Server) int { return int(s.watchers.Load()) }

// Save saves the worlds of a server now.
func Save(s *Server) error { return s.keeper.save() }

// HasWords reports whether messages describe the texts that a pattern allows.
func HasWords(pattern string) bool { return validate.HasWords(pattern) }

// WithCompiled answers the list, get, create, update and delete of an interface by what package own compiles of its
// document, in the place of its handlers.
func WithCompiled(iface specs.Interface) Option {
	return func(c *config) error {
		doc, err := specs.Readable(iface, specs.Neutral)
		if err != nil {
			return err
		}
		doc = doc.WithoutExtras()
		compiled := own.Interface(doc, nil)
		table, err := compiled.Table(doc)
		c.mutate = func(s *loadedInterface) {
			if s.Name != iface {
				return
			}
			for _, operation := range doc.Operations {
				if IsOrdinary(operation) {
					route := *s.routes[operation.ID]
					route.Handle, route.Pending = table[operation.ID].Handle, nil
					s.routes[operation.ID] = &route
				}
			}
		}
		return err
	}
}

// IsOrdinary reports whether an operation lists, gets, creates, updates or deletes objects of a resource.
func IsOrdinary(o *specs.Operation) bool {
	return slices.ContainsFunc(o.Actions(), func(a *specs.Action) bool {
		return slices.Contains([]string{specs.List, specs.Get, specs.Create, specs.Update, specs.Delete}, a.Verb)
	})
}

// KeepThing adds an object to those that compiled operations remember.
func (w *World) KeepObject(resource string, keys []string, text []byte) {
	w.live.Note(func(value *world.State) {
		value.Own.Keep(resource, value.NewID(resource), nil, world.Object{Keys: keys, Text: text})
	})
}
