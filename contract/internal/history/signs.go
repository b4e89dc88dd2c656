package history

import (
	"fmt"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// sign shows that something happened that the recording does not contain.
type sign struct {
	did       string // "created", "changed" or "deleted"
	thing     facts.Thing
	after, by *facts.Exchange // between which exchanges: by shows it
	at        time.Time
	wasGone   bool // after shows that the thing was gone, so that by does not show a deletion without effect
}

// text says what the sign shows.
func (s *sign) text(c facts.Catalogue) string {
	return fmt.Sprintf("exchange %d shows that %s was %s", s.by.Number, c.Text(s.thing), s.did)
}

// supports reports whether a sign makes an excuse likely: it shows that this was done, or that a caller outside
// of the recording worked on such things at the time.
func (s *sign) supports(x Excuse, judged *facts.Exchange) bool {
	if !facts.Before(s.after, x.Before) || s.by == judged && s.thing == x.thing && !s.wasGone {
		return false
	}
	switch {
	case s.did == Recovered:
		return x.Did == Recovered && s.thing == x.thing
	case s.thing.Kind != x.Kind:
		return false
	case !s.at.IsZero() && s.at.Add(time.Second).After(x.Before.EndedAt()):
		return false
	}
	if s.thing != x.thing || x.After == nil {
		return true
	}
	return !facts.Before(s.by, x.After) && (s.at.IsZero() || !s.at.Add(time.Second).Before(x.After.EndedAt()))
}

// Recovered marks a deleted table, or database, that is there again as it was.
const Recovered = "recovered"

// unseen holds what a history shows of requests that it lacks.
type unseen struct {
	signs []sign
	held  []Ruling // violations that have an excuse
	lists *bounded[viewKey, *view]
}

// viewKey is a whole list, as a caller sees it.
type viewKey struct {
	kind   facts.Kind
	within facts.Thing
	caller uint64
}

type view struct {
	event *facts.Exchange
	ids   map[string]bool
}

const (
	maxSigns = 1000
	maxViews = 500
)

func newUnseen() unseen { return unseen{lists: newBounded[viewKey, *view](maxViews, nil)} }

// Sign notes that the exchange shows something that no exchange of the recording did.
func (st *Step) Sign(did string, t facts.Thing, after *facts.Exchange, at time.Time) {
	st.addSign(sign{did: did, thing: t, after: after, by: st.Exchange, at: at})
}

func (st *Step) addSign(s sign) {
	if len(st.State.signs) < maxSigns && s.after != nil {
		st.State.signs = append(st.State.signs, s)
	}
}
