package dig

import (
	"encoding/json"
	"strings"
	"time"
)

// step is a task as its file defines it, before it is named and laid out. A step that an alias repeats, or that a loop
// runs a million times, exists once.
type step struct {
	file              string
	config, export    json.RawMessage
	operator, command string
	retry             retry
	parallel          bool
	limit             int // how many run at a time, 0 for all
	background        bool
	after             []string
	children          []child
	sub               *step   // what the operator runs under ^sub
	rounds            *rounds // how often, nil for once and without names of their own
	callee            string  // name of the workflow that call> runs under ^sub
	called            *step   // its root, once linked
	size              int     // how many tasks it makes, itself included; counting while it is being counted
}

// child is a step under the name it has in its parent.
type child struct {
	name string
	line int
	step *step
}

type retry struct {
	limit       int
	interval    time.Duration
	exponential bool
}

type stepReader struct {
	file string
	left *budget
	done map[*value]*step
}

func (r *stepReader) step(v *value) (*step, error) {
	if s := r.done[v]; s != nil {
		return s, nil
	}
	s := &step{file: r.file}
	own, export, err := r.splitKeys(v, s)
	if err != nil {
		return nil, err
	}
	if s.config, err = r.left.json(r.file, &value{kind: mapping, fields: own}); err != nil {
		return nil, err
	}
	if s.export, err = r.left.json(r.file, &value{kind: mapping, fields: export}); err != nil {
		return nil, err
	}
	if err := r.directives(v, s); err != nil {
		return nil, err
	}
	if err := r.operator(v, s); err != nil {
		return nil, err
	}
	r.done[v] = s
	return s, nil
}

// splitKeys separates the keys of a task: children become steps, _export stands on its own in the interface, the rest
// is the task's configuration.
func (r *stepReader) splitKeys(v *value, s *step) (own, export []field, err error) {
	for _, f := range v.fields {
		switch {
		case strings.HasPrefix(f.key, "+"):
			c, err := r.child(f)
			if err != nil {
				return nil, nil, err
			}
			s.children = append(s.children, c)
		case f.key == "_export" && f.value.kind == mapping:
			export = f.value.fields
		default:
			own = append(own, f)
		}
	}
	return own, export, nil
}

func (r *stepReader) child(f field) (child, error) {
	if reason := checkTaskName(f.key); reason != "" {
		return child{}, failf(r.file, f.line, "%s", reason)
	}
	if f.value.kind != mapping {
		return child{}, failf(r.file, f.line, "the task %s must be a mapping, like `echo>: hello` on a line below, not %s",
			quote(f.key), f.value.noun())
	}
	s, err := r.step(f.value)
	return child{name: f.key, line: f.line, step: s}, err
}

// operator finds what the task runs: the one key that ends in >, or the long form of _type and _command.
func (r *stepReader) operator(v *value, s *step) error {
	var found *field
	for i, f := range v.fields {
		name, is := operatorOf(f)
		if !is {
			continue
		}
		if found != nil {
			return failf(r.file, f.line, "a task runs one operator, but this one has %s and %s: use a task for each",
				found.key, f.key)
		}
		found, s.operator = &v.fields[i], name
		var err error
		if s.command, err = r.command(v, f); err != nil {
			return err
		}
	}
	if found == nil {
		return nil
	}
	if len(s.children) > 0 {
		return failf(r.file, s.children[0].line, "the task runs the operator %s and cannot contain the task %s: "+
			"move the operator into a task of its own", found.key, quote(s.children[0].name))
	}
	return r.expansion(v, s)
}

func operatorOf(f field) (string, bool) {
	if f.key == "_type" && f.value.kind == text {
		return f.value.text, true
	}
	name, is := strings.CutSuffix(f.key, ">")
	return name, is && name != ""
}

func (r *stepReader) command(task *value, f field) (string, error) {
	command := f.value
	if f.key == "_type" {
		if command = task.field("_command"); command == nil {
			return "", nil
		}
	}
	if command.scalar() {
		return command.text, nil
	}
	written, err := r.left.json(r.file, command)
	return string(written), err
}
