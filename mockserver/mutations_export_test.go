package mockserver

import (
	"fmt"
	"path"
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// mutation breaks one rule of the mock: its handlers are called with something else than they should see, or something
// of what they did is taken back.
type mutation struct {
	operations string // a pattern of path.Match over names such as workflow.deletePool
	route      func(*op.Route)
	prepare    func(*op.Call) error
	undo       func(after, before *world.State) // of a success
	answer     func(*op.Call, *op.Reply) error  // likewise
}

// apply puts the mutation around a route.
func (m mutation) apply(route *op.Route) {
	if m.route != nil {
		m.route(route)
	}
	next := route.Handle
	route.Handle = func(c *op.Call) (op.Reply, error) {
		before := *c.World
		if m.prepare != nil {
			if err := m.prepare(c); err != nil {
				return op.Reply{}, err
			}
		}
		reply, err := next(c)
		if err == nil && m.undo != nil {
			m.undo(c.World, &before)
		}
		if err == nil && m.answer != nil {
			err = m.answer(c, &reply)
		}
		return reply, err
	}
}

// WithMutation breaks a rule of the mock, to prove that the contract suite notices.
func WithMutation(name string) Option {
	return func(c *config) error {
		m, ok := mutations[name]
		if !ok {
			return fmt.Errorf("there is no mutation %q", name)
		}
		c.mutate = func(s *loadedInterface) {
			for id, route := range s.routes {
				if matches, _ := path.Match(m.operations, string(s.Name)+"."+id); matches {
					m.apply(route)
				}
			}
		}
		return nil
	}
}

// mutations are by names that begin with the name of the contract's rule that must notice.
var mutations = map[string]mutation{
	// Any word is taken for the scheme of a key.
	"auth-scheme/word": {operations: "*.list*", route: forAnyone, prepare: readAnyScheme},

	// A pool is deleted while attempts are in it, while a pool rule references it, and though it is the default pool.
	"pool-deletion/attempts": {
		operations: "workflow.deletePool",
		prepare:    on(func(w *world.State) { w.Workflow.Use = world.Use{} }),
		undo:       func(after, before *world.State) { after.Workflow.Use = before.Workflow.Use },
	},
	"pool-deletion/rules": {
		operations: "workflow.deletePool",
		prepare:    on(func(w *world.State) { w.Workflow.PoolRules = table.Table[world.PoolRule]{} }),
		undo:       func(after, before *world.State) { after.Workflow.PoolRules = before.Workflow.PoolRules },
	},
	"pool-deletion/default": {operations: "workflow.deletePool", prepare: on(forgetDefaultPool)},

	// The default pool is updated by hand, and does not have what other pools leave.
	"default-pool/update": {operations: "workflow.updatePool", prepare: on(forgetDefaultPool)},
	"default-pool/absorb": {operations: "workflow.createPool", undo: func(after, before *world.State) {
		pool, _ := before.Workflow.Pools.Get(before.Workflow.DefaultPool)
		after.Workflow.Pools.Put(pool.ID, pool)
	}},

	// Pool rules are tried from the highest priority value down.
	"pool-rule-order/order": {
		operations: "workflow.startAttempt",
		prepare: on(func(w *world.State) {
			rules := slices.Collect(w.Workflow.RulesInOrder())
			for i, r := range rules {
				last := rules[len(rules)-1-i]
				r.Pool, r.Conditions = last.Pool, last.Conditions
				w.Workflow.PoolRules.Put(r.ID, r)
			}
		}),
		undo: func(after, before *world.State) { after.Workflow.PoolRules = before.Workflow.PoolRules },
	},

	// An attempt that succeeded is resumed; nothing is taken over from one that failed; the first of several tasks counts;
	// a repeated start makes a second attempt of the same name.
	"attempt-resume/success": {
		operations: "workflow.startAttempt",
		prepare: on(func(w *world.State) {
			change(&w.Workflow.Attempts, func(a *world.Attempt) { a.Success = false })
		}), undo: restoreAttempts,
	},
	"attempt-resume/copies": {
		operations: "workflow.startAttempt",
		prepare: on(func(w *world.State) {
			change(&w.Workflow.Tasks, func(tasks *[]world.Task) { *tasks = nil })
		}), undo: restoreAttempts,
	},
	"attempt-resume/from": {operations: "workflow.startAttempt", prepare: resumeFromTheFirst},
	"conflict-409": {
		operations: "workflow.startAttempt",
		prepare: on(func(w *world.State) {
			change(&w.Workflow.Attempts, func(a *world.Attempt) { a.RetryName = "another" })
		}), undo: restoreAttempts,
	},

	// A removed token stays in the list, or those of the same user and client do.
	"token-revocation/token": {operations: "core.removeOauthToken", undo: func(after, before *world.State) {
		restore(&after.Account.OAuthTokens, &before.Account.OAuthTokens,
			func(t world.OAuthToken) bool { return t.ID == removedToken })
	}},
	"token-revocation/siblings": {operations: "core.removeOauthToken", undo: func(after, before *world.State) {
		restore(&after.Account.OAuthTokens, &before.Account.OAuthTokens,
			func(t world.OAuthToken) bool { return t.ID != removedToken })
	}},

	// The keys of a removed sub user go on working, it stays in the list, and its tokens stay live.
	"sub-user-removal/keys": {
		operations: "core.removeSubUser",
		undo:       func(after, before *world.State) { after.Account.Keys = before.Account.Keys },
	},
	"sub-user-removal/list": {operations: "core.listSubUsers", prepare: on(func(w *world.State) {
		change(&w.Account.Users, func(u *world.User) { u.DeletedAt = time.Time{} })
	})},
	"sub-user-removal/tokens": {
		operations: "core.removeSubUser",
		undo:       func(after, before *world.State) { after.Account.OAuthTokens = before.Account.OAuthTokens },
	},

	// A deleted table is not among the deleted ones; recovering it does nothing, or not for its deleted database.
	"table-recovery/deleted": {
		operations: "core.listDeletedTables",
		prepare:    on(func(w *world.State) { w.Core.Tables = table.Table[world.Table]{} }),
	},
	"table-recovery/parent": {operations: "core.recoverTable", undo: func(after, before *world.State) {
		after.Core.Databases, after.Core.DatabaseNames = before.Core.Databases, before.Core.DatabaseNames
	}},
	"table-recovery/table": {operations: "core.recoverTable", undo: nothingDone},

	// Anyone may export policies and set profile options, and sub users may list sub users.
	"role/policy-export":   {operations: "core.exportPolicies", prepare: asAdministrator},
	"role/profile-options": {operations: "core.setProfileOption", prepare: asAdministrator},
	"role/sub-users":       {operations: "core.listSubUsers", prepare: asAdministrator},

	// Deletions are answered with success, and do nothing. A domain key may be taken twice.
	"use-after-delete/database":   {operations: "core.deleteDatabase", undo: nothingDone},
	"use-after-delete/table":      {operations: "core.deleteTable", undo: nothingDone},
	"use-after-delete/connection": {operations: "core.deleteConnection", undo: nothingDone},
	"use-after-delete/policy":     {operations: "core.deletePolicy", undo: nothingDone},
	"use-after-delete/api-key":    {operations: "core.removeApiKey", undo: nothingDone},
	"use-after-delete/llm":        {operations: "llm.delete*", undo: nothingDone},
	"use-after-delete/domain-key": {
		operations: "core.issueJob",
		prepare:    on(func(w *world.State) { w.Core.JobKeys = table.Index[string, int64]{} }),
	},

	// What is in a project outlives it, and so do the actions of an integration.
	"use-after-delete/project": {operations: "llm.deleteProject", undo: func(after, before *world.State) {
		projects := after.LLM.Projects
		after.LLM = before.LLM
		after.LLM.Projects = projects
	}},
	"use-after-delete/integration": {
		operations: "llm.deleteIntegration",
		undo:       func(after, before *world.State) { after.LLM.Actions = before.LLM.Actions },
	},

	// A deleted integration stays, or its project does, or its sessions do.
	"dwh-deletion/integration": {
		operations: "dwh.deleteDwhIntegration",
		undo:       func(after, before *world.State) { after.DWH.Integrations = before.DWH.Integrations },
	},
	"dwh-deletion/project": {
		operations: "dwh.deleteDwhIntegration",
		undo:       func(after, before *world.State) { after.Workflow = before.Workflow },
	},
	"dwh-deletion/sessions": {
		operations: "dwh.deleteDwhIntegration",
		undo:       func(after, before *world.State) { after.DWH.Sessions = before.DWH.Sessions },
	},

	// The tables of an integration need not be there, or are made.
	"dwh-target/missing": {
		operations: "dwh.createDwhIntegration", prepare: makeTargets,
		undo: func(after, before *world.State) { after.Core = before.Core },
	},
	"dwh-target/creates": {operations: "dwh.createDwhIntegration", prepare: makeTargets},

	// An event that is too large, or without a key, is accepted; one with a wrong key is refused at once.
	"ingestion-size/refusal": {operations: "ingestion.*", route: func(r *op.Route) { r.MaxBody = 0 }},
	"ingestion-auth/none": {operations: "ingestion.*", prepare: func(c *op.Call) error {
		c.Key = "none"
		return nil
	}},
	"ingestion-auth/wrong": {operations: "ingestion.*", prepare: func(c *op.Call) error {
		if c.Key != "" && c.Caller.User.ID == 0 {
			return op.Forbidden("the API key is not valid")
		}
		return nil
	}},

	// Every page has a next one.
	"schema/links": {operations: "llm.list*", answer: linkToNext},
}

// Mutations returns the names that WithMutation takes.
func Mutations() (names []string) {
	for name := range mutations {
		names = append(names, name)
	}
	return names
}

// MutatedOperations returns the pattern of the operations that a mutation breaks.
func MutatedOperations(name string) string { return mutations[name].operations }
