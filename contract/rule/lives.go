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

// mayHaveMade returns an exchange that may have made a thing, along with others or with a record, and not before another one.
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
	return f.Since > 0 && time.Unix(f.Since, 0).Before(e.over().Add(-time.Second))
}

// reborn reports whether the answer shows another thing under the name of one that was deleted: somebody whom the
// recording does not show made it.
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

// over is when an exchange was over, by the server's own clock where the answer tells it.
func (e *Event) over() time.Time {
	if !e.Date.IsZero() {
		return e.Date
	}
	return e.End
}

// evidence is what shows that a thing was there, and is gone.
func (x *entity) evidence() []*Event {
	return append(append([]*Event{x.created, x.aliased}, x.because...), x.gone)
}

// used looks at a request whose path names something that was deleted, or is a part of such a thing.
func (st *step) used(rule string) {
	for _, t := range []thing{st.Named, st.Within} {
		if t.isNone() || t.kind.rule != rule || st.does == nothing || st.does == makes && t == st.Named {
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

// usedPerhaps looks at a thing that is there after a request to delete it of which nobody knows what became.
func (st *step) usedPerhaps(x *entity) {
	if x == nil || x.unsure == nil || x.unsure.does != removes || x.unsure.Named != x.thing || !st.known(x.unsure) {
		return
	}
	if !st.OK() || st.does == removes {
		return
	}
	st.judge(ruling{
		rule: x.kind.rule, aspect: "unseen", provenance: x.kind.sure,
		message: fmt.Sprintf("%s %s was used after it was to be deleted; the recording does not show whether it was",
			x.kind.noun, x.id),
	}, report.Inconclusive, x.unsure)
}

func (st *step) usedThing(t thing, x *entity) {
	r := ruling{rule: t.kind.rule, aspect: "use", provenance: t.kind.sure}
	isRepeat := st.does == removes && t == st.Named
	switch {
	case st.Status == http.StatusNotFound:
		st.judge(r, report.Pass)
	case !st.OK(), isRepeat && !t.kind.once:
	case isRepeat:
		r.aspect, r.provenance = "again", specs.Assumed
		r.message = fmt.Sprintf("%s %s was removed a second time", t.kind.noun, t.id)
		if with := x.gone.Named; with != t {
			r.message = fmt.Sprintf("%s %s was removed after it went with %s %s", t.kind.noun, t.id, with.kind.noun, with.id)
		}
		st.judge(r, report.Fail, x.evidence()...)
	case slices.ContainsFunc(st.Shows, func(f shown) bool { return f.Thing.kind == x.kind && x.reborn(&f) }):
	default:
		r.message = fmt.Sprintf("%s %s was used after it was deleted", t.kind.noun, t.id)
		r.excuses = st.remade(x)
		st.judge(r, report.Fail, x.evidence()...)
	}
}

// relisted looks at a list of things for those that were deleted before it was asked for, and reports whether there are.
func (st *step) relisted(rule string) (found bool) {
	if !st.isListOf(rule) {
		return false
	}
	r := ruling{rule: rule, aspect: "list", provenance: st.of.sure}
	for i := range st.Shows {
		f := &st.Shows[i]
		x := st.s.lookUp(f.Thing)
		if st.deletion(x) == nil || x.reborn(f) {
			continue
		}
		found = true
		r.message = fmt.Sprintf("%s %s is listed after it was deleted", f.Thing.kind.noun, f.Thing.id)
		if with := x.gone.Named; with != f.Thing {
			r.message = fmt.Sprintf("%s %s is listed after it went with %s %s, which was deleted",
				f.Thing.kind.noun, f.Thing.id, with.kind.noun, with.id)
		}
		r.excuses = st.remade(x)
		st.judge(r, report.Fail, x.evidence()...)
	}
	return found
}

// remade is the excuse that something was made anew after it was deleted, which takes a name that can be given again, or
// recovered.
func (st *step) remade(x *entity) []excuse {
	if !x.kind.name && x.kind != secrets {
		return nil
	}
	list := []excuse{excused("made", x.thing, x.gone, st.Event)}
	if x.kind == tables || x.kind == databases {
		list = append(list, excused(recovered, x.thing, x.gone, st.Event))
	}
	return list
}

// isListOf reports whether the exchange lists things whose removal a rule watches over.
func (st *step) isListOf(rule string) bool {
	return st.does == lists && st.of.rule == rule && st.OK() && st.Listed && !st.Opaque
}
