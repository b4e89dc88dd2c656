// Package history follows the exchanges of each account in the order in which they began, keeps what they prove, and
// shows each of them to the rules together with what was known before it. Where the recording lacks exchanges, callers
// or times, it says so: a rule's violation that an unseen request would explain becomes inconclusive.
package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/internal/routine"
)

// Watcher shows exchanges to the rules: those of each account at each address by themselves, in the order in which they
// began, once all of them are known. It is used by one goroutine.
type Watcher struct {
	config     Config
	kinds      facts.Catalogue
	store      store
	timeline   entries
	writes     writeLog
	instances  *instances
	accounts   *accounts
	accountsAt map[int]int      // accounts, by instance
	files      map[string]int32 // numbers of files, by their names
	clocks     clocks
	clock      corrections
	specs      memo.Map[string, report.Spec] // by the names of operations
	gaps       []report.Gap
	atEnd      func(Result)
	err        error
}

// NewWatcher makes a watcher whose End gives its verdicts to say.
func NewWatcher(config Config, say func(Result)) *Watcher {
	w := &Watcher{
		config: config, store: store{limit: config.InMemory}, instances: newInstances(), files: map[string]int32{},
		atEnd: say, clocks: clocks{},
		timeline: entries{Limit: config.InMemory}, writes: writeLog{entries{Limit: config.InMemory}},
	}
	w.kinds = facts.NewCatalogue(config.Documents)
	w.accounts = newAccounts(w.kinds, config.Accounts)
	w.accounts.clues.Limit = config.InMemory
	return w
}

// See takes the next exchange of the recording, which is not kept.
func (w *Watcher) See(e *facts.Exchange) { w.SeeEncoded(e, nil) }

// SeeEncoded does what See does. Who has the exchange as facts.Append encodes it gives that, too, which is not kept.
func (w *Watcher) SeeEncoded(e *facts.Exchange, encoded []byte) {
	switch {
	case w.err != nil:
		return
	case e.Forget && e.Start.IsZero():
		w.instances.resets[nameOf(e.World)]++
		return
	case !e.Forget:
		w.instances.assign(e)
	}
	w.err = w.keep(e, encoded)
}

// keep keeps an exchange until all of them are known.
func (w *Watcher) keep(e *facts.Exchange, encoded []byte) (err error) {
	x := newEntry(e)
	w.clocks.add(e)
	file, known := w.files[e.File]
	if !known {
		file = int32(len(w.files))
		w.files[e.File] = file
	}
	x.file = file
	if x.frame, err = w.store.put(e, encoded); err != nil {
		return err
	}
	if !e.Forget {
		at := w.instances.of(e.At)
		err = w.accounts.add(e, at, &x)
		if !at.isMock {
			err = errors.Join(err, w.writes.note(e, x))
		}
	}
	return errors.Join(err, w.timeline.Put(x))
}

// End shows the exchanges to the rules. Verdicts that wait for evidence become inconclusive. The error is that of the
// context, or of the disk.
func (w *Watcher) End(ctx context.Context) error {
	return errors.Join(w.Show(ctx, w.atEnd), w.Close())
}

// Show does what End does, and gives the verdicts to say, but more exchanges may follow: it shows all of them again
// when it is called again. After an error of the disk it only returns that. A panic of a rule is an error, too.
func (w *Watcher) Show(ctx context.Context, say func(Result)) (err error) {
	defer routine.Recover(&err)
	if w.err != nil {
		return w.err
	}
	w.instances.mergeContinued()
	if err := w.store.disk.Flush(); err != nil {
		return err
	}
	if err := w.accounts.group(w.instances); err != nil {
		return err
	}
	w.accountsAt = w.accounts.count()
	w.clock = w.clocks.corrections()
	w.store.mark(w.instances.unordered, w.clock)
	lanes, err := w.intoLanes(ctx)
	if err != nil {
		return err
	}
	p := &pass{w: w, begun: lanes.begun, say: say, workers: w.config.Workers}
	if err = lanes.show(ctx, p); err == nil {
		err = p.weighRest()
	}
	return errors.Join(err, lanes.Close())
}

// Close removes what waits on the disk. No exchange may follow.
func (w *Watcher) Close() error {
	return errors.Join(w.store.disk.Close(), w.timeline.Close(), w.writes.Close(), w.accounts.clues.Close())
}

// pass shows all exchanges once.
type pass struct {
	w       *Watcher
	begun   map[int]entry // the first exchange at each instance
	workers int
	say     func(Result)
	rest    []*weighing // violations that what others did may explain
}

// ruling is a result, or a violation that has to be weighed when all exchanges were shown.
type ruling struct {
	Result
	weighing *weighing
}

func (p *pass) add(o ruling) {
	if o.weighing != nil {
		p.rest = append(p.rest, o.weighing)
		return
	}
	p.say(o.Result)
}

// Notes reports the instances at which accounts were judged apart when the exchanges were shown, and the files whose
// times were corrected.
func (w *Watcher) Notes() []string {
	notes := w.clock.notes()
	for at, p := range w.instances.list {
		if n := w.accountsAt[at]; n > 1 && !p.isMock {
			notes = append(notes,
				fmt.Sprintf("%s: %d accounts are judged separately: the recording shows what cannot be of one",
					p.address, n))
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// history is the exchanges of one account at one instance.
type history struct {
	w       *Watcher
	account caller
	in      *reader
	tell    func(ruling)
	waiting []*facts.Exchange // not shown yet, since they may overlap with later ones
	recent  []*facts.Exchange // shown already, but perhaps not over when the next one began
	state   *State
}

// maxWaiting bounds how many exchanges wait for the end of one that overlaps with all of them.
const maxWaiting = 2000

// add adds the next exchange. One is shown when no later one can overlap with it.
func (h *history) add(e *facts.Exchange) {
	h.waiting = append(h.waiting, e)
	for len(h.waiting) > 1 && (h.isOver(h.waiting[0], e) || len(h.waiting) > maxWaiting) {
		h.next()
	}
}

// isOver reports whether an exchange was over before another one and all that come after that, in which clocks other
// than that of its own file may have given the times.
func (h *history) isOver(e, now *facts.Exchange) bool {
	most := h.w.clock.mostDoubt
	return facts.Before(e, now) && (most == 0 || e.End.Add(most).Before(now.Start))
}

// next shows the exchange that began first.
func (h *history) next() {
	e := h.waiting[0]
	h.waiting = slices.Delete(h.waiting, 0, 1)
	st := &Step{Exchange: e, State: h.state, Say: h.say, Changes: h.w.config.Changes[e.Kind]}
	h.recent = slices.DeleteFunc(h.recent, func(r *facts.Exchange) bool { return h.isOver(r, e) })
	for _, others := range [...][]*facts.Exchange{h.recent, h.waiting} {
		for _, other := range others {
			if facts.Overlap(other, e) {
				st.overlapping = append(st.overlapping, other)
			}
		}
	}
	for i := range h.w.config.Rules {
		h.w.config.Rules[i].Check(st)
	}
	st.lookForUnseen()
	h.state.learn(e)
	h.recent = append(h.recent, e)
}

// end shows what is waiting, and gives the verdicts that were held.
func (h *history) end() {
	for len(h.waiting) > 0 {
		h.next()
	}
	h.state.abandon(h.w.config.Rules, h.say)
	h.tellHeld()
}

func (h *history) begin(first *facts.Exchange) {
	h.state = newState(h.w.kinds)
	h.state.KeepsKeys, h.state.first = h.w.instances.keyed[h.w.accounts.instanceOf(h.account)], first
}
