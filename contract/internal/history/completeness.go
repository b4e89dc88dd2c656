package history

import (
	"cmp"
	"fmt"
	"iter"
	"math"
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
	Did           string       // "created", "changed" or "deleted"
	entity        facts.Entity // none for any of the kind
	Kind          facts.Kind
	After, Before *facts.Exchange // when; after is nil for any time before
}

// NewExcuse returns the excuse that something was done to an entity between two exchanges.
func NewExcuse(did string, t facts.Entity, after, before *facts.Exchange) Excuse {
	return Excuse{did, t, t.Kind, after, before}
}

// text says what the request would have done.
func (x Excuse) text(c facts.Catalogue) string {
	if x.entity.IsNone() {
		return x.Did + " a " + c.Noun(x.Kind)
	}
	return x.Did + " " + c.Text(x.entity)
}

// say gives a verdict, or holds a violation that an unrecorded caller would explain until all of
// the history is known.
func (h *history) say(r Ruling) {
	isMixed := h.state.IsMixed || h.w.accounts.callers[h.account].isMixed
	if isMixed && r.Verdict == report.Fail && r.hasSeveral() { // one exchange is of one account
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
	case h.w.config.Complete == Always && !h.w.hasOthers(h.w.accounts.instanceOf(h.account)):
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
	h.tell(ruling{Result: h.w.resultOf(h.in, r)})
}

// hasSeveral reports whether it takes several exchanges to prove a violation.
func (r *Ruling) hasSeveral() bool {
	return slices.ContainsFunc(r.Evidence, func(e *facts.Exchange) bool {
		return e != nil && e != r.Evidence[len(r.Evidence)-1]
	})
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
	x := &weighing{Ruling: r, account: h.account, at: h.w.accounts.instanceOf(h.account), signs: h.state.signs}
	if !h.w.hasOthers(x.at) {
		h.tell(ruling{Result: x.result(h.w, &others{in: h.in})})
		return
	}
	h.tell(ruling{weighing: x})
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
	return w.config.result(r, w.accounts.linesOf(in, r.Evidence), w.spec(r.Operation))
}

// Missing sets which exchanges are missing, by the numbers that a file gives those of a world.
func (w *Watcher) Missing(gaps []report.Gap) { w.gaps = gaps }

// writeLog holds which exchanges may have made, changed or deleted which entities, for those who may be of the same
// account as their callers.
type writeLog struct{ entries }

// recoveries stands for all tables that are recovered: that of which is not always shown.
func recoveries() facts.Entity { return facts.Entity{Kind: facts.Tables, ID: Recovered} }

// writeKey returns the key of an entity at an instance in the log. Two entities may have the same key, so whoever looks
// one up compares the entities in the exchanges that it finds.
func writeKey(at int, t facts.Entity) uint64 { return keyOf(at, string(t.Kind), t.ID) }

// written lists the entities that an exchange may have made, changed or deleted.
func written(e *facts.Exchange) []facts.Entity {
	isRecovery := e.Recovered != nil
	switch {
	case !e.Verb.Writes() && !isRecovery || e.Refused():
		return nil
	case isRecovery:
		return []facts.Entity{recoveries()}
	}
	return slices.AppendSeq([]facts.Entity{{Kind: e.Kind}}, e.Touched)
}

// note notes what an exchange may have written.
func (l *writeLog) note(e *facts.Exchange, x entry) error {
	for _, t := range written(e) {
		x.key = writeKey(e.At, t)
		if err := l.Put(x); err != nil {
			return err
		}
	}
	return nil
}

// hasOthers reports whether there is more than one account at an instance.
func (w *Watcher) hasOthers(at int) bool { return w.accountsAt[at] > 1 && !w.instances.list[at].isMock }

// weighing is a violation of an account that others may explain, with the signs that its history had.
type weighing struct {
	Ruling
	account caller
	at      int // its instance
	signs   []sign
}

// others holds where the exchanges are that wrote what weighings ask for, by its key, in order of time.
type others struct {
	entries map[uint64][]entry
	in      *reader
}

// last yields the last exchanges of others than the account of a violation that wrote something, and began before
// another one was over, the last one first.
func (o *others) last(w *Watcher, x *weighing, t facts.Entity, before *facts.Exchange) iter.Seq[*facts.Exchange] {
	return func(yield func(*facts.Exchange) bool) {
		end := entry{number: math.MaxInt64, second: before.End.Unix(), nano: int32(before.End.Nanosecond())}
		if before.Start.IsZero() {
			end = newEntry(before)
		}
		list := o.entries[writeKey(x.at, t)]
		n, _ := slices.BinarySearchFunc(list, &end, func(x entry, end *entry) int {
			return cmp.Or(cmp.Compare(x.second, end.second), cmp.Compare(x.nano, end.nano), cmp.Compare(x.number, end.number))
		})
		seen := 0
		for i := n - 1; i >= 0 && seen < maxWritten; i-- {
			other := w.accounts.accountOf(list[i].member())
			if other == x.account || w.accounts.areApart(x.account, other) {
				continue
			}
			if e, err := o.in.get(&list[i]); err == nil { // it has been read before
				if seen++; !yield(e) {
					return
				}
			}
		}
	}
}

// maxWritten bounds how many exchanges that may explain something are looked at.
const maxWritten = 16

// maxRounds bounds how often accounts are compared so that others come into view.
const maxRounds = 8

// weighRest gives the verdicts that had to wait until all exchanges were shown.
func (p *pass) weighRest() error {
	if len(p.rest) == 0 {
		return nil
	}
	known := &others{map[uint64][]entry{}, p.w.store.reader()}
	for _, x := range p.rest {
		x.ask(known)
	}
	files := p.w.fileNames()
	for x, err := range p.w.writes.All() {
		if err != nil {
			return err
		}
		if list, isAsked := known.entries[x.key]; isAsked {
			at, err := p.w.corrected(*x, known.in, files)
			if err != nil {
				return err
			}
			known.entries[x.key] = append(list, at)
		}
	}
	if p.w.clock.isAny() {
		for _, list := range known.entries {
			slices.SortFunc(list, func(a, b entry) int { return a.Compare(&b) })
		}
	}
	compared := map[[2]caller]bool{}
	for range maxRounds {
		pairs := p.suspects(known, compared)
		if len(pairs) == 0 {
			break
		}
		p.w.accounts.partByLists(pairs)
	}
	for _, x := range p.rest {
		p.say(x.result(p.w, known))
	}
	return nil
}

// suspects lists the accounts of violations, each with one that may be the same and may have done what explains it, but
// for those that were compared before.
func (p *pass) suspects(known *others, compared map[[2]caller]bool) (pairs [][2]caller) {
	for _, x := range p.rest {
		for _, excuse := range x.asked() {
			for e := range x.writtenByOthers(p.w, known, excuse) {
				pair := [2]caller{x.account, p.w.accounts.accountOf(member{int32(e.At), e.Caller})}
				if !compared[pair] {
					compared[pair], pairs = true, append(pairs, pair)
				}
			}
		}
	}
	return pairs
}

// ask adds what has to be known of others.
func (x *weighing) ask(known *others) {
	for _, excuse := range x.asked() {
		for _, t := range excuse.writtenEntities() {
			known.entries[writeKey(x.at, t)] = nil
		}
	}
}

// asked lists the excuses of the violation, and those of the signs that support one of them.
func (x *weighing) asked() (list []Excuse) {
	for _, excuse := range x.Excuses {
		list = append(list, excuse)
		for i := range x.signs {
			if s := &x.signs[i]; x.isSupportedBy(s, excuse) {
				list = append(list, NewExcuse(s.did, s.entity, s.after, s.by))
			}
		}
	}
	return list
}

// writtenEntities lists the entities one of which must have been written if the excuse holds.
func (x *Excuse) writtenEntities() []facts.Entity {
	t := x.entity
	if t.IsNone() {
		t.Kind = x.Kind
	}
	if t.Kind != facts.Tables && t.Kind != facts.Databases {
		return []facts.Entity{t}
	}
	return []facts.Entity{t, facts.DatabaseOf(t), recoveries()}
}

// isSupportedBy reports whether a sign supports an excuse. Where callers are hidden alike, any sign does: it may show
// another account.
func (x *weighing) isSupportedBy(s *sign, excuse Excuse) bool {
	judged := x.Evidence[len(x.Evidence)-1]
	return s.supports(excuse, judged) || judged.Caller == 0
}

// result makes a violation inconclusive if exchanges are missing, a sign supports one of its excuses, or another caller
// may have done what that says.
func (x *weighing) result(w *Watcher, known *others) Result {
	r := x.Ruling
	signs, gaps := x.signs, w.gaps
	if w.config.Complete == Always { // only callers of the recording may have done it
		signs, gaps = nil, nil
	}
	for _, excuse := range r.Excuses {
		if i := slices.IndexFunc(gaps, excuse.isIn); i >= 0 {
			w.doubt(&r, fmt.Sprintf("exchanges %d to %d are missing, as their numbers show", gaps[i].First, gaps[i].Last),
				excuse)
			break
		}
		isSign := func(s sign) bool {
			return x.isSupportedBy(&s, excuse) && x.firstByOthers(w, known, NewExcuse(s.did, s.entity, s.after, s.by)) == nil
		}
		if i := slices.IndexFunc(signs, isSign); i >= 0 {
			s := &signs[i]
			w.doubt(&r, s.text(w.kinds), excuse)
			r.Evidence = slices.Insert(slices.Clone(r.Evidence), 0, s.after, s.by)
			break
		}
		if e := x.firstByOthers(w, known, excuse); e != nil {
			w.doubt(&r, fmt.Sprintf("exchange %d was sent by a caller who may belong to the same account", e.Number), excuse)
			r.Evidence = slices.Insert(slices.Clone(r.Evidence), 0, e)
			break
		}
	}
	return w.resultOf(known.in, r)
}

// firstByOthers returns the first exchange that an excuse may speak of, by a caller who may be of the same account.
func (x *weighing) firstByOthers(w *Watcher, known *others, excuse Excuse) *facts.Exchange {
	for e := range x.writtenByOthers(w, known, excuse) {
		return e
	}
	return nil
}

// writtenByOthers yields the exchanges that an excuse may speak of, by callers who may be of the same account.
func (x *weighing) writtenByOthers(w *Watcher, known *others, excuse Excuse) iter.Seq[*facts.Exchange] {
	return func(yield func(*facts.Exchange) bool) {
		for _, t := range excuse.writtenEntities() {
			for e := range known.last(w, x, t, excuse.Before) {
				isWithin := (excuse.After == nil || !facts.Before(e, excuse.After)) && !facts.Before(excuse.Before, e)
				if isWithin && slices.Contains(written(e), t) && !yield(e) {
					return
				}
			}
		}
	}
}
