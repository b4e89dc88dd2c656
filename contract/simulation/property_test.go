package simulation_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
)

// TestCompleteHistories holds the checker against complete recordings of histories that get as short as they can when
// one of them fails: what breaks a rule is an error of that rule, and what breaks none gives no error at all.
func TestCompleteHistories(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, 3)
		x := &trial{seed: p.seed, violation: p.violation, loss: loss{form: ndjson}, world: p.history()}
		x.files, _ = x.loss.files(x.world.log)
		r, err := x.check(t.Context(), checker)
		if err != nil {
			t.Skip("nothing happens") // and so nothing belongs to an interface
		}
		if p.violation != nil {
			if verdict := x.verdict(r); verdict != caught {
				t.Errorf("%s: %s, want it caught:%s", p.violation.kind, verdict, x.said(r))
			}
			return
		}
		isFail := func(f contract.Finding) bool { return f.Verdict == report.Fail }
		if i := slices.IndexFunc(r.Findings, isFail); i >= 0 {
			f := r.Findings[i]
			t.Errorf("false alarm of %s at %d of %v: %s", f.Rule, f.Exchange, x.who(f.Evidence), f.Message)
		}
	})
}

// drawPlot draws the plot of a history, in which one of the violations may take place.
func drawPlot(t *rapid.T, mostAccounts int) plot {
	p := plot{
		seed: rapid.Uint64().Draw(t, "seed"), accounts: rapid.IntRange(1, mostAccounts).Draw(t, "accounts"),
		isWatched: true, before: rapid.IntRange(0, 60).Draw(t, "before"), after: rapid.IntRange(0, 60).Draw(t, "after"),
		overlaps: rapid.Bool().Draw(t, "overlaps"),
	}
	all := violations()
	if i := rapid.IntRange(-1, len(all)-1).Draw(t, "violation"); i >= 0 {
		p.violation = &all[i]
	}
	return p
}
