package rule

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/specs"
)

// kind is a kind of things that requests make, use and remove.
type kind struct {
	noun string
	path []string         // the path parameters that name one of them
	in   *kind            // what they are parts of, and gone with
	rule string           // that watches over their removal
	sure specs.Provenance // of it that what was removed is gone
	once bool             // to remove one a second time is refused
	name bool             // it is named by a name, which each account may give to one of its own

	enveloped bool // its answers are held against their addresses without a rule

	takes specs.Provenance // of it that what belongs to one is gone with it; empty when it is not
}

var (
	pools     = &kind{noun: "pool", path: []string{"poolId"}, rule: UseAfterDelete, sure: specs.Public}
	poolRules = &kind{noun: "pool rule", path: []string{"poolRuleId"}, rule: UseAfterDelete, sure: specs.Public}
	projects  = &kind{
		noun: "project", path: []string{"id"}, rule: UseAfterDelete, sure: specs.Client, takes: specs.Client,
	}
	plans     = &kind{noun: "schedule of a workflow", path: []string{"id"}} // other schedules than those of queries
	secrets   = &kind{noun: "secret", path: []string{"id", "key"}, in: projects, rule: UseAfterDelete, sure: specs.Client}
	sessions  = &kind{noun: "session", path: []string{"id"}}
	attempts  = &kind{noun: "attempt", path: []string{"id"}}
	workflows = &kind{noun: "workflow", path: []string{"id"}}
	databases = &kind{noun: "database", path: []string{"database_name"}, rule: UseAfterDelete, sure: specs.Documented, name: true}
	tables    = &kind{
		noun: "table", path: []string{"database_name", "table_name"}, in: databases,
		rule: UseAfterDelete, sure: specs.Documented, name: true,
	}
	connections = &kind{
		noun: "connection", path: []string{"connection_name"},
		rule: UseAfterDelete, sure: specs.Documented, name: true,
	}
	policies     = &kind{noun: "policy", path: []string{"policy_id"}, rule: UseAfterDelete, sure: specs.Documented}
	policyGroups = &kind{
		noun: "policy group", path: []string{"policy_group_id_or_taggable_name"},
		rule: UseAfterDelete, sure: specs.Documented, name: true,
	}
	schedules = &kind{noun: "schedule", path: []string{"schedule_name"}, rule: UseAfterDelete, sure: specs.Documented, name: true}
	tokens    = &kind{
		noun: "token", path: []string{"oauth_token_id"},
		rule: TokenRevocation, sure: specs.Documented, once: true,
	}
	subUsers = &kind{
		noun: "sub user", path: []string{"sub_user_id"},
		rule: SubUserRemoval, sure: specs.Documented, once: true,
	}
	warehouses = &kind{
		noun: "integration", path: []string{"dwh_id"},
		rule: DWHDeletion, sure: specs.Documented, takes: specs.Documented,
	}
)

// resource is a kind of the LLM interface, all of which have the same operations.
func resource(noun string, takes specs.Provenance) *kind {
	return &kind{noun: noun, path: []string{"id"}, rule: UseAfterDelete, sure: specs.Public, takes: takes, enveloped: true}
}

// resources are the kinds of the LLM interface that can be deleted, by their types.
var resources = map[string]*kind{
	"agents":                    resource("agent", specs.Assumed), // which is a target of tools, too
	"agentSchedules":            resource("agent schedule", ""),
	"chatAttachments":           resource("chat attachment", ""),
	"chatInterfaces":            resource("chat interface", ""),
	"datastoreQueryTools":       resource("datastore query tool", specs.Assumed),
	"formInterfaces":            resource("form interface", ""),
	"imageGenerators":           resource("image generator", specs.Assumed),
	"integrations":              resource("integration", specs.Assumed),
	"knowledgeBases":            resource("knowledge base", specs.Assumed),
	"presentationArtifactTools": resource("presentation artifact tool", specs.Assumed),
	"projects":                  resource("project", specs.Assumed),
	"prompts":                   resource("prompt", ""),
	"textKnowledgeBases":        resource("text knowledge base", specs.Assumed),
	"textResources":             resource("text resource", ""),
	"webSearchTools":            resource("web search tool", specs.Assumed),
}

// Kinds of the LLM interface that come and go with others.
var (
	actions           = &kind{noun: "action", path: []string{"id"}}
	toolTargets       = &kind{noun: "tool target", path: []string{"id"}}
	workflowExecutors = &kind{noun: "workflow executor", path: []string{"id"}}
)

// kinds lists all kinds, always in the same order.
var kinds = sync.OnceValue(func() []*kind {
	list := []*kind{
		pools, poolRules, projects, plans, secrets, sessions, attempts, workflows, databases, tables, connections, policies,
		policyGroups, schedules, tokens, subUsers, warehouses, actions, toolTargets, workflowExecutors,
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		list = append(list, resources[name])
	}
	return list
})

// thing is one of a kind. Its id is what names it in paths, part by part.
type thing struct {
	kind *kind
	id   string
}

func (t thing) isNone() bool { return t.kind == nil }

// named is the one of its kind that a path names, or none.
func (k *kind) named(m *specs.Match) thing {
	if k == nil {
		return thing{}
	}
	parts := make([]string, len(k.path))
	for i, name := range k.path {
		if parts[i] = m.Param(name); parts[i] == "" {
			return thing{}
		}
	}
	return thing{k, strings.Join(parts, "/")}
}

// verb is what an operation does with what its path names, when it succeeds.
type verb int

const (
	nothing verb = iota // it tells nothing of whether it is there
	reads
	changes
	makes
	removes
	lists // the answer lists all there are
)

func (v verb) writes() bool { return v == makes || v == changes || v == removes }

// mayStir lists kinds of things of which an exchange may have made one that it does not name.
func (e *Event) mayStir() []*kind {
	if e.Issued != nil && e.Issued.Reads {
		return nil
	}
	return e.stirs
}

// mayMake reports whether an exchange may have made a thing, or let it be there again.
func (e *Event) mayMake(t thing) bool {
	for _, f := range e.Shows {
		if e.does != lists && e.does != reads && f.Thing == t {
			return true
		}
	}
	if e.Ingested != nil && (e.Named == t || e.Within == t) { // some installations make the table of an event
		return true
	}
	return slices.Contains(e.mayStir(), t.kind) || e.does == makes && (e.Named == t || e.Named.isNone() && e.of == t.kind)
}
