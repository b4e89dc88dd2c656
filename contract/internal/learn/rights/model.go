// Package rights finds out who may do what on a recorded account. It replays what the recording shows of users,
// policies and refusals on a model of the platform's permissions, and searches for users and policies with which the
// model allows what was allowed, refuses what was refused, and shows what was shown.
package rights

import (
	"maps"
	"slices"
	"strings"
)

// Role is the role of a user. An unknown one has the rights of an administrator.
type Role string

// The roles.
const (
	Owner         Role = "owner"
	Administrator Role = "administrator"
	Restricted    Role = "restricted"
	SubUser       Role = "sub_user"
)

// Administers reports whether a role may do everything.
func (r Role) Administers() bool { return r != Restricted && r != SubUser }

// Permissions holds what is granted, in the wire form: by kind of resource, entries with an operation and more texts.
// An entry that no answer shows names its database in the member database, and has no ids.
type Permissions map[string][]map[string]string

// Databases is the kind of resource whose permissions are rights on databases.
const Databases = "Databases"

// User is a user of the account. It is known by its key, also as long as it has no id.
type User struct {
	Key         int
	ID, Email   string
	Name        string
	Role        Role
	RoleShown   bool // by an answer
	Delegated   bool
	IsServed    bool     // it was given policies or tags, which an administrator does not need
	Parent      int      // a key, or 0
	Policies    []string // ids
	Groups      []string // tags of the policy groups that it carries
	Manages     []string // tags of the policy groups that it manages
	Permissions Permissions
	Into        int  // the key of the user that it turned out to be, or 0
	Gone        bool // before the recording began, after it, or into another one
}

// Policy is a set of permissions. A known one is shown by an answer.
type Policy struct {
	ID          string
	Permissions Permissions
	Known       bool
	MadeUp      bool // since nothing that is shown explains what was allowed
}

// Group is a policy group.
type Group struct {
	ID, Tag  string
	Policies []string
	Known    bool // its policies are shown
}

// Database is a database with its id, as far as it is known, and the key of the user who made it.
type Database struct {
	Name, ID string
	Owner    int
}

// Token is an OAuth token with the id of its user.
type Token struct{ ID, User, Client string }

// Caller is who sends requests with one API key.
type Caller struct {
	User    int  // a key
	Fixed   bool // an answer says who it is
	Absent  bool // it sends nothing, but must have rights
	Refused bool // it was refused what administrators may, so that it is none
}

// State is an account at one time.
type State struct {
	Users     []User
	Policies  []Policy
	Groups    []Group
	Databases []Database
	Tokens    []Token
	Callers   []Caller
}

// Clone returns a copy that shares no list with the state.
func (s *State) Clone() *State {
	c := &State{
		slices.Clone(s.Users), slices.Clone(s.Policies), slices.Clone(s.Groups), slices.Clone(s.Databases),
		slices.Clone(s.Tokens), slices.Clone(s.Callers),
	}
	for i := range c.Users {
		u := &c.Users[i]
		u.Policies, u.Groups, u.Manages = slices.Clone(u.Policies), slices.Clone(u.Groups), slices.Clone(u.Manages)
		u.Permissions = maps.Clone(u.Permissions)
	}
	for i := range c.Policies {
		c.Policies[i].Permissions = maps.Clone(c.Policies[i].Permissions)
	}
	for i := range c.Groups {
		c.Groups[i].Policies = slices.Clone(c.Groups[i].Policies)
	}
	return c
}

// find returns the first item that fits, or nil.
func find[T any](list []T, fits func(*T) bool) *T {
	for i := range list {
		if fits(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// User returns the user with a key, or nil.
func (s *State) User(key int) *User {
	if key > 0 && key <= len(s.Users) && s.Users[key-1].Key == key {
		return &s.Users[key-1]
	}
	return find(s.Users, func(u *User) bool { return u.Key == key })
}

// Named returns the user with an id, an e-mail address or a name, or nil.
func (s *State) Named(ref string) *User {
	return find(s.Users, func(u *User) bool {
		return ref != "" && !u.Gone && (u.ID == ref || u.Email == ref || u.Name == ref)
	})
}

// Policy returns the policy with an id, or nil.
func (s *State) Policy(id string) *Policy {
	return find(s.Policies, func(p *Policy) bool { return p.ID == id })
}

// Group returns the policy group with an id or a tag, or nil.
func (s *State) Group(ref string) *Group {
	return find(s.Groups, func(g *Group) bool { return ref != "" && (g.ID == ref || g.Tag == ref) })
}

// Database returns the database of a name, or nil.
func (s *State) Database(name string) *Database {
	return find(s.Databases, func(d *Database) bool { return d.Name == name })
}

// caller returns the user behind a caller, or nil.
func (s *State) caller(c int) *User {
	if c < 0 || c >= len(s.Callers) {
		return nil
	}
	return s.User(s.Callers[c].User)
}

// entries lists what is granted to a user on a kind of resource, by its policies and directly.
func (s *State) entries(u *User, kind string) (list []map[string]string) {
	for _, id := range u.Policies {
		if p := s.Policy(id); p != nil {
			list = append(list, p.Permissions[kind]...)
		}
	}
	return append(list, u.Permissions[kind]...)
}

// granted returns all that is granted to a user, without duplicates.
func (s *State) granted(u *User) Permissions {
	all := Permissions{}
	add := func(permissions Permissions) {
		for kind, entries := range permissions {
			for _, entry := range entries {
				if !slices.ContainsFunc(all[kind], func(o map[string]string) bool { return maps.Equal(entry, o) }) {
					all[kind] = append(all[kind], entry)
				}
			}
		}
	}
	for _, id := range u.Policies {
		if p := s.Policy(id); p != nil {
			add(p.Permissions)
		}
	}
	add(u.Permissions)
	return all
}

// names reports whether an entry names a database, by its id or its name.
func names(entry map[string]string, d *Database) bool {
	if entry["database"] == d.Name {
		return true
	}
	for id := range strings.SplitSeq(entry["ids"], ",") {
		if id = strings.TrimSpace(id); id != "" && id == d.ID {
			return true
		}
	}
	return false
}
