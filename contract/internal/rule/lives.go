package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// deletion returns the exchange that deleted a thing, if that is certain, was over when the exchange in hand began, and
// nothing may have made it anew since.
func (st *step) deletion(x *entity) *Event {
	if x == nil || x.gone == nil || x.unsure != nil || !st.known(x.gone) || x.gone.does != removes {
		return nil
	}
	isTable := x.kind == tables || x.kind == databases
	if isTable && st.s.brought != nil && !before(st.s.brought, x.gone) {
		return nil
	}
	if st.s.mayHaveMade(x, x.gone) != nil && !st.showsSame(x) { // what is made anew is another one
		return nil
	}
	if st.contested(func(e *Event) bool { return e.mayMake(x.thing) }) {
		return nil
	}
	return x.gone
}

// mayHaveMade returns an exchange that may have made a thing, along with others or with a record, and not before
// another one.
func (s *state) mayHaveMade(x *entity, since *Event) *Event {
	for _, maker := range []*Event{s.stirred[x.kind], x.fed} {
		if maker != nil && !before(maker, since) {
			return maker
		}
	}
	return nil
}

// showsSame reports whether an answer shows a thing as the one that it was, by its id, or as older than its deletion.
func (st *step) showsSame(x *entity) bool {
	return slices.ContainsFunc(st.Shows, func(f shown) bool {
		return f.Thing == x.thing && (x.ident != "" && f.Ident == x.ident || !x.went.Date.IsZero() && f.isOlderThan(x.went))
	})
}

// isOlderThan reports whether a thing was made before an exchange.
func (f *shown) isOlderThan(e *Event) bool {
	return !f.Born.IsZero() && f.Born.Before(e.over().Add(-time.Second))
}

// reborn reports whether the answer shows another thing under the name of one that was deleted: a caller
// outside of the recording created it.
func (x *entity) reborn(f *shown) bool {
	switch {
	case f.Ident != "" && x.ident != "":
		return f.Ident != x.ident
	case f.Born.IsZero():
		return false
	case !x.born.IsZero():
		return !f.Born.Equal(x.born)
	}
	return f.Born.After(x.gone.over())
}

// over returns the time at which an exchange was over, by the server's own clock where the answer shows it.
func (e *Event) over() time.Time {
	if !e.Date.IsZero() {
		return e.Date
	}
	return e.End
}

// evidence returns the exchanges that show that a thing was there, and is gone.
func (x *entity) evidence() []*Event {
	return append(append([]*Event{x.created, x.aliased}, x.because...), x.gone)
}

// used looks at a request whose path names something that was deleted, or is a part of such a thing.
func (st *step) used(rule string) {
	for _, t := range st.names() {
		if t.kind.rule() != rule || st.does == makes && t == st.Named {
			continue
		}
		x := st.s.lookUp(t)
		if st.deletion(x) != nil {
			st.usedThing(t, x)
			return
		}
		st.usedPerhaps(x)
	}
}

// names lists the things that a path names and that have to be there.
func (e *Event) names() []thing {
	var list []thing
	if e.does != nothing {
		list = append(list, e.Named, e.Within)
	}
	for _, u := range e.Uses {
		if u.Does != nothing {
			list = append(list, u.Thing)
		}
	}
	return slices.DeleteFunc(list, thing.isNone)
}

// usedPerhaps looks at a thing that is there after a request to delete it with an unknown outcome.
func (st *step) usedPerhaps(x *entity) {
	if x == nil || x.unsure == nil || x.unsure.does != removes || x.unsure.Named != x.thing || !st.known(x.unsure) {
		return
	}
	if !st.OK() || st.does == removes {
		return
	}
	st.judge(ruling{
		rule: x.kind.rule(), aspect: "unseen", provenance: st.sure(x.kind),
		message: st.text(x.thing) + " was used after a request to delete it; the recording does not show whether it was deleted",
	}, report.Inconclusive, x.unsure)
}

// sure returns the provenance of it that what is deleted of a kind is gone.
func (st *step) sure(k kind) specs.Provenance { return st.s.kinds.of(k).Provenance }

func (st *step) usedThing(t thing, x *entity) {
	r := ruling{rule: t.kind.rule(), aspect: "use", provenance: st.sure(t.kind)}
	isRepeat := st.does == removes && t == st.Named
	switch {
	case st.Status == http.StatusNotFound:
		st.judge(r, report.Pass)
	case !st.OK(), isRepeat && !t.kind.isOnce():
	case isRepeat:
		r.aspect, r.provenance = "again", specs.Assumed
		r.message = st.text(t) + " was removed a second time"
		if with := x.gone.Named; with != t {
			r.message = fmt.Sprintf("%s was removed after it was deleted along with %s", st.text(t), st.text(with))
		}
		st.judge(r, report.Fail, x.evidence()...)
	case slices.ContainsFunc(st.Shows, func(f shown) bool { return f.Thing.kind == x.kind && x.reborn(&f) }):
	default:
		r.message = st.text(t) + " was used after it was deleted"
		r.excuses = st.remade(x)
		st.judge(r, report.Fail, x.evidence()...)
	}
}

// relisted looks at what an answer shows for what was deleted before it was asked for, and reports whether there is
// such.
func (st *step) relisted(rule string) (found bool) {
	if st.does != lists && st.does != reads || !st.OK() || st.Opaque {
		return false
	}
	named := st.s.lookUp(st.Named)
	for i := range st.Shows {
		f := &st.Shows[i]
		x := st.s.lookUp(f.Thing)
		if f.Thing.kind.rule() != rule || x == named || st.deletion(x) == nil || x.reborn(f) {
			continue
		}
		found = true
		r := ruling{rule: rule, aspect: "list", provenance: st.sure(f.Thing.kind), excuses: st.remade(x)}
		r.message = st.text(f.Thing) + " is listed after it was deleted"
		if f.Thing.kind != st.of {
			r.aspect, r.message = "shown", st.text(f.Thing)+" is shown after it was deleted"
		}
		if with := x.gone.Named; with != f.Thing {
			r.message = fmt.Sprintf("%s is listed after it was deleted along with %s", st.text(f.Thing), st.text(with))
		}
		st.judge(r, report.Fail, x.evidence()...)
	}
	return found
}

// remade is the excuse that something was made anew after it was deleted, which takes a name that can be given again,
// or recovered.
func (st *step) remade(x *entity) []excuse {
	if !st.s.kinds.of(x.kind).IsNamed() {
		return nil
	}
	list := []excuse{excused("created", x.thing, x.gone, st.Event)}
	if x.kind == tables || x.kind == databases {
		list = append(list, excused(recovered, x.thing, x.gone, st.Event))
	}
	return list
}

// isListOf reports whether the exchange lists things whose removal a rule watches over.
func (st *step) isListOf(rule string) bool {
	return st.does == lists && st.of.rule() == rule && st.OK() && st.Listed && !st.Opaque
}
