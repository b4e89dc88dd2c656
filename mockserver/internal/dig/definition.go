package dig

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"
)

// definition is a workflow file that is read but not yet planned: a plan needs its neighbours, which it may call.
type definition struct {
	file     string
	workflow Workflow
	root     *step
}

// ReadDefinition reads one workflow file, as if it stood alone in its project.
func ReadDefinition(file string, source []byte) (Workflow, error) {
	project, err := readProject(map[string][]byte{path.Base(file): source}, DefaultLimits())
	if err != nil {
		return Workflow{}, err
	}
	return project.Workflows[0], nil
}

func readProject(sources map[string][]byte, limits Limits) (Project, error) {
	left := newBudget(limits)
	var definitions []*definition
	for _, file := range sortedKeys(sources) {
		d, err := readDefinition(file, sources[file], left)
		if err != nil {
			return Project{}, err
		}
		definitions = append(definitions, d)
	}
	// By name: with the extension "a-b.dig" sorts before "a.dig".
	slices.SortFunc(definitions, func(a, b *definition) int { return strings.Compare(a.workflow.Name, b.workflow.Name) })
	return planProject(definitions, left)
}

func readDefinition(file string, source []byte, left *budget) (*definition, error) {
	name := strings.TrimSuffix(file, extension)
	if err := checkWorkflowName(file, name); err != nil {
		return nil, err
	}
	tree, err := readDocument(file, source, left)
	if err != nil {
		return nil, err
	}
	if tree.kind != mapping {
		return nil, failf(file, tree.line, "the definition must be a mapping with the tasks of the workflow, not %s",
			tree.noun())
	}
	d := &definition{file: file, workflow: Workflow{Name: name}}
	if d.workflow.Config, err = left.json(file, tree); err != nil {
		return nil, err
	}
	if err := d.readZone(tree.field("timezone")); err != nil {
		return nil, err
	}
	if err := d.readSchedule(tree.field("schedule")); err != nil {
		return nil, err
	}
	steps := stepReader{file: file, left: left, done: map[*value]*step{}}
	d.root, err = steps.step(tree)
	return d, err
}

func (d *definition) readZone(v *value) error {
	w := &d.workflow
	if w.Timezone, w.Zone = "UTC", time.UTC; v == nil {
		return nil
	}
	zone, err := loadZone(v.text)
	if err != nil {
		return failf(d.file, v.line, "timezone must be the name of a time zone like Asia/Tokyo, not %s", v.shown())
	}
	w.Timezone, w.Zone = v.text, zone
	return nil
}

// shown returns the value in the form for errors.
func (v *value) shown() string {
	if v.kind == null || !v.scalar() {
		return v.noun()
	}
	return quote(v.text)
}

func emptyObject() json.RawMessage { return json.RawMessage("{}") }
