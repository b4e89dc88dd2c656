package rule

import "slices"

// written is an exchange that may have made, changed or deleted a thing.
type written struct {
	event   *Event
	account member
}

type writtenKey struct {
	at    int
	thing thing
}

const maxWritten = 16 // of each thing

// noteWritten keeps what an exchange may have done, for those who may be of the same account.
func (w *Watcher) noteWritten(e *Event, account member) {
	isRecovery := e.Recovered != nil
	if w.crowded[e.At] < 2 || !e.does.writes() && !isRecovery || e.refused() {
		return
	}
	note := func(t thing) {
		key := writtenKey{e.At, t}
		list, _ := w.written.get(key)
		if len(list) >= maxWritten {
			list = list[1:]
		}
		w.written.put(key, append(list, written{e, account}))
	}
	if isRecovery {
		note(thing{tables, recovered})
		return
	}
	note(thing{kind: e.of})
	for _, t := range e.touched() {
		note(t)
	}
}

// touched lists the things that an exchange is about, shows, or may change.
func (e *Event) touched() []thing {
	var list []thing
	if !e.Named.isNone() {
		list = append(list, e.Named)
	}
	for _, f := range e.Shows {
		if f.Thing != e.Named {
			list = append(list, f.Thing)
		}
	}
	for _, u := range e.Uses {
		if u.Does.writes() {
			list = append(list, u.Thing)
		}
	}
	return list
}

// writtenByOthers returns an exchange that an excuse may speak of, by a caller who may be of the same account.
func (w *Watcher) writtenByOthers(account member, x excuse) *Event {
	t := x.thing
	if t.isNone() {
		t.kind = x.kind
	}
	list, _ := w.written.get(writtenKey{account.at, t})
	if t.kind == tables || t.kind == databases {
		recoveries, _ := w.written.get(writtenKey{account.at, thing{tables, recovered}})
		within, _ := w.written.get(writtenKey{account.at, databaseOf(t)})
		list = slices.Concat(list, within, recoveries)
	}
	for _, one := range list {
		isWithin := (x.after == nil || !before(one.event, x.after)) && !before(x.before, one.event)
		if one.account != account && isWithin && !w.accounts.areApart(account, one.account) {
			return one.event
		}
	}
	return nil
}
