package rights

import (
	"slices"
	"strings"
)

// On is the need of a right on a database.
func On(database string, r Right) Need {
	return Need{
		allows: func(s *State, c int) bool { d := s.Database(database); return d == nil || s.may(c, d, r) },
		loosen: func(s *State, c int) []Repair { return append(s.open(c, database, r), toAdministrator(s, c)...) },
		tighten: func(s *State, c int) []Repair {
			return slices.Concat(toRestricted(s, c), s.shut(c, database, r), s.beRestricted(c, database))
		},
	}
}

// operationsFor lists the operations of permissions that grant a right and little else.
func operationsFor(r Right, isOwn bool) []string {
	switch {
	case isOwn && r != Import:
		return []string{"owner_manage", string(r)}
	case r == Delete:
		return []string{"manage"}
	case r == Sees:
		return []string{"query", "import"}
	}
	return []string{string(r)}
}

// open returns repairs that give the user behind a caller a right on a database.
func (s *State) open(c int, database string, r Right) (repairs []Repair) {
	u, d := s.caller(c), s.Database(database)
	if u == nil || d == nil {
		return nil
	}
	for _, operation := range operationsFor(r, d.Owner == u.Key) {
		name := database
		if rightsOf[operation] == nil {
			continue
		}
		if strings.HasSuffix(operation, "manage") {
			name = ""
		}
		repairs = append(repairs, s.grant(c, operation, name)...)
	}
	return append(repairs, s.number(u, d, r)...)
}

// number returns repairs that give a database without an id one that permissions name which grant a right: those of the
// user, or of a policy that the user gets.
func (s *State) number(u *User, d *Database, r Right) (repairs []Repair) {
	if d.ID != "" {
		return nil
	}
	name, key := d.Name, u.Key
	fits := func(entry map[string]string) bool {
		return slices.ContainsFunc(rightsOf[entry["operation"]], func(o Right) bool {
			return o == r || r == Sees && (o == Query || o == Import)
		})
	}
	for i := range s.Policies {
		policy := s.Policies[i].ID
		for _, entry := range s.Policies[i].Permissions[Databases] {
			for id := range strings.SplitSeq(entry["ids"], ",") {
				if id = strings.TrimSpace(id); id == "" || !fits(entry) || s.databaseWithID(id) != nil {
					continue
				}
				repairs = append(repairs, func(b *State) {
					if row := b.Database(name); row != nil {
						row.ID = id
						b.User(key).Policies = union(b.User(key).Policies, []string{policy})
					}
				})
			}
		}
	}
	return repairs
}

// beRestricted returns repairs that make a caller another user, one who has policies and so does not administer, and
// perhaps give a database an id that permissions of that user name.
func (s *State) beRestricted(c int, database string) (repairs []Repair) {
	now, d := s.caller(c), s.Database(database)
	if now == nil || d == nil || s.Callers[c].Fixed {
		return nil
	}
	from := now.Key
	for i := range s.Users {
		u := &s.Users[i]
		if u.Gone || u.Key == from || len(u.Policies) == 0 || u.RoleShown && u.Role != Restricted {
			continue
		}
		to := u.Key
		other := func(b *State) {
			b.Callers[c].User = to
			b.dropUnused(from)
			if u := b.User(to); u != nil {
				u.Role = Restricted
			}
		}
		repairs = append(repairs, other)
		for _, number := range s.number(u, d, Sees) {
			repairs = append(repairs, func(b *State) { other(b); number(b) })
		}
	}
	return repairs
}

func (s *State) databaseWithID(id string) *Database {
	return find(s.Databases, func(d *Database) bool { return d.ID == id })
}

// shut returns repairs that take a right on a database from the user behind a caller.
func (s *State) shut(c int, database string, r Right) []Repair {
	d := s.Database(database)
	return s.revoke(c, func(u *User, entry map[string]string) bool {
		switch {
		case d == nil:
			return false
		case r == Sees:
			return grants(entry, u, d, Query) || grants(entry, u, d, Import)
		}
		return grants(entry, u, d, r)
	})
}

// HiddenDatabases returns the claim that a caller sees none but some databases.
func HiddenDatabases(n, caller int, shown []string) Claim {
	isHidden := func(s *State, d *Database) bool {
		return slices.Contains(shown, d.Name) || !s.may(caller, d, Sees)
	}
	return Claim{
		N: n, Level: Allowed,
		Holds: func(s *State) bool {
			return !slices.ContainsFunc(s.Databases, func(d Database) bool { return !isHidden(s, &d) })
		},
		Repairs: func(s *State) []Repair {
			repairs := append(toRestricted(s, caller), s.reassign(caller)...)
			for i := range s.Databases {
				if d := &s.Databases[i]; !isHidden(s, d) {
					repairs = append(repairs, s.shut(caller, d.Name, Sees)...)
				}
			}
			return repairs
		},
	}
}

// Creates is the need of one who makes databases.
var Creates = Need{
	allows: func(s *State, c int) bool { return s.mayCreate(c) },
	loosen: func(s *State, c int) []Repair {
		return append(s.grant(c, "owner_manage", ""), toAdministrator(s, c)...)
	},
	tighten: func(s *State, c int) []Repair {
		return append(toRestricted(s, c), s.revoke(c, func(_ *User, entry map[string]string) bool {
			return entry["operation"] == "manage" || entry["operation"] == "owner_manage"
		})...)
	},
}
