package rule

import (
	"slices"
)

// Watcher shows exchanges to the rules, world by world, in the order in which they began. It is used by one goroutine.
//
// Recordings may be in the order in which exchanges ended, so each is held back until a window of later ones is there:
// what overlapped it is then known.
type Watcher struct {
	config Config
	say    func(Verdict)
	worlds *bounded[place, *line]
	file   string
}

const (
	window    = 128
	maxWorlds = 512
)

// NewWatcher makes a watcher that gives its verdicts to say.
func NewWatcher(config Config, say func(Verdict)) *Watcher {
	w := &Watcher{config: config, say: say}
	w.worlds = newBounded[place](maxWorlds, func(l *line) { l.end() })
	return w
}

// place is a world of an installation. Two of these may use the same ids for different things.
type place struct{ world, site string }

// line is the exchanges of one place.
type line struct {
	place
	waiting []*Event // by start
	recent  []*Event // shown already, but perhaps not over when the next one began
	latest  *Event   // the one that began last
	state   *state
	w       *Watcher
}

// See takes the next exchange of the recording.
func (w *Watcher) See(e *Event) {
	if e.File != w.file { // another recording: of another account, for all that is known
		w.End()
		w.file = e.File
	}
	if e.Forget {
		w.forget(e.World)
		return
	}
	at := place{e.World, e.Site}
	l, ok := w.worlds.get(at)
	if !ok {
		l = &line{place: at, w: w, state: newState()}
		w.worlds.put(at, l)
	}
	if l.breaks(e) {
		l.end()
	}
	l.insert(e)
	if len(l.waiting) > window {
		l.next()
	}
}

// forget ends what is known of a world, on whatever host: that of the control interface may be another.
func (w *Watcher) forget(world string) {
	for _, l := range w.worlds.all() {
		if l.world == world || l.world == "" && world == "default" {
			l.end()
		}
	}
}

// breaks reports whether an exchange cannot belong to the same history: its sequence number and its time contradict
// those of what was seen before, as when the clock of a mock was set back, or another server was started.
func (l *line) breaks(e *Event) bool {
	m := l.latest
	if m == nil || m.Seq == 0 || e.Seq == 0 {
		return false
	}
	return m.Seq > e.Seq && strictlyBefore(m, e) || m.Seq < e.Seq && strictlyBefore(e, m)
}

func (l *line) insert(e *Event) {
	i := len(l.waiting)
	for i > 0 && e.Start.Before(l.waiting[i-1].Start) && !e.Start.IsZero() {
		i--
	}
	l.waiting = slices.Insert(l.waiting, i, e)
	if l.latest == nil || !e.Start.Before(l.latest.Start) {
		l.latest = e
	}
}

// next shows the exchange that began first.
func (l *line) next() {
	e := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	st := &step{Event: e, s: l.state, say: l.say}
	l.recent = slices.DeleteFunc(l.recent, func(r *Event) bool { return before(r, e) })
	for _, other := range append(slices.Clone(l.recent), l.waiting...) {
		if overlap(other, e) {
			st.overlapping = append(st.overlapping, other)
		}
	}
	for i := range rules {
		rules[i].see(st)
	}
	l.state.learn(e)
	l.recent = append(l.recent, e)
}

func (l *line) say(r ruling) { l.w.say(l.w.config.verdict(r)) }

// end shows what is waiting, and forgets everything.
func (l *line) end() {
	for len(l.waiting) > 0 {
		l.next()
	}
	l.state.abandon(l.say)
	l.state, l.recent, l.latest = newState(), nil, nil
}

// End shows what is waiting still. Verdicts that waited for evidence become inconclusive.
func (w *Watcher) End() {
	for _, l := range w.worlds.all() {
		l.end()
	}
}
