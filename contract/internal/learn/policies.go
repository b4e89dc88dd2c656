package learn

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"svc.example/understudy/specs"
)

// policyNames lists the names of the policies with some ids. Those of which no answer shows the name have one that is
// made up.
func (l *learner) policyNames(ids []string) (names []string) {
	for _, id := range ids {
		if name := l.people.madeUpName(id); name != "" {
			names = append(names, name)
		}
		switch t := l.things.find(policyKind, id); {
		case t != nil && t.wasThere() && t.first().Get("name").Exists():
			names = append(names, t.first().Get("name").String())
		case t != nil && t.wasThere(), slices.Contains(l.mentionedPolicies(), id):
			names = append(names, nameOfPolicy(id))
		}
	}
	return names
}

func (l *learner) policies() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(policyKind)) {
		m := newMapping()
		m.set("id", idOf(t.id))
		if m.shown(t, "name"); !m.has("name") {
			m.guess("name", nameOfPolicy(t.id), unseen)
		}
		m.shown(t, "description")
		l.addPermissions(m, t.id)
		l.addColumnPermissions(m, t.id)
		s.add(m)
	}
	for _, id := range l.mentionedPolicies() {
		m := newMapping()
		m.set("id", idOf(id))
		m.set("name", nameOfPolicy(id))
		l.addPermissions(m, id)
		s.addGuessed(m, "no answer shows more of it than its id")
	}
	for _, id := range l.people.madeUp() {
		m := newMapping()
		m.set("name", l.people.madeUpName(id))
		l.addPermissions(m, id)
		s.addGuessed(m, "what is shown says that there is one more")
	}
	return s
}

func (l *learner) policyGroups() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(policyGroupKind)) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.copy(o, "id", "name", "taggableName=taggable_name", "description", "createdAt=created_at", "updatedAt=updated_at")
		l.addGroupPolicies(m, o.Get("taggable_name").String())
		s.add(m)
	}
	for _, ref := range l.unseenGroups() {
		m := newMapping()
		if number(ref) > 0 {
			m.set("id", idOf(ref))
		}
		m.set("name", nameOfGroup(ref))
		m.set("taggableName", nameOfGroup(ref))
		l.addGroupPolicies(m, ref)
		s.addGuessed(m, "no answer shows more of it than its tag, or its id")
	}
	return s
}

// nameOfPolicy returns a name for a policy of which no answer shows the name.
func nameOfPolicy(id string) string { return "policy-" + id }

