package rights

import "slices"

// Right is something that a user may do with a database.
type Right string

// The rights. A caller sees a database with either of query and import.
const (
	Query    Right = "query"
	Edit     Right = "edit"
	Import   Right = "import"
	Download Right = "download"
	Delete   Right = "delete"
	Sees     Right = "see"
)

// rightsOf lists what the operations of the permissions on databases include.
var rightsOf = map[string][]Right{
	"manage":       {Query, Edit, Import, Download, Delete},
	"owner_manage": {Query, Edit, Import, Download, Delete},
	"edit":         {Query, Edit, Import},
	"query":        {Query},
	"import":       {Import},
	"download":     {Download},
}

// may reports whether a caller has a right on a database.
func (s *State) may(caller int, d *Database, r Right) bool {
	u := s.caller(caller)
	switch {
	case u == nil:
		return false
	case u.Role.Administers():
		return true
	case r == Sees:
		return s.may(caller, d, Query) || s.may(caller, d, Import)
	case r == Download && !s.may(caller, d, Query):
		return false
	}
	return slices.ContainsFunc(s.entries(u, Databases), func(entry map[string]string) bool {
		return grants(entry, u, d, r)
	})
}

func grants(entry map[string]string, u *User, d *Database, r Right) bool {
	operation := entry["operation"]
	if !slices.Contains(rightsOf[operation], r) {
		return false
	}
	switch operation {
	case "manage":
		return true
	case "owner_manage":
		return d.Owner == u.Key
	case "download":
		return entry["ids"] == "" && entry["database"] == "" || names(entry, d)
	}
	return names(entry, d)
}

// mayCreate reports whether a caller may make databases.
func (s *State) mayCreate(caller int) bool {
	u := s.caller(caller)
	if u == nil {
		return false
	}
	return u.Role.Administers() || slices.ContainsFunc(s.entries(u, Databases), func(entry map[string]string) bool {
		return entry["operation"] == "manage" || entry["operation"] == "owner_manage"
	})
}

// mayApply reports whether a caller may attach a policy to a user, or detach it: administrators always, and a delegated
// admin if it manages a group that has the policy and whose tag the user carries.
func (s *State) mayApply(caller int, u *User, policy string) bool {
	c := s.caller(caller)
	switch {
	case c == nil:
		return false
	case c.Role.Administers():
		return true
	}
	return c.Delegated && slices.ContainsFunc(c.Manages, func(tag string) bool {
		g := s.Group(tag)
		return g != nil && slices.Contains(u.Groups, tag) && slices.Contains(g.Policies, policy)
	})
}

// mayTag reports whether a caller may put the tag of a group on exactly the users with the given ids.
func (s *State) mayTag(caller int, tag string, ids []string) bool {
	c := s.caller(caller)
	switch {
	case c == nil:
		return false
	case c.Role.Administers():
		return true
	}
	return c.Delegated && slices.Contains(c.Manages, tag) && slices.Contains(c.Groups, tag) == slices.Contains(ids, c.ID)
}
