package access

import (
	"iter"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Right is something that a user may do with a database, as in database_permissions.
type Right string

// The rights.
const (
	Query    Right = "query"
	Edit     Right = "edit" // tables and their records
	Import   Right = "import"
	Download Right = "download"
	Delete   Right = "delete" // the database itself
)

// May reports whether a caller has a right on a database. Owners and administrators have all rights, on all databases.
// Other users have the rights that the Databases entries of their policies grant (public), in this way (assumed):
//
//	manage        everything, on all databases
//	owner_manage  everything, on the databases that the user has made; only these two make databases
//	edit          query, edit and import, on the databases that ids names
//	query         query, on those
//	import        import, on those
//	download      download, on those, or on all when there are no ids, as far as the user may query them
//
// A write-only key imports, and nothing else.
func May(w *world.State, caller world.Caller, d world.Database, r Right) bool {
	switch {
	case caller.WriteOnly && r != Import:
		return false
	case caller.Administers():
		return true
	case r == Download && !May(w, caller, d, Query):
		return false
	}
	for entry := range databaseEntries(w, caller.User) {
		if grantsRight(entry, caller.User, d, r) {
			return true
		}
	}
	return false
}

// SeesDatabase reports whether a caller has any right on a database: other databases are hidden from it (assumed).
func SeesDatabase(w *world.State, caller world.Caller, d world.Database) bool {
	return May(w, caller, d, Query) || May(w, caller, d, Import)
}

// MayCreateDatabases reports whether a caller may make databases.
func MayCreateDatabases(w *world.State, caller world.Caller) bool {
	if caller.WriteOnly {
		return false
	}
	for entry := range databaseEntries(w, caller.User) {
		if entry["operation"] == "manage" || entry["operation"] == "owner_manage" {
			return true
		}
	}
	return caller.Administers()
}

func grantsRight(entry map[string]string, user world.User, d world.Database, r Right) bool {
	switch entry["operation"] {
	case "manage":
		return true
	case "owner_manage":
		return d.Owner == user.ID
	case "edit":
		return (r == Query || r == Edit || r == Import) && namesID(entry["ids"], d.ID)
	case "query", "import":
		return entry["operation"] == string(r) && namesID(entry["ids"], d.ID)
	case "download":
		return r == Download && (entry["ids"] == "" || namesID(entry["ids"], d.ID))
	}
	return false
}

// namesID reports whether an id is in a comma-separated list.
func namesID(ids string, id int64) bool {
	for text := range strings.SplitSeq(ids, ",") {
		if strings.TrimSpace(text) == op.IDText(id) {
			return true
		}
	}
	return false
}

// databaseEntries iterates over the Databases entries that are granted to a user, by its policies and directly.
func databaseEntries(w *world.State, user world.User) iter.Seq[map[string]string] {
	return func(yield func(map[string]string) bool) {
		for permissions := range grantsOf(w, user) {
			for _, entry := range permissions["Databases"] {
				if !yield(entry) {
					return
				}
			}
		}
	}
}

// grantsOf iterates over the permissions that a user's policies grant, and then those granted to the user itself. The
// tag of a policy group grants nothing: it decides which delegated admins may attach the group's policies to the user
// (assumed).
func grantsOf(w *world.State, user world.User) iter.Seq[world.Permissions] {
	return func(yield func(world.Permissions) bool) {
		for _, id := range user.Policies {
			if policy, ok := w.Account.Policies.Get(id); ok && !yield(policy.Permissions) {
				return
			}
		}
		yield(user.Permissions)
	}
}

// Granted reports whether a user is granted anything on a kind of resource.
func Granted(w *world.State, user world.User, kind string) bool {
	for permissions := range grantsOf(w, user) {
		if len(permissions[kind]) > 0 {
			return true
		}
	}
	return false
}
