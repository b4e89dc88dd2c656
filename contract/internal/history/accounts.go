package history

import (
	"cmp"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
)

// accounts finds out which callers act for one account of the platform. Callers are apart unless the recording shows
// them to be of one account, which sightings and names do; a world of a mock is one account. All exchanges are shown to
// it first, then it settles who belongs together.
type accounts struct {
	sightings
	clues   clues
	kinds   facts.Catalogue
	callers map[member]*callerFacts
	order   []member // callers, as they came
	links   map[pair]link
	names   names

	groups map[member]member          // to another one of the same account, or to itself
	named  map[member]string          // the accounts of those whose own callers answers do not name, but others of it
	joined map[member]bool            // those that stand for several
	foes   map[member]map[member]bool // accounts that are known to be different
}

// member is a caller at a site. Of the callers of an account, one stands for it.
type member struct {
	at     int
	caller uint64
}

func (m member) compare(other member) int {
	return cmp.Or(cmp.Compare(m.at, other.at), cmp.Compare(m.caller, other.caller))
}

// pair is two callers, the lesser one first.
type pair struct{ a, b member }

func pairOf(x, y member) pair {
	if y.compare(x) < 0 {
		return pair{y, x}
	}
	return pair{x, y}
}

// link states whether two callers are of one account.
type link struct {
	shownBy   []frame // the first exchanges that show it
	isAgainst bool    // something shows that they are not
}

// callerFacts holds what is known of a caller before it is known whose they are.
type callerFacts struct {
	account string // as answers name it
	isGuest bool   // nothing that they were answered depends on their account
	isMixed bool   // they are hidden like others, and answers to them contradict each other as if they were several
}

const maxCallers = 1_000_000

func newAccounts(kinds facts.Catalogue) *accounts {
	return &accounts{
		kinds: kinds, sightings: newSightings(), callers: map[member]*callerFacts{}, links: map[pair]link{},
		names: names{callers: map[userKey]*namesakes{}},
	}
}

// take learns from an exchange whom its caller may be of one account with.
func (a *accounts) take(e *facts.Exchange, at *site, x *entry) error {
	m := member{e.At, e.Caller}
	facts := a.callers[m]
	if facts == nil {
		if len(a.callers) >= maxCallers {
			return nil
		}
		facts = &callerFacts{isGuest: true}
		a.callers[m], a.order = facts, append(a.order, m)
	}
	if at.isMock { // its callers are of one account anyway
		return nil
	}
	facts.isGuest = facts.isGuest && e.IsSameInAllAccounts()
	facts.account = cmp.Or(facts.account, e.Account)
	if e.Account != "" && facts.account != e.Account {
		a.contradict(m)
	}
	if e.OK() {
		return a.sight(m, e, x)
	}
	return nil
}

// contradict notes that answers to a caller contradict each other. Those who have a key are one caller all the same.
func (a *accounts) contradict(m member) { a.callers[m].isMixed = m.caller == 0 }

// link notes that exchanges show two callers to be of one account, or, without any, that they are not.
func (a *accounts) link(x, y member, shownBy ...frame) {
	if x == y || x.caller == 0 || y.caller == 0 || len(a.links) > maxCallers {
		return
	}
	l := a.links[pairOf(x, y)]
	if l.shownBy == nil {
		l.shownBy = shownBy
	}
	l.isAgainst = l.isAgainst || len(shownBy) == 0
	a.links[pairOf(x, y)] = l
}

// linesOf lists the exchanges that show the callers of some exchanges to be of one account.
func (a *accounts) linesOf(in *reader, events []*facts.Exchange) (lines []report.Line) {
	judged := events[len(events)-1]
	for _, e := range events {
		if e.Caller == judged.Caller {
			continue
		}
		for _, x := range a.links[pairOf(member{e.At, e.Caller}, member{judged.At, judged.Caller})].shownBy {
			if shows, err := in.at(x); err == nil { // it has been read before
				lines = append(lines, shows.Line)
			}
		}
	}
	return lines
}

