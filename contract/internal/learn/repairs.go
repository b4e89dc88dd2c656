package learn

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// shownChange returns the change after which the answer to an exchange shows the rights that the recorded one does, as
// far as they are plain.
func (s *search) shownChange(e *Exchange) (c change) {
	done := s.best.replayed[e.Result]
	if !isOther(done) || !e.ok() || done.Answer.Status/100 != 2 {
		return c
	}
	missing, extra := s.differing(e, done)
	isOther := func(f fact) bool {
		at := s.people.entities.find(policyKind, f.text)
		isMade := (f.what == policiesOf || f.what == groupedIn) && at != nil && !at.wasThere()
		return isMade || !slices.Contains(plainSets, f.what)
	}
	c = change{slices.DeleteFunc(missing, isOther), slices.DeleteFunc(extra, isOther)}
	for _, f := range c.add {
		if f.what == managedBy {
			c = c.and(adding(roleOf, f.of, restricted))
		}
	}
	return c
}

// differing returns what the recorded answer shows of rights and the other one does not, and the other way round.
func (s *search) differing(e *Exchange, done *compare.Exchange) (missing, extra []fact) {
	was, is := s.rightsIn(e, e.answer()), s.rightsIn(e, jsontree.Parse(string(done.Answer.Body)))
	return lacking(is.facts, was.facts), lacking(was.facts, is.facts)
}

// lacking returns the facts of a list that another one lacks.
func lacking(in, of []fact) []fact {
	return slices.DeleteFunc(slices.Clone(of), func(f fact) bool { return slices.Contains(in, f) })
}

// plainSets are the sets that answers show as they are.
var plainSets = []string{policiesOf, groupsOf, managedBy, grantedTo, grantedBy, groupedIn}

// explanations lists the changes that can explain an answer, that which it shows first.
func (s *search) explanations(e *Exchange) []change {
	list := s.alternatives(e)
	if c := s.shownChange(e); !c.isEmpty() {
		list = append([]change{c}, list...)
	}
	return list
}

// alternatives lists the changes of the beginning that may explain why the answer to an exchange differs.
func (s *search) alternatives(e *Exchange) (list []change) {
	done := s.best.replayed[e.Result]
	key := e.Credential().Identity
	if !isOther(done) {
		return nil
	}
	was, is := e.Status(), done.Answer.Status
	switch {
	case isRefused(is) && !isRefused(was):
		return append(s.loosen(e), s.reassign(key, restricted)...)
	case isRefused(was) && !isRefused(is), was == http.StatusNotFound && is/100 == 2:
		return append(s.tighten(e), s.reassign(key, restricted)...)
	case was/100 == 2 && is/100 == 2:
		return append(s.shownAlternatives(e, done), s.unstored(done)...)
	}
	return nil
}

// unstored lists changes after which what was imported before is there: that is answered alike if it is not stored.
func (s *search) unstored(done *compare.Exchange) (list []change) {
	for i := range done.Differences {
		since := done.Differences[i].Since
		for _, e := range s.exchanges {
			if since != nil && e.Result == since.Result && importsWith(e) {
				return s.loosen(e)
			}
		}
	}
	return nil
}

// role returns the role of a user in the best beginning, and whether it may be another one.
func (s *search) role(id string) (role string, isFree bool) {
	for _, u := range s.people.all {
		if u.id == id && u.isRoleShown {
			return u.role, false
		}
	}
	return cmp.Or(s.best.begin.first(roleOf, id), administrator), true
}

