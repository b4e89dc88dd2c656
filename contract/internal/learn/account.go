package learn

import (
	"maps"
	"slices"
	"strings"
)

// Kinds of what is about users and their rights.
const (
	userKind          = "core.user"
	subUserKind       = "core.sub-user"
	accessUserKind    = "core.access-control-user"
	profileOptionKind = "core.profile-option"
	policyKind        = "core.policy"
	policyGroupKind   = "core.policy-group"
	tokenKind         = "core.oauth-token"
)

// account returns the section of the account.
func (l *learner) account() *mapping {
	m := mappingOf("id", idOf(l.accountID()))
	for _, body := range l.successes("core.getAccount") {
		if a := body.Get("account"); a.Exists() {
			m.copy(a, "plan", "guaranteedCores=guaranteed_cores", "maximumCores=maximum_cores", "createdAt=created_at")
			break
		}
	}
	return m.with("features", l.features(), "users", l.users(), "keys", l.keys(), "policies", l.policies(),
		"policyGroups", l.policyGroups(), "profileOptions", l.profileOptions(), "oauthClients", l.oauthClients(),
		"oauthTokens", l.oauthTokens())
}

// accountID returns the id of the account, which many answers show.
func (l *learner) accountID() string {
	for _, e := range l.exchanges {
		for _, path := range []string{
			"account_id", "0.account_id", "sub_users.0.account_id", "items.0.account_id", "account.id",
		} {
			if id := get(e.answer(), path); id.Exists() && e.ok() {
				return id.Text()
			}
		}
	}
	return ""
}

// features lists what is switched on, as the recorded answers need it: sub users that are shown or removed.
func (l *learner) features() []string {
	for _, name := range []string{"core.listSubUsers", "core.removeSubUser", "core.exportPolicies"} {
		for range l.successes(name) {
			return []string{"eng-lc-sub-users"}
		}
	}
	return nil
}

func (l *learner) users() *sequence {
	s := newSequence()
	for _, u := range l.people.users {
		if u.isMade {
			continue
		}
		m := mappingOf("id", idOf(u.id), "name", u.name, "email", u.email, "role", u.role)
		if u.role == restricted {
			manages := l.people.begin[slot{managedBy, u.id}]
			m.set("delegatedAdmin", len(manages) > 0 || l.people.begin.first(delegates, u.id) != "")
			m.set("manages", l.groupNames(manages))
		}
		if parent := l.people.parentOf(u); parent != nil {
			m.set("parent", parent.ref())
		}
		m.set("policies", l.policyNames(l.people.begin[slot{policiesOf, u.id}]))
		m.set("groups", l.groupNames(l.people.begin[slot{groupsOf, u.id}]))
		if own := l.people.begin[slot{grantedTo, u.id}]; len(own) > 0 {
			m.set("permissions", permissionsNode(own))
		}
		options := newMapping()
		for _, o := range l.options() {
			options.set(o.key, o.own[u.id])
		}
		m.set("options", options)
		m.set("createdAt", u.createdAt)
		if u.updatedAt != u.createdAt {
			m.set("updatedAt", u.updatedAt)
		}
		s.addGuessed(m, when(u.isGuessed, "no answer says who this is"))
	}
	return s
}

func (l *learner) keys() *sequence {
	s := newSequence()
	for _, k := range l.people.keys {
		kind := "master"
		if strings.HasPrefix(k.Key, "1/write") {
			kind = "write-only"
		}
		s.add(mappingOf("key", k.Key, "user", k.User, "kind", kind, "recorded", k.Recorded))
	}
	return s
}

func (l *learner) oauthClients() *sequence {
	seen := map[string]bool{}
	return l.sequenceOf(tokenKind, func(m *mapping, t *entity) {
		if id := t.text("oauth_client_id"); id != "" && !seen[id] {
			seen[id] = true
			m.set("clientId", id) // which is a text, also if it looks like a number
			m.copy(t.first(), "name=oauth_client_name")
		}
	})
}

func (l *learner) oauthTokens() *sequence {
	return l.sequenceOf(tokenKind, func(m *mapping, t *entity) {
		if o := t.first(); o.Exists() {
			m.set("id", idOf(t.id))
			m.set("user", l.people.referByID(o.Get("user_id").Text()))
			m.copy(o, "client=oauth_client_id", "scopes", "createdAt=created_at", "expiresAt=expires_at", "refreshable",
				"lastUsedAt=last_used_at")
		}
	})
}

// profileOption is a profile option: its default, and the values that users had when the recording began.
type profileOption struct {
	key, fallback string
	guessed       string // the reason for the default, unless a user shows it whose own value was deleted
	own           map[string]string
}

// options lists the profile options by their keys. What all users are shown to have is taken for the default.
func (l *learner) options() []*profileOption {
	index := map[string]*profileOption{}
	get := func(key string) *profileOption {
		if index[key] == nil {
			index[key] = &profileOption{key: key, own: map[string]string{}}
		}
		return index[key]
	}
	last := map[[2]string]string{} // what was done to an option of a user
	for _, e := range l.exchanges {
		if !e.ok() || !strings.Contains(e.name(), "ProfileOption") {
			continue
		}
		user, key := param(e, "user_id"), param(e, "key")
		if isWrite(e) {
			last[[2]string{user, key}] = e.name()
		}
		if key != "" {
			get(key)
		}
		for value := range e.answer().Each {
			o, done := get(value.Name()), last[[2]string{user, value.Name()}]
			if _, isKnown := o.own[user]; done == "" && !isKnown {
				o.own[user] = value.Text()
			}
			if done == "core.deleteProfileOption" {
				o.fallback = value.Text()
			}
		}
	}
	for _, o := range index {
		if values := slices.Compact(slices.Sorted(maps.Values(o.own))); o.fallback == "" && len(values) == 1 {
			o.fallback, o.own = values[0], nil
			o.guessed = "no answer says whether it is the default, or the user's own"
		}
	}
	return slices.SortedFunc(maps.Values(index), func(a, b *profileOption) int { return strings.Compare(a.key, b.key) })
}

func (l *learner) profileOptions() *sequence {
	s := newSequence()
	for _, o := range l.options() {
		m := mappingOf("key", o.key)
		m.guess("default", o.fallback, o.guessed)
		s.add(m)
	}
	return s
}
