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
	for _, maker := range []*Event{st.s.stirred[x.kind], x.fed} {
		if maker != nil && !before(maker, x.gone) {
			return nil
		}
	}
	if st.contested(func(e *Event) bool { return e.mayMake(x.thing) }) {
		return nil
	}
	return x.gone
}

// reborn reports whether the answer shows another thing under the name of one that was deleted: somebody whom the
// recording does not show made it.
func (x *entity) reborn(f *shown) bool {
	switch {
	case f.ident != "" && x.ident != "":
		return f.ident != x.ident
	case f.born.IsZero():
		return false
	case !x.born.IsZero():
		return !f.born.Equal(x.born)
	}
	return f.born.After(x.gone.over())
}

// mayBeForeign reports whether what a caller meets under the name of a thing may be another account's: a key does not
// tell whose it is, but what the answer shows may tell that it is the same thing.
func (st *step) mayBeForeign(x *entity) bool {
	if !x.kind.name || !st.isAnother(x.gone) {
		return false
	}
	return !slices.ContainsFunc(st.shows, func(f shown) bool {
		return f.thing == x.thing && (f.ident != "" && f.ident == x.ident || !f.born.IsZero() && f.born.Equal(x.born))
	})
}

// isAnother reports whether the caller is another one than that of an exchange before.
func (st *step) isAnother(e *Event) bool {
	return st.caller != 0 && e.caller != 0 && st.caller != e.caller
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

// evidence is that, and to another caller what shows that it is the same thing.
func (st *step) evidence(x *entity) []*Event {
	if x.kind.name && st.isAnother(x.gone) {
		return append(x.evidence(), x.showed)
	}
	return x.evidence()
}

// used looks at a request whose path names something that was deleted, or is a part of such a thing.
func (st *step) used(rule string) {
	for _, t := range []thing{st.named, st.within} {
		if t.isNone() || t.kind.rule != rule || st.does == nothing || st.does == makes && t == st.named {
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
	if x == nil || x.unsure == nil || x.unsure.does != removes || x.unsure.named != x.thing || !st.known(x.unsure) {
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
	isRepeat := st.does == removes && t == st.named
	switch {
	case st.Status == http.StatusNotFound:
		st.judge(r, report.Pass)
	case !st.OK(), isRepeat && !t.kind.once:
	case isRepeat:
		r.aspect, r.provenance = "again", specs.Assumed
		r.message = fmt.Sprintf("%s %s was removed a second time", t.kind.noun, t.id)
		if with := x.gone.named; with != t {
			r.message = fmt.Sprintf("%s %s was removed after it went with %s %s", t.kind.noun, t.id, with.kind.noun, with.id)
		}
		st.judge(r, report.Fail, x.evidence()...)
	case slices.ContainsFunc(st.shows, func(f shown) bool { return f.kind == x.kind && x.reborn(&f) }):
	case st.mayBeForeign(x):
		st.judgeForeign(r, x)
	default:
		r.message = fmt.Sprintf("%s %s was used after it was deleted", t.kind.noun, t.id)
		st.judge(r, report.Fail, st.evidence(x)...)
	}
}

func (st *step) judgeForeign(r ruling, x *entity) {
	r.aspect = "foreign"
	r.message = fmt.Sprintf("%s %s is there for another caller than deleted it, who may be of another account", x.kind.noun, x.id)
	st.judge(r, report.Inconclusive, x.evidence()...)
}

// relisted looks at a list of things for those that were deleted before it was asked for, and reports whether there are.
func (st *step) relisted(rule string) (found bool) {
	if !st.isListOf(rule) {
		return false
	}
	r := ruling{rule: rule, aspect: "list", provenance: st.of.sure}
	for i := range st.shows {
		f := &st.shows[i]
		x := st.s.lookUp(f.thing)
		if st.deletion(x) == nil || x.reborn(f) {
			continue
		}
		found = true
		if st.mayBeForeign(x) {
			st.judgeForeign(r, x)
		} else {
			r.message = fmt.Sprintf("%s %s is listed after it was deleted", f.kind.noun, f.id)
			st.judge(r, report.Fail, st.evidence(x)...)
		}
	}
	return found
}

// isListOf reports whether the exchange lists things whose removal a rule watches over.
func (st *step) isListOf(rule string) bool {
	return st.does == lists && st.of.rule == rule && st.OK() && st.listed && !st.Opaque
}
