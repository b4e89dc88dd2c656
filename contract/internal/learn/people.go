package learn

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/learn/rights"
	"svc.example/understudy/specs"
)

// user is a user of the account, as answers show one.
type user struct {
	id, name, email, role, parent  string
	createdAt, updatedAt           string
	isMade, isGuessed, isRoleShown bool
	isMerged                       bool // into another one
	parentUser                     *user
	rights                         *rights.User // what it may do at the beginning
}

func (u *user) ref() string { return cmp.Or(u.email, u.name) }

// people are the users of the account, and who of them sent which requests.
type people struct {
	*learner
	users   []*user
	index   map[string]int   // the place of callers, by what stands for their keys
	byKey   map[string]*user // by what stands for their keys
	keys    []Key
	solved  *rights.State
	removes bool
	madeUp  map[string]string // names of policies that no answer shows
}

// findPeople finds the users, who of them sent which requests, and what they may do.
func (l *learner) findPeople() *people {
	p := &people{learner: l}
	for _, kind := range []string{"core.user", "core.sub-user", "core.access-control-user"} {
		for _, t := range l.things.all(kind) {
			for _, s := range t.sights {
				p.see(s.object, t)
			}
		}
	}
	for _, e := range l.exchanges {
		if body, ok := e.JSONResponse(); ok && e.ok() {
			p.seeIn(e, body)
		}
	}
	for _, e := range l.exchanges {
		p.seeInRequest(e)
	}
	p.seeOwners()
	callers := p.callers()
	p.solve(callers)
	p.complete()
	p.giveKeys(callers)
	p.byKey = map[string]*user{}
	for _, c := range callers {
		p.byKey[c.identity] = c.user
	}
	return p
}

// seeInRequest takes the users that requests name.
func (p *people) seeInRequest(e *Exchange) {
	if e.Status() == http.StatusNotFound || e.Status() == http.StatusBadRequest {
		return
	}
	if email := param(e, "user_email"); email != "" && p.named(email) == nil {
		p.get("").email = email
	}
	ids := []string{param(e, "user_id"), param(e, "sub_user_id")}
	body, ok := e.JSONRequest()
	if ok && e.Status() != http.StatusUnprocessableEntity && e.Operation().Interface == specs.Core {
		ids = append(ids, texts(body.Get("user_ids"))...)
	}
	for _, id := range ids {
		if number(id) > 0 && !slices.ContainsFunc(p.users, func(u *user) bool { return u.id == id }) {
			p.get(id)
		}
	}
	if id := param(e, "sub_user_id"); e.ok() && id != "" {
		u := p.get(id)
		u.role, u.isRoleShown = string(rights.SubUser), true
	}
}

// seeOwners takes the users of whom answers show no more than that jobs, schedules or integrations are theirs.
func (p *people) seeOwners() {
	for _, kind := range []string{jobKind, jobScheduleKind} {
		for _, t := range p.things.all(kind) {
			for _, s := range t.sights {
				if name := s.object.Get("user_name").String(); name != "" && p.named(name) == nil {
					p.get("").name = name
				}
			}
		}
	}
	for _, t := range p.things.all(integrationKind) {
		for _, s := range t.sights {
			if id := s.object.Get("user_id").String(); id != "" {
				p.get(id)
			}
		}
	}
}

// texts returns the items of a list as texts.
func texts(list gjson.Result) []string {
	all := []string{}
	for _, item := range list.Array() {
		all = append(all, item.String())
	}
	return all
}

// get returns the user with an id.
func (p *people) get(id string) *user {
	for _, u := range p.users {
		if u.id == id && id != "" {
			return u
		}
	}
	u := &user{id: id}
	p.users = append(p.users, u)
	return u
}

// named returns the user with a name or an e-mail address, or nil.
func (p *people) named(text string) *user {
	for _, u := range p.users {
		if text != "" && (u.email == text || u.name == text) {
			return u
		}
	}
	return nil
}

// see takes an object that describes a user.
func (p *people) see(o gjson.Result, t *thing) *user {
	id := cmp.Or(o.Get("user_id").String(), o.Get("id").String())
	if id == "" {
		return nil
	}
	u := p.get(id)
	u.isMade = u.isMade || t != nil && !t.wasThere()
	u.name = cmp.Or(u.name, o.Get("name").String())
	u.email = cmp.Or(u.email, o.Get("email").String())
	u.createdAt = cmp.Or(u.createdAt, timeOf(o.Get("created_at")))
	u.updatedAt = cmp.Or(u.updatedAt, timeOf(o.Get("updated_at")))
	if parent := o.Get("parent_user_id"); parent.Exists() {
		u.parent, u.role = parent.String(), "sub_user"
		p.get(u.parent)
	}
	switch {
	case u.role != "":
	case o.Get("restricted").Bool():
		u.role = "restricted"
	case o.Get("administrator").Bool():
		u.role = "administrator"
	}
	u.isRoleShown = u.isRoleShown || u.role != ""
	return u
}

// seeTokenOf takes the user of an OAuth token, which is a sub user if it has no e-mail address.
func (p *people) seeTokenOf(token gjson.Result) {
	id := token.Get("user_id").String()
	if id == "" {
		return
	}
	u := p.get(id)
	if u.email = cmp.Or(u.email, token.Get("user_email").String()); u.email == "" && u.role == "" {
		u.role, u.isRoleShown = string(rights.SubUser), true
	}
}

// seeIn takes the users that answers mention beside what they are about.
func (p *people) seeIn(e *Exchange, body gjson.Result) {
	var mentions []gjson.Result
	body.ForEach(func(name, value gjson.Result) bool {
		switch name.String() {
		case "user_ids":
			for _, id := range texts(value) {
				p.get(id)
			}
		case "user", "createdBy", "updatedBy":
			mentions = append(mentions, value)
		case "revisions", "oauth_tokens":
			for _, item := range value.Array() {
				mentions = append(mentions, item.Get("userInfo.svc.user"))
				p.seeTokenOf(item)
			}
		}
		return true
	})
	if e.name() == "core.listPolicyUsers" {
		mentions = body.Array()
	}
	if body.IsArray() && e.Operation().Interface == specs.Audience {
		for _, item := range body.Array() {
			mentions = append(mentions, item.Get("createdBy"), item.Get("updatedBy"))
		}
	}
	for _, mention := range mentions {
		if mention.Get("id").Exists() || mention.Get("user_id").Exists() {
			p.see(mention, nil)
		}
	}
}

// refer returns the name by which things refer to a user that an answer mentions, or the empty text.
func (p *people) refer(mention gjson.Result) string {
	for _, u := range p.users {
		if id := mention.Get("id").String(); id != "" && u.id == id {
			return u.ref()
		}
	}
	return p.referByName(mention.Get("name").String())
}

// referByName returns the name by which things refer to a user of a name.
func (p *people) referByName(name string) string {
	if u := p.named(name); u != nil {
		return u.ref()
	}
	return ""
}

// isAdministrator reports whether the caller of an exchange may see everything.
func (p *people) isAdministrator(e *Exchange) bool {
	u := p.byKey[e.Credential().Identity]
	return u != nil && (u.role == "administrator" || u.role == "owner")
}
