package rights

import "slices"

// Attach gives a user a policy.
func Attach(user, policy string) func(*State) {
	return func(s *State) {
		if u := s.Named(user); u != nil {
			u.Policies = union(u.Policies, []string{policy})
		}
	}
}

// Detach takes a policy from a user.
func Detach(user, policy string) func(*State) {
	return func(s *State) {
		if u := s.Named(user); u != nil {
			u.Policies = without(u.Policies, policy)
		}
	}
}

// SetUserPolicies replaces the policies of a user.
func SetUserPolicies(user string, ids []string) func(*State) {
	return func(s *State) {
		if u := s.Named(user); u != nil {
			u.Policies = ids
		}
	}
}

// setMembers puts a text into a set of exactly the users with the given ids.
func setMembers(text string, of func(int) set, ids []string) func(*State) {
	return func(s *State) {
		for i := range s.Users {
			u := &s.Users[i]
			list := of(u.Key)(s)
			switch wanted := slices.Contains(ids, u.ID); {
			case u.Gone:
			case wanted:
				*list = union(*list, []string{text})
			default:
				*list = without(*list, text)
			}
		}
	}
}

// SetPolicyUsers replaces the users of a policy.
func SetPolicyUsers(policy string, ids []string) func(*State) {
	return setMembers(policy, policiesOf, ids)
}

// SetTagged replaces the users who carry the tag of a group.
func SetTagged(tag string, ids []string) func(*State) { return setMembers(tag, groupsOf, ids) }

// SetManaging replaces the delegated admins who manage a group.
func SetManaging(tag string, ids []string) func(*State) { return setMembers(tag, managedBy, ids) }

// SetGroupPolicies replaces the policies of a group.
func SetGroupPolicies(group string, ids []string) func(*State) {
	return func(s *State) {
		if g := s.Group(group); g != nil {
			g.Policies = ids
		}
	}
}

// SetPolicyPermissions replaces the permissions of a policy on some kinds of resources.
func SetPolicyPermissions(policy string, kinds []string, now Permissions) func(*State) {
	return func(s *State) {
		if p := s.Policy(policy); p != nil {
			p.Permissions = p.Permissions.replaced(kinds, now)
		}
	}
}

// SetOwnPermissions replaces what is granted to a user itself on some kinds of resources.
func SetOwnPermissions(user string, kinds []string, now Permissions) func(*State) {
	return func(s *State) {
		if u := s.Named(user); u != nil {
			u.Permissions = u.Permissions.replaced(kinds, now)
		}
	}
}

func (p Permissions) replaced(kinds []string, now Permissions) Permissions {
	all := p.minus(nil)
	for _, kind := range kinds {
		delete(all, kind)
		if len(now[kind]) > 0 {
			all[kind] = now[kind]
		}
	}
	return all
}

// AddPolicy makes a policy that grants nothing.
func AddPolicy(id string) func(*State) {
	return func(s *State) {
		if s.Policy(id) == nil {
			s.Policies = append(s.Policies, Policy{ID: id, Known: true})
		}
	}
}

// RemovePolicy removes a policy, also from users and groups.
func RemovePolicy(id string) func(*State) {
	return func(s *State) {
		s.Policies = slices.DeleteFunc(s.Policies, func(p Policy) bool { return p.ID == id })
		for i := range s.Users {
			s.Users[i].Policies = without(s.Users[i].Policies, id)
		}
		for i := range s.Groups {
			s.Groups[i].Policies = without(s.Groups[i].Policies, id)
		}
	}
}

// AddGroup makes a policy group without policies.
func AddGroup(id, tag string) func(*State) {
	return func(s *State) {
		if s.Group(tag) == nil {
			s.Groups = append(s.Groups, Group{ID: id, Tag: tag, Known: true})
		}
	}
}

// RemoveGroup removes a policy group, and its tag from users.
func RemoveGroup(ref string) func(*State) {
	return func(s *State) {
		g := s.Group(ref)
		if g == nil {
			return
		}
		tag := g.Tag
		s.Groups = slices.DeleteFunc(s.Groups, func(g Group) bool { return g.Tag == tag })
		for i := range s.Users {
			u := &s.Users[i]
			u.Groups, u.Manages = without(u.Groups, tag), without(u.Manages, tag)
		}
	}
}

// SetDelegated makes a user a delegated admin, or a plain user again, who manages no group.
func SetDelegated(user string, is bool) func(*State) {
	return func(s *State) {
		if u := s.Named(user); u != nil {
			if u.Delegated = is; !is {
				u.Manages = nil
			}
		}
	}
}

// AddUser makes a restricted user. One of that id who is not there at the beginning is there from then on.
func AddUser(id, email string) func(*State) {
	return func(s *State) {
		if u := find(s.Users, func(u *User) bool { return u.ID == id && u.Gone }); u != nil {
			u.Gone, u.Role, u.Email = false, Restricted, email
			return
		}
		s.Users = append(s.Users, User{Key: s.newKey(), ID: id, Email: email, Role: Restricted, RoleShown: true})
	}
}

// RemoveUser removes a user, its sub users, and their tokens.
func RemoveUser(ref string) func(*State) {
	return func(s *State) {
		u := s.Named(ref)
		if u == nil {
			return
		}
		for i := range s.Users {
			if other := &s.Users[i]; other == u || other.Parent == u.Key {
				id := other.ID
				other.Gone = true
				s.Tokens = slices.DeleteFunc(s.Tokens, func(t Token) bool { return t.User == id && id != "" })
			}
		}
	}
}

// RemoveToken revokes a token, and those that its user holds for the same client.
func RemoveToken(id string) func(*State) {
	return func(s *State) {
		t := find(s.Tokens, func(t *Token) bool { return t.ID == id })
		if t == nil {
			return
		}
		named := *t
		s.Tokens = slices.DeleteFunc(s.Tokens, func(t Token) bool {
			return t.User == named.User && t.Client == named.Client
		})
	}
}

// DropTokens removes tokens that are over.
func DropTokens(ids []string) func(*State) {
	return func(s *State) {
		s.Tokens = slices.DeleteFunc(s.Tokens, func(t Token) bool { return slices.Contains(ids, t.ID) })
	}
}

// AddDatabase makes a database of a caller.
func AddDatabase(caller int, name, id string) func(*State) {
	return func(s *State) {
		if u := s.caller(caller); u != nil && s.Database(name) == nil {
			s.Databases = append(s.Databases, Database{name, id, u.Key})
		}
	}
}

// RemoveDatabase removes a database.
func RemoveDatabase(name string) func(*State) {
	return func(s *State) {
		s.Databases = slices.DeleteFunc(s.Databases, func(d Database) bool { return d.Name == name })
	}
}
