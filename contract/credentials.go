package contract

import (
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// pendingCredentials decides what a missing Authorization header means. Browsers and proxies leave it out of their
// recordings, so that one exchange alone proves nothing: it is a fault only when the recording has the header
// elsewhere.
type pendingCredentials struct {
	seen   map[string]bool // interfaces on which some exchange carried credentials
	absent []*judge.Result // exchanges without them that were answered with success
	count  map[string]int  // by operation, of those beyond the ones kept
}

// perOperation bounds the exchanges without credentials that are kept of each operation.
const perOperation = 5

func (p *pendingCredentials) take(r *judge.Result) {
	if p.seen == nil {
		p.seen, p.count = map[string]bool{}, map[string]int{}
	}
	op := r.Operation()
	switch {
	case op == nil:
	case r.Credentials == judge.Present && r.HasCredentials():
		p.seen[string(op.Interface)] = true
	case r.Credentials == judge.Absent:
		if p.count[op.Name()]++; p.count[op.Name()] <= perOperation {
			p.absent = append(p.absent, r.Lean())
		}
	}
}

func (g *gatherer) settleCredentials() {
	left := g.pending.count
	for _, r := range g.pending.absent {
		verdict, message := g.pending.verdict(r)
		name := r.Operation().Name()
		n := 1
		if left[name] > perOperation {
			n, left[name] = left[name]-perOperation+1, perOperation
		}
		for range n {
			g.check(judge.AuthScheme, name, verdict)
		}
		g.finding(g.checker.judge.SchemeFinding(r, verdict, message), g.checker.lineOf(r))
	}
}

// verdict returns the verdict on an exchange without credentials, once the whole recording is known.
func (p *pendingCredentials) verdict(r *judge.Result) (v report.Verdict, message string) {
	if p.seen[string(r.Operation().Interface)] {
		return report.Fail, "a request without credentials succeeded"
	}
	return report.Inconclusive,
		"no request to this interface carries credentials: they may have been removed from the recording"
}
