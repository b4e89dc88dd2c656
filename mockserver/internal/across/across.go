// Package across is what one interface of the platform may ask of another, all of it, and nothing more. The packages of
// the interfaces do not know each other; what is true across them is true because it goes through here:
//
//	ingestion → core      the table that an event goes into
//	audience  → core      connections, users, tables of profiles; a query for a segment is a job
//	dwh       → core      the target database and its tables
//	dwh       → workflow  the project of an integration, its runs
//	llm       → core      the database of a knowledge base, and what a query over it finds
//	llm       → workflow  the project that runs an agent schedule
//
// Users and their keys are the account's, which all interfaces look at: a key that is gone is gone everywhere.
package across

import (
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/world"
)

// User is a user of the account who was not removed.
func User(w *world.World, id int64) (world.User, bool) { return w.Account.LiveUser(id) }

// Granted reports whether anything of a kind of resources, such as LlmProject, is granted to a user: by its policies,
// or straight to it.
func Granted(w *world.World, user world.User, kind string) bool { return access.Granted(w, user, kind) }

// Connection is a connection of the core data interface.
func Connection(w *world.World, id int64) (world.Connection, bool) { return w.Core.Connections.Get(id) }
