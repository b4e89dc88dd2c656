package rule

import (
	"fmt"
	"slices"

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

// excuse describes a request outside the recording that would explain a violation.
type excuse struct {
	did           string // "created", "changed" or "deleted"
	thing         thing  // none for any of the kind
	kind          kind
	after, before *Event // when; after is nil for any time before
}

func excused(did string, t thing, after, before *Event) excuse {
	return excuse{did, t, t.kind, after, before}
}

// excuse returns what an excuse speaks of.
func (c catalogue) excuse(x excuse) string {
	if x.thing.isNone() {
		return x.did + " a " + c.noun(x.kind)
	}
	return x.did + " " + c.text(x.thing)
}

// say gives a verdict, or holds a violation that a caller outside of the recording would explain until all of
// the history is known.
func (h *history) say(r ruling) {
	f := h.w.accounts.callers[h.account]
	if isMixed := h.state.isMixed || f != nil && f.isMixed; isMixed && r.verdict == report.Fail {
		r.verdict = report.Inconclusive
		r.message += "; the redacted callers cannot be told apart, and their responses contradict each other like those of several accounts"
	}
	if r.verdict != report.Fail || len(r.excuses) == 0 || h.w.config.Complete == Always {
		h.tell(r)
		return
	}
	switch {
	case h.w.config.Complete == Never:
		h.doubt(&r, "the recording is not treated as complete", r.excuses[0])
	case r.ifComplete:
		h.doubt(&r, "nothing shows that the recording is complete", r.excuses[0])
	case len(h.state.held) < maxHeld:
		h.state.held = append(h.state.held, r)
		return
	default:
		h.weigh(&r)
	}
	h.tell(r)
}

// maxHeld bounds how many violations of a history are held. Those beyond are weighed by what is known so far.
const maxHeld = 10_000

// tellHeld gives the verdicts that were held.
func (h *history) tellHeld() {
	for _, r := range h.state.held {
		h.weigh(&r)
		h.tell(r)
	}
	h.state.held = nil
}

// weigh makes a violation inconclusive if a sign supports one of its excuses. Where callers are hidden alike, any sign
// does: it may show another account.
func (h *history) weigh(r *ruling) {
	judged := r.evidence[len(r.evidence)-1]
	for _, x := range r.excuses {
		if i := slices.IndexFunc(h.w.gaps, x.isIn); i >= 0 {
			h.doubt(r, fmt.Sprintf("exchanges %d to %d are missing, as their numbers show", h.w.gaps[i].First, h.w.gaps[i].Last), x)
			return
		}
		isSign := func(s sign) bool {
			return (s.supports(x, judged) || judged.Caller == 0) && h.w.writtenByOthers(h.account, excused(s.did, s.thing, s.after, s.by)) == nil
		}
		if i := slices.IndexFunc(h.state.signs, isSign); i >= 0 {
			s := &h.state.signs[i]
			h.doubt(r, h.w.kinds.sign(s), x)
			r.evidence = slices.Insert(slices.Clone(r.evidence), 0, s.after, s.by)
			return
		}
		if e := h.w.writtenByOthers(h.account, x); e != nil {
			h.doubt(r, fmt.Sprintf("exchange %d was sent by a caller who may belong to the same account", e.Number), x)
			r.evidence = slices.Insert(slices.Clone(r.evidence), 0, e)
			return
		}
	}
}

// isIn reports whether the request that an excuse speaks of may be one that is missing.
func (x excuse) isIn(gap report.Gap) bool {
	isOf := func(e *Event) bool { return e.File == gap.File && e.World == gap.World }
	return isOf(x.before) && x.before.Seq > gap.First && (x.after == nil || !isOf(x.after) || x.after.Seq < gap.Last)
}

// doubt makes a violation inconclusive, for a reason.
func (h *history) doubt(r *ruling, reason string, x excuse) {
	r.verdict = report.Inconclusive
	r.message = fmt.Sprintf("%s; unless a caller outside of the recording %s before (%s)", r.message, h.w.kinds.excuse(x), reason)
}

func (h *history) tell(r ruling) {
	r.evidence = slices.DeleteFunc(slices.Clone(r.evidence), func(e *Event) bool { return e == nil })
	h.w.say(h.w.config.verdict(r, h.w.accounts.linesOf(r.evidence)))
}

// Missing notes that exchanges are missing, by the numbers that a file gives those of a world.
func (w *Watcher) Missing(gap report.Gap) { w.gaps = append(w.gaps, gap) }