// group makes the accounts, when the whole recording is known. When more of it is, they are made anew.
func (a *accounts) group(sites *sites) error {
	if err := a.follow(); err != nil {
		return err
	}
	a.groups, a.joined, a.foes = map[member]member{}, map[member]bool{}, map[member]map[member]bool{}
	a.named = map[member]string{}
	for _, m := range a.order {
		if at := sites.of(m.at); at.isMock {
			a.groups[m] = member{sites.root(m.at), 0}
		}
	}
	pairs := make([]pair, 0, len(a.links))
	for p, l := range a.links {
		if l.isAgainst {
			a.part(a.of(p.a), a.of(p.b))
		} else {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Or(x.a.compare(y.a), x.b.compare(y.b)) })
	for _, p := range pairs {
		a.join(p.a, p.b)
	}
	a.joinWhoAreNamedAlike()
	a.joinSubUsers()
	a.joinGuests()
	return nil
}

// nameKey is the name of an account at a site.
type nameKey struct {
	at   int
	name string
}

// part notes that two accounts are different.
func (a *accounts) part(x, y member) {
	for _, p := range []pair{{x, y}, {y, x}} {
		if a.foes[p.a] == nil {
			a.foes[p.a] = map[member]bool{}
		}
		a.foes[p.a][p.b] = true
	}
}

// of returns the account of a caller.
func (a *accounts) of(m member) member {
	for {
		above, known := a.groups[m]
		if !known || above == m {
			return m
		}
		m = above
	}
}

// join makes two accounts one, unless they are known to be different.
func (a *accounts) join(x, y member) {
	x, y = a.of(x), a.of(y)
	if x == y || a.areApart(x, y) {
		return
	}
	a.groups[y], a.joined[x] = x, true
	if a.callers[x] != nil && a.nameOf(x) == "" {
		a.named[x] = a.nameOf(y)
	}
	for foe := range a.foes[y] {
		a.part(x, foe)
	}
}

// nameOf returns the name that answers give an account, if they do.
func (a *accounts) nameOf(m member) string {
	if f := a.callers[m]; f != nil {
		return cmp.Or(f.account, a.named[m])
	}
	return ""
}

// joinWhoAreNamedAlike joins those whose accounts answers name alike.
func (a *accounts) joinWhoAreNamedAlike() {
	first := map[nameKey]member{}
	for _, m := range a.order {
		key := nameKey{m.at, a.nameOf(a.of(m))}
		if key.name == "" {
			continue
		}
		if other, known := first[key]; known {
			a.join(other, m)
		} else {
			first[key] = m
		}
	}
}

// joinGuests joins those of whom nothing is known with the account at their site, if there is only one: callers who
// only send events, and requests whose caller the recording hides.
func (a *accounts) joinGuests() {
	hosts := map[int][]member{}
	for _, m := range a.order {
		if root := a.of(m); a.isHost(m) && !slices.Contains(hosts[m.at], root) {
			hosts[m.at] = append(hosts[m.at], root)
		}
	}
	for _, m := range a.order {
		if host := hosts[m.at]; len(host) == 1 && !a.isHost(m) {
			a.join(host[0], m)
		}
	}
}

// isHost reports whether a caller is known to act for some account.
func (a *accounts) isHost(m member) bool { return m.caller != 0 && !a.callers[m].isGuest }

// areApart reports whether two accounts are known to be different: answers call them by different names, or show them
// what cannot be one.
func (a *accounts) areApart(x, y member) bool {
	nx, ny := a.nameOf(x), a.nameOf(y)
	return nx != "" && ny != "" && nx != ny || a.foes[x][y]
}

// count returns the number of accounts at each site.
func (a *accounts) count() map[int]int {
	roots, count := map[member]bool{}, map[int]int{}
	for _, m := range a.order {
		if root := a.of(m); !roots[root] && a.isHost(m) {
			roots[root] = true
			count[m.at]++
		}
	}
	return count
}
