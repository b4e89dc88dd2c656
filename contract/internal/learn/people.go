package learn

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// The roles of users.
const (
	administrator = "administrator"
	restricted    = "restricted"
	subUser       = "sub_user"
)

// user is a user of the account, as answers show one.
type user struct {
	id, name, email, role, parent string
	createdAt, updatedAt          string
	isMade, isGuessed             bool
	isRoleShown                   bool
	hasID, hasName                bool // answers or requests show the id, and the name or the address
	isGiven                       bool // requests give it policies and the like
	isSpare                       bool // nothing is known of it but what it sends, if it sends anything
}

// ref returns the name by which entities refer to a user, or nothing for none.
func (u *user) ref() string {
	if u == nil {
		return ""
	}
	return cmp.Or(u.email, u.name)
}

// people are the users of the account, and who of them sent which requests.
type people struct {
	*learner
	all     []*user
	callers []*caller
	shown   map[slot]bool // sets that answers show

	begin beginning
	users []*user          // those of the beginning
	byKey map[string]*user // by what stands for their keys
	keys  []Key
}

// findPeople finds the users and the callers, and makes a first guess at who is who, and what they may do.
func (l *learner) findPeople() *people {
	p := &people{learner: l, shown: map[slot]bool{}}
	for _, kind := range []string{userKind, subUserKind, accessUserKind} {
		for _, t := range l.entities.all(kind) {
			for _, s := range t.sights {
				p.see(s.object, t)
			}
		}
	}
	for _, e := range l.exchanges {
		if body := e.answer(); body.Exists() && e.ok() {
			p.seeIn(e, body)
			for _, at := range p.rightsIn(e, body).whole {
				p.shown[at] = true
			}
		}
	}
	for _, e := range l.exchanges {
		p.seeInRequest(e)
	}
	p.seeOwners()
	p.callers = p.findCallers()
	p.complete()
	p.settle(p.firstGuess())
	return p
}

// with returns a user of whom no more than the id is known, with what is known of another one that has no id.
func (u *user) with(o *user) *user {
	both := *u
	both.name, both.email = o.name, o.email
	both.createdAt, both.updatedAt = cmp.Or(u.createdAt, o.createdAt), cmp.Or(u.updatedAt, o.updatedAt)
	if o.isRoleShown {
		both.role, both.isRoleShown = o.role, true
	}
	return &both
}

// complete gives each user what a fixture needs.
func (p *people) complete() {
	next := int64(0)
	for _, u := range p.all {
		next = max(next, number(u.id))
	}
	for _, u := range p.all {
		u.hasID, u.hasName = u.id != "", u.name != "" || u.email != ""
		if !u.hasID {
			next++
			u.id, u.isGuessed = fmt.Sprint(next), true
		}
		u.complete()
	}
}

func (u *user) complete() {
	if u.name == "" {
		u.name, u.isGuessed = "User "+u.id, true
	}
	switch {
	case u.isSpare && u.role == subUser:
		u.email = "" // as sub users have none
	case u.email == "" && u.role != subUser:
		u.email, u.isGuessed = "user"+u.id+"@account.example", true
	}
}

// spare returns a user of whom nothing is known.
func (p *people) spare() *user {
	next := int64(1)
	for _, u := range p.all {
		next = max(next, number(u.id)+1)
	}
	u := &user{id: fmt.Sprint(next), isSpare: true}
	u.complete()
	p.all = append(p.all, u)
	return u
}

