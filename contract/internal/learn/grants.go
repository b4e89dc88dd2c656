package learn

import (
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/learn/rights"
)

const guessedPermissions = "as far as requests were allowed and refused"

// addPermissions adds what a policy permits.
func (l *learner) addPermissions(m *mapping, id string) {
	p := l.people.solved.Policy(id)
	switch {
	case p == nil:
	case p.Known:
		m.set("permissions", permissionsNode(p.Permissions))
	default:
		byID, byName := rights.Permissions{}, newMapping()
		for kind, entries := range p.Permissions {
			for _, entry := range entries {
				if entry["database"] == "" {
					byID[kind] = append(byID[kind], entry)
				}
			}
		}
		for _, operation := range []string{"download", "edit", "import", "query"} {
			var names []string
			for _, entry := range p.Permissions[rights.Databases] {
				if entry["operation"] == operation && entry["database"] != "" {
					names = append(names, entry["database"])
				}
			}
			byName.set(operation, names)
		}
		if len(byID) > 0 {
			m.guess("permissions", permissionsNode(byID), guessedPermissions)
		}
		if !byName.isEmpty() {
			m.guess("databases", byName, guessedPermissions)
		}
	}
}

// addOwnPermissions adds what is granted to a user without a policy.
func (l *learner) addOwnPermissions(m *mapping, u *user) {
	if len(u.rights.Permissions) > 0 {
		m.set("permissions", permissionsNode(u.rights.Permissions))
	}
}

// permissionsNode returns permissions as a fixture has them.
func permissionsNode(p rights.Permissions) *mapping {
	all := newMapping()
	for _, kind := range slices.Sorted(maps.Keys(p)) {
		entries := newSequence()
		for _, entry := range p[kind] {
			one := newMapping()
			one.set("operation", entry["operation"])
			for _, name := range slices.Sorted(maps.Keys(entry)) {
				if name != "operation" {
					one.set(name, entry[name])
				}
			}
			entries.add(one)
		}
		all.set(kind, entries)
	}
	return all
}

// addDatabaseID adds the id of a database, if an answer shows it, or permissions that an answer shows fit no other one.
func (l *learner) addDatabaseID(m *mapping, name string) {
	shown := l.shownDatabaseID(name)
	m.set("id", idOf(shown))
	if d := l.people.solved.Database(name); shown == "" && d != nil && d.ID != "" {
		m.guess("id", idOf(d.ID), "permissions that are shown name it, and fit this database")
	} else if id := l.idsInLists()[name]; shown == "" && id > 0 {
		m.guess("id", id, "lists show it before a database with a greater id")
	}
}

// idsInLists guesses the ids of databases that lists show before one whose id is known, since lists are in the order of
// the ids.
func (l *learner) idsInLists() map[string]int64 {
	known, taken := map[string]int64{}, map[int64]bool{}
	for _, name := range l.databaseNames() {
		id := l.shownDatabaseID(name)
		if d := l.people.solved.Database(name); id == "" && d != nil {
			id = d.ID
		}
		known[name] = number(id)
		taken[known[name]] = true
	}
	guessed := map[string]int64{}
	for _, e := range l.exchanges {
		if e.name() != "core.listDatabases" || !e.ok() {
			continue
		}
		body, _ := e.JSONResponse()
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
