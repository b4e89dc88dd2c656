package dig

import (
	"encoding/json"
	"math"
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
	left := &budget{marks: maxProjectMarks, tasks: 200 * MaxTasks, bytes: limits.Expanded}
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
		return failf(d.file, v.line, "timezone must be the name of a time zone like Asia/Tokyo, not %s", v.excerpt())
	}
	w.Timezone, w.Zone = v.text, zone
	return nil
}

// excerpt returns the value in the form for errors.
func (v *value) excerpt() string {
	if v.kind == null || !v.scalar() {
		return v.noun()
	}
	return quote(v.text)
}

func emptyObject() json.RawMessage { return json.RawMessage("{}") }

// counting marks a step whose tasks are being counted: a call> that comes to one is a workflow that runs itself.
const counting = -1

// planProject links the calls between workflows, counts the tasks of each, and lays out the plans that may be started.
func planProject(definitions []*definition, left *budget) (Project, error) {
	roots := map[string]*step{}
	for _, d := range definitions {
		roots[d.workflow.Name] = d.root
	}
	project := Project{Workflows: make([]Workflow, len(definitions))}
	for i, d := range definitions {
		w := d.workflow
		if w.TaskCount = countTasks(d.root, roots); w.TaskCount <= MaxTasks {
			if left.tasks -= w.TaskCount; left.tasks < 0 {
				return Project{}, failf("", 0, "the workflows of the project have more than %d tasks together", 200*MaxTasks)
			}
			p := planner{tasks: make([]Task, 0, w.TaskCount)}
			if _, err := p.add(d.root, planPlace{name: "+" + w.Name, file: d.file, line: 1, parent: -1}); err != nil {
				return Project{}, err
			}
			w.Tasks = p.tasks
		}
		project.Workflows[i] = w
	}
	return project, nil
}

// countTasks returns the number of tasks that a step creates, bounded far above MaxTasks. Each step is counted once,
// and a loop by multiplying, so its cost does not depend on the result.
func countTasks(s *step, roots map[string]*step) int {
	if s.size > 0 {
		return s.size
	}
	s.size = counting
	linkCall(s, roots)
	total := 1
	for _, c := range s.children {
		total = addBounded(total, countTasks(c.step, roots))
	}
	switch {
	case s.called != nil:
		total = addBounded(total, countTasks(s.called, roots))
	case s.sub != nil && s.rounds != nil:
		total = addBounded(total, addBounded(1, multiplyBounded(s.rounds.count, countTasks(s.sub, roots))))
	case s.sub != nil:
		total = addBounded(total, countTasks(s.sub, roots))
	}
	s.size = total
	return total
}

func addBounded(a, b int) int { return int(min(int64(a)+int64(b), math.MaxInt32)) }

// linkCall sets the workflow that call> runs. The step fails when it runs if the workflow is missing, or would run
// itself, at the call that closes the circle: the engine would go on until the limit of tasks (assumed).
func linkCall(s *step, roots map[string]*step) {
	if s.callee == "" {
		return
	}
	called := roots[s.callee]
	switch {
	case called == nil:
		s.failWhenRun("the workflow " + quote(s.callee) + " of call> is not in the project")
	case called.size == counting:
		s.failWhenRun("call> of " + quote(s.callee) + " would run it inside itself indefinitely")
	default:
		s.called = called
	}
}

// planPlace is the place of a step in the plan: name is the full one.
type planPlace struct {
	name      string
	file      string
	line      int
	parent    int
	upstreams []int
	generated bool
}

// planner lays out a plan that is known to fit.
type planner struct {
	tasks []Task
}

func (p *planner) add(s *step, at planPlace) (int, error) {
	if len(at.name) > maxTaskName {
		return 0, failf(at.file, at.line, "a full task name has at most %d bytes, but %s has %d", maxTaskName, quote(at.name),
			len(at.name))
	}
	index := len(p.tasks)
	p.tasks = append(p.tasks, Task{
		Name: at.name, Parent: at.parent, Upstreams: at.upstreams, Group: s.operator == "",
		Config: s.config, Export: s.export, Operator: s.operator, Command: s.command, Generated: at.generated,
		Retries: s.retry.limit, RetryInterval: s.retry.interval, RetryExponential: s.retry.exponential,
	})
	if err := p.children(s, index); err != nil {
		return 0, err
	}
	sub := planPlace{name: at.name + "^sub", file: at.file, line: at.line, parent: index, generated: true}
	var err error
	switch {
	case s.called != nil:
		_, err = p.add(s.called, sub)
	case s.sub != nil && s.rounds != nil:
		err = p.rounds(s, sub)
	case s.sub != nil:
		_, err = p.add(s.sub, sub)
	}
	return index, err
}

func (p *planner) children(s *step, parent int) error {
	above := siblings{parallel: s.parallel, limit: s.limit, names: map[string]int{}}
	for _, c := range s.children {
		parentTask := p.tasks[parent]
		index, err := p.add(c.step, planPlace{
			name: parentTask.Name + c.name, file: s.file, line: c.line, parent: parent,
			upstreams: above.before(c.step), generated: parentTask.Generated,
		})
		if err != nil {
			return err
		}
		above.add(c, index)
	}
	return nil
}

// rounds makes the group ^sub with a task for each round in it: one after the other, or side by side with _parallel.
func (p *planner) rounds(s *step, at planPlace) error {
	group := &step{config: emptyObject(), export: emptyObject()}
	parent, err := p.add(group, at)
	if err != nil {
		return err
	}
	above := siblings{parallel: s.parallel, limit: s.limit}
	for i := range s.rounds.count {
		round := child{step: &step{}}
		index, err := p.add(s.sub, planPlace{
			name: at.name + s.rounds.name(i), file: at.file, line: at.line, parent: parent,
			upstreams: above.before(round.step), generated: true,
		})
		if err != nil {
			return err
		}
		above.add(round, index)
	}
	return nil
}

// siblings works out what the next task of a group waits for. In sequence each waits for the one above it; a task in
// the background starts together with the one above, and the next waits for both. In parallel a task waits for what
// its _after names, and with a limit of n for the n-th above it.
type siblings struct {
	parallel        bool
	limit           int
	made            []int
	names           map[string]int
	earlier, latest []int // in sequence: what the task above waits for, and that task with those beside it
}

func (b *siblings) before(s *step) []int {
	if !b.parallel {
		if s.background {
			return slices.Clone(b.earlier)
		}
		return slices.Clone(b.latest)
	}
	var wait []int
	for _, name := range s.after {
		wait = append(wait, b.names[name])
	}
	if n := len(b.made); b.limit > 0 && n >= b.limit {
		wait = append(wait, b.made[n-b.limit])
	}
	slices.Sort(wait)
	return slices.Compact(wait)
}

func (b *siblings) add(c child, index int) {
	b.made = append(b.made, index)
	if b.names != nil {
		b.names[c.name] = index
	}
	if c.step.background {
		b.latest = append(b.latest, index)
		return
	}
	b.earlier, b.latest = b.latest, []int{index}
}
