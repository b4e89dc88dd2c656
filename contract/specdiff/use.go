package specdiff

import (
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Counter counts in a report who uses what changed. It is used by one goroutine.
type Counter struct {
	report  *Report
	byName  map[string][]*counted
	callers map[string]bool
}

// counted is a change with the parts of the old operation by which it shows.
type counted struct {
	*Change
	parts []coverage.Part
}

// NewCounter returns a counter of the changes from old documents.
func NewCounter(old []*specs.Document, r *Report) *Counter {
	n := &Counter{report: r, byName: map[string][]*counted{}, callers: map[string]bool{}}
	operations := map[string]*specs.Operation{}
	for _, d := range old {
		for _, op := range d.Operations {
			operations[op.Name()] = op
		}
	}
	r.Judged = true
	for i := range r.Changes {
		c := &counted{Change: &r.Changes[i]}
		if c.trace.what == "" {
			continue
		}
		c.Use = &Use{What: c.trace.what, callers: map[string]bool{}, ofCallers: map[string]bool{}}
		if op := operations[c.Operation]; op != nil {
			c.parts = c.trace.parts(op)
		}
		n.byName[c.Operation] = append(n.byName[c.Operation], c)
	}
	return n
}

// parts returns the parts of the old operation of which an exchange has one if it shows the change: those with the
// name, or those of what is nearest around it.
func (t *trace) parts(op *specs.Operation) []coverage.Part {
	if prefix, isOpen := strings.CutSuffix(t.part, "*"); isOpen && t.aspect != coverage.PropertyParts {
		return coverage.Find(op, t.aspect, func(name string) bool { return name == prefix || isBelow(name, prefix) })
	}
	for name, aspect := t.part, t.aspect; name != ""; {
		if found := coverage.Find(op, aspect, func(other string) bool { return other == name }); found != nil {
			return found
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 || aspect != coverage.PropertyParts {
			break
		}
		name = strings.TrimSpace(name[:end])
	}
	aspect, prefix := coverage.RequestParts, ""
	if t.status != "" {
		aspect, prefix = coverage.ResponseParts, t.status+" "
	}
	return coverage.Find(op, aspect, func(name string) bool {
		media, isOf := strings.CutPrefix(name, prefix)
		return isOf && slices.Contains(t.media, media)
	})
}

func isBelow(name, prefix string) bool { return prefix == "" || strings.HasPrefix(name, prefix+" ") }

// NeedsNew reports whether a result by the new document is needed to count an exchange.
func (n *Counter) NeedsNew(old *judge.Result) bool {
	op := old.Operation()
	return op != nil && slices.ContainsFunc(n.byName[op.Name()], func(c *counted) bool { return c.trace.what == refused })
}

// Take counts an exchange by what the old document says of it, and the new one, which may be nil unless it is needed.
func (n *Counter) Take(old, changed *judge.Result) {
	op := old.Operation()
	if op == nil {
		return
	}
	caller := old.Credential().Identity
	if caller == "" {
		caller = old.Item.Request.Headers.Value("User-Agent")
	}
	n.report.Exchanges++
	if caller != "" {
		n.callers[caller] = true
	}
	n.report.Callers = len(n.callers)
	for _, list := range [][]*counted{n.byName[op.Name()], n.byName[""]} {
		for _, c := range list {
			c.add(old, changed, caller)
		}
	}
}

func (c *counted) add(old, changed *judge.Result, caller string) {
	if c.trace.status != "" && (old.Status() == 0 || statusOf(old.Operation(), old.Status()) != c.trace.status) {
		return
	}
	c.Use.Of++
	if caller != "" {
		c.Use.ofCallers[caller] = true
	}
	c.Use.OfCallers = len(c.Use.ofCallers)
	if !c.isSeen(old, changed) {
		return
	}
	if c.Use.Exchanges++; c.Use.First == 0 {
		c.Use.First = old.Item.Number
	}
	if caller != "" {
		c.Use.callers[caller] = true
	}
	c.Use.Callers = len(c.Use.callers)
}

func (c *counted) isSeen(old, changed *judge.Result) bool {
	switch {
	case c.trace.what == called:
		return true
	case c.trace.what == refused:
		return changed != nil && slices.ContainsFunc(changed.Findings, func(f report.Finding) bool {
			return f.Verdict == report.Fail && isAt(f.Pointer, c.trace.pointer) &&
				!slices.ContainsFunc(old.Findings, func(o report.Finding) bool {
					return o.Verdict == report.Fail && o.Pointer == f.Pointer && o.Rule == f.Rule
				})
		})
	case c.trace.credentials != nil:
		return sendsCredentials(old, *c.trace.credentials)
	case c.trace.header != "" && old.Item.Response.Headers.Value(c.trace.header) == "":
		return false
	}
	return slices.ContainsFunc(c.parts, func(part coverage.Part) bool {
		return slices.ContainsFunc(old.Touched, func(s *coverage.Set) bool { return s.Has(part) })
	})
}

// sendsCredentials reports whether a request has credentials in some headers, or none at all if there are no such
// headers. A recording in which the headers are left out says nothing of it.
func sendsCredentials(r *judge.Result, headers []string) bool {
	has := func(name string) bool { return r.Item.Request.Headers.Value(name) != "" }
	if !r.HasCredentials() {
		return true
	}
	return len(headers) > 0 && !slices.ContainsFunc(headers, func(name string) bool { return !has(name) })
}

// isAt reports whether a pointer in an exchange leads to a place, in which a * is any token, or below it.
func isAt(pointer, place string) bool {
	got, want := strings.Split(pointer, "/"), strings.Split(place, "/")
	if len(got) < len(want) {
		return false
	}
	for i, token := range want {
		if token != "*" && token != got[i] {
			return false
		}
	}
	return true
}
