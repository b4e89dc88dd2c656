package rights

import (
	"maps"
	"slices"
)

// PolicyPermissions returns the claim that a policy grants exactly some permissions.
func PolicyPermissions(n int, policy string, shown Permissions) Claim {
	return Claim{
		N: n,
		Holds: func(s *State) bool {
			p := s.Policy(policy)
			return p == nil || p.Known && samePermissions(p.Permissions, shown)
		},
		Repairs: func(s *State) []Repair {
			now := s.Policy(policy).Permissions
			return []Repair{func(b *State) {
				if p := b.Policy(policy); p != nil {
					p.Permissions, p.Known = p.Permissions.corrected(now, shown), true
				}
			}}
		},
	}
}

// corrected returns permissions at the beginning, so that those that are now there become those that are shown.
func (p Permissions) corrected(now, shown Permissions) Permissions {
	all := maps.Clone(p)
	if all == nil {
		all = Permissions{}
	}
	for kind := range now {
		if len(shown[kind]) == 0 {
			delete(all, kind)
		}
	}
	for kind, entries := range shown {
		if !sameEntries(now[kind], entries) {
			all[kind] = entries
		}
	}
	return all
}

func sameEntries(a, b []map[string]string) bool { return slices.EqualFunc(a, b, maps.Equal) }

func samePermissions(a, b Permissions) bool {
	return maps.EqualFunc(a, b, sameEntries)
}

// OwnPermissions returns the claim that exactly some permissions are granted to a user itself.
func OwnPermissions(n int, user string, shown Permissions) Claim {
	return Claim{
		N: n,
		Holds: func(s *State) bool {
			u := s.Named(user)
			return u == nil || samePermissions(u.Permissions, shown)
		},
		Repairs: func(s *State) []Repair {
			u := s.Named(user)
			key, now := u.Key, u.Permissions
			return []Repair{func(b *State) { b.User(key).Permissions = b.User(key).Permissions.corrected(now, shown) }}
		},
	}
}

// AllPermissions returns the claim that exactly some permissions are granted to a user, by policies and directly.
func AllPermissions(n int, user string, shown Permissions) Claim {
	return Claim{
		N: n, Level: Allowed,
		Holds: func(s *State) bool {
			u := s.Named(user)
			return u == nil || sameContents(s.granted(u), shown)
		},
		Repairs: func(s *State) (repairs []Repair) {
			u := s.Named(user)
			key, now := u.Key, s.granted(u)
			missing, extra := shown.minus(now), now.minus(shown)
			own := missing.ofUsers()
			repairs = append(repairs, func(b *State) {
				b.User(key).Permissions = b.User(key).Permissions.minus(extra).with(own)
			})
			for _, id := range u.Policies {
				repairs = append(repairs, func(b *State) {
					if p := b.Policy(id); p != nil && !p.Known {
						p.Permissions = p.Permissions.minus(extra).with(missing)
					}
				})
			}
			return repairs
		},
	}
}

// ofUsers returns the permissions of the kinds that can be granted to users themselves. All others need a policy.
func (p Permissions) ofUsers() Permissions {
	kinds := []string{
		"ActivationTemplate", "MasterSegmentConfig", "MasterSegmentConfigs", "SegmentAllFolders", "SegmentFolder",
		"Segmentation", "WorkflowProject",
	}
	own := maps.Clone(p)
	maps.DeleteFunc(own, func(kind string, _ []map[string]string) bool { return !slices.Contains(kinds, kind) })
	return own
}

// minus returns permissions without the entries of others.
func (p Permissions) minus(others Permissions) Permissions {
	left := Permissions{}
	for kind, entries := range p {
		for _, entry := range entries {
			if !slices.ContainsFunc(others[kind], func(o map[string]string) bool { return maps.Equal(o, entry) }) {
				left[kind] = append(left[kind], entry)
			}
		}
	}
	return left
}

func sameContents(a, b Permissions) bool { return len(a.minus(b))+len(b.minus(a)) == 0 }
