package dig

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"
)

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
		s.callee = calleeOf(head)
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
		s.fail("loop> needs a number of rounds, not " + head.shown())
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
		s.fail("for_range> needs integers for `from` and `to`, and one of at least 1 for `step` or `slices`")
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
		s.fail("for_each> needs a mapping of names to lists, not " + head.shown())
	}
	for _, f := range head.fields {
		d := dimension{name: f.key, of: f.value}
		all.over = append(all.over, d)
		all.count = times(all.count, d.size())
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

// label keeps the first characters of a value, written so that they fit into a task name.
func label(s string) string {
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
		parts[at] = fmt.Sprintf("%d=%s=%d=%s", at, label(d.name), n, label(d.at(n)))
	}
	return "+for-" + strings.Join(parts, "&")
}

// calleeOf returns the workflow in the top folder that call> names, with or without the extension. A path into a folder
// or an expression names none: such a call is taken to run well (assumed).
func calleeOf(head *value) string {
	if head.kind != text || dynamic(head) || strings.Contains(strings.TrimPrefix(head.text, "./"), "/") {
		return ""
	}
	return strings.TrimSuffix(path.Base(head.text), extension)
}

// fail turns the step into one that fails when it runs, as an operator does that cannot make sense of its command.
func (s *step) fail(reason string) {
	s.operator, s.command = "fail", reason
	s.rounds, s.callee = nil, ""
}

func times(a, b int) int { return int(min(int64(a)*int64(b), math.MaxInt32)) }
