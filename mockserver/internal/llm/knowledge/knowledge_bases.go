// Package knowledge holds the knowledge bases that agents query, over a database or a text, with their indexing and
// their queries.
package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// KnowledgeBases is the kind of knowledge bases.
var KnowledgeBases = jsonapi.NewKind(jsonapi.KindOf[world.KnowledgeBase]{
	Type: "knowledgeBases", Noun: "knowledge base",
	New: func(_ *op.Call, a *world.KnowledgeBase) {
		a.FormatType, a.Tables = legacyJSON, []world.KnowledgeBaseTable{}
		a.MaxRows, a.TimeoutSeconds = defaultMaxRows, defaultTimeoutSeconds
	},
	Set: func(c *op.Call, before, after *world.Resource[world.KnowledgeBase]) error {
		if err := errors.Join(checkKnowledgeBase(c, after.Attributes), checkTables(after.Attributes)); err != nil {
			return err
		}
		startIndexing(c.World, before, after)
		return nil
	},
	Remove: func(c *op.Call, r world.Resource[world.KnowledgeBase]) error {
		err := jsonapi.RequireUnused(
			jsonapi.Dependents{
				Plural: "tools of agents", Meta: "referencedByTools",
				List: kinds.ToolsWith(c.World, r.UUID),
			},
			jsonapi.Dependents{
				Plural: "variables of agents", Meta: "referencedByVariables",
				List: kinds.VariablesWith(c.World, r.UUID),
			},
		)
		if err != nil {
			return err
		}
		stopIndexing(c.World, r)
		return nil
	},
})

// The formats of a knowledge base's answers (public).
const (
	legacyJSON = "LEGACY_JSON"
	markdownKV = "MARKDOWN_KV"
)

// checkKnowledgeBase requires an existing database that the caller may query (assumed).
func checkKnowledgeBase(c *op.Call, a world.KnowledgeBase) error {
	errs := []error{kinds.RequireProjectAndName(c, a.ProjectID, a.Name)}
	if err := bridge.Queryable(c.World, c.Caller.User, a.DatabaseName); err != nil {
		errs = append(errs, jsonapi.Unprocessable("svcDatabaseName", jsonapi.InvalidFormat, "%v", err))
	}
	if a.FormatType != legacyJSON && a.FormatType != markdownKV { // assumed
		errs = append(errs, jsonapi.Unprocessable("formatType", jsonapi.InvalidFormat, "want %s or %s, not %q",
			legacyJSON, markdownKV, a.FormatType))
	}
	return errors.Join(errs...)
}

// checkTables requires that each table has a name of its own and a query, and that the format is the one that has
// tables.
func checkTables(a world.KnowledgeBase) error {
	var errs []error
	if len(a.Tables) > 0 && a.FormatType != legacyJSON {
		errs = append(errs, jsonapi.Unprocessable("tables", jsonapi.LegacyTables,
			"want no tables, or the format %s; the format %s has no tables",
			legacyJSON, a.FormatType))
	}
	seen := map[string]bool{}
	for i, t := range a.Tables {
		errs = append(errs, jsonapi.RequireText(jsonapi.AttributeAt("tables", i, "name"), t.Name),
			jsonapi.RequireText(jsonapi.AttributeAt("tables", i, "svcQuery"), t.Query))
		name := strings.ToLower(t.Name) // as SQL takes names
		if seen[name] {
			errs = append(errs, jsonapi.Unprocessable(jsonapi.AttributeAt("tables", i, "name"), jsonapi.NotUnique,
				"the name %s is already used by another table", t.Name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

// startIndexing restarts the indexing, as every change does (public).
func startIndexing(w *world.State, before, after *world.Resource[world.KnowledgeBase]) {
	if before != nil {
		stopIndexing(w, *before)
	}
	after.Attributes.LastJob = &world.KnowledgeBaseJob{Status: world.IndexInProgress}
	w.Plan(w.LLM.IndexEnd(*after))
}

func stopIndexing(w *world.State, r world.Resource[world.KnowledgeBase]) {
	if r.Attributes.Indexing() {
		w.Cancel(w.LLM.IndexEnd(r))
		w.End(w.LLM.IndexEnd(r))
	}
}

// EndIndexing ends an indexing that is due. It tries the tables with the rights of the last user who changed the
// knowledge base.
func (q Querier) EndIndexing(w *world.State, e world.DueEvent) {
	r, ok := w.LLM.KnowledgeBases.Get(e.ID)
	if !ok || !r.Attributes.Indexing() || !w.LLM.IndexEnd(r).At.Equal(e.At) {
		return
	}
	user, _ := w.Account.Users.Get(r.UpdatedBy)
	s := source{Querier: q, world: w, caller: world.Caller{User: user}, now: e.At, base: r.Attributes}
	tables, ended, err := s.index(e)
	if !ended {
		return
	}
	job := world.KnowledgeBaseJob{Status: world.IndexSuccess, FinishedAt: new(jsonapi.Millis(e.At))}
	if err != nil {
		job.Status, job.Message = world.IndexError, new(err.Error())
	}
	var logs strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&logs, "table %s: %d columns\n", t.Name, len(t.Columns))
	}
	job.Logs = new(logs.String())
	r.Attributes.LastJob = &job
	w.LLM.KnowledgeBases.Put(r.ID, r)
}

// IndexPending reports the status of the indexing of a knowledge base, and when it ends.
func IndexPending(c *op.Call) (string, time.Time, bool) {
	_, r, err := resource.Find[world.Resource[world.KnowledgeBase]](KnowledgeBases.Resource, c)
	if err != nil || !r.Attributes.Indexing() {
		return "", time.Time{}, false
	}
	return r.Attributes.LastJob.Status, c.World.LLM.IndexEnd(r).At, true
}

// TextKnowledgeBases is the kind of knowledge bases that consist of a text.
var TextKnowledgeBases = jsonapi.NewKind(jsonapi.KindOf[world.TextKnowledgeBase]{
	Type: "textKnowledgeBases", Noun: "text knowledge base",
	Set: func(c *op.Call, _, after *world.Resource[world.TextKnowledgeBase]) error {
		a := after.Attributes
		return errors.Join(kinds.RequireProjectAndName(c, a.ProjectID, a.Name), jsonapi.RequireText("text", a.Text))
	},
})

// The default bounds of a query, for datastore query tools and knowledge bases alike (public).
const (
	defaultMaxRows        = 50
	defaultTimeoutSeconds = 60
)

// DatastoreQueryTools is the kind of tools that query a database.
var DatastoreQueryTools = jsonapi.NewKind(jsonapi.KindOf[world.DatastoreQueryTool]{
	Type: "datastoreQueryTools", Noun: "datastore query tool",
	New: func(_ *op.Call, a *world.DatastoreQueryTool) {
		a.MaxRows, a.TimeoutSeconds = defaultMaxRows, defaultTimeoutSeconds
	},
	Set: func(c *op.Call, _, after *world.Resource[world.DatastoreQueryTool]) error {
		return kinds.RequireProjectAndName(c, after.Attributes.ProjectID, after.Attributes.Name)
	},
})

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
