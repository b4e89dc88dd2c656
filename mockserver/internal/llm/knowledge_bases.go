package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/across"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

var knowledgeBases = newKind(kindOf[world.KnowledgeBase]{
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
		err := requireUnused(
			dependents{"tools of agents", "referencedByTools", toolsWith(c.World, r.UUID)},
			dependents{"variables of agents", "referencedByVariables", variablesWith(c.World, r.UUID)},
		)
		if err != nil {
			return err
		}
		stopIndexing(c.World, r)
		return nil
	},
})

// The forms of what a knowledge base answers (public).
const (
	legacyJSON = "LEGACY_JSON"
	markdownKV = "MARKDOWN_KV"
)

// checkKnowledgeBase: the database has to be there, and the caller has to have the right to query it (assumed).
func checkKnowledgeBase(c *op.Call, a world.KnowledgeBase) error {
	errs := []error{requireProjectAndName(c, a.ProjectID, a.Name)}
	if err := across.Queryable(c.World, c.Caller.User, a.DatabaseName); err != nil {
		errs = append(errs, unprocessable("svcDatabaseName", invalidFormat, "%v", err))
	}
	if a.FormatType != legacyJSON && a.FormatType != markdownKV { // assumed
		errs = append(errs, unprocessable("formatType", invalidFormat, "want %s or %s, not %q", legacyJSON, markdownKV, a.FormatType))
	}
	return errors.Join(errs...)
}

// checkTables: tables need a name of their own and a query, and the one format that has tables.
func checkTables(a world.KnowledgeBase) error {
	var errs []error
	if len(a.Tables) > 0 && a.FormatType != legacyJSON {
		errs = append(errs, unprocessable("tables", legacyTables, "want none, or the format %s; the format %s has no tables",
			legacyJSON, a.FormatType))
	}
	seen := map[string]bool{}
	for i, t := range a.Tables {
		errs = append(errs, requireText(attributeAt("tables", i, "name"), t.Name), requireText(attributeAt("tables", i, "svcQuery"), t.Query))
		name := strings.ToLower(t.Name) // as SQL takes names
		if seen[name] {
			errs = append(errs, unprocessable(attributeAt("tables", i, "name"), notUnique, "another table is called %s already", t.Name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

// startIndexing begins the indexing anew, as every change does (public).
func startIndexing(w *world.World, before, after *world.Resource[world.KnowledgeBase]) {
	if before != nil {
		stopIndexing(w, *before)
	}
	after.Attributes.LastJob = &world.KnowledgeBaseJob{Status: world.IndexInProgress}
	w.Plan(w.LLM.IndexEnd(*after))
}

func stopIndexing(w *world.World, r world.Resource[world.KnowledgeBase]) {
	if r.Attributes.Indexing() {
		w.Cancel(w.LLM.IndexEnd(r))
		w.End(w.LLM.IndexEnd(r))
	}
}

// endIndexing settles the end of an indexing. Tables are tried as the user who has changed the knowledge base last.
func (q querier) endIndexing(w *world.World, e world.Event) {
	r, ok := w.LLM.KnowledgeBases.Get(e.ID)
	if !ok || !r.Attributes.Indexing() || !w.LLM.IndexEnd(r).At.Equal(e.At) {
		return
	}
	user, _ := w.Account.Users.Get(r.UpdatedBy)
	s := source{querier: q, world: w, caller: world.Caller{User: user}, now: e.At, base: r.Attributes}
	tables, ended, err := s.index(e)
	if !ended {
		return
	}
	job := world.KnowledgeBaseJob{Status: world.IndexSuccess, FinishedAt: new(millis(e.At))}
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

// indexPending lets a client that polls a knowledge base see its indexing end.
func indexPending(c *op.Call) (string, time.Time, bool) {
	_, r, err := resource.Find[world.Resource[world.KnowledgeBase]](knowledgeBases.Resource, c)
	if err != nil || !r.Attributes.Indexing() {
		return "", time.Time{}, false
	}
	return r.Attributes.LastJob.Status, c.World.LLM.IndexEnd(r).At, true
}
