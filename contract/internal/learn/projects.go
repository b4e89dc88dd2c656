package learn

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
)

// projects are the projects of the beginning, by id.
type projects struct {
	*learner
	order     []string
	names     map[string]string
	workflows map[string]map[string]string // by project and name, an id
	earlier   map[string]map[string]string // by project and id, the names of workflows of earlier revisions
	uploads   map[string]*Exchange         // in the recording, by name and revision
}

func (l *learner) projects() *projects {
	p := &projects{
		learner: l, names: map[string]string{}, workflows: map[string]map[string]string{}, uploads: map[string]*Exchange{},
		earlier: map[string]map[string]string{},
	}
	for e := range l.successes("workflow.putProject") {
		query := queryOf(e)
		p.uploads[query.Get("project")+"\n"+query.Get("revision")] = e
	}
	for _, t := range l.entities.of(projectKind) {
		p.see(t.id, t.text("name"))
	}
	for _, kind := range []string{workflowKind, scheduleKind, sessionKind, attemptKind} {
		for _, t := range l.entities.of(kind) {
			o := t.first()
			if kind == attemptKind {
				o = l.attemptObject(t)
			}
			project := o.Get("project")
			p.see(project.Get("id").Text(), project.Get("name").Text())
			name, id := o.Get("workflow", "name").Text(), o.Get("workflow", "id").Text()
			if kind == workflowKind {
				name, id = t.text("name"), t.id
			}
			p.seeWorkflow(project.Get("id").Text(), name, id)
		}
	}
	p.seeStarted()
	p.seeIntegrations()
	slices.SortFunc(p.order, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return p
}

// seeStarted takes the projects and workflows of which only attempts that requests start are shown.
func (p *projects) seeStarted() {
	uploaded := map[string]bool{}
	for upload := range p.uploads {
		name, _, _ := strings.Cut(upload, "\n")
		uploaded[name] = true
	}
	for _, t := range p.entities.all(attemptKind) {
		o := p.attemptObject(t)
		project, name := o.Get("project"), o.Get("workflow", "name").Text()
		id := project.Get("id").Text()
		isStarted := t.made != nil && t.made.name() == "workflow.startAttempt"
		if !isStarted || uploaded[project.Get("name").Text()] || p.workflows[id][name] != "" {
			continue
		}
		p.see(id, project.Get("name").Text())
		p.seeWorkflow(id, name, o.Get("workflow", "id").Text())
	}
}

func (p *projects) see(id, name string) {
	if id == "" {
		return
	}
	if t := p.entities.find(projectKind, id); t != nil && !t.wasThere() {
		return
	}
	if !slices.Contains(p.order, id) {
		p.order = append(p.order, id)
	}
	if p.names[id] == "" {
		p.names[id] = name
	}
}

// showsProject reports whether an answer shows something of a project.
func (l *learner) showsProject(id string) bool {
	return slices.ContainsFunc(l.entities.list, func(t *entity) bool {
		return t.kind == projectKind && t.id == id || strings.HasPrefix(t.kind, "workflow.") &&
			t.text("project.id") == id
	})
}

func (p *projects) seeWorkflow(project, name, id string) {
	if project == "" || name == "" {
		return
	}
	if p.workflows[project] == nil {
		p.workflows[project] = map[string]string{}
	}
	known := p.workflows[project][name]
	if number(id) > number(known) {
		p.workflows[project][name], id = id, known
	}
	if id == "" || id == p.workflows[project][name] || p.entities.find(workflowKind, id) != nil {
		return
	}
	if p.earlier[project] == nil {
		p.earlier[project] = map[string]string{}
	}
	p.earlier[project][id] = name
}

func (p *projects) list() *sequence {
	s := newSequence()
	for _, id := range p.order {
		m := mappingOf("id", idOf(id))
		isUnnamed := p.names[id] == ""
		p.names[id] = cmp.Or(p.names[id], "project-"+id)
		m.guess("name", scalar(p.names[id]), when(isUnnamed, unseen))
		m.copy(p.entities.find(projectKind, id).first(), "createdAt", "deletedAt")
		p.addRevisions(m, id)
		m.set("secrets", p.secrets(id))
		m.set("schedules", p.schedules(id))
		s.add(m)
	}
	return s
}

func (p *projects) secrets(project string) (keys []string) {
	for _, t := range p.entities.of(secretKind) {
		if t.parent() == project {
			keys = append(keys, t.key())
		}
	}
	return keys
}

// schedules lists what is known of the schedules of a project.
func (p *projects) schedules(project string) *sequence {
	s := newSequence()
	for _, t := range byNumber(p.entities.of(scheduleKind)) {
		first := t.first()
		if first.Get("project", "id").Text() != project || p.isUploaded(first) {
			continue
		}
		created, _ := t.value("createdAt") // lists do not show it
		m := mappingOf("id", idOf(t.id), "workflow", first.Get("workflow", "name"), "createdAt", timeOf(created))
		disabled := timeOf(first.Get("disabledAt"))
		if disabled != "" && !instant(disabled).After(p.begin) {
			isChanged := isWrite(t.sights[0].Exchange)
			m.guess("disabledAt", disabled, when(isChanged, "it was turned on or off before an answer showed it"))
		}
		if at := instant(first.Get("nextScheduleTime").Text()); !at.IsZero() && (disabled != "" || !p.hasRunSince(first)) {
			m.set("nextScheduleTime", timeText(at))
			m.set("nextRunTime", timeOf(first.Get("nextRunTime")))
		}
		s.add(m)
	}
	return s
}

// hasRunSince reports whether a schedule has started an attempt since the recording began.
func (p *projects) hasRunSince(schedule jsontree.Value) bool {
	of := p.runsOf(schedule.Get("project", "id").Text(), schedule.Get("workflow", "name").Text())
	return slices.ContainsFunc(of, func(r *run) bool { return r.late })
}

// isUploaded reports whether an object belongs to a project's revision that the recording uploads.
func (p *projects) isUploaded(object jsontree.Value) bool {
	t := p.entities.find(projectKind, object.Get("project", "id").Text())
	return t != nil && !t.wasThere()
}

func queryOf(e *Exchange) url.Values {
	values, _ := address.Query(e.Owner.Query)
	return values
}

// addFiles adds the files of a revision: those of a recorded archive, or those that the definitions of its workflows
// show. The latest revision also has the workflows of which no more than a name is known.
func (p *projects) addFiles(m *mapping, project string, r *revision, isLatest bool) {
	ids, files := newMapping(), newMapping()
	for _, t := range p.workflowsIn(project, r.name) {
		o := t.first()
		name := o.Get("name").Text()
		ids.set(name, idOf(t.id))
		if config := o.Get("config"); config.IsObject() {
			files.set(name+".dig", definitionText(config, o.Get("timezone").Text()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.workflows[project])) {
		if !isLatest || files.has(name+".dig") {
			continue
		}
		files.guess(name+".dig", p.guessDefinition(project, name), "no answer shows the definition of the workflow")
		if id := p.workflows[project][name]; p.entities.find(workflowKind, id) == nil {
			ids.set(name, idOf(id))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.past)) {
		if !files.has(name + ".dig") {
			ids.set(name, idOf(r.past[name]))
			files.set(name+".dig", scalar(p.definitionOf(project, name)))
		}
	}
	if archive := p.archiveOf(project, r.name); archive != nil {
		files = newMapping()
		for _, name := range slices.Sorted(maps.Keys(archive)) {
			files.set(name, scalar(archive[name]))
		}
	}
	if files.isEmpty() {
		files.guess("unknown.dig", "+unknown:\n  echo>: unknown\n", "no answer shows a workflow of the project")
	}
	m.set("workflowIds", ids)
	m.set("files", files)
}

// definitionOf returns the definition of a workflow in whatever revision shows it, or a guessed one.
func (p *projects) definitionOf(project, name string) string {
	for _, t := range p.entities.all(workflowKind) {
		o := t.first()
		isIt := o.Get("project", "id").Text() == project && o.Get("name").Text() == name
		if config := o.Get("config"); isIt && config.IsObject() {
			return definitionText(config, o.Get("timezone").Text())
		}
	}
	return p.guessDefinition(project, name)
}

// definitionText writes the definition of a workflow, which answers show as JSON, as it is written in its file.
func definitionText(config jsontree.Value, zone string) string {
	node := jsonNode(config)
	if !config.Get("timezone").Exists() && zone != "" && zone != "UTC" {
		node.Content = append([]*yaml.Node{scalar("timezone"), scalar(zone)}, node.Content...)
	}
	var text bytes.Buffer
	if writeYAML(&text, node) != nil {
		return config.Raw()
	}
	return text.String()
}

// guessDefinition writes a workflow with the tasks that answers show of its attempts.
func (p *projects) guessDefinition(project, name string) string {
	guessed, root := newMapping(), newMapping()
	hasTasks := p.addTasks(root, project, name)
	if zone, schedule := p.guessSchedule(project, name); schedule != nil && !root.has("schedule") {
		guessed.set("timezone", zone)
		guessed.set("schedule", schedule)
		root.drop("timezone")
	} else if !root.has("timezone") {
		guessed.set("timezone", p.zoneOfAttempts(project, name))
	}
	root.node.Content = append(guessed.node.Content, root.node.Content...)
	if !hasTasks {
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

// addTasks adds the tasks that the first attempt of a workflow shows, and reports whether there are any.
func (p *projects) addTasks(root *mapping, project, name string) bool {
	for _, attempt := range p.runsOf(project, name) {
		nodes := map[string]*mapping{}
		for _, t := range byNumber(p.tasksOf(attempt.entity)) {
			full := t.text("fullName")
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
func (l *learner) tasksOf(attempt *entity) []*entity {
	return slices.Clone(l.entities.inside[nameOf(taskKind, attempt.id)])
}

// maxArchive bounds the files of an archive that are kept.
const maxArchive = 4 << 20

// archiveOf returns the files of a recorded archive of a revision, or nil.
func (p *projects) archiveOf(project, revision string) map[string]string {
	latest := p.entities.find(projectKind, project).first().Get("revision").Text()
	for e := range p.successes(nameOf("workflow.downloadProjectArchive", project)) {
		isIt := cmp.Or(queryOf(e).Get("revision"), latest) == revision
		if !isIt || e.Item.ResponseDoubt != "" || e.Item.Response.Body == nil {
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

// zoneOfAttempts returns a time zone with the offset that the session times of a workflow have, or the empty text for
// UTC.
func (p *projects) zoneOfAttempts(project, name string) string {
	for _, r := range p.runsOf(project, name) {
		if zone, _ := zoneOf(r.object.Get("sessionTime").Text()); zone != "UTC" {
			return zone
		}
	}
	return ""
}

// guessSchedule writes the schedule of a workflow of which answers show a next run, or attempts that no request
// started.
func (p *projects) guessSchedule(project, name string) (zone string, schedule *mapping) {
	list := p.runsOf(project, name)
	var schedules []*entity
	for _, t := range p.entities.of(scheduleKind) {
		if o := t.first(); o.Get("project", "id").Text() == project && o.Get("workflow", "name").Text() == name {
			schedules = append(schedules, t)
		}
	}
	isHourly := areHourly(schedules, list)
	if len(schedules) > 0 {
		return scheduleOf(schedules[0], isHourly)
	}
	for _, r := range list {
		if r.late && isHourly {
			zone, place := zoneOf(r.object.Get("sessionTime").Text())
			schedule = newMapping()
			schedule.set("cron>", hourly(r.time("createdAt").In(place)))
			return zone, schedule
		}
	}
	return "", nil
}

// scheduleOf writes a schedule: hourly, or else as seldom as the longest wait for its next run shows, at that time.
func scheduleOf(t *entity, isHourly bool) (zone string, schedule *mapping) {
	shown, longest := t.first(), time.Duration(0)
	for _, s := range t.sights {
		since := s.At
		if disabled := instant(s.object.Get("disabledAt").Text()); !disabled.IsZero() {
			since = disabled // its next run stays the one of then
		}
		if wait := instant(s.object.Get("nextRunTime").Text()).Sub(since); wait > longest {
			shown, longest = s.object, wait
		}
	}
	const day = 24 * time.Hour
	zone, place := zoneOf(shown.Get("nextScheduleTime").Text())
	next := instant(shown.Get("nextRunTime").Text()).In(place)
	clock := next.Format("15:04:05")
	schedule = newMapping()
	switch {
	case isHourly:
		schedule.set("cron>", hourly(next))
	case longest > 7*day:
		schedule.set("monthly>", fmt.Sprintf("%d,%s", next.Day(), clock))
	case longest > day:
		schedule.set("weekly>", next.Format("Mon")+","+clock)
	default:
		schedule.set("daily>", clock)
	}
	return zone, schedule
}

// hourly returns the text of a schedule that runs at the minute of a time in each hour.
func hourly(t time.Time) string { return fmt.Sprintf("%d * * * *", t.Minute()) }

// areHourly reports whether two session times of a workflow are an hour apart, of which one may be the next of its
// schedule, or two next ones are some hours apart, but not a day.
func areHourly(schedules []*entity, list []*run) bool {
	var times, next []time.Time
	for _, t := range schedules {
		for _, s := range t.sights {
			next = append(next, instant(s.object.Get("nextScheduleTime").Text()))
		}
	}
	for _, r := range list {
		times = append(times, instant(r.object.Get("sessionTime").Text()))
	}
	const day = 24 * time.Hour
	return areApart(next, func(by time.Duration) bool { return by%time.Hour == 0 && by > 0 && by < day }) ||
		areApart(append(times, next...), func(by time.Duration) bool { return by == time.Hour })
}

// areApart reports whether two times that follow each other are apart as is asked for.
func areApart(times []time.Time, isSo func(by time.Duration) bool) bool {
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		if isSo(times[i].Sub(times[i-1])) {
			return true
		}
	}
	return false
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
