package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
)

// TestCompleteHistories holds the checker against complete recordings of histories, short ones first: what breaks a
// rule is an error of that rule, and what breaks none gives no error at all.
func TestCompleteHistories(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	tryPlots(t, 3, func(t *testing.T, p plot, _ *rand.Rand) {
		t.Helper()
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

// tryPlots holds a property against 100 plots of up to so many accounts, from the seed SIMULATE_SEED on, and against
// those that it did not hold for once. In some of them, one of the violations takes place. Histories get longer from
// one to the next: the first that fails is short.
func tryPlots(t *testing.T, mostAccounts int, property func(t *testing.T, p plot, random *rand.Rand)) {
	t.Helper()
	first, all := setting(t, "SIMULATE_SEED", 1), violations()
	plots := [][2]uint64{{504, 3}, {5055, 12}} // seeds, and how many came before
	for i := range uint64(100) {
		plots = append(plots, [2]uint64{first + i, i})
	}
	for _, of := range plots {
		seed, i := of[0], int(of[1])
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			longest := 60 * (i + 1) / 100
			p := plot{
				seed: random.Uint64(), accounts: 1 + random.IntN(mostAccounts), isWatched: true,
				before: random.IntN(longest + 1), after: random.IntN(longest + 1), overlaps: random.IntN(2) == 0,
			}
			if v := random.IntN(len(all) + 1); v < len(all) {
				p.violation = &all[v]
			}
			property(t, p, random)
		})
	}
}
