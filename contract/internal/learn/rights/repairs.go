package rights

import (
	"maps"
	"slices"
	"strconv"
)

// reassign returns repairs that make a caller another user. If nothing is known of the present one, or the two are
// known by different things, they become one.
func (s *State) reassign(c int) (repairs []Repair) {
	if c < 0 || c >= len(s.Callers) || s.Callers[c].Fixed {
		return nil
	}
	now := s.caller(c)
	for i := range s.Users {
		u := &s.Users[i]
		if now == nil || u.Key == now.Key || u.Gone && u.ID == "" {
			continue
		}
		if s.Callers[c].Refused && u.RoleShown && u.Role.Administers() {
			continue
		}
		from, to := now.Key, u.Key
		repairs = append(repairs, func(b *State) {
			b.Callers[c].User = to
			b.dropUnused(from)
			b.restrict(c)
		})
		if canBeOne(now, u) {
			repairs = append(repairs, func(b *State) { b.unite(from, to); b.restrict(c) })
		}
	}
	return repairs
}

// restrict gives the user behind a caller the role of a restricted one, if it was refused what administrators may.
func (s *State) restrict(c int) {
	if u := s.caller(c); u != nil && s.Callers[c].Refused && u.Role.Administers() {
		u.Role = Restricted
	}
}

// canBeOne reports whether two users may be the same.
func canBeOne(a, b *User) bool {
	differ := func(x, y string) bool { return x != "" && y != "" && x != y }
	return !differ(a.ID, b.ID) && !differ(a.Email, b.Email) && !differ(a.Name, b.Name) &&
		(!a.RoleShown || !b.RoleShown || a.Role == b.Role)
}

// unite makes one user of two.
func (s *State) unite(from, to int) {
	a, b := s.User(from), s.User(to)
	if a == nil || b == nil || a.Gone {
		return
	}
	if a.RoleShown || !b.RoleShown {
		b.Role, b.RoleShown = a.Role, a.RoleShown
	}
	if b.ID == "" {
		b.ID = a.ID
	}
	if b.Email == "" {
		b.Email = a.Email
	}
	if b.Name == "" {
		b.Name = a.Name
	}
	if b.Parent == 0 {
		b.Parent = a.Parent
	}
	b.Delegated = b.Delegated || a.Delegated
	b.Policies, b.Groups = union(b.Policies, a.Policies), union(b.Groups, a.Groups)
	b.Manages = union(b.Manages, a.Manages)
	b.Permissions = b.Permissions.with(a.Permissions)
	a.Gone, a.Into, a.ID, a.Email, a.Name = true, to, "", "", ""
	for i := range s.Callers {
		if s.Callers[i].User == from {
			s.Callers[i].User = to
		}
	}
	for i := range s.Users {
		if s.Users[i].Parent == from {
			s.Users[i].Parent = to
		}
	}
}

// dropUnused forgets a user of whom nothing is known, unless it calls.
func (s *State) dropUnused(key int) {
	u := s.User(key)
	if u == nil || u.isKnown() || slices.ContainsFunc(s.Callers, func(c Caller) bool { return c.User == key }) {
		return
	}
	u.Gone = true
}

func union(a, b []string) []string {
	for _, text := range b {
		if !slices.Contains(a, text) {
			a = append(slices.Clip(a), text)
		}
	}
	return a
}

func without(a []string, texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(text string) bool { return slices.Contains(texts, text) })
}

// with returns permissions with more entries.
func (p Permissions) with(more Permissions) Permissions {
	all := maps.Clone(p)
	if all == nil {
		all = Permissions{}
	}
	for kind, entries := range more {
		for _, entry := range entries {
			if !slices.ContainsFunc(all[kind], func(o map[string]string) bool { return maps.Equal(o, entry) }) {
				all[kind] = append(slices.Clip(all[kind]), entry)
			}
		}
	}
	return all
}

// withoutEntry returns permissions without an entry.
func (p Permissions) withoutEntry(kind string, entry map[string]string) Permissions {
	all := maps.Clone(p)
	all[kind] = slices.DeleteFunc(slices.Clone(all[kind]), func(o map[string]string) bool { return maps.Equal(o, entry) })
	if len(all[kind]) == 0 {
		delete(all, kind)
	}
	return all
}