// loosen lists the changes after which a caller may send a request.
func (s *search) loosen(e *Exchange) (list []change) {
	b, key := s.best.begin, e.Credential().Identity
	id := b.first(userOf, key)
	if b.first(imports, key) != "" {
		list = append(list, removing(imports, key, "yes").and(adding(roleOf, id, restricted)))
		id = ""
	}
	role, isFree := s.role(id)
	if id == "" || role == administrator || role == "owner" {
		return list
	}
	if e.Operation().Interface == specs.LLM {
		list = append(list, s.grant(id, entryText("LlmProject", map[string]string{"operation": "full"})))
	}
	if role == subUser && isFree {
		list = append(list, adding(roleOf, id, restricted))
	}
	for _, database := range s.databasesIn(e) {
		for _, operation := range []string{"query", "import", "edit"} {
			for _, policy := range s.givenBefore(e) {
				list = append(list, adding(grantedBy, policy, entryOn(database, operation)))
			}
			list = append(list, s.grant(id, entryOn(database, operation)))
		}
	}
	if e.Operation().Interface != specs.LLM {
		list = append(list, s.grant(id, entryOn("", "owner_manage")), s.grant(id, entryOn("", "manage")))
	}
	for _, t := range s.entities.of(policyKind) {
		if f := (fact{slot{policiesOf, id}, t.id}); s.people.shown[slot{grantedBy, t.id}] && !b.has(f) {
			list = append(list, change{add: []fact{f}})
		}
	}
	if role == restricted && e.Operation().Interface == specs.Core {
		list = append(list, s.manage(e, id)...)
	}
	if isFree {
		list = append(list, adding(roleOf, id, administrator))
	}
	return list
}

// givenBefore lists the policies that a request before an exchange gave to a user, by which the answer may differ. No
// answer shows what they grant.
func (s *search) givenBefore(e *Exchange) (policies []string) {
	for _, earlier := range s.exchanges[:e.N-1] {
		policy := param(earlier, "policy_id")
		if earlier.ok() && strings.HasPrefix(earlier.name(), "core.attach") && !slices.Contains(policies, policy) &&
			!s.people.shown[slot{grantedBy, policy}] {
			policies = append(policies, policy)
		}
	}
	return policies
}

// manage lists changes that make a user a delegated admin.
func (s *search) manage(e *Exchange, id string) (list []change) {
	isOne := adding(delegates, id, "yes")
	if tag := param(e, "tag"); tag != "" {
		manages := isOne.and(adding(managedBy, id, tag))
		return []change{isOne, manages, manages.and(adding(groupsOf, id, tag))}
	}
	user, policy := param(e, "user_id"), param(e, "policy_id")
	if user == "" || policy == "" {
		return []change{isOne}
	}
	for _, tag := range s.tags() {
		all := isOne.and(adding(managedBy, id, tag), adding(groupsOf, user, tag))
		if !s.people.shown[slot{groupedIn, tag}] {
			all = all.and(adding(groupedIn, tag, policy))
		}
		list = append(list, all)
	}
	return list
}

// tags lists the tags of the policy groups.
func (s *search) tags() (tags []string) {
	for _, t := range s.entities.of(policyGroupKind) {
		if tag := t.text("taggable_name"); tag != "" {
			tags = append(tags, tag)
		}
	}
	return append(tags, s.unseenGroups()...)
}

// grant returns the change that gives a user a permission: by a policy of its own of which no answer shows what it
// grants, or by one that is made up.
func (s *search) grant(id, entry string) change {
	for _, policy := range s.best.begin[slot{policiesOf, id}] {
		if !s.people.shown[slot{grantedBy, policy}] {
			return adding(grantedBy, policy, entry)
		}
	}
	policy := madeUpPrefix + id
	return adding(policiesOf, id, policy).and(adding(grantedBy, policy, entry))
}

