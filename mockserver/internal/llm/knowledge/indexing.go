package knowledge

import (
	"context"
	"sync"
	"sync/atomic"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// indexing combines the queries of a knowledge base's tables into one.
type indexing struct {
	done atomic.Bool

	mu      sync.Mutex
	source  source
	world   world.State // as it was when the indexing was due
	queries op.Queries
}

// index tries the tables of a knowledge base. It reports false for ended as long as queries have no results, and the
// event waits for them.
func (s *source) index(e world.DueEvent) (tables []schemaTable, ended bool, err error) {
	x, _ := e.Query.(*indexing)
	if x == nil {
		x = &indexing{}
	}
	x.mu.Lock() // forks share it
	defer x.mu.Unlock()
	then := *s.world
	s.queries = &x.queries
	tables, err = s.tables(0)
	if x.queries.Needed() == nil {
		return tables, true, err
	}
	*s.world = then
	e.Query = &indexing{source: *s, world: then}
	s.world.Begin(e)
	return nil, false, nil
}

// Done implements world.Query.
func (x *indexing) Done() bool { return x.done.Load() }

// Run implements world.Query. It tries the tables until all queries that they need have their results.
func (x *indexing) Run(ctx context.Context) error {
	for !x.Done() {
		if err := world.RunAll(ctx, x.tryTables()); err != nil {
			return err
		}
	}
	return nil
}

// tryTables returns the queries that have no results yet.
func (x *indexing) tryTables() []world.DueEvent {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.Done() {
		return nil
	}
	s, then := x.source, x.world
	s.world, s.queries = &then, &x.queries
	_, _ = s.tables(0) // the event's own attempt uses the result
	needed := x.queries.Needed()
	if needed == nil {
		x.source, x.world = source{}, world.State{}
		x.done.Store(true)
	}
	return needed
}

// NeedIndexing returns a handler that waits for the end of the indexings that are due: of the knowledge base that the
// call names, or of all.
func NeedIndexing(handler op.Handler) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		need := func(e world.DueEvent) {
			if e, waits := c.World.WaitingAs(e); waits {
				c.Queries.Need(e)
			}
		}
		if _, r, err := resource.Find[world.Resource[world.KnowledgeBase]](KnowledgeBases.Resource, c); err == nil {
			need(c.World.LLM.IndexEnd(r))
			return handler(c)
		}
		for e := range c.World.Waiting().All() {
			if e.Kind == world.KnowledgeBaseEvent {
				need(e)
			}
		}
		return handler(c)
	}
}
