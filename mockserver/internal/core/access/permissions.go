package access

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// databaseKind is the kind of resource whose permissions are rights on databases.
const databaseKind = "Databases"

// boundOperations lists, by kind of resource, the operations that must name their resources in a member (public).
var boundOperations = map[string]struct {
	member     string
	operations []string
}{
	databaseKind:      {"ids", []string{"query", "edit", "import"}},
	"Authentications": {"ids", []string{"use_limited"}},
	"LlmProject": {"project_id", []string{
		"edit", "chat", "publish_internal_integration", "publish_external_integration",
	}},
}

// GetPolicyPermissions returns the permissions that a policy grants.
func GetPolicyPermissions(c *op.Call) (op.Reply, error) {
	_, p, err := resource.Find[world.Policy](policies, c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(p.Permissions)
}

// UpdatePolicyPermissions replaces the permissions that a policy grants on the kinds of resources that the body names.
func UpdatePolicyPermissions(c *op.Call) (op.Reply, error) {
	id, p, err := resource.Find[world.Policy](policies, c)
	if err != nil {
		return op.Reply{}, err
	}
	if p.Permissions, err = changedPermissions(c, p.Permissions); err != nil {
		return op.Reply{}, err
	}
	c.World.Account.Policies.Put(id, p)
	return op.OK(p.Permissions)
}

// changedPermissions returns permissions in which the kinds of resources that the body names are replaced and all
// others kept. An empty list removes a kind. Kinds that the document does not list are ignored, as everywhere.
func changedPermissions(c *op.Call, before world.Permissions) (world.Permissions, error) {
	var body map[string]jsontext.Value
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	after := world.Permissions{}
	maps.Copy(after, before)
	kinds := c.Operation.JSONBody().Properties
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if body[kind] == nil {
			continue
		}
		entries, err := grants(kind, body[kind], kinds[kind].Value.Items.Value)
		if err != nil {
			return nil, err
		}
		if after[kind] = entries; len(entries) == 0 {
			delete(after, kind)
		}
	}
	return after, nil
}

// grants returns the entries of one kind of resource. The document lists the operations and the other texts of each
// kind.
func grants(kind string, text jsontext.Value, schema *openapi3.Schema) ([]map[string]string, error) {
	var sent []map[string]any
	if err := json.Unmarshal(text, &sent); err != nil {
		return nil, op.Unprocessable(kind, "want a list of objects")
	}
	entries := make([]map[string]string, len(sent))
	for i, members := range sent {
		if err, ok := errors.AsType[*openapi3.SchemaError](schema.VisitJSON(members)); ok {
			return nil, op.Unprocessable(kind, "%s", err.Reason)
		}
		entries[i] = map[string]string{}
		for name := range schema.Properties {
			if value, ok := members[name].(string); ok {
				entries[i][name] = value
			}
		}
		if err := checkGrant(kind, entries[i]); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// checkGrant requires ids where an operation needs them (public), and requires the ids of databases to be integers
// (assumed).
func checkGrant(kind string, entry map[string]string) error {
	needs := boundOperations[kind]
	if slices.Contains(needs.operations, entry["operation"]) && entry[needs.member] == "" {
		return op.Unprocessable(kind, "the operation %s needs %s", entry["operation"], needs.member)
	}
	if entry["ids"] == "" {
		return nil
	}
	for id := range strings.SplitSeq(entry["ids"], ",") {
		if _, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64); err != nil && kind == databaseKind {
			return op.Unprocessable(kind, "want the ids of databases separated by commas, not %q", entry["ids"])
		}
	}
	return nil
}

type columnPermissionForm struct {
	Tags    []string `json:"tags"`
	Except  *bool    `json:"except"`
	Masking *string  `json:"masking"`
}

func columnPermissionViews(p world.Policy) []columnPermissionForm {
	views := make([]columnPermissionForm, len(p.ColumnPermissions))
	for i, entry := range p.ColumnPermissions {
		views[i] = columnPermissionForm(entry)
	}
	return views
}

// GetColumnPermissions lists the column permissions of a policy.
func GetColumnPermissions(c *op.Call) (op.Reply, error) {
	_, p, err := resource.Find[world.Policy](policies, c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(columnPermissionViews(p))
}

// UpdateColumnPermissions replaces the column permissions of a policy. It takes the list wrapped and answers with it
// bare (public).
func UpdateColumnPermissions(c *op.Call) (op.Reply, error) {
	id, p, err := resource.Find[world.Policy](policies, c)
	if err != nil {
		return op.Reply{}, err
	}
	var body struct {
		ColumnPermissions *[]columnPermissionForm `json:"column_permissions"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.ColumnPermissions == nil {
		return op.Reply{}, op.Unprocessable("column_permissions", "is missing: want the whole list, which may be empty")
	}
	p.ColumnPermissions = nil
	for _, entry := range *body.ColumnPermissions {
		switch {
		case entry.Tags == nil:
			return op.Reply{}, op.Unprocessable("column_permissions", "an entry has no tags")
		case entry.Masking != nil && *entry.Masking != "hash":
			return op.Reply{}, op.Unprocessable("column_permissions", "want the masking hash or none, not %q",
				*entry.Masking)
		}
		p.ColumnPermissions = append(p.ColumnPermissions, world.ColumnPermission(entry))
	}
	c.World.Account.Policies.Put(id, p)
	return op.OK(columnPermissionViews(p))
}

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

// MayImport reports whether a caller may import into a database, for the other interfaces.
func MayImport(w *world.State, caller world.Caller, d world.Database) bool {
	return May(w, caller, d, Import)
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
