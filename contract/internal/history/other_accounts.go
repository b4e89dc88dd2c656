package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// written is an exchange that may have made, changed or deleted a thing.
type written struct {
	event   *facts.Exchange
	account member
}

type writtenKey struct {
	at    int
	thing facts.Thing
}

const maxWritten = 16 // of each thing

// noteWritten keeps what an exchange may have done, for those who may be of the same account.
func (w *Watcher) noteWritten(e *facts.Exchange, account member) {
	isRecovery := e.Recovered != nil
	if w.accountsAt[e.At] < 2 || !e.Verb.Writes() && !isRecovery || e.Refused() {
		return
	}
	note := func(t facts.Thing) {
		key := writtenKey{e.At, t}
		list, _ := w.written.Get(key)
		if len(list) >= maxWritten {
			list = list[1:]
		}
		w.written.put(key, append(list, written{e, account}))
	}
	if isRecovery {
		note(facts.Thing{Kind: facts.Tables, ID: Recovered})
		return
	}
	note(facts.Thing{Kind: e.Kind})
	for _, t := range e.Touched() {
		note(t)
	}
}

// writtenByOthers returns an exchange that an excuse may speak of, by a caller who may be of the same account.
func (w *Watcher) writtenByOthers(account member, x Excuse) *facts.Exchange {
	t := x.thing
	if t.IsNone() {
		t.Kind = x.Kind
	}
	list, _ := w.written.Get(writtenKey{account.at, t})
	if t.Kind == facts.Tables || t.Kind == facts.Databases {
		recoveries, _ := w.written.Get(writtenKey{account.at, facts.Thing{Kind: facts.Tables, ID: Recovered}})
		within, _ := w.written.Get(writtenKey{account.at, facts.DatabaseOf(t)})
		list = slices.Concat(list, within, recoveries)
	}
	for _, one := range list {
		isWithin := (x.After == nil || !facts.Before(one.event, x.After)) && !facts.Before(x.Before, one.event)
		if one.account != account && isWithin && !w.accounts.areApart(account, one.account) {
			return one.event
		}
	}
	return nil
}