// firstGuess guesses at the beginning: whoever was refused nothing is an administrator, users who are given something
// are none, and what is taken away first was there.
func (p *people) firstGuess() beginning {
	b, done := beginning{}, map[fact]bool{}
	taken := func(f fact, was bool) {
		if !done[f] && was {
			b = b.with(change{add: []fact{f}})
		}
		done[f] = true
		if u := p.withID(f.of); u != nil {
			u.isGiven = true
		}
	}
	p.users = p.all
	for _, e := range p.exchanges {
		if !e.ok() {
			continue
		}
		body := e.asked()
		user, policy := param(e, "user_id"), param(e, "policy_id")
		switch name := e.Operation().ID; name {
		case "attachPolicyToUser", "attachUserToPolicy", "detachPolicyFromUser", "detachUserFromPolicy":
			t := p.entities.find(policyKind, policy)
			taken(fact{slot{policiesOf, user}, policy}, strings.HasPrefix(name, "detach") && t != nil && t.wasThere())
		case "addDelegatedAdmin", "removeDelegatedAdmin":
			if u := p.named(param(e, "user_email")); u != nil {
				taken(fact{slot{delegates, u.id}, "yes"}, name == "removeDelegatedAdmin")
			}
		case "setTagUsers", "updatePolicyUsers", "setTagDelegatedAdmins":
			for _, id := range texts(body.Get("user_ids")) {
				taken(fact{slot{delegates, id}, "yes"}, name == "setTagDelegatedAdmins")
			}
		case "updateUserPolicies":
			taken(fact{slot{policiesOf, user}, ""}, false)
		}
	}
	for _, u := range p.all {
		if u.isGiven {
			b = b.with(adding(roleOf, u.id, restricted))
		}
	}
	if p.Build == nil || p.Effort == 0 {
		b = p.untried(b)
	}
	for _, c := range p.callers {
		if c.granted == 0 && !c.isDenied && !c.isSub && c.user == nil { // it imports, and was refused all else
			b = b.with(adding(imports, c.identity, "yes"))
			continue
		}
		if c.user == nil {
			c.user = p.spare()
		}
		b = b.with(adding(userOf, c.identity, c.user.id))
		if c.refused > 0 || c.isLess { // it is not likely to be an administrator's
			b = b.with(adding(roleOf, c.user.id, restricted))
		} else if b.first(roleOf, c.user.id) == "" {
			b = b.with(adding(roleOf, c.user.id, administrator))
		}
	}
	return b
}

// untried adds the rights that answers show first, for when they are not tried.
func (p *people) untried(b beginning) beginning {
	done := map[slot]bool{}
	for _, e := range p.exchanges {
		body := e.answer()
		if !body.Exists() || !e.ok() || isWrite(e) {
			continue
		}
		s := p.rightsIn(e, body)
		for _, f := range s.facts {
			if !done[f.slot] && slices.Contains(plainSets, f.what) {
				b = b.with(change{add: []fact{f}})
			}
		}
		for _, at := range s.whole {
			done[at] = true
		}
	}
	return b
}

// needless are the sets of a user that administrators do not need.
var needless = []string{policiesOf, groupsOf, managedBy, grantedTo, delegates}

// hasAny reports whether a user has what administrators do not need.
func (p *people) hasAny(b beginning, u *user) bool {
	return slices.ContainsFunc(needless, func(what string) bool { return len(b[slot{what, u.id}]) > 0 })
}

// settle takes a beginning: it gives each user a role, and each caller a key.
func (p *people) settle(b beginning) {
	p.begin, p.users, p.keys, p.byKey = b, nil, nil, map[string]*user{}
	isCaller := map[string]bool{}
	for _, c := range p.callers {
		isCaller[b.first(userOf, c.identity)] = true
	}
	hasAdmin := false
	for _, u := range p.all {
		if u.isSpare && !isCaller[u.id] && !p.hasAny(b, u) || b.first(sameAs, u.id) != "" {
			continue
		}
		for _, o := range p.all {
			if b.first(sameAs, o.id) == u.id {
				u = u.with(o)
			}
		}
		p.users = append(p.users, u)
		switch role := b.first(roleOf, u.id); {
		case u.isRoleShown:
		case role != "":
			u.role = role
		case p.hasAny(b, u):
			u.role = restricted
		default:
			u.role = administrator
		}
		if u.isSpare {
			u.complete()
		}
		hasAdmin = hasAdmin || !u.isMade && (u.role == administrator || u.role == "owner")
	}
	if !hasAdmin {
		u := p.unusedSpares(1)[0]
		u.role = administrator
		p.users = append(p.users, u)
	}
	slices.SortStableFunc(p.users, func(a, b *user) int { return cmp.Compare(number(a.id), number(b.id)) })
	for _, c := range p.callers {
		if u := p.withID(b.first(userOf, c.identity)); u != nil {
			p.byKey[c.identity] = u
		}
	}
	p.giveKeys()
}

// unusedSpares returns users of whom nothing is known, not even that they send anything.
func (p *people) unusedSpares(n int) (list []*user) {
	for _, u := range p.all {
		if len(list) < n && u.isSpare && !slices.Contains(p.users, u) {
			list = append(list, u)
		}
	}
	for len(list) < n {
		list = append(list, p.spare())
	}
	return list
}

