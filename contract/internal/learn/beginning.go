package learn

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/internal/jsontree"
)

// slot names a set of texts that an account has: what it is a set of, and of which user, policy, group or key.
type slot struct{ what, of string }

// The sets. Users stand for themselves by their ids, policies by theirs, groups by their tags, and keys by what stands
// for them in the recording.
const (
	policiesOf = "policies"    // of a user: ids
	groupsOf   = "groups"      // whose tag a user carries: tags
	managedBy  = "manages"     // by a user: tags
	grantedTo  = "permissions" // of a user, without a policy: kinds of resources with entries in JSON
	grantedBy  = "grants"      // of a policy: the same
	groupedIn  = "grouped"     // policies of a group: ids
	roleOf     = "role"        // of a user: one role
	userOf     = "user"        // of a key: the id of one user
	sameAs     = "same"        // of a user without an id: that of the user who it is
	delegates  = "delegates"   // of a user: the text yes, if it is a delegated admin
	imports    = "imports"     // of a key: the text yes, if it is write-only

	// These are only seen in answers, and follow from all others.
	allOf       = "all permissions" // of a user, by policies or not
	databasesOf = "databases"       // that a key sees: names with permissions
	tokensOf    = "tokens"          // that a key sees: ids
	subUsersOf  = "sub users"       // that a key sees: ids
	usersOf     = "users"           // of the account: ids
	countOf     = "count"           // of users who have a policy: a number
	sizeOf      = "size"            // of a group: a number of policies
)

// isSingle holds the sets that have one text.
var isSingle = map[string]bool{roleOf: true, userOf: true, sameAs: true}

// fact says that a set has a text.
type fact struct {
	slot
	text string
}

// beginning holds what users may do when the recording begins. It is never changed in place.
type beginning map[slot][]string

// first returns the text of a set with one.
func (b beginning) first(what, of string) string {
	if texts := b[slot{what, of}]; len(texts) > 0 {
		return texts[0]
	}
	return ""
}

func (b beginning) has(f fact) bool { return slices.Contains(b[f.slot], f.text) }

// with returns a beginning with some facts more, and without others.
func (b beginning) with(c change) beginning {
	b = maps.Clone(b)
	for _, f := range c.remove {
		b[f.slot] = slices.DeleteFunc(slices.Clone(b[f.slot]), func(text string) bool { return text == f.text })
	}
	for _, f := range c.add {
		switch {
		case isSingle[f.what]:
			b[f.slot] = []string{f.text}
		case !b.has(f):
			b[f.slot] = append(slices.Clip(b[f.slot]), f.text)
		}
	}
	return b
}

// change adds facts to a beginning, and removes others.
type change struct{ add, remove []fact }

func (c change) isEmpty() bool { return len(c.add)+len(c.remove) == 0 }

func adding(what, of string, texts ...string) (c change) {
	for _, text := range texts {
		c.add = append(c.add, fact{slot{what, of}, text})
	}
	return c
}

func removing(what, of string, texts ...string) change {
	return change{remove: adding(what, of, texts...).add}
}

// and joins changes.
func (c change) and(others ...change) change {
	for _, o := range others {
		c.add, c.remove = append(slices.Clip(c.add), o.add...), append(slices.Clip(c.remove), o.remove...)
	}
	return c
}

// shown holds what an answer shows of the rights of users. Whole are the sets that it shows whole, also those that are
// empty.
type shown struct {
	facts []fact
	whole []slot
}

func (s *shown) set(what, of string, texts []string) {
	s.whole = append(s.whole, slot{what, of})
	s.facts = append(s.facts, adding(what, of, texts...).add...)
}

// have adds a text of users, of whom there may be others.
func (s *shown) have(what string, users []string, text string) {
	for _, id := range users {
		s.facts = append(s.facts, fact{slot{what, id}, text})
	}
}

