package dig

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
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

// directives reads the keys with a leading underscore that shape the plan; the others, like _error and _check, are
// only kept in the configuration.
func (r *stepReader) directives(v *value, s *step) error {
	for _, f := range v.fields {
		var reason string
		switch f.key {
		case "_parallel":
			reason = s.readParallel(f.value)
		case "_background":
			s.background, reason = readBoolean(f.key, f.value)
		case "_after":
			reason = s.readAfter(f.value)
		case "_retry":
			reason = s.retry.read(f.value)
		}
		if reason != "" {
			return failf(r.file, f.line, "%s", reason)
		}
	}
	return r.checkAfter(s)
}

// readParallel takes `true` and {limit: n}. That a limit of n makes each task wait for the n-th before it is assumed.
func (s *step) readParallel(v *value) string {
	if v.kind != mapping {
		var reason string
		s.parallel, reason = readBoolean("_parallel", v)
		return reason
	}
	s.parallel = true
	limit := v.field("limit")
	if limit == nil || dynamic(limit) {
		return ""
	}
	n, err := strconv.Atoi(limit.text)
	if err != nil || n < 1 || !limit.scalar() {
		return "the limit of _parallel must be an integer of at least 1, not " + limit.excerpt()
	}
	s.limit = n
	return ""
}

// readBoolean takes an expression for false: it can only be known when the workflow runs (assumed).
func readBoolean(key string, v *value) (bool, string) {
	switch {
	case dynamic(v):
		return false, ""
	case v.kind == boolean || v.kind == text && (v.text == "true" || v.text == "false"):
		return v.text == "true", ""
	}
	return false, key + " must be true or false, not " + v.excerpt()
}

// dynamic reports whether the value holds an expression, ${…}, which only a running workflow can evaluate.
func dynamic(v *value) bool {
	return v.kind == text && strings.Contains(v.text, "${")
}

func (s *step) readAfter(v *value) string {
	names := v.items
	if v.kind != list {
		names = []*value{v}
	}
	for _, name := range names {
		if name.kind != text {
			return "_after must list tasks, like [+first, +second], not " + name.noun()
		}
		s.after = append(s.after, name.text)
	}
	return ""
}

// checkAfter refuses to wait for any tasks but those above in the same group, so that no two can wait for each other.
func (r *stepReader) checkAfter(s *step) error {
	above := map[string]bool{}
	for _, c := range s.children {
		for _, name := range c.step.after {
			if !above[name] {
				return failf(r.file, c.line, "%s cannot run after %s: _after must name tasks above it in the same group",
					quote(c.name), quote(name))
			}
		}
		above[c.name] = true
	}
	return nil
}

// read takes a number of retries, or {limit, interval, interval_type} with the interval in seconds.
func (r *retry) read(v *value) string {
	limit, interval, pace := v, v.field("interval"), v.field("interval_type")
	if v.kind == mapping {
		limit = v.field("limit")
	}
	var reason string
	if r.limit, reason = readCount("the limit of _retry", limit); reason != "" {
		return reason
	}
	seconds, reason := readCount("the interval of _retry, in seconds,", interval)
	if reason != "" {
		return reason
	}
	r.interval = time.Duration(seconds) * time.Second
	switch {
	case pace == nil || dynamic(pace) || pace.text == "constant":
	case pace.text == "exponential":
		r.exponential = true
	default:
		return "the interval_type of _retry must be constant or exponential, not " + pace.excerpt()
	}
	return ""
}

// readCount reads a whole number from 0 on; a missing one and an expression count as 0.
func readCount(what string, v *value) (int, string) {
	if v == nil || dynamic(v) {
		return 0, ""
	}
	n, err := strconv.ParseInt(v.text, 10, 32)
	if err != nil || n < 0 || !v.scalar() {
		return 0, what + " must be an integer of at least 0, not " + v.excerpt()
	}
	return int(n), ""
}

// rounds holds how often an operator runs its _do, and the names of the rounds.
type rounds struct {
	kind  string
	count int         // at most math.MaxInt32
	over  []dimension // of for_each>

	from, to, step int // of for_range>
}

// dimension is one variable of a for_each> with its values.
type dimension struct {
	name string
	of   *value
}

// expansion decides what the operator makes when it runs. Expressions cannot be evaluated here: a condition counts as
// true, a loop over one as a single round (assumed).
func (r *stepReader) expansion(v *value, s *step) error {
	head := v.field(s.operator + ">")
	if head == nil {
		head = v.field("_command")
	}
	if head == nil {
		return nil
	}
	body := v.field("_do")
	switch s.operator {
	case "loop":
		s.rounds = loopRounds(s, head)
	case "for_range":
		s.rounds = rangeRounds(s, head)
	case "for_each":
		s.rounds = eachRounds(s, head)
	case "if":
		if head.scalar() && head.text == "false" {
			body = v.field("_else_do")
		}
	case "call":
		s.callee = calledWorkflow(head)
		return nil
	default:
		return nil
	}
	if body == nil || s.operator == "fail" {
		return nil
	}
	if body.kind != mapping {
		return failf(r.file, body.line, "the body of %s> must be a mapping with tasks or one operator, not %s", s.operator,
			body.noun())
	}
	var err error
	s.sub, err = r.step(body)
	return err
}

