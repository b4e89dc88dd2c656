package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
)

// trial is one recording: a history of a platform with at most one planted violation, and what became of it.
type trial struct {
	seed      uint64
	violation *violation
	loss      loss
	world     *world
	files     []file
	dropped   []*event
}

// newTrial makes the recording of a seed. Every second one has a violation; all kinds come in turn.
func newTrial(seed uint64) *trial {
	t := &trial{seed: seed, loss: newLoss(seed)}
	if all := violations(); seed%2 == 0 {
		t.violation = &all[int(seed/2)%len(all)]
	}
	r := rand.New(rand.NewPCG(seed, 4))
	p := plot{
		seed: seed, accounts: 1 + r.IntN(3), before: 10 + r.IntN(50), after: 10 + r.IntN(40), violation: t.violation,
		overlaps: r.IntN(2) == 0 && !t.loss.has(timeless), isWatched: !t.loss.has(unseen),
	}
	t.world = p.history()
	t.files, t.dropped = t.loss.files(t.world.log)
	return t
}

// plot describes a history: how many steps at random there are before and after the violation, if there is one.
type plot struct {
	seed                    uint64
	accounts, before, after int
	overlaps                bool // whether requests of several clients overlap
	isWatched               bool // whether all clients are recorded
	violation               *violation
	twice                   int // how many percent of the requests take effect twice
}

// history lets the clients of a platform act.
func (p plot) history() *world {
	w := newWorld(p)
	for _, a := range w.accounts {
		if !p.isWatched {
			a.addClient("unseen").isUnseen = true
		}
	}
	weights := w.Perm(families)
	act := func(steps int) {
		for range steps {
			w.step(w.someClient(pick(w, w.accounts)), weights[min(w.IntN(families), w.IntN(families))])
		}
	}
	act(p.before)
	if p.violation != nil {
		w.plant(*p.violation)
	}
	act(p.after)
	return w
}

func (t *trial) check(ctx context.Context, c *contract.Checker) (*contract.Report, error) {
	return c.Check(ctx, t.loss.source(t.files))
}

// temporal reports whether a rule speaks of several exchanges.
func temporal(rule string) bool {
	return slices.Contains(contract.Rules()[slices.Index(contract.Rules(), "role"):], rule)
}

// verdict returns a report's verdict on the planted violation.
func (t *trial) verdict(r *contract.Report) string {
	list, verdict := numbered(t.files), silent
	for _, f := range r.Findings {
		isPlanted := slices.ContainsFunc(append(f.Evidence, f.Exchange), func(n int) bool { return list[n].isPlanted })
		if f.Rule != t.violation.rule || !isPlanted {
			continue
		}
		if f.Verdict == report.Fail {
			return caught
		}
		if f.Verdict == report.Inconclusive {
			verdict = inconclusive
		}
	}
	return verdict
}

// who lists exchanges with those who sent them.
func (t *trial) who(exchanges []int) []string {
	var list []string
	for _, n := range exchanges {
		list = append(list, fmt.Sprintf("%d by %s", n, numbered(t.files)[n].client.name))
	}
	return list
}

// isMixed reports whether exchanges are of several accounts.
func (t *trial) isMixed(exchanges []int) bool {
	list := numbered(t.files)
	return slices.ContainsFunc(exchanges,
		func(n int) bool { return list[n].client.account != list[exchanges[0]].client.account })
}

// said returns what a report says of the planted exchanges.
func (t *trial) said(r *contract.Report) string {
	list, said := numbered(t.files), ""
	for n := 1; n < len(list); n++ {
		if list[n].isPlanted {
			said += fmt.Sprintf(" [planted %d]", n)
		}
	}
	for _, f := range r.Findings {
		if f.Rule == t.violation.rule && f.Verdict != report.Pass {
			said += fmt.Sprintf(" [%s at %d of %v: %s]", f.Verdict, f.Exchange, f.Evidence, f.Message)
		}
	}
	return said
}

// explain finds the dropped request without which the checker would not err, and whether the recording shows it, or
// what else is behind a false alarm.
func (t *trial) explain(ctx context.Context, c *contract.Checker, f contract.Finding) string {
	oneKeyed, inWorlds := t.loss, t.loss
	oneKeyed.oneKeyed, inWorlds.inWorlds = true, true
	switch {
	case t.isMixed(f.Evidence):
		return "accounts are taken for one"
	case !t.errs(ctx, c, f, oneKeyed):
		return "clients of one account are taken for several"
	case !t.errs(ctx, c, f, inWorlds):
		return "accounts are not told apart as they are"
	}
	for _, e := range t.dropped {
		l := t.loss
		l.keep = e
		if len(e.writes) == 0 || t.errs(ctx, c, f, l) {
			continue
		}
		shown := "nothing shows it"
		if n := shownBy(e, t.files); n > 0 {
			shown = fmt.Sprintf("shown by exchange %d", n)
		}
		return fmt.Sprintf("explained by the lost #%d %s %s, %s", e.Seq, e.Request.Method, e.Request.URL, shown)
	}
	whole := t.loss
	whole.isWhole = true
	if len(t.dropped) > 0 && !t.errs(ctx, c, f, whole) {
		return "explained by several lost requests together"
	}
	return "no lost request explains it"
}

// errs reports whether the checker errs in the same way on the recording with another loss.
func (t *trial) errs(ctx context.Context, c *contract.Checker, f contract.Finding, l loss) bool {
	other := trial{seed: t.seed, loss: l, world: t.world}
	other.files, other.dropped = l.files(t.world.log)
	r, err := other.check(ctx, c)
	return err != nil || slices.ContainsFunc(r.Findings, func(g contract.Finding) bool {
		return g.Rule == f.Rule && g.Verdict == report.Fail && g.ID == f.ID
	})
}
