package contract

import (
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// pendingCredentials decides what a missing Authorization header means. Browsers and proxies leave it out of their
// recordings, so that one exchange alone proves nothing: it is a fault only when the recording has the header
// elsewhere.
type pendingCredentials struct {
	carriers    map[string]bool // interfaces on which an exchange carried credentials
	absent      []*judge.Result // exchanges without them that were answered with success
	absentCount map[string]int  // by operation, also of those that are not kept
}

// perOperation bounds the exchanges without credentials that are kept of each operation.
const perOperation = 5

func (p *pendingCredentials) take(r *judge.Result) {
	if p.carriers == nil {
		p.carriers, p.absentCount = map[string]bool{}, map[string]int{}
	}
	op := r.Operation()
	switch {
	case op == nil:
	case r.Credentials == judge.Present && !p.carriers[string(op.Interface)] && r.HasCredentials():
		p.carriers[string(op.Interface)] = true
	case r.Credentials == judge.Absent:
		if p.absentCount[op.Name()]++; p.absentCount[op.Name()] <= perOperation {
			p.absent = append(p.absent, r.Lean())
		}
	}
}

// judgePendingCredentials judges the exchanges without credentials, once the whole recording is known.
func (g *gatherer) judgePendingCredentials() {
	left := g.pending.absentCount
	for _, r := range g.pending.absent {
		verdict, message := g.pending.verdict(r)
		name := r.Operation().Name()
		n := 1
		if left[name] > perOperation {
			n, left[name] = left[name]-perOperation+1, perOperation
		}
		for i := range n {
			exchange := r.Item.Number
			if i > 0 {
				exchange = 0 // one that was not kept
			}
			g.countCheck(exchange, judge.AuthScheme, name, verdict)
		}
		g.keepFinding(g.checker.judge.SchemeFinding(r, verdict, message), g.checker.lineOf(r))
	}
}

// verdict returns the verdict on an exchange without credentials, once the whole recording is known.
func (p *pendingCredentials) verdict(r *judge.Result) (v report.Verdict, message string) {
	if p.carriers[string(r.Operation().Interface)] {
		return report.Fail, "a request without credentials succeeded"
	}
	return report.Inconclusive,
		"no request to this interface carries credentials: they may have been removed from the recording"
}
