package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/learn/rights"
)

// complete gives each user what a fixture needs.
func (p *people) complete() {
	p.users = slices.DeleteFunc(p.users, func(u *user) bool { return u.isMerged && !u.isMade })
	p.guessRoles()
	next := int64(0)
	for _, u := range p.users {
		next = max(next, number(u.id))
	}
	for _, u := range p.users {
		if u.id == "" {
			next++
			u.id = fmt.Sprint(next)
			u.isGuessed = true
		}
		if u.name == "" {
			u.name, u.isGuessed = "User "+u.id, true
		}
		if u.email == "" && u.role != string(rights.SubUser) {
			u.email, u.isGuessed = "user"+u.id+"@account.example", true
		}
	}
	for _, u := range p.users {
		u.parentUser = p.parentOf(u)
	}
	slices.SortStableFunc(p.users, func(a, b *user) int { return cmp.Compare(number(a.id), number(b.id)) })
	p.nameMadeUp()
}

// guessRoles gives a role to the users of whom nothing shows one: those who were given what administrators do not need
// are restricted, and all others administrators, of whom there must be one.
func (p *people) guessRoles() {
	isAdmin := func(u *user) bool { return (u.role == "administrator" || u.role == "owner") && !u.isMade }
	for _, u := range p.users {
		if u.rights == nil {
			u.rights = &rights.User{}
		}
		r := u.rights
		isCaller := slices.ContainsFunc(p.solved.Callers, func(c rights.Caller) bool { return c.User == r.Key })
		isGiven := r.IsServed || len(r.Policies)+len(r.Groups)+len(r.Manages)+len(r.Permissions) > 0
		switch {
		case u.role == "" && isGiven && !isCaller:
			u.role = string(rights.Restricted)
		case u.role == "":
			u.role = string(rights.Administrator)
		}
		if u.role != string(rights.Restricted) {
			r.Manages, r.Delegated = nil, false // as only delegated admins do
		}
		r.Delegated = r.Delegated || len(r.Manages) > 0
	}
	if !slices.ContainsFunc(p.users, isAdmin) {
		p.users = append(p.users, &user{role: string(rights.Administrator), isGuessed: true, rights: &rights.User{}})
	}
}

// nameMadeUp lets the names of made-up policies say whose they are.
func (p *people) nameMadeUp() {
	p.madeUp = map[string]string{}
	for _, u := range p.users {
		for _, id := range u.rights.Policies {
			if row := p.solved.Policy(id); row != nil && row.MadeUp {
				p.madeUp[id] = "rights of " + u.ref()
			}
		}
	}
	for _, row := range p.solved.Policies {
		if row.MadeUp && p.madeUp[row.ID] == "" {
			p.madeUp[row.ID] = "policy " + strings.TrimPrefix(row.ID, "made up ")
		}
	}
}

// parentOf returns the user to whom a sub user belongs: an administrator if nothing says who it is.
func (p *people) parentOf(u *user) *user {
	if u.role != string(rights.SubUser) {
		return nil
	}
	i := slices.IndexFunc(p.users, func(o *user) bool {
		return o != u && o.rights.Key != 0 && o.rights.Key == u.rights.Parent
	})
	if i < 0 {
		i = slices.IndexFunc(p.users, func(o *user) bool { return o.role == string(rights.Administrator) && !o.isMade })
	}
	return p.users[i]
}
