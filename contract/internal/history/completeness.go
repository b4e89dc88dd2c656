package history

import (
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
)

// Completeness states whether a recording is taken to hold all requests that an account was sent.
type Completeness string

// A recording is complete until it shows otherwise, or always, or never.
const (
	Auto   Completeness = "auto"
	Always Completeness = "always"
	Never  Completeness = "never"
)

// Excuse describes a request outside the recording that would explain a violation.
type Excuse struct {
	Did           string      // "created", "changed" or "deleted"
	thing         facts.Thing // none for any of the kind
	Kind          facts.Kind
	After, Before *facts.Exchange // when; after is nil for any time before
}

// NewExcuse returns the excuse that something was done to a thing between two exchanges.
func NewExcuse(did string, t facts.Thing, after, before *facts.Exchange) Excuse {
	return Excuse{did, t, t.Kind, after, before}
}

// text says what the request would have done.
func (x Excuse) text(c facts.Catalogue) string {
	if x.thing.IsNone() {
		return x.Did + " a " + c.Noun(x.Kind)
	}
	return x.Did + " " + c.Text(x.thing)
}

// say gives a verdict, or holds a violation that an unrecorded caller would explain until all of
// the history is known.
func (h *history) say(r Ruling) {
	if isMixed := h.state.IsMixed || h.w.accounts.callers[h.account].isMixed; isMixed && r.Verdict == report.Fail {
		r.Verdict = report.Inconclusive
		r.Message += "; the redacted callers cannot be told apart, and their responses contradict each other like those of " +
			"several accounts"
	}
	if r.Verdict == report.Fail && !h.w.accounts.areFirm(r.Evidence) {
		r.Verdict = report.Inconclusive
		r.Message += "; unless its callers act for different accounts: nothing shows that it is one, but that they use " +
			"one address"
	}
	switch {
	case r.Verdict != report.Fail || len(r.Excuses) == 0:
	case h.w.config.Complete == Always && !h.w.hasOthers(h.w.accounts.siteOf(h.account)):
	case h.w.config.Complete == Never:
		h.w.doubt(&r, "the recording is not treated as complete", r.Excuses[0])
	case r.IfComplete && h.w.config.Complete != Always:
		h.w.doubt(&r, "this is itself a sign of one, unless the recording is complete: --complete always", r.Excuses[0])
	case len(h.state.held) < maxHeld:
		h.state.held = append(h.state.held, r)
		return
	default:
		h.weigh(r)
		return
	}
	h.tell(outcome{Result: h.w.resultOf(h.in, r)})
}

// maxHeld bounds how many violations of a history are held. Those beyond are weighed by what is known so far.
const maxHeld = 10_000

// tellHeld gives the verdicts that were held.
func (h *history) tellHeld() {
	for _, r := range h.state.held {
		h.weigh(r)
	}
	h.state.held = nil
}

// weigh weighs a violation at once if no other caller can have an effect on the account, else when all exchanges were
// shown.
func (h *history) weigh(r Ruling) {
	x := &weighing{Ruling: r, account: h.account, at: h.w.accounts.siteOf(h.account), signs: h.state.signs}
	if !h.w.hasOthers(x.at) {
		h.tell(outcome{Result: x.result(h.w, &others{in: h.in})})
		return
	}
	h.tell(outcome{weighing: x})
}

// isIn reports whether the request that an excuse speaks of may be one that is missing.
func (x Excuse) isIn(gap report.Gap) bool {
	isOf := func(e *facts.Exchange) bool { return e.File == gap.File && e.World == gap.World }
	return isOf(x.Before) && x.Before.Seq > gap.First && (x.After == nil || !isOf(x.After) || x.After.Seq < gap.Last)
}

// doubt makes a violation inconclusive, for a reason.
func (w *Watcher) doubt(r *Ruling, reason string, x Excuse) {
	r.Verdict = report.Inconclusive
	r.Message = fmt.Sprintf("%s; unless a caller outside of the recording %s before (%s)", r.Message, x.text(w.kinds),
		reason)
}

// resultOf returns the result of a ruling.
func (w *Watcher) resultOf(in *reader, r Ruling) Result {
	if r.Verdict == report.Pass || r.Verdict == report.Skipped {
		return r.verdict()
	}
	r.Evidence = slices.DeleteFunc(slices.Clone(r.Evidence), func(e *facts.Exchange) bool { return e == nil })
	return w.config.result(r, w.accounts.linesOf(in, r.Evidence))
}

// Missing sets which exchanges are missing, by the numbers that a file gives those of a world.
func (w *Watcher) Missing(gaps []report.Gap) { w.gaps = gaps }
