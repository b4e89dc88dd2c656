// Package history follows the exchanges of each account in the order in which they began, keeps what they prove, and
// shows each of them to the rules together with what was known before it. Where the recording lacks exchanges, callers
// or times, it says so: a rule's violation that an unseen request would explain becomes inconclusive.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
)

// Watcher shows exchanges to the rules: those of each account at each address by themselves, in the order in which they
// began, once all of them are known. It is used by one goroutine.
type Watcher struct {
	config   Config
	kinds    facts.Catalogue
	spool    spool
	sites    *sites
	accounts *accounts
	gaps     []report.Gap
	atEnd    func(Result)
	err      error
	pass
}

// pass holds what a Watcher knows while it shows the exchanges. Each time it begins anew.
type pass struct {
	say        func(Result)
	histories  *bounded[member, *history]
	ended      map[member]bool         // accounts that were left to make room for others
	divided    int                     // number of those that came again
	accountsAt map[int]int             // accounts, by site
	begun      map[int]*facts.Exchange // the first exchange at each site, of whichever account
	written    *bounded[writtenKey, []written]
	instant    time.Time
	seen       map[uint64]string // the exchanges that began at the same instant, with their files
}

// maxHistories bounds how many histories are followed at a time, each in some ten kilobytes at least. Beyond, the one
// that was begun first ends, and begins anew with its next exchange.
const maxHistories = 20_000

// NewWatcher makes a watcher whose End gives its verdicts to say.
func NewWatcher(config Config, say func(Result)) *Watcher {
	w := &Watcher{config: config, spool: spool{limit: config.InMemory}, sites: newSites(), atEnd: say}
	w.kinds = facts.NewCatalogue(config.Documents)
	w.accounts = newAccounts(w.kinds)
	return w
}

// See takes the next exchange of the recording.
func (w *Watcher) See(e *facts.Exchange) {
	switch {
	case w.err != nil:
		return
	case e.Forget && e.Start.IsZero():
		w.sites.resets[nameOf(e.World)]++
		return
	case !e.Forget:
		w.sites.take(e)
		w.accounts.take(e, w.sites.of(e.At))
	}
	w.err = w.spool.put(e)
}

// End shows the exchanges to the rules. Verdicts that wait for evidence become inconclusive. The error is that of the
// context, or of the disk.
func (w *Watcher) End(ctx context.Context) error {
	return errors.Join(w.Show(ctx, w.atEnd), w.Close())
}

// Show does what End does, and gives the verdicts to say, but more exchanges may follow: it shows all of them again
// when it is called again. After an error of the disk it only returns that.
func (w *Watcher) Show(ctx context.Context, say func(Result)) error {
	if w.err != nil {
		return w.err
	}
	w.sites.mergeContinued()
	w.accounts.group(w.sites)
	w.pass = pass{
		say: say, accountsAt: w.accounts.count(), begun: map[int]*facts.Exchange{}, seen: map[uint64]string{},
		written: newBounded[writtenKey, []written](maxSights, nil),
	}
	w.histories = newBounded[member](cmp.Or(w.config.Accounts, maxHistories), func(h *history) {
		w.ended[h.account] = true
		h.end()
	})
	w.ended = map[member]bool{}
	return w.show(ctx)
}

// Close removes what waits on the disk. No exchange may follow.
func (w *Watcher) Close() error { return w.spool.close() }

func (w *Watcher) show(ctx context.Context) error {
	for e, err := range w.spool.all() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if w.config.Pause != nil {
			w.config.Pause()
		}
		if e.Forget {
			w.forget(e.World)
			continue
		}
		at := w.accounts.of(member{e.At, e.Caller})
		h, known := w.histories.Get(at)
		if !known {
			if w.ended[at] {
				w.divided++
				delete(w.ended, at)
			}
			if w.begun[at.at] == nil {
				w.begun[at.at] = e.WithoutFacts()
			}
			h = &history{w: w, account: at}
			h.begin()
			w.histories.put(at, h)
		}
		e.Unordered = w.sites.unordered[e.File]
		if !w.isDouble(e) {
			w.noteWritten(e, at)
			h.take(e)
		}
	}
	for _, h := range w.histories.all() {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.end()
	}
	return nil
}

// isDouble reports whether the same exchange stands in another file, too.
func (w *Watcher) isDouble(e *facts.Exchange) bool {
	if e.Start.IsZero() || e.Digest == 0 {
		return false
	}
	if !e.Start.Equal(w.instant) {
		w.instant = e.Start
		clear(w.seen)
	}
	file, isKnown := w.seen[e.Digest]
	if !isKnown {
		w.seen[e.Digest] = e.File
	}
	return isKnown && file != e.File
}

// forget ends what is known of a world, on whatever host: that of the control interface may be another.
func (w *Watcher) forget(world string) {
	for _, h := range w.histories.all() {
		if nameOf(w.sites.list[h.account.at].world) == nameOf(world) {
			h.end()
		}
	}
}

// Notes reports the sites at which accounts were judged apart when the exchanges were shown, and how many accounts were
// judged in several parts.
func (w *Watcher) Notes() []string {
	var notes []string
	for at, p := range w.sites.list {
		if n := w.accountsAt[at]; n > 1 && !p.isMock {
			notes = append(notes,
				fmt.Sprintf("%s: %d accounts are judged separately: nothing shows that their callers belong to the same one",
					p.address, n))
		}
	}
	if w.divided > 0 {
		notes = append(notes, fmt.Sprintf(
			"accounts that are judged in several parts: %d; more than %d were in use at a time", w.divided, w.histories.limit))
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// history is the exchanges of one account at one site.
type history struct {
	w       *Watcher
	account member
	waiting []*facts.Exchange // not shown yet, since they may overlap with later ones
	recent  []*facts.Exchange // shown already, but perhaps not over when the next one began
	state   *State
}

// maxWaiting bounds how many exchanges wait for the end of one that overlaps with all of them.
const maxWaiting = 2000

// take adds the next exchange. One is shown when no later one can overlap with it.
func (h *history) take(e *facts.Exchange) {
	h.waiting = append(h.waiting, e)
	for len(h.waiting) > 1 && (facts.Before(h.waiting[0], e) || len(h.waiting) > maxWaiting) {
		h.next()
	}
}

// next shows the exchange that began first.
func (h *history) next() {
	e := h.waiting[0]
	h.waiting = h.waiting[1:]
	st := &Step{Exchange: e, State: h.state, Say: h.say}
	h.recent = slices.DeleteFunc(h.recent, func(r *facts.Exchange) bool { return facts.Before(r, e) })
	for _, other := range slices.Concat(h.recent, h.waiting) {
		if facts.Overlap(other, e) {
			st.overlapping = append(st.overlapping, other)
		}
	}
	for i := range h.w.config.Rules {
		h.w.config.Rules[i].Check(st)
	}
	st.lookForUnseen()
	h.state.learn(e)
	h.recent = append(h.recent, e)
}

// end shows what is waiting, and forgets everything.
func (h *history) end() {
	for len(h.waiting) > 0 {
		h.next()
	}
	h.state.abandon(h.w.config.Rules, h.say)
	h.tellHeld()
	h.begin()
}

func (h *history) begin() {
	h.state, h.recent = newState(h.w.kinds), nil
	h.state.KeepsKeys, h.state.first = h.w.sites.keyed[h.account.at], h.w.begun[h.account.at]
}
