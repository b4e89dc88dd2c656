package rights

// Need describes the user who may send a request.
type Need struct {
	allows func(*State, int) bool
	// loosen and tighten return repairs that let the caller do it, and that keep it from that.
	loosen, tighten func(*State, int) []Repair
}

// Claim returns the claim that a caller was allowed something, or was refused it.
func (need Need) Claim(n, caller int, wasAllowed bool) Claim {
	return Claim{
		N: n, Level: Allowed,
		Holds: func(s *State) bool { return need.allows(s, caller) == wasAllowed },
		Repairs: func(s *State) []Repair {
			change := need.tighten
			if wasAllowed {
				change = need.loosen
			}
			return append(change(s, caller), s.reassign(caller)...)
		},
	}
}

func toAdministrator(s *State, c int) []Repair { return s.beRole(c, Administrator) }
func toRestricted(s *State, c int) []Repair    { return s.beRole(c, Restricted) }

// beDelegated returns repairs that make the user behind a caller a delegated admin, or not.
func (s *State) beDelegated(c int, is bool) []Repair {
	u := s.caller(c)
	if u == nil || u.Role == SubUser {
		return nil
	}
	key := u.Key
	return []Repair{func(b *State) {
		if u := b.User(key); !u.RoleShown || u.Role == Restricted {
			u.Role, u.Delegated = Restricted, is
		}
	}}
}

// Administers is the need of an administrator.
var Administers = Need{
	allows:  func(s *State, c int) bool { u := s.caller(c); return u != nil && u.Role.Administers() },
	loosen:  toAdministrator,
	tighten: toRestricted,
}

// Delegates is the need of an administrator or a delegated admin.
var Delegates = Need{
	allows: func(s *State, c int) bool {
		u := s.caller(c)
		return u != nil && (u.Role.Administers() || u.Delegated)
	},
	loosen:  func(s *State, c int) []Repair { return append(s.beDelegated(c, true), toAdministrator(s, c)...) },
	tighten: func(s *State, c int) []Repair { return append(s.beDelegated(c, false), toRestricted(s, c)...) },
}

// NoSubUser is the need of anybody but a sub user.
var NoSubUser = Need{
	allows:  func(s *State, c int) bool { u := s.caller(c); return u != nil && u.Role != SubUser },
	loosen:  toRestricted,
	tighten: func(s *State, c int) []Repair { return s.beRole(c, SubUser) },
}

// Self is the need of a user itself, of administrators, or of delegated admins if they may as well.
func Self(ref string, delegated bool) Need {
	others := Administers
	if delegated {
		others = Delegates
	}
	isSelf := func(s *State, c int) bool { u := s.caller(c); return u != nil && u == s.Named(ref) }
	return Need{
		allows: func(s *State, c int) bool { return isSelf(s, c) || others.allows(s, c) },
		loosen: others.loosen, tighten: others.tighten,
	}
}

// SameAs is the need of the user behind another caller, or of an administrator.
func SameAs(other int) Need {
	return Need{
		allows: func(s *State, c int) bool {
			u := s.caller(c)
			return u != nil && (u.Role.Administers() || u == s.caller(other))
		},
		loosen: toAdministrator, tighten: toRestricted,
	}
}

// ParentOf is the need of the user to whom a sub user belongs, or of an administrator.
func ParentOf(ref string) Need {
	return Need{
		allows: func(s *State, c int) bool {
			u, sub := s.caller(c), s.Named(ref)
			return u != nil && (u.Role.Administers() || sub != nil && sub.Parent == u.Key)
		},
		loosen: toAdministrator, tighten: toRestricted,
	}
}
