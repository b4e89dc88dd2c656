package rights

import "slices"

// Applies is the need of one who attaches a policy to a user, or detaches it.
func Applies(user, policy string) Need {
	return Need{
		allows: func(s *State, c int) bool {
			u := s.Named(user)
			return u != nil && s.mayApply(c, u, policy)
		},
		loosen: func(s *State, c int) (repairs []Repair) {
			u, caller := s.Named(user), s.caller(c)
			if u == nil || caller == nil {
				return nil
			}
			key, own := u.Key, caller.Key
			for _, g := range s.Groups {
				tag := g.Tag
				repairs = append(repairs, func(b *State) {
					b.manage(own, tag)
					if row := b.Group(tag); row != nil && !row.Known {
						row.Policies = union(row.Policies, []string{policy})
					}
					b.User(key).Groups = union(b.User(key).Groups, []string{tag})
				})
			}
			return append(repairs, toAdministrator(s, c)...)
		},
		tighten: func(s *State, c int) (repairs []Repair) {
			if u := s.Named(user); u != nil {
				repairs = s.untag(u.Key, u.Groups)
			}
			return append(repairs, toRestricted(s, c)...)
		},
	}
}

// manage makes a user a delegated admin of a group.
func (s *State) manage(key int, tag string) {
	if u := s.User(key); !u.RoleShown || u.Role == Restricted {
		u.Role, u.Delegated, u.Manages = Restricted, true, union(u.Manages, []string{tag})
	}
}

func (s *State) untag(key int, tags []string) (repairs []Repair) {
	for _, tag := range tags {
		repairs = append(repairs, func(b *State) { b.User(key).Groups = without(b.User(key).Groups, tag) })
	}
	return repairs
}

// Tags is the need of one who puts the tag of a policy group on exactly the users with some ids.
func Tags(tag string, ids []string) Need {
	return Need{
		allows: func(s *State, c int) bool { return s.mayTag(c, tag, ids) },
		loosen: func(s *State, c int) []Repair {
			u := s.caller(c)
			if u == nil {
				return nil
			}
			key, isIn := u.Key, slices.Contains(ids, u.ID)
			return append([]Repair{func(b *State) {
				b.manage(key, tag)
				if u := b.User(key); isIn {
					u.Groups = union(u.Groups, []string{tag})
				} else {
					u.Groups = without(u.Groups, tag)
				}
			}}, toAdministrator(s, c)...)
		},
		tighten: func(s *State, c int) (repairs []Repair) {
			if u := s.caller(c); u != nil {
				key := u.Key
				repairs = append(repairs, func(b *State) { b.User(key).Manages = without(b.User(key).Manages, tag) })
			}
			return append(repairs, toRestricted(s, c)...)
		},
	}
}
