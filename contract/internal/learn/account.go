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
	for _, e := range l.exchanges {
		if body, ok := e.JSONResponse(); ok && e.ok() && e.name() == "core.getAccount" {
			a := body.Get("account")
			m.set("plan", a.Get("plan").Int())
			m.set("guaranteedCores", a.Get("guaranteed_cores").Int())
			m.set("maximumCores", a.Get("maximum_cores").Int())
			m.set("createdAt", timeOf(a.Get("created_at")))
			return
		}
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
		if u.isDelegated {
			m.set("delegatedAdmin", true)
		}
		if u.parent != "" {
			m.set("parent", l.people.refer(gjson.Parse(`{"id":"`+u.parent+`"}`)))
		}
		if u.role == "restricted" || u.role == "sub_user" {
			m.set("policies", l.policyNames(u.policies))
		}
		m.set("groups", l.groupsOf(u))
		m.set("manages", l.managedBy(u))
		options := newMapping()
		for _, key := range l.optionKeys() {
			options.set(key, u.options[key])
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

func (l *learner) policyNames(ids []string) (names []string) {
	for _, id := range ids {
		if t := l.things.find(policyKind, id); t != nil && t.wasThere() {
			if name, _ := t.value("name"); name.Exists() {
				names = append(names, name.String())
			}
		}
	}
	return names
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

func (l *learner) policies() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(policyKind)) {
		m := newMapping()
		m.set("id", idOf(t.id))
		name, isChanged := t.value("name")
		switch {
		case !name.Exists():
			m.guess("name", "policy-"+t.id, unseen)
		case isChanged:
			m.guess("name", name, "it was set before an answer showed it")
		default:
			m.set("name", name)
		}
		description, _ := t.value("description")
		m.set("description", description)
		l.addPermissions(m, t)
		s.add(m)
	}
	return s
}

// addPermissions adds what a policy permits, where an answer shows it before a request changed it.
func (l *learner) addPermissions(m *mapping, t *thing) {
	for _, e := range l.exchanges {
		if param(e, "policy_id") != t.id || !e.ok() {
			continue
		}
		body, ok := e.JSONResponse()
		switch {
		case e.name() == "core.updatePolicyPermissions":
			return
		case e.name() == "core.getPolicyPermissions" && ok:
			if len(body.Map()) > 0 {
				m.set("permissions", body)
			}
			return
		}
	}
}

func (l *learner) policyGroups() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(policyGroupKind)) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.set("id", idOf(o.Get("id").String()))
		m.set("name", o.Get("name"))
		m.set("taggableName", o.Get("taggable_name"))
		m.set("description", o.Get("description"))
		m.set("policies", l.policiesOfGroup(o))
		m.set("createdAt", timeOf(o.Get("created_at")))
		m.set("updatedAt", timeOf(o.Get("updated_at")))
		s.add(m)
	}
	for _, tag := range l.unseenTags() {
		m := newMapping()
		m.set("name", tag)
		m.set("taggableName", tag)
		s.addGuessed(m, "no answer shows more than its tag")
	}
	return s
}

// unseenTags lists the tags of policy groups that no answer shows.
func (l *learner) unseenTags() (tags []string) {
	for _, e := range l.exchanges {
		tag := param(e, "tag")
		if tag == "" || !e.ok() || slices.Contains(tags, tag) {
			continue
		}
		isKnown := func(t *thing) bool { return t.first().Get("taggable_name").String() == tag }
		if !slices.ContainsFunc(l.things.all(policyGroupKind), isKnown) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// policiesOfGroup lists the names of the policies in a group.
func (l *learner) policiesOfGroup(group gjson.Result) []string {
	for _, e := range l.exchanges {
		at := param(e, "policy_group_id_or_taggable_name")
		if !e.ok() || at == "" || at != group.Get("id").String() && at != group.Get("taggable_name").String() {
			continue
		}
		if e.name() == "core.listPolicyGroupPolicies" {
			body, _ := e.JSONResponse()
			var ids []string
			for _, id := range body.Get("policy_ids").Array() {
				ids = append(ids, id.String())
			}
			return l.policyNames(ids)
		}
		if e.name() == "core.updatePolicyGroupPolicies" {
			return nil
		}
	}
	return nil
}

// groupsOf and managedBy list the policy groups whose tag a user carries, and which it manages.
func (l *learner) groupsOf(u *user) []string {
	return l.tagged(u, "core.listTagUsers", "core.setTagUsers")
}

func (l *learner) managedBy(u *user) []string {
	return l.tagged(u, "core.listTagDelegatedAdmins", "core.setTagDelegatedAdmins")
}

func (l *learner) tagged(u *user, list, set string) (names []string) {
	done := map[string]bool{}
	for _, e := range l.exchanges {
		tag := param(e, "tag")
		if !e.ok() || done[tag] || e.name() != list && e.name() != set {
			continue
		}
		done[tag] = true
		body, _ := e.JSONResponse()
		isIn := slices.ContainsFunc(body.Get("user_ids").Array(), func(id gjson.Result) bool { return id.String() == u.id })
		if e.name() == list && isIn {
			names = append(names, l.groupName(tag))
		}
	}
	return names
}

func (l *learner) groupName(tag string) string {
	for _, t := range l.things.of(policyGroupKind) {
		if t.first().Get("taggable_name").String() == tag {
			return t.first().Get("name").String()
		}
	}
	return tag
}

// optionKeys lists the keys of profile options, sorted.
func (l *learner) optionKeys() (keys []string) {
	for _, e := range l.exchanges {
		key := param(e, "key")
		if strings.HasSuffix(e.name(), "ProfileOption") && e.ok() && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		if body, _ := e.JSONResponse(); e.name() == "core.listProfileOptions" && e.ok() {
			body.ForEach(func(name, _ gjson.Result) bool {
				if !slices.Contains(keys, name.Str) {
					keys = append(keys, name.Str)
				}
				return true
			})
		}
	}
	slices.Sort(keys)
	return keys
}

func (l *learner) profileOptions() *sequence {
	s := newSequence()
	for _, key := range l.optionKeys() {
		m := newMapping()
		m.set("key", key)
		if value := l.optionDefault(key); value != "" {
			m.guess("default", value, "no answer says whether it is the default, or the user's own")
		}
		s.add(m)
	}
	return s
}

// optionDefault returns the value of an option before any request of the recording set it.
func (l *learner) optionDefault(key string) string {
	for _, e := range l.exchanges {
		if !e.ok() {
			continue
		}
		body, _ := e.JSONResponse()
		switch e.name() {
		case "core.setProfileOption":
			if param(e, "key") == key {
				return ""
			}
		case "core.listProfileOptions", "core.getProfileOption":
			if value := body.Get(gjson.Escape(key)); value.Type == gjson.String {
				return value.Str
			}
		}
	}
	return ""
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
		m.set("client", o.Get("oauth_client_id"))
		m.set("user", l.people.refer(gjson.Parse(`{"id":"`+o.Get("user_id").String()+`"}`)))
		m.set("scopes", o.Get("scopes"))
		m.set("createdAt", timeOf(o.Get("created_at")))
		m.set("expiresAt", timeOf(o.Get("expires_at")))
		m.set("refreshable", o.Get("refreshable").Bool())
		m.set("lastUsedAt", timeOf(o.Get("last_used_at")))
		s.add(m)
	}
	return s
}
