// Package knowledge holds the knowledge bases that agents query, over a database or a text, with their indexing and
// their queries.
package knowledge

import (
	"errors"
	"fmt"
	"strings"
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
