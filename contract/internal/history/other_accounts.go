package history

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// writeLog holds which exchanges may have made, changed or deleted which things, for those who may be of the same
// account as their callers.
type writeLog struct{ sorter }

// recoveries stands for all tables that are recovered: that of which is not always shown.
func recoveries() facts.Thing { return facts.Thing{Kind: facts.Tables, ID: Recovered} }

// writeKey is the same for a thing at a site wherever it is named. Things whose keys are the same by accident are told
// apart when their exchanges are looked at.
func writeKey(at int, t facts.Thing) uint64 {
	text := fmt.Appendf(nil, "%d %s %s", at, t.Kind, t.ID)
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

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
	account member
	signs   []sign
}

// others holds what was written that weighings ask for, in order of time.
type others map[uint64][]*facts.Exchange

// weighRest gives the verdicts that had to wait until all exchanges were shown.
func (p *pass) weighRest() error {
	if len(p.rest) == 0 {
		return nil
	}
	asked := others{}
	for _, x := range p.rest {
		x.ask(asked)
	}
	in := p.w.store.reader()
	for x, err := range p.w.writes.all() {
		if err != nil {
			return err
		}
		list, isAsked := asked[x.key]
		if !isAsked {
			continue
		}
		e, err := in.get(x)
		if err != nil {
			return err
		}
		asked[x.key] = append(list, e)
	}
	for _, x := range p.rest {
		p.say(x.result(p.w, asked))
	}
	return nil
}

// ask adds what has to be known of others.
func (x *weighing) ask(asked others) {
	for _, excuse := range x.Excuses {
		x.askFor(excuse, asked)
		for i := range x.signs {
			if s := &x.signs[i]; x.isSupportedBy(s, excuse) {
				x.askFor(NewExcuse(s.did, s.thing, s.after, s.by), asked)
			}
		}
	}
}

func (x *weighing) askFor(excuse Excuse, asked others) {
	for _, t := range excuse.writtenThings() {
		asked[writeKey(x.account.at, t)] = nil
	}
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
func (x *weighing) result(w *Watcher, known others) Result {
	r := x.Ruling
	for _, excuse := range r.Excuses {
		if i := slices.IndexFunc(w.gaps, excuse.isIn); i >= 0 {
			w.doubt(&r, fmt.Sprintf("exchanges %d to %d are missing, as their numbers show", w.gaps[i].First, w.gaps[i].Last),
				excuse)
			break
		}
		isSign := func(s sign) bool {
			return x.isSupportedBy(&s, excuse) && x.writtenByOthers(w, known, NewExcuse(s.did, s.thing, s.after, s.by)) == nil
		}
		if i := slices.IndexFunc(x.signs, isSign); i >= 0 {
			s := &x.signs[i]
			w.doubt(&r, s.text(w.kinds), excuse)
			r.Evidence = slices.Insert(slices.Clone(r.Evidence), 0, s.after, s.by)
			break
		}
		if e := x.writtenByOthers(w, known, excuse); e != nil {
			w.doubt(&r, fmt.Sprintf("exchange %d was sent by a caller who may belong to the same account", e.Number), excuse)
			r.Evidence = slices.Insert(slices.Clone(r.Evidence), 0, e)
			break
		}
	}
	return w.resultOf(r)
}

// writtenByOthers returns an exchange that an excuse may speak of, by a caller who may be of the same account.
func (x *weighing) writtenByOthers(w *Watcher, known others, excuse Excuse) *facts.Exchange {
	for _, t := range excuse.writtenThings() {
		for _, e := range known[writeKey(x.account.at, t)] {
			account := w.accounts.of(member{e.At, e.Caller})
			isWithin := (excuse.After == nil || !facts.Before(e, excuse.After)) && !facts.Before(excuse.Before, e)
			if account != x.account && isWithin && slices.Contains(written(e), t) && !w.accounts.areApart(x.account, account) {
				return e
			}
		}
	}
	return nil
}
