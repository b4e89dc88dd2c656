package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/learn/rights"
)

// solve finds out which users the callers are, and what all of them may do.
func (p *people) solve(callers []*caller) {
	callers = slices.DeleteFunc(slices.Clone(callers), (*caller).isWriteOnly)
	for _, c := range callers {
		if c.user == nil {
			c.user = p.get("")
			if c.isRefused && !c.isAdmin {
				c.user.role = string(rights.Restricted)
			}
		}
	}
	begin := p.firstGuess(callers)
	p.assumeTaken(begin)
	steps := append([]rights.Step{{Before: p.loaders(begin)}}, p.steps(callers)...)
	solved, unexplained := rights.Solve(begin, steps)
	p.solved = solved
	for i, u := range p.users {
		row := solved.User(i + 1)
		u.rights = row
		u.isMerged = row.Gone
		u.id, u.email = cmp.Or(u.id, row.ID), cmp.Or(u.email, row.Email)
		u.name, u.role = cmp.Or(u.name, row.Name), string(row.Role)
	}
	for i, u := range p.users {
		if into := solved.Users[i].Into; into > 0 && into <= len(p.users) {
			other := p.users[into-1]
			other.createdAt, other.updatedAt = cmp.Or(other.createdAt, u.createdAt), cmp.Or(other.updatedAt, u.updatedAt)
		}
	}
	for i := len(p.users); i < len(solved.Users); i++ {
		row := &solved.Users[i]
		p.users = append(p.users, &user{role: string(row.Role), rights: row, isMerged: row.Gone})
	}
	for i, c := range callers {
		c.user = p.users[solved.Callers[i].User-1]
	}
	if len(unexplained) > 0 {
		p.notes = append(p.notes, fmt.Sprintf(
			"no users and policies were found with which the following exchanges are allowed, or refused, as recorded: %v",
			unexplained))
	}
}

// assumeTaken gives users what the first request about it takes from them, since it must have been there.
func (p *people) assumeTaken(s *rights.State) {
	done := map[string]bool{}
	for _, e := range p.exchanges {
		user, policy := param(e, "user_id"), param(e, "policy_id")
		pair := user + " " + policy + param(e, "user_email")
		if needOf[e.name()] != toApply && !strings.HasSuffix(e.name(), "edAdmin") || done[pair] || !e.ok() {
			continue
		}
		done[pair] = true
		switch e.name() {
		case "core.detachPolicyFromUser", "core.detachUserFromPolicy":
			if t := p.things.find(policyKind, policy); t != nil && t.wasThere() {
				rights.Attach(user, policy)(s)
			}
		case "core.removeDelegatedAdmin":
			rights.SetDelegated(param(e, "user_email"), true)(s)
			if u := s.Named(param(e, "user_email")); u != nil && u.Role == "" {
				u.Role = rights.Restricted
			}
		}
	}
}

// loaders returns the claims that the users of integrations may import into the databases of these, since they made the
// integrations. They become callers who send nothing.
func (p *people) loaders(s *rights.State) (claims []rights.Claim) {
	for _, t := range p.things.of(integrationKind) {
		u := s.Named(t.first().Get("user_id").String())
		if u == nil {
			continue
		}
		database, _ := p.targets(t)
		if s.Database(database) == nil { // it is guessed
			s.Databases = append(s.Databases, rights.Database{Name: database})
		}
		s.Callers = append(s.Callers, rights.Caller{User: u.Key, Fixed: true, Absent: true})
		claims = append(claims, rights.On(database, rights.Import).Claim(0, len(s.Callers)-1, true))
	}
	return claims
}

// firstGuess returns a first guess of the account at the beginning. The keys of users are their places in the list,
// from 1.
func (p *people) firstGuess(callers []*caller) *rights.State {
	s := &rights.State{}
	for i, u := range p.users {
		s.Users = append(s.Users, rights.User{
			Key: i + 1, ID: u.id, Email: u.email, Name: u.name, Role: rights.Role(u.role), RoleShown: u.isRoleShown,
			Gone: u.isMade, IsServed: p.isServed(u.id),
		})
	}
	for i, u := range p.users {
		for j, other := range p.users {
			if u.parent != "" && other.id == u.parent {
				s.Users[i].Parent = j + 1
			}
		}
	}
	for _, c := range callers {
		s.Callers = append(s.Callers, rights.Caller{
			User: slices.Index(p.users, c.user) + 1, Fixed: c.user.id != "" || c.user.email != "" || c.user.name != "",
			Refused: c.isRefused && !c.isAdmin,
		})
	}
	for _, t := range p.things.of(policyKind) {
		s.Policies = append(s.Policies, rights.Policy{ID: t.id})
	}
	for _, id := range p.mentionedPolicies() {
		s.Policies = append(s.Policies, rights.Policy{ID: id})
	}
	for _, t := range p.things.of(policyGroupKind) {
		if o := t.first(); o.Exists() {
			s.Groups = append(s.Groups, rights.Group{ID: o.Get("id").String(), Tag: o.Get("taggable_name").String()})
		}
	}
	for _, ref := range p.unseenGroups() {
		s.Groups = append(s.Groups, rights.Group{ID: ref, Tag: ref})
	}
	for _, t := range p.things.of(tokenKind) {
		if o := t.first(); o.Exists() {
			s.Tokens = append(s.Tokens, rights.Token{
				ID: t.id, User: o.Get("user_id").String(), Client: o.Get("oauth_client_id").String(),
			})
		}
	}
	for _, name := range p.databaseNames() {
		s.Databases = append(s.Databases, rights.Database{Name: name, ID: p.shownDatabaseID(name)})
	}
	return s
}

// isServed reports whether a request gives policies or tags to the user with an id.
func (p *people) isServed(id string) bool {
	return id != "" && slices.ContainsFunc(p.exchanges, func(e *Exchange) bool {
		switch e.name() {
		case "core.attachPolicyToUser", "core.attachUserToPolicy", "core.updateUserPolicies":
			return param(e, "user_id") == id
		case "core.setTagUsers", "core.updatePolicyUsers", "core.setTagDelegatedAdmins":
			body, _ := e.JSONRequest()
			return slices.Contains(texts(body.Get("user_ids")), id)
		}
		return false
	})
}

// shownDatabaseID returns the id of a database that an answer shows, or nothing.
func (l *learner) shownDatabaseID(name string) string {
	if t := l.things.find(databaseKind, name); t != nil {
		if id, _ := t.value("id"); id.Exists() {
			return id.String()
		}
	}
	for _, d := range l.deletedTables() {
		if d.Get("database_name").String() == name {
			return d.Get("database_id").String()
		}
	}
	return ""
}
