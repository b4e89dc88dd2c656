package rights

import "slices"

// Removed returns the claim that the user behind a caller is removed, or is not.
func Removed(n, caller int, isRemoved bool) Claim {
	return Claim{
		N: n, Level: Allowed,
		Holds: func(s *State) bool {
			u := s.caller(caller)
			return u == nil || u.Gone == isRemoved
		},
		Repairs: func(s *State) []Repair { return s.reassign(caller) },
	}
}

// HasRole returns the claim that a user has one of some roles.
func HasRole(n int, user string, roles ...Role) Claim {
	return Claim{
		N: n,
		Holds: func(s *State) bool {
			u := s.Named(user)
			return u == nil || u.Role == "" || slices.Contains(roles, u.Role)
		},
		Repairs: func(s *State) []Repair { return []Repair{s.setRole(s.Named(user).Key, roles[0])} },
	}
}

// IsDelegated returns the claim that a user is a delegated admin.
func IsDelegated(n int, user string) Claim {
	return Claim{
		N: n,
		Holds: func(s *State) bool {
			u := s.Named(user)
			return u == nil || u.Delegated
		},
		Repairs: func(s *State) []Repair {
			key := s.Named(user).Key
			return []Repair{func(b *State) { b.User(key).Role, b.User(key).Delegated = Restricted, true }}
		},
	}
}

// ListedTokens returns the claim that a caller sees exactly some tokens, by their ids: administrators see all, others
// their own.
func ListedTokens(n, caller int, ids []string) Claim {
	return listed(n, caller, func(s *State, u *User) (seen []string) {
		for _, t := range s.Tokens {
			if u.Role.Administers() || t.User == u.ID {
				seen = append(seen, t.ID)
			}
		}
		return seen
	}, ids)
}

// ListedSubUsers returns the claim that a caller sees exactly some sub users.
func ListedSubUsers(n, caller int, ids []string) Claim {
	return listed(n, caller, func(s *State, u *User) (seen []string) {
		for _, sub := range s.Users {
			if sub.Role == SubUser && sub.ID != "" && !sub.Gone && (u.Role.Administers() || sub.Parent == u.Key) {
				seen = append(seen, sub.ID)
			}
		}
		return seen
	}, ids)
}

func listed(n, caller int, list func(*State, *User) []string, ids []string) Claim {
	return Claim{
		N: n, Level: Allowed,
		Holds: func(s *State) bool {
			u := s.caller(caller)
			return u == nil || equalSets(list(s, u), ids)
		},
		Repairs: func(s *State) []Repair {
			return append(append(toRestricted(s, caller), s.reassign(caller)...), toAdministrator(s, caller)...)
		},
	}
}

// Me returns the claim that a caller is the user with an id.
func Me(n, caller int, user string) Claim {
	return Claim{
		N: n,
		Holds: func(s *State) bool {
			u := s.Named(user)
			return u == nil || u == s.caller(caller)
		},
		Repairs: func(s *State) []Repair { return s.reassign(caller) },
	}
}

// UserIsAmong returns the claim that the user with a key is one of those with some ids, or a sub user if they are not
// meant.
func UserIsAmong(n, key int, ids []string, withSubUsers bool) Claim {
	return Claim{
		N: n, Level: Counted,
		Holds: func(s *State) bool {
			u := s.User(key)
			return u == nil || u.Gone || !withSubUsers && u.Role == SubUser || slices.Contains(ids, u.ID)
		},
		Repairs: func(s *State) (repairs []Repair) {
			for i := range s.Users {
				to := &s.Users[i]
				if to.Gone || !slices.Contains(ids, to.ID) || !canBeOne(s.User(key), to) {
					continue
				}
				into := to.Key
				repairs = append(repairs,
					func(b *State) { b.unite(key, into) },
					func(b *State) { b.User(key).forget(); b.unite(key, into) })
			}
			return repairs
		},
	}
}

// forget takes all that was assumed of what a user is granted.
func (u *User) forget() {
	u.Policies, u.Groups, u.Manages, u.Permissions = nil, nil, nil, nil
}
