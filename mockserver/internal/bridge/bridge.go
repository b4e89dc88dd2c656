// Package bridge holds everything that one interface of the platform may ask of another. The packages of the interfaces
// do not import each other; rules that span interfaces go through here:
//
//	ingestion → core      the table that an event goes into
//	audience  → core      connections, users, tables of profiles; a query for a segment is a job
//	dwh       → core      the target database and its tables
//	dwh       → workflow  the project of an integration, its runs
//	llm       → core      the database of a knowledge base, and what a query over it finds
//	llm       → workflow  the project that runs an agent schedule
//
// Users and their keys belong to the account, which all interfaces share: a deleted key is invalid in all of them.
package bridge

import (
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/world"
)

// User returns a user of the account that was not removed.
func User(w *world.State, id int64) (world.User, bool) { return w.Account.LiveUser(id) }

// Granted reports whether a user is granted anything on a kind of resource, such as LlmProject, by its policies or
// directly.
func Granted(w *world.State, user world.User, kind string) bool { return access.Granted(w, user, kind) }

// Connection returns a connection of the core data interface.
func Connection(w *world.State, id int64) (world.Connection, bool) { return w.Core.Connections.Get(id) }
