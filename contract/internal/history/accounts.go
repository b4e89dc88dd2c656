package history

import (
	"cmp"
	"errors"
	"maps"
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
	links   links
	kinds   facts.Catalogue
	numbers map[member]caller
	callers []callerFacts // by number, which is the order in which they came
	names   names
	makers  *bounded[sightKey, maker]
	uses    []use          // of what others made or were shown, one of each pair
	several map[int32]bool // sites at which two callers made the same
	firm    []caller       // the account of each caller, but for what only shows that one changes what another was shown
	titles  titles

	groups []group             // by number of a caller
	foes   map[caller][]caller // by account: callers of others that are known to be different
}

// member is a caller at a site.
type member struct {
	at     int32
	caller uint64
}

// caller is the number of a member. Of the callers of an account, one stands for it.
type caller int32

// callerFacts holds what is known of a caller before it is known whose they are. There may be millions.
type callerFacts struct {
	member
	account title // as answers name it
	isGuest bool  // nothing that they were answered depends on their account
	isMixed bool  // they are hidden like others, and answers to them contradict each other as if they were several
}

// group is a caller's part in an account.
type group struct {
	above     caller // another one of the same account, or itself
	named     title  // of one that stands for an account: as answers to others of it name that
	isSeveral bool   // it stands for several
}

// title is the number of the name of an account; 0 is none.
type title int32

// titles numbers the names of accounts.
type titles map[string]title

func (t titles) of(name string) title {
	n, known := t[name]
	if !known && name != "" {
		n = title(len(t) + 1)
		t[name] = n
	}
	return n
}

func newAccounts(kinds facts.Catalogue) *accounts {
	return &accounts{
		kinds: kinds, sightings: newSightings(), numbers: map[member]caller{}, titles: titles{},
		makers: newBounded[sightKey, maker](maxSights, nil), several: map[int32]bool{},
		names: names{callers: map[userKey]*namesakes{}},
	}
}

// close removes what waits on the disk.
func (a *accounts) close() error { return errors.Join(a.clues.close(), a.links.close()) }

// number returns the number of a member.
func (a *accounts) number(m member) caller {
	n, known := a.numbers[m]
	if !known {
		n = caller(len(a.callers))
		a.numbers[m], a.callers = n, append(a.callers, callerFacts{member: m, isGuest: true})
	}
	return n
}

// take learns from an exchange whom its caller may be of one account with.
func (a *accounts) take(e *facts.Exchange, at *site, x *entry) error {
	n := a.number(x.member())
	if at.isMock { // its callers are of one account anyway
		return nil
	}
	facts := &a.callers[n]
	facts.isGuest = facts.isGuest && e.IsSameInAllAccounts()
	named := a.titles.of(e.Account)
	facts.account = cmp.Or(facts.account, named)
	if named != 0 && facts.account != named {
		a.contradict(facts.member)
	}
	if e.OK() {
		a.noteUse(facts.member, e)
		return a.sight(facts.member, e, x)
	}
	return nil
}

// maker is the caller who made a thing, or else was the first one who was shown it.
type maker struct {
	caller uint64
	isMade bool
}

// use states that a caller changed what another one made, or was shown.
type use struct {
	user   member
	maker  uint64
	isMade bool
}

