package learn

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

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
