package learn

import (
	"cmp"
	"maps"
	"slices"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// policyNames lists the names of the policies with some ids. Those of which no answer shows the name have one that is
// made up.
func (l *learner) policyNames(ids []string) (names []string) {
	for _, id := range ids {
		if name := l.people.madeUpName(id); name != "" {
			names = append(names, name)
		}
		if t := l.entities.find(policyKind, id); t != nil && t.wasThere() {
			names = append(names, cmp.Or(t.text("name"), nameOfPolicy(id)))
		}
	}
	return names
}

func (l *learner) policies() *sequence {
	s := l.sequenceOf(policyKind, func(m *mapping, t *entity) {
		m.set("id", idOf(t.id))
		m.shown(t, "name")
		m.guess("name", nameOfPolicy(t.id), unseen)
		m.shown(t, "description")
		l.addPermissions(m, t.id)
		l.addColumnPermissions(m, t.id)
	})
	for _, id := range l.people.madeUp() {
		m := mappingOf("name", l.people.madeUpName(id))
		l.addPermissions(m, id)
		s.addGuessed(m, "what is shown says that there is one more")
	}
	return s
}

func (l *learner) policyGroups() *sequence {
	s := l.sequenceOf(policyGroupKind, func(m *mapping, t *entity) {
		if o := t.first(); o.Exists() {
			m.copy(o, "id", "name", "taggableName=taggable_name", "description", "createdAt=created_at", "updatedAt=updated_at")
			l.addGroupPolicies(m, o.Get("taggable_name").Text())
		}
	})
	for _, ref := range l.unseenGroups() {
		m := mappingOf("name", nameOfGroup(ref), "taggableName", nameOfGroup(ref))
		if number(ref) > 0 {
			m.set("id", idOf(ref))
		}
		l.addGroupPolicies(m, ref)
		s.addGuessed(m, "no answer shows more of it than its tag, or its id")
	}
	return s
}

// nameOfPolicy returns a name for a policy of which no answer shows the name.
func nameOfPolicy(id string) string { return "policy-" + id }

// implyPolicies adds the policies of which only lists of ids show that they were there.
func (l *learner) implyPolicies() {
	for _, body := range l.successes(string(specs.Core)) {
		for _, id := range texts(body.Get("policy_ids")) {
			l.entities.mention(policyKind, id)
		}
	}
}

// unseenGroups lists the tags and ids of policy groups that requests name, and of which no answer shows more.
func (l *learner) unseenGroups() (refs []string) {
	for _, e := range l.exchanges {
		for _, ref := range []string{param(e, "tag"), param(e, "policy_group_id_or_taggable_name")} {
			isKnown := func(t *entity) bool {
				return slices.ContainsFunc(t.sights, func(s sighting) bool {
					return s.object.Get("taggable_name").Text() == ref || s.object.Get("id").Text() == ref
				})
			}
			if ref != "" && e.ok() && !slices.Contains(refs, ref) &&
				!slices.ContainsFunc(l.entities.all(policyGroupKind), isKnown) {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// nameOfGroup returns a name for a policy group of which no more is known than its tag or its id.
func nameOfGroup(ref string) string {
	if number(ref) > 0 {
		return "group_" + ref
	}
	return ref
}

// groupNames lists the names of the groups with some tags.
func (l *learner) groupNames(tags []string) (names []string) {
	for _, tag := range tags {
		name := nameOfGroup(tag)
		for _, t := range slices.Backward(l.entities.of(policyGroupKind)) {
			if t.text("taggable_name") == tag {
				name = t.text("name")
			}
		}
		names = append(names, name)
	}
	return names
}

// addGroupPolicies adds the policies of the group with a tag.
func (l *learner) addGroupPolicies(m *mapping, tag string) {
	names := l.policyNames(l.people.begin[slot{groupedIn, tag}])
	m.guess("policies", names, when(!l.people.shown[slot{groupedIn, tag}], "as far as delegated admins applied them"))
}

// tagOf returns the tag of the policy group with an id or a tag.
func (l *learner) tagOf(ref string) string {
	for _, t := range l.entities.of(policyGroupKind) {
		if o := t.first(); o.Get("id").Text() == ref && o.Get("taggable_name").Exists() {
			return o.Get("taggable_name").Text()
		}
	}
	return ref
}

const guessedPermissions = "as far as requests were allowed and refused"

// addPermissions adds what a policy permits.
func (l *learner) addPermissions(m *mapping, id string) {
	entries := l.people.begin[slot{grantedBy, id}]
	if l.people.shown[slot{grantedBy, id}] {
		m.set("permissions", permissionsNode(entries))
		return
	}
	var byID []string
	names := map[string][]string{}
	for _, entry := range entries {
		if _, members := partsOf(entry); members.Get("database").Exists() {
			operation := members.Get("operation").Text()
			names[operation] = append(names[operation], members.Get("database").Text())
		} else {
			byID = append(byID, entry)
		}
	}
	byName := newMapping()
	for _, operation := range slices.Sorted(maps.Keys(names)) {
		byName.set(operation, names[operation])
	}
	if len(byID) > 0 {
		m.guess("permissions", permissionsNode(byID), guessedPermissions)
	}
	if !byName.isEmpty() {
		m.guess("databases", byName, guessedPermissions)
	}
}

// permissionsNode returns permissions as a fixture has them.
func permissionsNode(entries []string) *mapping {
	lists := map[string]*sequence{}
	for _, entry := range entries {
		kind, members := partsOf(entry)
		if lists[kind] == nil {
			lists[kind] = newSequence()
		}
		one := mappingOf("operation", members.Get("operation"))
		one.copyAll(members, "operation")
		lists[kind].add(one)
	}
	all := newMapping()
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		all.set(kind, lists[kind])
	}
	return all
}

// addColumnPermissions adds the column permissions of a policy, where an answer shows them before a request changed
// them.
func (l *learner) addColumnPermissions(m *mapping, id string) {
	shown := l.shownOf(id, "core.getColumnPermissions", "core.updateColumnPermissions")
	change := l.firstOn("core.updateColumnPermissions", id)
	for e, body := range l.successes("core.exportPolicies") {
		if !shown.Exists() && (change == nil || e.N < change.N) {
			for policy := range body.Get("policies").List {
				if policy.Get("id").Text() == id && !shown.Exists() {
					shown = policy.Get("column_permissions")
				}
			}
		}
	}
	m.set("columnPermissions", columnPermissions(shown))
}

// columnPermissions returns the entries without members that are null.
func columnPermissions(list jsontree.Value) *sequence {
	s := newSequence()
	for entry := range list.List {
		m := newMapping()
		m.copyAll(entry)
		s.add(m)
	}
	return s
}

// shownDatabaseIDs returns the ids of databases that answers show, by their names.
func (l *learner) shownDatabaseIDs() map[string]string {
	ids := map[string]string{}
	for _, d := range slices.Backward(l.deletedTables()) {
		ids[d.Get("database_name").Text()] = d.Get("database_id").Text()
	}
	for _, t := range slices.Backward(l.entities.of(databaseKind)) {
		if id, _ := t.value("id"); id.Exists() {
			ids[t.id] = id.Text()
		}
	}
	return ids
}