// mentionedPolicies lists the ids of policies that only lists of ids show.
func (l *learner) mentionedPolicies() (ids []string) {
	for _, e := range l.exchanges {
		if e.Operation().Interface != specs.Core || !e.ok() {
			continue
		}
		body, _ := e.JSONResponse()
		for _, id := range texts(body.Get("policy_ids")) {
			if l.things.find(policyKind, id) == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// unseenGroups lists the tags and ids of policy groups that requests name, and of which no answer shows more.
func (l *learner) unseenGroups() (refs []string) {
	for _, e := range l.exchanges {
		for _, ref := range []string{param(e, "tag"), param(e, "policy_group_id_or_taggable_name")} {
			isKnown := func(t *thing) bool {
				return slices.ContainsFunc(t.sights, func(s sight) bool {
					return s.object.Get("taggable_name").String() == ref || s.object.Get("id").String() == ref
				})
			}
			if ref != "" && e.ok() && !slices.Contains(refs, ref) &&
				!slices.ContainsFunc(l.things.all(policyGroupKind), isKnown) {
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
		names = append(names, l.groupName(tag))
	}
	return names
}

func (l *learner) groupName(tag string) string {
	for _, t := range l.things.of(policyGroupKind) {
		if t.first().Get("taggable_name").String() == tag {
			return t.first().Get("name").String()
		}
	}
	return nameOfGroup(tag)
}

// addGroupPolicies adds the policies of the group with a tag.
func (l *learner) addGroupPolicies(m *mapping, tag string) {
	names := l.policyNames(l.people.begin[slot{groupedIn, tag}])
	if l.people.shown[slot{groupedIn, tag}] {
		m.set("policies", names)
	} else if len(names) > 0 {
		m.guess("policies", names, "as far as delegated admins applied them")
	}
}

// tagOf returns the tag of the policy group with an id or a tag.
func (l *learner) tagOf(ref string) string {
	for _, t := range l.things.of(policyGroupKind) {
		if o := t.first(); o.Get("id").String() == ref && o.Get("taggable_name").Exists() {
			return o.Get("taggable_name").String()
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
			operation := members.Get("operation").String()
			names[operation] = append(names[operation], members.Get("database").String())
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
		one := newMapping()
		one.set("operation", members.Get("operation"))
		members.ForEach(func(name, value gjson.Result) bool {
			if name.Str != "operation" {
				one.set(name.Str, value)
			}
			return true
		})
		lists[kind].add(one)
	}
	all := newMapping()
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		all.set(kind, lists[kind])
	}
	return all
}

// addDatabaseID adds the id of a database, if an answer shows it, or a list lets it be guessed.
func (l *learner) addDatabaseID(m *mapping, name string) {
	shown := l.shownDatabaseID(name)
	m.set("id", idOf(shown))
	ids, named := l.guessedIDs()
	switch id := ids[name]; {
	case shown != "" || id == 0:
	case named[name] > 0:
		m.guess("id", id, "permissions name it, and no answer shows which database has it")
	default:
		m.guess("id", id, "lists show it before a database with a greater id")
	}
}

// guessedIDs guesses the ids of databases that lists show before one whose id is known, since lists are in the order of
// the ids, and of those that permissions name.
func (l *learner) guessedIDs() (guessed, named map[string]int64) {
	known, taken := map[string]int64{}, map[int64]bool{}
	for _, name := range l.databaseNames() {
		known[name] = number(l.shownDatabaseID(name))
		taken[known[name]] = true
	}
	named = l.idsInPermissions(known)
	guessed = maps.Clone(named)
	for _, id := range named {
		taken[id] = true
	}
	for _, body := range l.successes("core.listDatabases") {
		var before int64
		for _, d := range slices.Backward(body.Get("databases").Array()) {
			name := d.Get("name").String()
			t := l.things.find(databaseKind, name)
			switch {
			case known[name] > 0:
				before = known[name]
			case guessed[name] > 0:
				before = guessed[name]
			case before > 1 && !taken[before-1] && t != nil && t.wasThere():
				before--
				guessed[name], taken[before] = before, true
			}
		}
	}
	return guessed, named
}

// idsInPermissions guesses the ids of databases of which no answer shows any, if permissions name as many: in their
// order.
func (l *learner) idsInPermissions(known map[string]int64) map[string]int64 {
	var ids []int64
	for _, name := range slices.Sorted(maps.Keys(known)) {
		ids = append(ids, known[name])
	}
	unknown, free := []string{}, []int64{}
	for _, name := range l.databaseNames() {
		if known[name] == 0 {
			unknown = append(unknown, name)
		}
	}
	for at, entries := range l.people.begin {
		for _, entry := range entries {
			kind, members := partsOf(entry)
			for id := range strings.SplitSeq(members.Get("ids").String(), ",") {
				n := number(strings.TrimSpace(id))
				if (at.what == grantedBy || at.what == grantedTo) && kind == databasesKind && n > 0 &&
					!slices.Contains(ids, n) && !slices.Contains(free, n) {
					free = append(free, n)
				}
			}
		}
	}
	guessed := map[string]int64{}
	if slices.Sort(free); len(free) == len(unknown) {
		for i, name := range unknown {
			guessed[name] = free[i]
		}
	}
	return guessed
}

// addColumnPermissions adds the column permissions of a policy, where an answer shows them before a request changed
// them.
func (l *learner) addColumnPermissions(m *mapping, id string) {
	for _, e := range l.exchanges {
		body, ok := e.JSONResponse()
		if !e.ok() || !ok {
			continue
		}
		switch e.name() {
		case "core.updateColumnPermissions":
			if param(e, "policy_id") == id {
				return
			}
		case "core.getColumnPermissions":
			if param(e, "policy_id") == id {
				m.set("columnPermissions", columnPermissions(body))
				return
			}
		case "core.exportPolicies":
			for _, o := range body.Get("policies").Array() {
				if o.Get("id").String() == id {
					m.set("columnPermissions", columnPermissions(o.Get("column_permissions")))
					return
				}
			}
		}
	}
}

// columnPermissions returns the entries without members that are null.
func columnPermissions(list gjson.Result) *sequence {
	s := newSequence()
	for _, entry := range list.Array() {
		m := newMapping()
		entry.ForEach(func(name, value gjson.Result) bool {
			if value.Type != gjson.Null {
				m.add(name.Str, jsonNode(value), "")
			}
			return true
		})
		s.add(m)
	}
	return s
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
