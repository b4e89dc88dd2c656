package dig

import (
	"strconv"
	"strings"
	"time"
)

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