// beRole returns repairs that give the user behind a caller a role, unless an answer shows another one.
func (s *State) beRole(c int, role Role) []Repair {
	u := s.caller(c)
	if u == nil || u.RoleShown || u.Role == role || role.Administers() && s.Callers[c].Refused {
		return nil
	}
	return []Repair{s.setRole(u.Key, role)}
}

func (s *State) setRole(key int, role Role) Repair {
	return func(b *State) {
		u := b.User(key)
		if u == nil || u.RoleShown {
			return
		}
		if u.Role = role; role == SubUser && (u.Parent == 0 || u.Parent == key) {
			u.Parent = b.anyParent(key)
		}
		if role != Restricted {
			u.Delegated, u.Manages = false, nil
		}
	}
}

// anyParent returns a user to whom a sub user may belong.
func (s *State) anyParent(child int) int {
	for _, u := range s.Users {
		if u.Key != child && !u.Gone && u.Role.Administers() {
			return u.Key
		}
	}
	return 0
}

// grant returns repairs that grant an operation on a database, or on all of them if it has no name, to the user behind
// a caller: by policies whose permissions no answer shows, by policies that exist, or by one that is made up.
func (s *State) grant(c int, operation, database string) (repairs []Repair) {
	u := s.caller(c)
	if u == nil || u.Role.Administers() {
		return nil
	}
	entry := map[string]string{"operation": operation}
	if database != "" {
		entry["database"] = database
	}
	return s.grantAll(u, Permissions{Databases: {entry}})
}

// grantAll returns repairs that grant permissions to a user, as grant does.
func (s *State) grantAll(u *User, more Permissions) (repairs []Repair) {
	key := u.Key
	for i := range s.Policies {
		p := &s.Policies[i]
		if p.MadeUp {
			continue
		}
		id, has := p.ID, slices.Contains(u.Policies, p.ID)
		attach := func(b *State) { b.User(key).Policies = union(b.User(key).Policies, []string{id}) }
		extend := func(b *State) {
			if row := b.Policy(id); row != nil && !row.Known {
				row.Permissions = row.Permissions.with(more)
			}
		}
		switch {
		case has && !p.Known:
			repairs = append(repairs, extend)
		case !has && p.Known:
			repairs = append(repairs, attach)
		case !has:
			repairs = append(repairs, attach, func(b *State) { attach(b); extend(b) })
		}
	}
	return append(repairs, func(b *State) { b.makeUp(key, more) })
}

// makeUp grants permissions to a user by a policy that no answer shows. Only policies grant rights on databases.
func (s *State) makeUp(key int, more Permissions) {
	u := s.User(key)
	if p := find(s.Policies, func(p *Policy) bool { return p.MadeUp && slices.Contains(u.Policies, p.ID) }); p != nil {
		p.Permissions = p.Permissions.with(more)
		return
	}
	id := "made up for " + strconv.Itoa(key)
	s.Policies = append(s.Policies, Policy{ID: id, Permissions: more, MadeUp: true})
	u.Policies = append(slices.Clip(u.Policies), id)
}

// revoke returns repairs that take what grants something from the user behind a caller.
func (s *State) revoke(c int, isGranting func(*User, map[string]string) bool) (repairs []Repair) {
	u := s.caller(c)
	if u == nil || u.Role.Administers() {
		return nil
	}
	key := u.Key
	for _, id := range u.Policies {
		p := s.Policy(id)
		if p == nil {
			continue
		}
		repairs = append(repairs, func(b *State) { b.User(key).Policies = without(b.User(key).Policies, id) })
		for _, entry := range p.Permissions[Databases] {
			if isGranting(u, entry) && !p.Known {
				repairs = append(repairs, func(b *State) {
					if row := b.Policy(id); row != nil {
						row.Permissions = row.Permissions.withoutEntry(Databases, entry)
					}
				})
			}
		}
	}
	return repairs
}
