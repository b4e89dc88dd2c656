package learn

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Kinds of what is about users and their rights.
const (
	policyKind      = "core.policy"
	policyGroupKind = "core.policy-group"
	tokenKind       = "core.oauth-token"
)

// account returns the section of the account.
func (l *learner) account() *mapping {
	m := newMapping()
	if id := l.accountID(); id != "" {
		m.set("id", idOf(id))
	}
	l.addAccount(m)
	m.set("features", l.features())
	m.set("users", l.users())
	m.set("keys", l.keys())
	m.set("policies", l.policies())
	m.set("policyGroups", l.policyGroups())
	m.set("profileOptions", l.profileOptions())
	m.set("oauthClients", l.oauthClients())
	m.set("oauthTokens", l.oauthTokens())
	return m
}

// addAccount adds what the answer about the account itself shows.
func (l *learner) addAccount(m *mapping) {
	for _, body := range l.successes("core.getAccount") {
		m.copy(body.Get("account"), "plan", "guaranteedCores=guaranteed_cores", "maximumCores=maximum_cores",
			"createdAt=created_at")
		return
	}
}

// accountID returns the id of the account, which many answers show.
func (l *learner) accountID() string {
	for _, e := range l.exchanges {
		body, ok := e.JSONResponse()
		if !ok || !e.ok() {
			continue
		}
		for _, path := range []string{
			"account_id", "0.account_id", "sub_users.0.account_id", "items.0.account_id", "account.id",
		} {
			if id := body.Get(path); id.Exists() {
				return id.String()
			}
		}
	}
	return ""
}

// features lists what is switched on, as the recorded answers need it: sub users that are shown or removed.
func (l *learner) features() []string {
	for _, e := range l.exchanges {
		switch e.name() {
		case "core.listSubUsers", "core.removeSubUser", "core.exportPolicies":
			if e.ok() {
				return []string{"eng-lc-sub-users"}
			}
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
		m := newMapping()
		m.set("id", idOf(u.id))
		m.set("name", u.name)
		m.set("email", u.email)
		m.set("role", u.role)
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
		if u.isGuessed {
			s.addGuessed(m, "no answer says who this is")
			continue
		}
		s.add(m)
	}
	return s
}

func (l *learner) keys() *sequence {
	s := newSequence()
	for _, k := range l.people.keys {
		m := newMapping()
		m.set("key", k.Key)
		m.set("user", k.User)
		kind := "master"
		if strings.HasPrefix(k.Key, "1/write") {
			kind = "write-only"
		}
		m.set("kind", kind)
		m.set("recorded", k.Recorded)
		s.add(m)
	}
	return s
}

func (l *learner) oauthClients() *sequence {
	s := newSequence()
	seen := map[string]bool{}
	for _, t := range l.things.of(tokenKind) {
		id := t.first().Get("oauth_client_id").String()
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		m := newMapping()
		m.set("clientId", id)
		m.set("name", t.first().Get("oauth_client_name"))
		s.add(m)
	}
	return s
}

func (l *learner) oauthTokens() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(tokenKind)) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.set("id", idOf(t.id))
		m.set("user", l.people.refer(gjson.Parse(`{"id":"`+o.Get("user_id").String()+`"}`)))
		m.copy(o, "client=oauth_client_id", "scopes", "createdAt=created_at", "expiresAt=expires_at", "refreshable",
			"lastUsedAt=last_used_at")
		s.add(m)
	}
	return s
}

// profileOption is a profile option: its default, and the values that users had set when the recording began.
type profileOption struct {
	key      string
	fallback string
	isShown  bool // the default, by a user whose own value was deleted
	own      map[string]string
}

// options lists the profile options by their keys. What users are shown to have is taken for the default if it is the
// first value, and for their own one if the default is another.
func (l *learner) options() (list []*profileOption) {
	index := map[string]*profileOption{}
	get := func(key string) *profileOption {
		if index[key] == nil {
			index[key] = &profileOption{key: key, own: map[string]string{}}
			list = append(list, index[key])
		}
		return index[key]
	}
	first, isSet := map[[2]string]string{}, map[[2]string]string{} // by user and key
	for _, e := range l.exchanges {
		user := param(e, "user_id")
		if !e.ok() || !strings.Contains(e.name(), "ProfileOption") {
			continue
		}
		body, _ := e.JSONResponse()
		switch e.name() {
		case "core.setProfileOption", "core.deleteProfileOption":
			isSet[[2]string{user, param(e, "key")}] = e.name()
		}
		body.ForEach(func(name, value gjson.Result) bool {
			o, at := get(name.Str), [2]string{user, name.Str}
			_, known := first[at]
			switch {
			case isSet[at] == "core.deleteProfileOption":
				o.fallback, o.isShown = value.String(), true
			case isSet[at] == "" && !known:
				first[at] = value.String()
			}
			return true
		})
		if key := param(e, "key"); key != "" {
			get(key)
		}
	}
	for _, o := range list {
		o.settle(first)
	}
	slices.SortFunc(list, func(a, b *profileOption) int { return strings.Compare(a.key, b.key) })
	return list
}

// settle distinguishes the default of an option from the values of users.
func (o *profileOption) settle(first map[[2]string]string) {
	count := map[string]int{}
	for at, value := range first {
		if at[1] == o.key {
			count[value]++
		}
	}
	if !o.isShown {
		best := 0
		for value, n := range count {
			if n > best || n == best && value < o.fallback {
				best, o.fallback = n, value
			}
		}
		if _, hasNone := count[""]; hasNone {
			o.fallback, o.isShown = "", true // where there is a default, all have a value
		}
	}
	for at, value := range first {
		if at[1] == o.key && value != o.fallback {
			o.own[at[0]] = value
		}
	}
}

func (l *learner) profileOptions() *sequence {
	s := newSequence()
	for _, o := range l.options() {
		m := newMapping()
		m.set("key", o.key)
		switch {
		case o.fallback == "":
		case o.isShown:
			m.set("default", o.fallback)
		default:
			m.guess("default", o.fallback, "no answer says whether it is the default, or the user's own")
		}
		s.add(m)
	}
	return s
}