func loopRounds(s *step, head *value) *rounds {
	once := &rounds{kind: "loop", count: 1}
	if dynamic(head) {
		return once
	}
	n, ok := readInteger(head)
	if !ok {
		s.failWhenRun("loop> needs a number of rounds, not " + head.excerpt())
	}
	once.count = max(n, 0)
	return once
}

// rangeRounds counts {from, to, step} or {from, to, slices}; the end is left out.
func rangeRounds(s *step, head *value) *rounds {
	once := &rounds{kind: "range", count: 1}
	from, to, by, slices := head.field("from"), head.field("to"), head.field("step"), head.field("slices")
	for _, v := range []*value{from, to, by, slices} {
		if v != nil && dynamic(v) || dynamic(head) {
			return once
		}
	}
	first, ok1 := readInteger(from)
	last, ok2 := readInteger(to)
	if from == nil {
		first, ok1 = 0, true
	}
	width, ok3 := readInteger(by)
	if parts, ok := readInteger(slices); ok && parts > 0 {
		width, ok3 = (max(last-first, 0)+parts-1)/parts, true
	}
	if !ok1 || !ok2 || !ok3 || width < 1 && last > first {
		s.failWhenRun("for_range> needs integers for `from` and `to`, and one of at least 1 for `step` or `slices`")
		return once
	}
	once.from, once.to, once.step = first, last, max(width, 1)
	once.count = (max(last-first, 0) + once.step - 1) / once.step
	return once
}

func readInteger(v *value) (int, bool) {
	if v == nil || !v.scalar() {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return int(min(max(n, math.MinInt32), math.MaxInt32)), err == nil
}

func eachRounds(s *step, head *value) *rounds {
	all := &rounds{kind: "for", count: 1}
	if dynamic(head) {
		return all
	}
	if head.kind != mapping {
		s.failWhenRun("for_each> needs a mapping of names to lists, not " + head.excerpt())
	}
	for _, f := range head.fields {
		d := dimension{name: f.key, of: f.value}
		all.over = append(all.over, d)
		all.count = multiplyBounded(all.count, d.size())
	}
	return all
}

// size counts the values of a list or mapping; anything else is one value that the run would make a list of (assumed).
func (d dimension) size() int {
	switch d.of.kind {
	case list:
		return len(d.of.items)
	case mapping:
		return len(d.of.fields)
	default:
		return 1
	}
}

func (d dimension) at(i int) string {
	switch d.of.kind {
	case list:
		return d.of.items[i].text
	case mapping:
		return d.of.fields[i].key
	default:
		return d.of.text
	}
}

// nameFragment returns the first characters of a value, escaped for the name of a task.
func nameFragment(s string) string {
	const most = 8
	if runes := []rune(s[:min(len(s), 4*most)]); len(runes) > most {
		s = string(runes[:most])
	}
	return url.QueryEscape(strings.ToValidUTF8(s, ""))
}

// name returns the name of a round below ^sub, as the interface shows it: +loop-0, +range-from=0&to=10,
// +for-0=fruit=1=orange (client for the first and the last).
func (r *rounds) name(i int) string {
	switch r.kind {
	case "loop":
		return "+loop-" + strconv.Itoa(i)
	case "range":
		from := r.from + i*r.step
		return fmt.Sprintf("+range-from=%d&to=%d", from, min(from+r.step, r.to))
	}
	parts := make([]string, len(r.over))
	for at := len(r.over) - 1; at >= 0; at-- {
		d := r.over[at]
		n := i % d.size()
		i /= d.size()
		parts[at] = fmt.Sprintf("%d=%s=%d=%s", at, nameFragment(d.name), n, nameFragment(d.at(n)))
	}
	return "+for-" + strings.Join(parts, "&")
}

// calledWorkflow returns the workflow in the top folder that call> names, with or without the extension. A path into a
// folder or an expression names none: such a call is taken to run well (assumed).
func calledWorkflow(head *value) string {
	if head.kind != text || dynamic(head) || strings.Contains(strings.TrimPrefix(head.text, "./"), "/") {
		return ""
	}
	return strings.TrimSuffix(path.Base(head.text), extension)
}

// failWhenRun makes the step fail when it runs, as an operator with an invalid command does.
func (s *step) failWhenRun(reason string) {
	s.operator, s.command = "fail", reason
	s.rounds, s.callee = nil, ""
}

func multiplyBounded(a, b int) int { return int(min(int64(a)*int64(b), math.MaxInt32)) }
