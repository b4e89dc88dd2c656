package learn

import (
	"slices"

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
		name, isChanged := t.value("name")
		switch {
		case !name.Exists():
			m.guess("name", nameOfPolicy(t.id), unseen)
		case isChanged:
			m.guess("name", name, "it was set before an answer showed it")
		default:
			m.set("name", name)
		}
		description, _ := t.value("description")
		m.set("description", description)
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
		m.set("id", idOf(o.Get("id").String()))
		m.set("name", o.Get("name"))
		m.set("taggableName", o.Get("taggable_name"))
		m.set("description", o.Get("description"))
		l.addGroupPolicies(m, o.Get("taggable_name").String())
		m.set("createdAt", timeOf(o.Get("created_at")))
		m.set("updatedAt", timeOf(o.Get("updated_at")))
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
