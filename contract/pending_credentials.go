package contract

import (
	"cmp"
	"maps"
	"slices"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// pendingCredentials decides what a missing Authorization header means. Browsers and proxies leave it out of their
// recordings, so that one exchange alone proves nothing: it is a fault only when the recording has the header
// elsewhere.
type pendingCredentials struct {
	Carriers map[specs.Interface]bool // those with an exchange that carried credentials
	Absent   map[string]*absentees    // by operation
}

// absentees are the exchanges of an operation without credentials that were answered with success.
type absentees struct {
	Interface specs.Interface
	Count     int
	First     []absentee
}

// absentee is one of them, with the finding that it is for each of the two verdicts that are possible.
type absentee struct {
	Exchange             int
	Failed, Inconclusive report.Finding
	Line                 report.ExchangeLine
}

// perOperation bounds the exchanges without credentials that are kept of each operation.
const perOperation = 5

// The messages of the two verdicts.
const (
	absentElsewhereSent = "a request without credentials succeeded"
	absentEverywhere    = "no request to this interface carries credentials: they may have been removed from the recording"

	othersAbsent  = "a request with only a part of the credentials succeeded"
	othersRemoved = "the request carries a part of the credentials: the others may have been removed from the recording"
)

func newPendingCredentials() pendingCredentials {
	return pendingCredentials{Carriers: map[specs.Interface]bool{}, Absent: map[string]*absentees{}}
}

func (p *pendingCredentials) add(c *Checker, r *judge.Result) {
	op := r.Operation()
	switch {
	case op == nil:
	case r.Credentials == judge.Present && !p.Carriers[op.Interface] && r.HasCredentials():
		p.Carriers[op.Interface] = true
	case r.Credentials == judge.Absent:
		if _, others := r.HasPartOfCredentials(); others {
			p.Carriers[op.Interface] = true
		}
		p.absent(op).add(c, r)
	}
}

func (p *pendingCredentials) absent(op *specs.Operation) *absentees {
	name := op.Name()
	if p.Absent[name] == nil {
		p.Absent[name] = &absentees{Interface: op.Interface}
	}
	return p.Absent[name]
}

func (a *absentees) add(c *Checker, r *judge.Result) {
	if a.Count++; a.Count > perOperation {
		return
	}
	fails, doubt := absentElsewhereSent, absentEverywhere
	if some, _ := r.HasPartOfCredentials(); some {
		fails, doubt = othersAbsent, othersRemoved
	}
	a.First = append(a.First, absentee{
		Exchange: r.Item.Number, Line: c.lineOf(r),
		Failed:       c.judge.SchemeFinding(r, report.Fail, fails),
		Inconclusive: c.judge.SchemeFinding(r, report.Inconclusive, doubt),
	})
}

func (p *pendingCredentials) merge(other *pendingCredentials) {
	for name := range other.Carriers {
		p.Carriers[name] = true
	}
	for name, from := range other.Absent {
		a := p.Absent[name]
		if a == nil {
			a = &absentees{Interface: from.Interface}
			p.Absent[name] = a
		}
		a.Count += from.Count
		a.First = slices.SortedStableFunc(slices.Values(slices.Concat(a.First, from.First)), func(x, y absentee) int {
			return cmp.Compare(x.Exchange, y.Exchange)
		})
		a.First = a.First[:min(len(a.First), perOperation)]
	}
}

// verdict returns the verdict on all of them, once the whole recording is known.
func (p *pendingCredentials) verdict(a *absentees) report.Verdict {
	if p.Carriers[a.Interface] {
		return report.Fail
	}
	return report.Inconclusive
}

// finding returns the finding that an exchange is by its verdict.
func (a *absentee) finding(v report.Verdict) report.Finding {
	if v == report.Fail {
		return a.Failed
	}
	return a.Inconclusive
}

// judgePendingCredentials judges the exchanges without credentials, once the whole recording is known.
func (g *gatherer) judgePendingCredentials() {
	for _, name := range slices.Sorted(maps.Keys(g.Pending.Absent)) {
		a := g.Pending.Absent[name]
		verdict := g.Pending.verdict(a)
		for i := range a.First {
			g.countCheck(a.First[i].Exchange, judge.AuthScheme, name, verdict, 1)
			g.keepFinding(a.First[i].finding(verdict), ofCredentials, a.First[i].Line)
		}
		if more := a.Count - len(a.First); more > 0 { // that were not kept
			g.countCheck(0, judge.AuthScheme, name, verdict, more)
		}
	}
}
