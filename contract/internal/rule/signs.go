package rule

import (
	"fmt"
	"slices"
	"time"
)

// sign shows that something happened that the recording does not contain.
type sign struct {
	did       string // "created", "changed" or "deleted"
	thing     thing
	after, by *Event // between which exchanges: by shows it
	at        time.Time
}

// sign returns what a sign shows.
func (c catalogue) sign(s *sign) string {
	return fmt.Sprintf("exchange %d shows that %s was %s", s.by.Number, c.text(s.thing), s.did)
}

// supports reports whether a sign makes an excuse likely: it shows that this was done, or that a caller
// outside of the recording worked on such things at the time.
func (s *sign) supports(x excuse, judged *Event) bool {
	if !before(s.after, x.before) || s.by == judged && s.thing == x.thing {
		return false
	}
	switch {
	case s.did == recovered:
		return x.did == recovered && s.thing == x.thing
	case s.thing.kind != x.kind:
		return false
	case !s.at.IsZero() && s.at.Add(time.Second).After(x.before.over()):
		return false
	}
	if s.thing != x.thing || x.after == nil {
		return true
	}
	return !before(s.by, x.after) && (s.at.IsZero() || !s.at.Add(time.Second).Before(x.after.over()))
}

// recovered marks a deleted table that is there again as it was.
const recovered = "recovered"

// unseen holds what a history shows of requests that it lacks.
type unseen struct {
	signs []sign
	held  []ruling // violations that have an excuse
	lists *bounded[viewKey, *view]
}

// viewKey is a whole list, as a caller sees it.
type viewKey struct {
	kind   kind
	within thing
	caller uint64
}

type view struct {
	event *Event
	ids   map[string]bool
}

const (
	maxSigns = 1000
	maxViews = 500
)

func newUnseen() unseen { return unseen{lists: newBounded[viewKey, *view](maxViews, nil)} }

// isOpen reports whether things of a kind are made, changed and deleted by requests alone, so that what happens to one
// without a request shows that the recording lacks it.
func (k kind) isOpen() bool {
	return slices.Contains([]kind{
		pools, poolRules, databases, tables, connections, schedules, secrets, policies, policyGroups,
	}, k)
}

func (st *step) sign(did string, t thing, after *Event, at time.Time) {
	if len(st.s.signs) < maxSigns && after != nil {
		st.s.signs = append(st.s.signs, sign{did, t, after, st.Event, at})
	}
}
