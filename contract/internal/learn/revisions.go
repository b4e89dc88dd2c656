package learn

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
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

// definitionOf returns the definition of a workflow in whatever revision shows it, or a guessed one.
func (p *projects) definitionOf(project, name string) string {
	for _, t := range p.things.all(workflowKind) {
		o := t.first()
		isIt := o.Get("project.id").String() == project && o.Get("name").String() == name
		if config := o.Get("config"); isIt && config.IsObject() {
			return definitionText(config, o.Get("timezone").String())
		}
	}
	return p.guessDefinition(project, name)
}

// revisionsOf lists the revisions, oldest first.
func (p *projects) revisionsOf(project string) (list []revision) {
	add := func(r revision) {
		isKnown := slices.ContainsFunc(list, func(o revision) bool { return o.name == r.name })
		if r.name != "" && !isKnown && !p.isLate(project, r.name) {
			list = append(list, r)
		}
	}
	for _, e := range p.exchanges {
		if e.name() != "workflow.listProjectRevisions" || !e.ok() || param(e, "id") != project {
			continue
		}
		body, _ := e.JSONResponse()
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
	for _, e := range p.exchanges {
		if e.name() != "workflow.listProjectRevisions" || !e.ok() || param(e, "id") != project {
			continue
		}
		body, _ := e.JSONResponse()
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

// dedupe keeps the first of members with the same name.
func dedupe(m *mapping) *mapping {
	seen := map[string]bool{}
	kept := newMapping()
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		if name := m.node.Content[i].Value; !seen[name] {
			seen[name] = true
			kept.node.Content = append(kept.node.Content, m.node.Content[i], m.node.Content[i+1])
		}
	}
	return kept
}

// definitionText writes the definition of a workflow, which answers show as JSON, as it is written in its file.
func definitionText(config gjson.Result, zone string) string {
	node := jsonNode(config)
	if !config.Get("timezone").Exists() && zone != "" && zone != "UTC" {
		node.Content = append([]*yaml.Node{scalar("timezone"), scalar(zone)}, node.Content...)
	}
	var text bytes.Buffer
	if writeYAML(&text, node) != nil {
		return config.Raw
	}
	return text.String()
}

// guessDefinition writes a workflow with the tasks that answers show of its attempts.
func (p *projects) guessDefinition(project, name string) string {
	root := newMapping()
	if zone, schedule := p.guessSchedule(project, name); schedule != nil {
		root.set("timezone", zone)
		root.set("schedule", schedule)
	}
	if !p.addTasks(root, project, name) {
		task := newMapping()
		task.set("echo>", "unknown")
		root.set("+unknown", task)
	}
	var text bytes.Buffer
	if writeYAML(&text, root.node) != nil {
		return "+unknown:\n  echo>: unknown\n"
	}
	return text.String()
}

// guessSchedule writes the schedule of a workflow that answers show a next run of: daily, at that time.
func (p *projects) guessSchedule(project, name string) (zone string, schedule *mapping) {
	for _, t := range p.things.of(scheduleKind) {
		o := t.first()
		if o.Get("project.id").String() != project || o.Get("workflow.name").String() != name {
			continue
		}
		zone, place := zoneOf(o.Get("nextScheduleTime").String())
		schedule = newMapping()
		schedule.set("daily>", instant(o.Get("nextRunTime").String()).In(place).Format("15:04:05"))
		return zone, schedule
	}
	return "", nil
}

// zoneOf returns a time zone with the offset of a time.
func zoneOf(text string) (name string, place *time.Location) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "UTC", time.UTC
	}
	_, offset := t.Zone()
	const hour = 3600
	if offset == 0 || offset%hour != 0 {
		return "UTC", time.UTC
	}
	name = fmt.Sprintf("Etc/GMT%+d", -offset/hour) // whose sign is the other way round
	return name, time.FixedZone(name, offset)
}

// addTasks adds the tasks that the first attempt of a workflow shows, and reports whether there are any.
func (p *projects) addTasks(root *mapping, project, name string) bool {
	for _, attempt := range p.things.all(attemptKind) {
		o := attempt.first()
		if o.Get("project.id").String() != project || o.Get("workflow.name").String() != name {
			continue
		}
		nodes := map[string]*mapping{}
		for _, t := range byNumber(p.tasksOf(attempt)) {
			full := t.first().Get("fullName").String()
			at := strings.LastIndex(full, "+")
			if at < 0 {
				continue
			}
			task := &mapping{jsonNode(t.first().Get("config"))}
			if !t.first().Get("config").IsObject() {
				task = newMapping()
			}
			nodes[full] = task
			if parent := nodes[full[:at]]; parent != nil {
				parent.node.Content = append(parent.node.Content, scalar(full[at:]), task.node)
			} else {
				root.node.Content = append(root.node.Content, task.node.Content...)
				nodes[full] = root
			}
		}
		if len(nodes) > 1 {
			return true
		}
	}
	return false
}

// tasksOf lists the tasks of an attempt.
func (l *learner) tasksOf(attempt *thing) (list []*thing) {
	for _, t := range l.things.all(taskKind) {
		if in, _, _ := strings.Cut(t.id, "/"); in == attempt.id {
			list = append(list, t)
		}
	}
	return list
}

// maxArchive bounds the files of an archive that are kept.
const maxArchive = 4 << 20

// archiveOf returns the files of a recorded archive of a revision, or nil.
func (p *projects) archiveOf(project, revision string) map[string]string {
	for _, e := range p.exchanges {
		isIt := e.name() == "workflow.downloadProjectArchive" && e.ok() && param(e, "id") == project
		wanted := queryOf(e).Get("revision")
		t := p.things.find(projectKind, project)
		isLatest := t != nil && t.first().Get("revision").String() == revision
		isWhole := isIt && e.Item.ResponseDoubt == "" && e.Item.Response.Body != nil
		if !isWhole || wanted != revision && !(wanted == "" && isLatest) {
			continue
		}
		if files := untar(e.Item.Response.Body.Bytes); files != nil {
			return files
		}
	}
	return nil
}

// untar returns the files of an archive, or nil if it cannot be read.
func untar(archive []byte) map[string]string {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil
	}
	files := map[string]string{}
	reader := tar.NewReader(io.LimitReader(plain, maxArchive))
	for {
		header, err := reader.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // the package says that it is this one
			return files
		case err != nil:
			return nil
		case header.Typeflag != tar.TypeReg:
			continue
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil
		}
		files[strings.TrimPrefix(header.Name, "./")] = string(text)
	}
}
