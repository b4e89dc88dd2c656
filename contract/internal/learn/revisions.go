package learn

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
)

func queryOf(e *Exchange) url.Values {
	values, _ := url.ParseQuery(e.Owner.Query)
	return values
}

// revision is a revision of a project at the beginning.
type revision struct {
	name, createdAt, user string
	isGuessed             bool
}

// addRevisions adds the revisions of a project with the files of its workflows.
func (p *projects) addRevisions(m *mapping, project string) {
	list := p.revisionsOf(project)
	s := newSequence()
	p.addEarlier(s, project)
	for i, r := range list {
		one := newMapping()
		if r.isGuessed {
			one.guess("name", r.name, unseen)
		} else {
			one.set("name", r.name)
		}
		one.set("createdAt", r.createdAt)
		one.set("user", r.user)
		p.addFiles(one, project, r.name, i == len(list)-1)
		s.add(one)
	}
	m.set("revisions", s)
}

// addEarlier adds revisions for the workflows of which older ids are seen than those of the revisions that are shown.
func (p *projects) addEarlier(s *sequence, project string) {
	left := maps.Clone(p.earlier[project])
	for n := 1; len(left) > 0; n++ {
		m, ids, files := newMapping(), newMapping(), newMapping()
		used := map[string]bool{}
		for _, id := range slices.SortedFunc(maps.Keys(left), func(a, b string) int { return int(number(a) - number(b)) }) {
			name := left[id]
			if p.things.find(workflowKind, id) != nil || used[name] {
				if !used[name] {
					delete(left, id)
				}
				continue
			}
			used[name] = true
			delete(left, id)
			ids.set(name, idOf(id))
			files.add(name+".dig", scalar(p.definitionOf(project, name)), "")
		}
		if files.isEmpty() {
			return
		}
		m.set("name", fmt.Sprintf("earlier-%d", n))
		m.set("workflowIds", ids)
		m.setSection("files", files)
		s.addGuessed(m, "attempts show workflows of a revision that no answer shows")
	}
}

// revisionsOf lists the revisions, oldest first.
func (p *projects) revisionsOf(project string) (list []revision) {
	add := func(r revision) {
		isKnown := slices.ContainsFunc(list, func(o revision) bool { return o.name == r.name })
		if r.name != "" && !isKnown && !p.isLate(project, r.name) {
			list = append(list, r)
		}
	}
	for e, body := range p.successes("workflow.listProjectRevisions") {
		if param(e, "id") != project {
			continue
		}
		for _, r := range body.Get("revisions").Array() {
			add(revision{
				name: r.Get("revision").String(), createdAt: timeOf(r.Get("createdAt")),
				user: p.people.refer(r.Get("userInfo.svc.user")),
			})
		}
	}
	slices.Reverse(list) // answers have the newest first
	t := p.things.find(projectKind, project)
	last := ""
	updated := ""
	if t != nil {
		last, updated = t.first().Get("revision").String(), timeOf(t.first().Get("updatedAt"))
	}
	for _, w := range p.things.of(workflowKind) {
		if name := w.first().Get("revision").String(); w.first().Get("project.id").String() == project && name != last {
			if !slices.ContainsFunc(list, func(o revision) bool { return o.name == name }) {
				add(revision{name: name})
			}
		}
	}
	add(revision{name: last, createdAt: updated})
	if len(list) == 0 {
		list = append(list, revision{name: "unknown", isGuessed: true})
	}
	return list
}

// isLate reports whether a revision was made while the recording ran: uploaded, or made for an integration.
func (p *projects) isLate(project, revision string) bool {
	if p.uploads[p.names[project]+"\n"+revision] != nil {
		return true
	}
	if t := p.things.find(projectKind, project); t != nil {
		for _, s := range t.sights {
			if s.object.Get("revision").String() == revision && instant(s.object.Get("updatedAt").String()).After(p.begin) {
				return true
			}
		}
	}
	for e, body := range p.successes("workflow.listProjectRevisions") {
		if param(e, "id") != project {
			continue
		}
		for _, r := range body.Get("revisions").Array() {
			if r.Get("revision").String() == revision && instant(r.Get("createdAt").String()).After(p.begin) {
				return true
			}
		}
	}
	return false
}

// addFiles adds the files of a revision: those of a recorded archive, or those that the definitions of its workflows
// show. The latest revision also has the workflows of which no more than a name is known.
func (p *projects) addFiles(m *mapping, project, revision string, isLatest bool) {
	ids := newMapping()
	files := map[string]string{}
	order := []string{}
	for _, t := range byNumber(p.things.of(workflowKind)) {
		o := t.first()
		if o.Get("project.id").String() != project || o.Get("revision").String() != revision {
			continue
		}
		name := o.Get("name").String()
		ids.set(name, idOf(t.id))
		if config := o.Get("config"); config.IsObject() && files[name+".dig"] == "" {
			files[name+".dig"] = definitionText(config, o.Get("timezone").String())
			order = append(order, name+".dig")
		}
	}
	guessed := []string{}
	if isLatest {
		for _, name := range slices.Sorted(maps.Keys(p.workflows[project])) {
			if files[name+".dig"] == "" && !p.isOnlyLate(project, name) {
				files[name+".dig"] = p.guessDefinition(project, name)
				guessed = append(guessed, name+".dig")
				if p.things.find(workflowKind, p.workflows[project][name]) == nil {
					ids.set(name, idOf(p.workflows[project][name]))
				}
			}
		}
	}
	if archive := p.archiveOf(project, revision); archive != nil {
		files, order, guessed = archive, slices.Sorted(maps.Keys(archive)), nil
	}
	m.set("workflowIds", dedupe(ids))
	list := newMapping()
	for _, name := range order {
		list.add(name, scalar(files[name]), "")
	}
	for _, name := range guessed {
		list.add(name, scalar(files[name]), "no answer shows the definition of the workflow")
	}
	if list.isEmpty() {
		list.guess("unknown.dig", "+unknown:\n  echo>: unknown\n", "no answer shows a workflow of the project")
	}
	m.setSection("files", list)
}

// isOnlyLate reports whether all revisions that show a workflow were made while the recording ran.
func (p *projects) isOnlyLate(project, name string) bool {
	isLate := false
	for _, t := range p.things.of(workflowKind) {
		o := t.first()
		if o.Get("project.id").String() != project || o.Get("name").String() != name {
			continue
		}
		if !p.isLate(project, o.Get("revision").String()) {
			return false
		}
		isLate = true
	}
	return isLate
}
