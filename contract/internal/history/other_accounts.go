package history

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// writeLog holds which exchanges may have made, changed or deleted which things, for those who may be of the same
// account as their callers.
type writeLog struct{ entries }

// recoveries stands for all tables that are recovered: that of which is not always shown.
func recoveries() facts.Thing { return facts.Thing{Kind: facts.Tables, ID: Recovered} }

// writeKey returns the key of a thing at a site in the log. Two things may have the same key, so whoever looks one up
// compares the things in the exchanges that it finds.
func writeKey(at int, t facts.Thing) uint64 { return keyOf(at, string(t.Kind), t.ID) }

// written lists the things that an exchange may have made, changed or deleted.
func written(e *facts.Exchange) []facts.Thing {
	isRecovery := e.Recovered != nil
	switch {
	case !e.Verb.Writes() && !isRecovery || e.Refused():
		return nil
	case isRecovery:
		return []facts.Thing{recoveries()}
	}
	return append([]facts.Thing{{Kind: e.Kind}}, e.Touched()...)
}

// note notes what an exchange may have written.
func (l *writeLog) note(e *facts.Exchange, x entry) error {
	for _, t := range written(e) {
		x.key = writeKey(e.At, t)
		if err := l.put(x); err != nil {
			return err
		}
	}
	return nil
}

// hasOthers reports whether there is more than one account at a site.
func (w *Watcher) hasOthers(at int) bool { return w.accountsAt[at] > 1 && !w.sites.list[at].isMock }

// weighing is a violation of an account that others may explain, with the signs that its history had.
type weighing struct {
	Ruling
	account caller
	at      int // its site
	signs   []sign
}

// others holds where the exchanges are that wrote what weighings ask for, by its key, in order of time.
type others struct {
	entries map[uint64][]entry
	in      *reader
}

// last yields the last exchanges of others than the account of a violation that wrote something, and began before
// another one was over, the last one first.
func (o *others) last(w *Watcher, x *weighing, t facts.Thing, before *facts.Exchange) iter.Seq[*facts.Exchange] {
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

// weighRest gives the verdicts that had to wait until all exchanges were shown.
func (p *pass) weighRest() error {
	if len(p.rest) == 0 {
		return nil
	}
	known := &others{map[uint64][]entry{}, p.w.store.reader(nil)}
	for _, x := range p.rest {
		x.ask(known)
	}
	files := p.w.fileNames()
	for x, err := range p.w.writes.all() {
		if err != nil {
			return err
		}
		if list, isAsked := known.entries[x.key]; isAsked {
			known.entries[x.key] = append(list, p.w.corrected(*x, files))
		}
	}
	if len(p.w.ahead) > 0 {
		for _, list := range known.entries {
			slices.SortFunc(list, func(a, b entry) int { return a.compare(&b) })
		}
	}
	for _, x := range p.rest {
		p.say(x.result(p.w, known))
	}
	return nil
}

// ask adds what has to be known of others.
func (x *weighing) ask(known *others) {
	for _, excuse := range x.asked() {
		for _, t := range excuse.writtenThings() {
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
				list = append(list, NewExcuse(s.did, s.thing, s.after, s.by))
			}
		}
	}
	return list
}

// writtenThings lists the things one of which must have been written if the excuse holds.
func (x *Excuse) writtenThings() []facts.Thing {
	t := x.thing
	if t.IsNone() {
		t.Kind = x.Kind
	}
	if t.Kind != facts.Tables && t.Kind != facts.Databases {
		return []facts.Thing{t}
	}
	return []facts.Thing{t, facts.DatabaseOf(t), recoveries()}
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
			return x.isSupportedBy(&s, excuse) && x.firstByOthers(w, known, NewExcuse(s.did, s.thing, s.after, s.by)) == nil
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
		for _, t := range excuse.writtenThings() {
			for e := range known.last(w, x, t, excuse.Before) {
				isWithin := (excuse.After == nil || !facts.Before(e, excuse.After)) && !facts.Before(excuse.Before, e)
				if isWithin && slices.Contains(written(e), t) && !yield(e) {
					return
				}
			}
		}
	}
}
