package rights

import (
	"slices"
	"strconv"
)

// set is a list of texts that belongs to something of a state, such as the policies of a user.
type set func(*State) *[]string

func policiesOf(key int) set { return listOf(key, func(u *User) *[]string { return &u.Policies }) }
func groupsOf(key int) set   { return listOf(key, func(u *User) *[]string { return &u.Groups }) }
func managedBy(key int) set  { return listOf(key, func(u *User) *[]string { return &u.Manages }) }

func listOf(key int, list func(*User) *[]string) set {
	return func(s *State) *[]string {
		if u := s.User(key); u != nil {
			return list(u)
		}
		return &[]string{}
	}
}

// change returns a repair that adds some texts to a set and takes others from it.
func (at set) change(add, remove []string) Repair {
	return func(b *State) {
		list := at(b)
		*list = union(without(*list, remove...), add)
	}
}

// shows returns the claim that a set has exactly some texts.
func shows(n int, find func(*State) set, want []string) Claim {
	return Claim{
		N:     n,
		Holds: func(s *State) bool { return slices.Equal(*find(s)(s), want) },
		Repairs: func(s *State) []Repair {
			at := find(s)
			now := *at(s)
			add, remove := without(want, now...), without(now, want...)
			ordered := func(b *State) {
				at.change(add, remove)(b)
				list := at(b)
				slices.SortStableFunc(*list, func(x, y string) int { return slices.Index(want, x) - slices.Index(want, y) })
			}
			return []Repair{at.change(add, remove), ordered}
		},
	}
}

// equalSets reports whether two lists have the same texts.
func equalSets(a, b []string) bool { return len(without(a, b...))+len(without(b, a...)) == 0 }

// UserPolicies returns the claim that a user has exactly some policies, in their order.
func UserPolicies(n int, user string, ids []string) Claim {
	return shows(n, func(s *State) set {
		if u := s.Named(user); u != nil {
			return policiesOf(u.Key)
		}
		return func(*State) *[]string { return &ids }
	}, ids)
}

// GroupPolicies returns the claim that a group has exactly some policies.
func GroupPolicies(n int, group string, ids []string) Claim {
	c := shows(n, func(*State) set {
		return func(s *State) *[]string {
			if g := s.Group(group); g != nil {
				return &g.Policies
			}
			return &ids
		}
	}, ids)
	repairs := c.Repairs
	c.Repairs = func(s *State) (list []Repair) {
		for _, repair := range repairs(s) {
			list = append(list, func(b *State) {
				if repair(b); b.Group(group) != nil {
					b.Group(group).Known = true
				}
			})
		}
		return list
	}
	return c
}

// members returns a claim on which users have a text in a set of theirs.
func members(n int, text string, of func(int) set, holds func([]*User) bool,
	wanted func(*User) (is, known bool),
) Claim {
	have := func(s *State) (users []*User) {
		for i := range s.Users {
			if u := &s.Users[i]; !u.Gone && slices.Contains(*of(u.Key)(s), text) {
				users = append(users, u)
			}
		}
		return users
	}
	return Claim{
		N: n, Holds: func(s *State) bool { return holds(have(s)) },
		Repairs: func(s *State) (repairs []Repair) {
			all := func(b *State) {
				for _, repair := range repairs {
					repair(b)
				}
			}
			for i := range s.Users {
				u := &s.Users[i]
				is, known := wanted(u)
				has := slices.Contains(*of(u.Key)(s), text)
				switch {
				case u.Gone || known && is == has:
				case has:
					repairs = append(repairs, of(u.Key).change(nil, []string{text}))
				default:
					repairs = append(repairs, of(u.Key).change([]string{text}, nil))
				}
			}
			if len(repairs) > 1 {
				return append(slices.Clone(repairs), all)
			}
			return repairs
		},
	}
}

// exactly returns a claim that exactly the users with some ids have a text in a set of theirs.
func exactly(n int, text string, of func(int) set, ids []string) Claim {
	isWanted := func(u *User) (is, known bool) { return u.ID != "" && slices.Contains(ids, u.ID), true }
	return members(n, text, of, func(users []*User) bool {
		var have []string
		for _, u := range users {
			have = append(have, u.ID)
		}
		return equalSets(have, ids)
	}, isWanted)
}

// PolicyUsers returns the claim that exactly the users with some ids have a policy.
func PolicyUsers(n int, policy string, ids []string) Claim {
	return exactly(n, policy, policiesOf, ids)
}

// Tagged returns the claim that exactly the users with some ids carry the tag of a group.
func Tagged(n int, tag string, ids []string) Claim { return exactly(n, tag, groupsOf, ids) }

// Managing returns the claim that exactly the users with some ids manage a group.
func Managing(n int, tag string, ids []string) Claim { return exactly(n, tag, managedBy, ids) }

// PolicyCount returns the claim that a policy has some number of users. If there are too few known ones, one more may
// have it of whom nothing is known.
func PolicyCount(n int, policy string, count int) Claim {
	c := members(n, policy, policiesOf, func(users []*User) bool { return len(users) == count },
		func(*User) (bool, bool) { return false, false })
	repairs := c.Repairs
	c.Level = Counted
	c.Repairs = func(s *State) []Repair {
		list := repairs(s)
		if len(s.Users) > 1 {
			list = list[:max(len(list)-1, 0)] // all at once would be nonsense
		}
		return append(list, func(b *State) {
			b.Users = append(b.Users, User{Key: b.newKey(), Role: Restricted, Policies: []string{policy}})
		})
	}
	return c
}

func (s *State) newKey() (key int) {
	for _, u := range s.Users {
		key = max(key, u.Key)
	}
	return key + 1
}

// GroupCount returns the claim that a group has some number of policies.
func GroupCount(n int, group string, count int) Claim {
	return Claim{
		N: n, Level: Counted,
		Holds: func(s *State) bool {
			g := s.Group(group)
			return g == nil || len(g.Policies) == count
		},
		Repairs: func(s *State) (repairs []Repair) {
			add := func(b *State, id string) {
				if g := b.Group(group); g != nil && !g.Known {
					g.Policies = union(g.Policies, []string{id})
				}
			}
			for _, p := range s.Policies {
				repairs = append(repairs, func(b *State) {
					if b.Policy(p.ID) != nil { // not one that is made later
						add(b, p.ID)
					}
				})
			}
			return append(repairs, func(b *State) {
				id := "made up " + strconv.Itoa(len(b.Policies))
				b.Policies = append(b.Policies, Policy{ID: id, MadeUp: true})
				add(b, id)
			})
		},
	}
}