// noteUse notes that a caller writes to what another one made or was shown.
func (a *accounts) noteUse(m member, e *facts.Exchange) {
	if e.Caller == 0 || !e.Verb.Writes() && len(e.Shows) == 0 {
		return
	}
	isNumbered := func(t facts.Thing) bool { return !t.IsNone() && !a.kinds.Of(t.Kind).IsNamed() }
	if e.Verb.Writes() {
		for _, to := range append(slices.Clone(e.Refers), facts.Reference{Thing: e.Target}) {
			t := to.Thing
			by, known := a.makers.Get(sightKey{m.at, t})
			u := use{m, by.caller, by.isMade}
			if known && by.caller != m.caller && e.Verb != facts.Creates || len(e.Refers) > 0 && known && t != e.Target {
				if u.maker != m.caller && len(a.uses) < maxViewers*maxViewers && !slices.Contains(a.uses, u) {
					a.uses = append(a.uses, u)
				}
			}
		}
	}
	made := facts.Thing{}
	if e.Verb == facts.Creates && !e.Target.IsNone() {
		made = e.Target
	}
	note := func(t facts.Thing, isMade bool) {
		key := sightKey{m.at, t}
		by, known := a.makers.Get(key)
		if isMade && known && by.isMade && by.caller != m.caller && !e.Kind.IsOnce() {
			a.several[m.at] = true
		}
		if !known || isMade && !by.isMade {
			a.makers.put(key, maker{m.caller, isMade})
		}
	}
	if e.Verb == facts.Deletes {
		if by, known := a.makers.Get(sightKey{m.at, e.Target}); known { // which may be made anew by another one
			by.isMade = false
			a.makers.put(sightKey{m.at, e.Target}, by)
		}
		return
	}
	if !made.IsNone() {
		note(made, true)
	}
	for i := range e.Shows {
		if f := &e.Shows[i]; f.IsDistinct(e) && isNumbered(f.Thing) {
			note(f.Thing, f.Does == facts.Creates)
		}
	}
}

// contradict notes that answers to a caller contradict each other. Those who have a key are one caller all the same.
func (a *accounts) contradict(m member) { a.callers[a.number(m)].isMixed = m.caller == 0 }