// rightsIn reads what an answer shows of the rights of users, be it the recorded one or that of a server.
func (l *learner) rightsIn(e *Exchange, body jsontree.Value) *shown {
	s := &shown{}
	user, policy, tag := param(e, "user_id"), param(e, "policy_id"), param(e, "tag")
	switch e.name() {
	case "core.listPolicies", "core.listUserPolicies", "core.updateUserPolicies":
		s.counts(body)
		if user != "" {
			s.set(policiesOf, user, textsAt(body, "*.id"))
		}
	case "core.getPolicy", "core.updatePolicy", "core.attachPolicyToUser", "core.attachUserToPolicy",
		"core.detachPolicyFromUser", "core.detachUserFromPolicy":
		s.counts(body)
	case "core.listUsers":
		s.set(usersOf, "", textsAt(body, "users.*.id"))
	case "core.listAccessControlUsers", "core.updatePolicyUsers", "core.getAccessControlUser":
		if e.name() == "core.listAccessControlUsers" {
			s.set(usersOf, "", textsAt(body, "*.user_id"))
		}
		for o := range body.List { // also of one object
			id := o.Get("user_id").Text()
			s.set(policiesOf, id, textsAt(o, "policies.*.id"))
			s.set(allOf, id, entriesIn(o.Get("permissions")))
		}
	case "core.listPolicyUsers":
		s.have(policiesOf, textsAt(body, "*.user_id"), policy)
	case "core.getPolicyPermissions", "core.updatePolicyPermissions":
		s.set(grantedBy, policy, entriesIn(body))
	case "core.updateUserPermissions":
		s.set(grantedTo, user, entriesIn(body.Get("permissions")))
	case "core.exportPolicies":
		for o := range body.Get("policies").List {
			s.set(grantedBy, o.Get("id").Text(), entriesIn(o.Get("permissions")))
		}
	case "core.listTagUsers":
		s.have(groupsOf, texts(body.Get("user_ids")), tag)
	case "core.listTagDelegatedAdmins":
		s.have(managedBy, texts(body.Get("user_ids")), tag)
	case "core.listPolicyGroupPolicies":
		s.set(groupedIn, l.tagOf(param(e, "policy_group_id_or_taggable_name")), texts(body.Get("policy_ids")))
	}
	s.seenBy(e, body)
	return s
}

// seenBy adds what an answer shows its caller of databases, tokens, sub users and groups.
func (s *shown) seenBy(e *Exchange, body jsontree.Value) {
	key := e.Credential().Identity
	switch e.name() {
	case "core.listDatabases":
		for o := range body.Get("databases").List {
			s.have(databasesOf, []string{key}, databaseText(o))
		}
	case "core.getDatabase":
		s.have(databasesOf, []string{key}, databaseText(body))
	case "core.listOauthTokens":
		s.set(tokensOf, key, textsAt(body, "oauth_tokens.*.id"))
	case "core.listSubUsers":
		s.set(subUsersOf, key, textsAt(body, "sub_users.*.id"))
		for o := range body.Get("sub_users").List {
			s.set(policiesOf, o.Get("id").Text(), textsAt(o, "policies.*.id"))
		}
	case "core.getPolicyGroup", "core.listPolicyGroups", "core.updatePolicyGroup":
		for o := range body.List {
			if count := o.Get("policy_count"); count.Exists() {
				s.set(sizeOf, o.Get("taggable_name").Text(), []string{count.Text()})
			}
		}
	}
}

// counts adds how many users policies have.
func (s *shown) counts(policies jsontree.Value) {
	for o := range policies.List {
		if count := o.Get("user_count"); count.Exists() {
			s.set(countOf, o.Get("id").Text(), []string{count.Text()})
		}
	}
}

// databaseText returns the name of a database and what the caller may do with it.
func databaseText(o jsontree.Value) string {
	text := o.Get("name").Text() + " " + o.Get("permission").Text()
	if o.Get("database_permissions", "download").Bool() {
		text += " download"
	}
	return text
}

// entriesIn reads permissions in their wire form.
func entriesIn(object jsontree.Value) (entries []string) {
	for kind := range object.Each {
		for entry := range kind.List {
			members := map[string]string{}
			for member := range entry.Each {
				members[member.Name()] = member.Text()
			}
			entries = append(entries, entryText(kind.Name(), members))
		}
	}
	return entries
}

// databasesKind is the kind of resource whose permissions are rights on databases. An entry that no answer shows names
// its database in the member database, and has no ids.
const databasesKind = "Databases"

func entryText(kind string, members map[string]string) string {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return kind + " " + string(text)
}

// entryOn returns a permission to do something with a database, or with all of them if it has no name.
func entryOn(database, operation string) string {
	members := map[string]string{"operation": operation}
	if database != "" {
		members["database"] = database
	}
	return entryText(databasesKind, members)
}

// partsOf returns the kind of resource of a permission, and its members.
func partsOf(entry string) (kind string, members jsontree.Value) {
	kind, text, _ := strings.Cut(entry, " ")
	return kind, jsontree.Parse(text)
}
