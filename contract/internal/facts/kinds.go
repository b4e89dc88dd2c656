package facts

import (
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Kind is the name of a resource of the documents, with its interface. The zero value stands for none.
type Kind string

// The kinds that rules know by name.
const (
	Pools        Kind = "workflow.pool"
	PoolRules    Kind = "workflow.pool-rule"
	Projects     Kind = "workflow.project"
	secrets      Kind = "workflow.secret"
	Sessions     Kind = "workflow.session"
	attempts     Kind = "workflow.attempt"
	tasks        Kind = "workflow.task"
	Databases    Kind = "core.database"
	Tables       Kind = "core.table"
	Connections  Kind = "core.connection"
	Policies     Kind = "core.policy"
	policyGroups Kind = "core.policy-group"
	Schedules    Kind = "core.schedule"
	jobs         Kind = "core.job"
	Tokens       Kind = "core.oauth-token"
	SubUsers     Kind = "core.sub-user"
	Warehouses   Kind = "dwh.integration"

	SegmentQueries Kind = "audience.segment-query"
)

// Interface returns the interface whose document describes the kind.
func (k Kind) Interface() specs.Interface {
	name, _, _ := strings.Cut(string(k), ".")
	return specs.Interface(name)
}

// IsOnce reports whether to remove one a second time is refused.
func (k Kind) IsOnce() bool { return k == Tokens || k == SubUsers }

// Catalogue holds what the documents say of kinds.
type Catalogue map[Kind]*specs.Resource

// NewCatalogue returns the kinds that the documents describe.
func NewCatalogue(documents []*specs.Document) Catalogue {
	c := Catalogue{}
	for _, d := range documents {
		for _, r := range d.Resources() {
			c[Kind(r.Name)] = r
		}
	}
	return c
}

// Of returns the description of a kind, which is bare for a kind that no document describes.
func (c Catalogue) Of(k Kind) *specs.Resource {
	if r := c[k]; r != nil {
		return r
	}
	_, title, _ := strings.Cut(string(k), ".")
	return &specs.Resource{Name: string(k), Title: strings.ReplaceAll(title, "-", " ")}
}

// Noun returns the noun of a kind for messages.
func (c Catalogue) Noun(k Kind) string { return c.Of(k).Title }

// Text names an entity: pool 17.
func (c Catalogue) Text(t Entity) string { return c.Noun(t.Kind) + " " + t.ID }

// Entity is one of a kind. Its id is what names it in paths, part by part.
type Entity struct {
	Kind Kind
	ID   string
}

// IsNone reports whether t is the zero value, which stands for the absence of an entity.
func (t Entity) IsNone() bool { return t.Kind == "" }

// Verb is the effect of a successful operation on what its path names.
type Verb int

// The effects of operations.
const (
	NoVerb Verb = iota // it shows nothing of whether it is there
	Reads
	Changes
	Creates
	Deletes
	Lists // the answer lists all there are
)

func verbOf(a *specs.Action) Verb {
	switch {
	case a.Verb == specs.List:
		return Lists
	case a.Verb == specs.Create:
		return Creates
	case a.Verb == specs.Delete:
		return Deletes
	case a.Changes:
		return Changes
	case a.Reads:
		return Reads
	}
	return NoVerb
}

// Writes reports whether the operation creates, changes or deletes.
func (v Verb) Writes() bool { return v == Creates || v == Changes || v == Deletes }

// MayMake reports whether an exchange may have made an entity, or let it be there again.
func (e *Exchange) MayMake(t Entity) bool {
	if e.Ingested != nil && (e.Target == t || e.Parent == t) { // some installations make the table of an event
		return true
	}
	return slices.Contains(e.MayCreate, t.Kind) || e.Verb == Creates &&
		(e.Target == t || e.Target.IsNone() && e.Kind == t.Kind) ||
		slices.ContainsFunc(e.Shows, func(f Shown) bool { return f.Entity == t && f.Does != Lists && f.Does != Reads }) ||
		slices.ContainsFunc(e.Uses, func(u Use) bool { return u.Entity == t && u.Does.Writes() })
}

// RenamedTo returns the entity as which one is known that an exchange gave another name or place, or no entity.
func (e *Exchange) RenamedTo(c Catalogue) Entity {
	if e.Verb != Changes || len(e.Shows) != 1 || len(e.Uses) > 0 || e.Target.IsNone() {
		return Entity{}
	}
	t, r := e.Shows[0].Entity, c.Of(e.Kind)
	if t.Kind != e.Kind || t == e.Target || !r.IsNamed() || !slices.Equal(r.Keys[0], r.NamedAt) {
		return Entity{}
	}
	return t
}

// IsOpen reports whether entities of a kind are made, changed and deleted by requests alone, so that what happens to
// one without a request shows that the recording lacks it.
func (k Kind) IsOpen() bool {
	return slices.Contains([]Kind{
		Pools, PoolRules, Databases, Tables, Connections, Schedules, secrets, Policies, policyGroups,
	}, k)
}

// Stays reports whether entities of a kind are there, once they are made, until a request deletes them.
func (k Kind) Stays() bool {
	return k.IsOpen() || k == Warehouses || k == Projects || k.Interface() == specs.LLM
}