// linesOf lists the exchanges that show the callers of some exchanges to be of one account.
func (a *accounts) linesOf(in *reader, events []*facts.Exchange) (lines []report.Line) {
	judged := events[len(events)-1]
	for _, e := range events {
		l, isShown, err := a.links.showing(member{int32(e.At), e.Caller}, member{int32(judged.At), judged.Caller})
		if err != nil || !isShown { // the disk could be read before
			continue
		}
		for _, x := range l.exchanges() {
			if shows, err := in.at(x.frame); err == nil {
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
	mocks := map[caller]caller{}
	for n := range a.callers {
		if m := a.callers[n].member; sites.of(int(m.at)).isMock {
			mocks[caller(n)] = a.number(member{int32(sites.root(int(m.at))), 0})
		}
	}
	a.groups, a.foes = make([]group, len(a.callers)), map[caller][]caller{}
	for n := range a.groups {
		a.groups[n].above = caller(n)
	}
	for n, world := range mocks {
		a.groups[n].above = world
	}
	for _, isAgainst := range []bool{true, false} {
		for l, err := range a.links.pairs() {
			switch {
			case err != nil:
				return err
			case l.isAgainst() != isAgainst:
			case isAgainst:
				a.part(a.of(a.number(l.first())), a.of(a.number(l.second())))
			default:
				a.join(a.number(l.first()), a.number(l.second()))
			}
		}
	}
	a.joinWhoAreNamedAlike()
	a.joinSubUsers()
	a.joinUsers()
	a.joinGuests()
	return nil
}

// part notes that two accounts are different.
func (a *accounts) part(x, y caller) {
	a.foes[x] = append(a.foes[x], y)
	a.foes[y] = append(a.foes[y], x)
}

// of returns the account of a caller. It is used by one goroutine.
func (a *accounts) of(n caller) caller {
	for a.groups[n].above != n {
		above := &a.groups[n].above
		*above = a.groups[*above].above
		n = *above
	}
	return n
}

// accountOf returns the account of a member.
func (a *accounts) accountOf(m member) caller { return a.of(a.numbers[m]) }

// siteOf returns the site of a caller.
func (a *accounts) siteOf(n caller) int { return int(a.callers[n].at) }

// join makes the accounts of two callers one, unless they are known to be different.
func (a *accounts) join(x, y caller) {
	x, y = a.of(x), a.of(y)
	if x == y || a.areApart(x, y) {
		return
	}
	if a.nameOf(x) == 0 {
		a.groups[x].named = a.nameOf(y)
	}
	a.groups[y].above, a.groups[x].isSeveral = x, true
	more, fewer := a.foes[x], a.foes[y]
	if len(more) < len(fewer) {
		more, fewer = fewer, more
	}
	if len(more) > 0 {
		a.foes[x] = append(more, fewer...)
		delete(a.foes, y)
	}
}

// nameOf returns the name that answers give an account, if they do.
func (a *accounts) nameOf(account caller) title {
	return cmp.Or(a.callers[account].account, a.groups[account].named)
}

// joinWhoAreNamedAlike joins those whose accounts answers name alike.
func (a *accounts) joinWhoAreNamedAlike() {
	type nameKey struct {
		at   int32
		name title
	}
	first := map[nameKey]caller{}
	for i := range a.callers {
		n := caller(i)
		key := nameKey{a.callers[n].at, a.nameOf(a.of(n))}
		if key.name == 0 {
			continue
		}
		if other, known := first[key]; known {
			a.join(other, n)
		} else {
			first[key] = n
		}
	}
}

// joinUsers makes one account of callers of whom one changes what another one made or was shown, unless something shows
// that the site has several accounts, whose things may have the same ids.
func (a *accounts) joinUsers() {
	isSeveral := maps.Clone(a.several)
	for account := range a.foes {
		isSeveral[a.callers[account].at] = true
	}
	names := map[int32]title{}
	for i := range a.callers {
		at, name := a.callers[i].at, a.nameOf(a.of(caller(i)))
		if other := names[at]; name != 0 && other != 0 && other != name {
			isSeveral[at] = true
		}
		names[at] = cmp.Or(name, names[at])
	}
	join := func(isMade bool) {
		for _, u := range a.uses {
			if x := a.number(u.user); u.isMade == isMade && !isSeveral[u.user.at] {
				a.join(x, a.number(member{u.user.at, u.maker}))
			}
		}
	}
	join(true)
	a.firm = make([]caller, len(a.callers))
	for i := range a.firm {
		a.firm[i] = a.of(caller(i))
	}
	join(false)
}

// areFirm reports whether more shows that the callers of some exchanges are of one account than that one of them
// changes what another one was shown.
func (a *accounts) areFirm(list []*facts.Exchange) bool {
	var first *facts.Exchange
	for _, e := range list {
		switch {
		case e == nil || e.Caller == 0:
		case first == nil:
			first = e
		default:
			x, known := a.numbers[member{int32(e.At), e.Caller}]
			y, knows := a.numbers[member{int32(first.At), first.Caller}]
			if known && knows && int(max(x, y)) < len(a.firm) && a.firm[x] != a.firm[y] {
				return false
			}
		}
	}
	return true
}

// joinGuests joins those of whom nothing is known with the account at their site, if there is only one: callers who
// only send events, and requests whose caller the recording hides.
func (a *accounts) joinGuests() {
	const several = -1
	hosts := map[int32]caller{}
	for i := range a.callers {
		at, root := a.callers[i].at, a.of(caller(i))
		if !a.isHost(caller(i)) {
			continue
		}
		if host, isKnown := hosts[at]; isKnown && host != root {
			root = several
		}
		hosts[at] = root
	}
	for i := range a.callers {
		if host, isKnown := hosts[a.callers[i].at]; isKnown && host != several && !a.isHost(caller(i)) {
			a.join(host, caller(i))
		}
	}
}

// isHost reports whether a caller is known to act for some account.
func (a *accounts) isHost(n caller) bool { return a.callers[n].caller != 0 && !a.callers[n].isGuest }

// areApart reports whether two accounts are known to be different: answers call them by different names, or show them
// what cannot be one.
func (a *accounts) areApart(x, y caller) bool {
	if nx, ny := a.nameOf(x), a.nameOf(y); nx != 0 && ny != 0 && nx != ny {
		return true
	}
	if len(a.foes[y]) < len(a.foes[x]) {
		x, y = y, x
	}
	return slices.ContainsFunc(a.foes[x], func(foe caller) bool { return a.of(foe) == y })
}

// count returns the number of accounts at each site.
func (a *accounts) count() map[int]int {
	isCounted, count := make([]bool, len(a.callers)), map[int]int{}
	for i := range a.callers {
		if root := a.of(caller(i)); !isCounted[root] && a.isHost(caller(i)) {
			isCounted[root] = true
			count[a.siteOf(caller(i))]++
		}
	}
	return count
}
