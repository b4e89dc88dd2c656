package rule

import (
	"cmp"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// kind is the name of a resource of the documents, with its interface. The zero value stands for none.
type kind string

// The kinds that rules know by name.
const (
	pools        kind = "workflow.pool"
	poolRules    kind = "workflow.pool-rule"
	projects     kind = "workflow.project"
	secrets      kind = "workflow.secret"
	sessions     kind = "workflow.session"
	attempts     kind = "workflow.attempt"
	tasks        kind = "workflow.task"
	databases    kind = "core.database"
	tables       kind = "core.table"
	connections  kind = "core.connection"
	policies     kind = "core.policy"
	policyGroups kind = "core.policy-group"
	schedules    kind = "core.schedule"
	jobs         kind = "core.job"
	tokens       kind = "core.oauth-token"
	subUsers     kind = "core.sub-user"
	warehouses   kind = "dwh.integration"
)

// removalRules are the rules that watch over the removal of things of a kind, where that is not UseAfterDelete.
var removalRules = map[kind]string{tokens: TokenRevocation, subUsers: SubUserRemoval, warehouses: DWHDeletion}

// rule returns the rule that watches over the removal of things of a kind.
func (k kind) rule() string { return cmp.Or(removalRules[k], UseAfterDelete) }

// isOnce reports whether to remove one a second time is refused.
func (k kind) isOnce() bool { return k == tokens || k == subUsers }

// catalogue holds what the documents say of kinds.
type catalogue map[kind]*specs.Resource

func newCatalogue(documents []*specs.Document) catalogue {
	c := catalogue{}
	for _, d := range documents {
		for _, r := range d.Resources() {
			c[kind(r.Name)] = r
		}
	}
	return c
}

// of returns the description of a kind, which is bare for a kind that no document describes.
func (c catalogue) of(k kind) *specs.Resource {
	if r := c[k]; r != nil {
		return r
	}
	_, title, _ := strings.Cut(string(k), ".")
	return &specs.Resource{Name: string(k), Title: strings.ReplaceAll(title, "-", " ")}
}

// noun returns the noun of a kind for messages.
func (c catalogue) noun(k kind) string { return c.of(k).Title }

// text names a thing: pool 17.
func (c catalogue) text(t thing) string { return c.noun(t.kind) + " " + t.id }

func (st *step) text(t thing) string { return st.s.kinds.text(t) }

// thing is one of a kind. Its id is what names it in paths, part by part.
type thing struct {
	kind kind
	id   string
}

func (t thing) isNone() bool { return t.kind == "" }

// verb is the effect of a successful operation on what its path names.
type verb int

const (
	nothing verb = iota // it shows nothing of whether it is there
	reads
	changes
	makes
	removes
	lists // the answer lists all there are
)

func verbOf(a *specs.Action) verb {
	switch {
	case a.Verb == specs.List:
		return lists
	case a.Verb == specs.Create:
		return makes
	case a.Verb == specs.Delete:
		return removes
	case a.Changes:
		return changes
	case a.Reads:
		return reads
	}
	return nothing
}

func (v verb) writes() bool { return v == makes || v == changes || v == removes }

// mayStir lists kinds of things of which an exchange may have made one that it does not name.
func (e *Event) mayStir() []kind {
	if e.Issued != nil && e.Issued.Reads {
		return nil
	}
	return e.stirs
}

// mayMake reports whether an exchange may have made a thing, or let it be there again.
func (e *Event) mayMake(t thing) bool {
	if e.Ingested != nil && (e.Named == t || e.Within == t) { // some installations make the table of an event
		return true
	}
	return slices.Contains(e.mayStir(), t.kind) || e.does == makes && (e.Named == t || e.Named.isNone() && e.of == t.kind) ||
		slices.ContainsFunc(e.Shows, func(f shown) bool { return f.Thing == t && f.Does != lists && f.Does != reads }) ||
		slices.ContainsFunc(e.Uses, func(u use) bool { return u.Thing == t && u.Does.writes() })
}
