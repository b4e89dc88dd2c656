package learn

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

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
	guessed, root := newMapping(), newMapping()
	hasTasks := p.addTasks(root, project, name)
	if zone, schedule := p.guessSchedule(project, name); schedule != nil && !root.has("schedule") {
		guessed.set("timezone", zone)
		guessed.set("schedule", schedule)
		root.drop("timezone")
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
	for _, attempt := range p.things.all(attemptKind) {
		o := p.attemptObject(attempt)
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
