package rights

import "slices"

// LLM is the kind of resource whose permissions are rights to the LLM interface.
const LLM = "LlmProject"

// UsesLLM is the need of one who uses the LLM interface: anybody but a sub user to whom nothing of it is granted.
var UsesLLM = Need{
	allows: func(s *State, c int) bool {
		u := s.caller(c)
		return u != nil && (u.Role != SubUser || len(s.entries(u, LLM)) > 0)
	},
	loosen: func(s *State, c int) []Repair {
		u := s.caller(c)
		if u == nil {
			return nil
		}
		return append(toRestricted(s, c), s.grantAll(u, Permissions{LLM: {{"operation": "full"}}})...)
	},
	tighten: func(s *State, c int) []Repair { return s.beRole(c, SubUser) },
}

// IsAmong returns the claim that a caller is one of the users with some ids, or a sub user if they are not meant.
func IsAmong(n, caller int, ids []string, withSubUsers bool) Claim {
	isIn := func(u *User) bool {
		return u == nil || u.Gone || !withSubUsers && u.Role == SubUser || slices.Contains(ids, u.ID)
	}
	return Claim{
		N: n, Level: Counted,
		Holds: func(s *State) bool { return isIn(s.caller(caller)) },
		Repairs: func(s *State) []Repair {
			repairs := s.reassign(caller)
			for _, repair := range slices.Clone(repairs) {
				key := s.Callers[caller].User
				repairs = append(repairs, func(b *State) { b.User(key).forget(); repair(b) })
			}
			return repairs
		},
	}
}