func (p *people) withID(id string) *user {
	return userLike(p.users, func(u *user) bool { return u.id == id })
}

func userLike(list []*user, isIt func(*user) bool) *user {
	if i := slices.IndexFunc(list, isIt); i >= 0 {
		return list[i]
	}
	return nil
}

// parentOf returns the user to whom a sub user belongs, or nil: an administrator if nothing says who it is.
func (p *people) parentOf(u *user) *user {
	if u.role != subUser {
		return nil
	}
	if parent := p.withID(u.parent); parent != nil && parent != u {
		return parent
	}
	admin := userLike(p.users, func(o *user) bool { return o.role == administrator && !o.isMade })
	return cmp.Or(admin, p.users[0])
}

// madeUpPrefix begins what stands for the policies of which no answer shows anything, before the id of the user whom
// they are for.
const madeUpPrefix = "made up for "

// madeUp lists the policies of which no answer shows anything.
func (p *people) madeUp() (ids []string) {
	for at, list := range p.begin {
		for _, id := range list {
			if (at.what == policiesOf || at.what == groupedIn) && strings.HasPrefix(id, madeUpPrefix) &&
				!slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// madeUpName returns the name of a policy of which no answer shows anything, which says whose it is, or nothing for
// any other.
func (p *people) madeUpName(policy string) string {
	id, is := strings.CutPrefix(policy, madeUpPrefix)
	if u := p.withID(id); is && u != nil {
		return "rights of " + u.ref()
	} else if is {
		return "policy " + id
	}
	return ""
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
	if e.Status() != http.StatusUnprocessableEntity && e.Operation().Interface == specs.Core {
		ids = append(ids, texts(e.asked().Get("user_ids"))...)
	}
	for _, id := range ids {
		if number(id) > 0 && !slices.ContainsFunc(p.all, func(u *user) bool { return u.id == id }) {
			p.get(id)
		}
	}
	if id := param(e, "sub_user_id"); e.ok() && id != "" {
		u := p.get(id)
		u.role, u.isRoleShown = subUser, true
	}
}

// seeOwners takes the users of whom answers show no more than that jobs, schedules or integrations are theirs.
func (p *people) seeOwners() {
	for _, kind := range []string{jobKind, jobScheduleKind, integrationKind} {
		for _, t := range p.entities.all(kind) {
			for _, s := range t.sights {
				if id := s.object.Get("user_id").Text(); id != "" && kind == integrationKind {
					p.get(id)
				}
				p.owner(s.object.Get("user_name").Text())
			}
		}
	}
}

// owner returns the user with a name, of whom no more may be known, or nil for no name.
func (p *people) owner(name string) *user {
	u := p.named(name)
	if u == nil && name != "" {
		u = p.get("")
		u.name = name
	}
	return u
}

// texts returns the items of a list as texts.
func texts(list jsontree.Value) []string {
	all := []string{}
	for item := range list.List {
		all = append(all, item.Text())
	}
	return all
}

// get returns what stands at a path, such as user.id.
func get(v jsontree.Value, path string) jsontree.Value { return v.Get(strings.Split(path, ".")...) }

// values yields all that a path leads to, such as users.*.id.
func values(v jsontree.Value, path string) iter.Seq[jsontree.Value] {
	return sight.Values(v, strings.Split(path, "."))
}

// textsAt returns all that a path leads to as texts.
func textsAt(v jsontree.Value, path string) []string {
	all := []string{}
	for value := range values(v, path) {
		all = append(all, value.Text())
	}
	return all
}

// get returns the user with an id.
func (p *people) get(id string) *user {
	u := userLike(p.all, func(u *user) bool { return u.id == id && id != "" })
	if u == nil {
		u = &user{id: id}
		p.all = append(p.all, u)
	}
	return u
}

// named returns the user with a name or an e-mail address, or nil.
func (p *people) named(text string) *user {
	return userLike(p.all, func(u *user) bool { return text != "" && (u.email == text || u.name == text) })
}

// see takes an object that describes a user.
func (p *people) see(o jsontree.Value, t *entity) *user {
	id := cmp.Or(o.Get("user_id").Text(), o.Get("id").Text())
	if id == "" {
		return nil
	}
	u := p.get(id)
	u.isMade = u.isMade || t != nil && !t.wasThere()
	u.name = cmp.Or(u.name, o.Get("name").Text())
	u.email = cmp.Or(u.email, o.Get("email").Text())
	u.createdAt = cmp.Or(u.createdAt, timeOf(o.Get("created_at")))
	u.updatedAt = cmp.Or(u.updatedAt, timeOf(o.Get("updated_at")))
	if parent := o.Get("parent_user_id"); parent.Exists() {
		u.parent, u.role = parent.Text(), subUser
		p.get(u.parent)
	}
	switch {
	case u.role != "":
	case o.Get("restricted").Bool():
		u.role = restricted
	case o.Get("administrator").Bool():
		u.role = administrator
	}
	u.isRoleShown = u.isRoleShown || u.role != ""
	return u
}

// seeTokenOf takes the user of an OAuth token, which is a sub user if it has no e-mail address.
func (p *people) seeTokenOf(token jsontree.Value) {
	id := token.Get("user_id").Text()
	if id == "" {
		return
	}
	u := p.get(id)
	if u.email = cmp.Or(u.email, token.Get("user_email").Text()); u.email == "" && u.role == "" {
		u.role, u.isRoleShown = subUser, true
	}
}

// mentioned are the places at which answers show users beside what they are about.
var mentioned = []string{"user", "createdBy", "updatedBy", "revisions.*.userInfo.svc.user"}

// seeIn takes the users that answers mention beside what they are about.
func (p *people) seeIn(e *Exchange, body jsontree.Value) {
	for _, id := range texts(body.Get("user_ids")) {
		p.get(id)
	}
	for token := range body.Get("oauth_tokens").List {
		p.seeTokenOf(token)
	}
	places := mentioned
	switch {
	case e.name() == "core.listPolicyUsers":
		places = []string{"*"}
	case body.IsArray() && e.Operation().Interface == specs.Audience:
		places = []string{"*.createdBy", "*.updatedBy"}
	}
	for _, place := range places {
		for mention := range values(body, place) {
			if mention.Get("id").Exists() || mention.Get("user_id").Exists() {
				p.see(mention, nil)
			}
		}
	}
}

// refer returns the name by which entities refer to a user that an answer mentions, or the empty text.
func (p *people) refer(mention jsontree.Value) string {
	return cmp.Or(p.referByID(mention.Get("id").Text()), p.referByName(mention.Get("name").Text()))
}

// referByID returns the name by which entities refer to the user with an id.
func (p *people) referByID(id string) string {
	return userLike(p.all, func(u *user) bool { return u.id == id && id != "" }).ref()
}

// referByName returns the name by which entities refer to a user of a name.
func (p *people) referByName(name string) string { return p.named(name).ref() }

// isAdministrator reports whether the caller of an exchange may see everything.
func (p *people) isAdministrator(e *Exchange) bool {
	u := p.byKey[e.Credential().Identity]
	return u != nil && (u.role == administrator || u.role == "owner")
}

// rights returns what callers may do, by their keys, and who is the first administrator by the empty one.
func (p *people) rights() map[string]string {
	rights := map[string]string{}
	for _, u := range slices.Backward(p.users) {
		if u.role == administrator && !u.isMade {
			rights[""] = u.id
		}
	}
	for _, c := range p.callers {
		text := fmt.Append(nil, p.begin[slot{imports, c.identity}])
		if u := p.byKey[c.identity]; u != nil {
			text = fmt.Append(text, *u, p.parentOf(u))
			for _, what := range needless {
				for _, of := range p.begin[slot{what, u.id}] {
					text = fmt.Append(text, what, of, p.begin[slot{grantedBy, of}], p.begin[slot{groupedIn, of}])
				}
			}
		}
		rights[c.identity] = string(text)
	}
	return rights
}

// isAboutRights reports whether the answer to an exchange may show what users may do, not only to their own requests.
func (l *learner) isAboutRights(e *Exchange) bool {
	isAbout := func(a *specs.Action) bool {
		return slices.Contains([]string{
			userKind, subUserKind, accessUserKind, policyKind, policyGroupKind, tokenKind, profileOptionKind,
		}, a.Resource.Name)
	}
	return len(l.rightsIn(e, e.answer()).facts) > 0 || slices.ContainsFunc(e.Operation().Actions(), isAbout)
}