// databasesIn lists the databases that a request is about, as far as it says so.
func (s *search) databasesIn(e *Exchange) (names []string) {
	profiles := ""
	if e.Operation().Interface == specs.Audience {
		profiles, _ = s.profiles()
	}
	for _, name := range []string{
		param(e, "database_name"), e.asked().Get("database").Text(), profiles,
	} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// tighten lists the changes after which a caller may not send a request.
func (s *search) tighten(e *Exchange) (list []change) {
	b, key := s.best.begin, e.Credential().Identity
	id := b.first(userOf, key)
	if id == "" {
		return nil
	}
	role, isFree := s.role(id)
	if isFree && role == administrator {
		list = append(list, adding(roleOf, id, restricted))
	}
	databases := s.databasesIn(e)
	for _, policy := range b[slot{policiesOf, id}] {
		if !s.people.shown[slot{grantedBy, policy}] {
			for _, entry := range b[slot{grantedBy, policy}] {
				_, members := partsOf(entry)
				if name := members.Get("database").Text(); name == "" || slices.Contains(databases, name) {
					list = append(list, removing(grantedBy, policy, entry))
				}
			}
		}
		list = append(list, removing(policiesOf, id, policy))
	}
	if tag := param(e, "tag"); tag != "" {
		list = append(list, removing(managedBy, id, tag))
	}
	if user := param(e, "user_id"); user != "" {
		for _, tag := range b[slot{groupsOf, user}] {
			list = append(list, removing(groupsOf, user, tag))
		}
	}
	if b.first(delegates, id) != "" {
		list = append(list, removing(delegates, id, "yes").and(removing(managedBy, id, b[slot{managedBy, id}]...)))
	}
	if isFree && role != subUser {
		list = append(list, adding(roleOf, id, subUser))
	}
	return list
}

// reassign lists the changes that make a caller another user, who has one of some roles. What the present user was
// assumed to have may be that one's, if nothing else is known of the present one.
func (s *search) reassign(key string, roles ...string) (list []change) {
	b := s.best.begin
	if slices.ContainsFunc(s.people.callers, func(c *caller) bool {
		return c.identity == key && c.isKnown && c.user.hasID
	}) {
		return nil
	}
	now := b.first(userOf, key)
	dropped, moved := s.moving(now)
	for _, u := range s.people.all {
		if u.id == now || u.isSpare || b.first(sameAs, u.id) != "" {
			continue
		}
		shown, isFree := s.role(u.id)
		for _, role := range roles {
			c := adding(userOf, key, u.id)
			switch {
			case role == subUser && isFree && u.hasName: // who would have no address
				continue
			case !isFree && shown != role && !(role == restricted && shown == subUser):
				continue
			case isFree:
				c = c.and(adding(roleOf, u.id, role))
			}
			list = append(list, c.and(dropped))
			if all := moved(u); !all.isEmpty() {
				list = append(list, c.and(dropped, all))
			}
		}
	}
	return list
}

// moving returns what takes all from a user of whom nothing is known, and what gives that to another one. A user who is
// known without an id, and one of whom no more is known than that, may be the same.
func (s *search) moving(from string) (dropped change, moved func(*user) change) {
	i := slices.IndexFunc(s.people.all, func(u *user) bool { return u.id == from })
	if i < 0 || s.people.all[i].hasID {
		return dropped, func(*user) change { return change{} }
	}
	u, b, own := s.people.all[i], s.best.begin, madeUpPrefix+from
	all := change{}
	for _, what := range needless {
		all = all.and(removing(what, from, b[slot{what, from}]...))
	}
	entries := b[slot{grantedBy, own}]
	all = all.and(removing(grantedBy, own, entries...))
	if u.isSpare {
		dropped = all
	}
	return dropped, func(to *user) (c change) {
		switch {
		case u.isSpare:
		case !to.hasID || to.hasName:
			return c
		default:
			c = all.and(adding(sameAs, from, to.id))
		}
		for _, key := range s.keysOf(from) {
			c = c.and(adding(userOf, key, to.id))
		}
		for _, what := range needless {
			for _, text := range b[slot{what, from}] {
				if text == own {
					text = madeUpPrefix + to.id
					c = c.and(adding(grantedBy, text, entries...))
				}
				c = c.and(adding(what, to.id, text))
			}
		}
		return c
	}
}

// keysOf lists the callers who are taken for a user.
func (s *search) keysOf(id string) (keys []string) {
	for _, c := range s.people.callers {
		if s.best.begin.first(userOf, c.identity) == id {
			keys = append(keys, c.identity)
		}
	}
	return keys
}

// shownAlternatives lists the changes that may explain why an answer shows other databases, tokens, users or numbers.
func (s *search) shownAlternatives(e *Exchange, done *compare.Exchange) (list []change) {
	missing, extra := s.differing(e, done)
	b, key := s.best.begin, e.Credential().Identity
	id := b.first(userOf, key)
	role, isFree := s.role(id)
	seen, granted := change{}, map[string][]string{}
	for _, f := range missing {
		switch f.what {
		case databasesOf:
			seen = seen.and(s.grantsFor(id, f.text))
		case allOf:
			granted[f.of] = append(granted[f.of], f.text)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(granted)) {
		list = append(list, adding(grantedTo, id, granted[id]...))
		for _, policy := range b[slot{policiesOf, id}] {
			if !s.people.shown[slot{grantedBy, policy}] {
				list = append(list, adding(grantedBy, policy, granted[id]...))
			}
		}
	}
	for _, f := range extra {
		switch f.what {
		case allOf:
			list = append(list, removing(grantedTo, f.of, f.text))
		case databasesOf:
			name, _, _ := strings.Cut(f.text, " ")
			for _, policy := range b[slot{policiesOf, id}] {
				for _, entry := range b[slot{grantedBy, policy}] {
					if _, members := partsOf(entry); members.Get("database").Text() == name {
						seen = seen.and(removing(grantedBy, policy, entry))
					}
				}
			}
		}
	}
	isCaller := slices.ContainsFunc(append(missing, extra...), func(f fact) bool { return f.of == key })
	if isCaller && !seen.isEmpty() {
		list = append(list, seen)
	}
	if isCaller {
		if role == administrator && isFree {
			list = append(list, adding(roleOf, id, restricted).and(seen))
		} else if isFree {
			list = append(list, adding(roleOf, id, administrator))
		}
		list = append(list, s.reassign(key, restricted, administrator)...)
	}
	return list
}

// grantsFor returns the change after which a user sees a database as an answer shows it.
func (s *search) grantsFor(id, shown string) (c change) {
	words := strings.Fields(shown)
	operation := "query"
	if len(words) > 1 {
		switch words[1] {
		case "full_access":
			operation = "edit"
		case "import_only":
			operation = "import"
		case administrator:
			return s.grant(id, entryOn("", "manage"))
		}
	}
	if c = s.grant(id, entryOn(words[0], operation)); words[len(words)-1] == "download" {
		c = c.and(s.grant(id, entryOn(words[0], "download")))
	}
	return c
}

// counts lists the changes after which policies have one more user, or one less, and groups one more policy, if an
// answer shows other numbers, those that make one user of two, if it shows all, and those that put others in the place
// of policies that are made up.
func (s *search) counts(e *Exchange) (list []change) {
	done := s.best.replayed[e.Result]
	if !isOther(done) || !e.ok() {
		return nil
	}
	missing, extra := s.differing(e, done)
	if len(missing)+len(extra) == 0 {
		return nil
	}
	for _, f := range missing {
		switch f.what {
		case countOf:
			list = append(list, s.counted(f, extra)...)
		case sizeOf:
			for _, t := range s.entities.of(policyKind) {
				if !s.best.begin.has(fact{slot{groupedIn, f.of}, t.id}) {
					list = append(list, adding(groupedIn, f.of, t.id))
				}
			}
			list = append(list, adding(groupedIn, f.of, madeUpPrefix+f.of))
		}
	}
	for _, f := range extra {
		if f.what == usersOf {
			_, moved := s.moving(f.text)
			for _, u := range s.people.all {
				if c := moved(u); u.hasID && !c.isEmpty() {
					list = append(list, c)
				}
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.best.begin), func(a, b slot) int { return cmp.Compare(a.of, b.of) }) {
		own := madeUpPrefix + at.of
		if at.what != policiesOf || !s.best.begin.has(fact{at, own}) {
			continue
		}
		entries := s.best.begin[slot{grantedBy, own}]
		dropped := removing(policiesOf, at.of, own).and(removing(grantedBy, own, entries...))
		list = append(list, dropped)
		for _, t := range s.entities.of(policyKind) {
			c := dropped.and(adding(policiesOf, at.of, t.id))
			if !s.people.shown[slot{grantedBy, t.id}] {
				c = c.and(adding(grantedBy, t.id, entries...))
			}
			list = append(list, c)
		}
	}
	return list
}

// counted lists changes after which another number of users has a policy: of those whose policies no answer shows, or
// with some of whom nothing is known.
func (s *search) counted(f fact, extra []fact) (list []change) {
	for _, u := range s.people.users {
		role, _ := s.role(u.id)
		has := fact{slot{policiesOf, u.id}, f.of}
		switch {
		case s.people.shown[has.slot] || u.isMade || role != restricted && role != subUser:
		case s.best.begin.has(has):
			list = append(list, change{remove: []fact{has}})
		default:
			list = append(list, change{add: []fact{has}})
		}
	}
	missing := number(f.text)
	for _, other := range extra {
		if other.slot == f.slot {
			missing -= number(other.text)
		}
	}
	more := change{}
	for _, u := range s.people.unusedSpares(int(min(missing, maxMore))) {
		more = more.and(adding(policiesOf, u.id, f.of))
	}
	return append(list, more)
}

// maxMore bounds how many users are made up for one policy.
const maxMore = 100
