package history

import (
	"cmp"
	"maps"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// accounts finds out which callers act for one account of the platform. Those of one address do, unless the recording
// shows that the address serves several: then callers are apart unless it shows them to be of one. A world of a mock is
// one account. All exchanges are shown to it first, then it settles who belongs together.
type accounts struct {
	sightings
	clues     clues
	links     links
	separated map[linkKey]bool // callers whose lists cannot be of one account
	kinds     facts.Catalogue
	given     map[uint64]string // names of accounts, by callers, which answers do not outweigh
	numbers   map[member]caller
	callers   []callerFacts // by number, which is the order in which they came
	uses      [][2]member   // who changed what another one made, or goes by the name of its sub user; one of each pair
	users     bounded[userKey, [2]uint64]
	several   map[int32]bool // instances at which two callers made the same
	differ    map[int32]bool // instances at which two callers were shown one pool with two limits
	resized   map[int32]bool // instances at which the recording may explain that
	firm      []caller       // the account of each caller, as far as more shows it than a common address

	groups    []group             // by number of a caller
	different map[caller][]caller // by account: callers of others that are known to be different
}

const (
	maxViewers = 16 // of one entity
	maxUses    = 256
)

// member is a caller at an instance.
type member struct {
	at     int32
	caller uint64
}

// caller is the number of a member. Of the callers of an account, one stands for it.
type caller int32

// callerFacts holds what is known of a caller before it is known whose they are. There may be millions.
type callerFacts struct {
	member
	account uint64 // as answers name it, as a hash; 0 if they do not
	isGuest bool   // nothing that they were answered depends on their account
	isMixed bool   // they are hidden like others, and answers to them contradict each other as if they were several
}

// group is a caller's part in an account.
type group struct {
	above caller // another one of the same account, or itself
	named uint64 // of one that stands for an account: as answers to others of it name that
}

func newAccounts(kinds facts.Catalogue, given map[uint64]string) *accounts {
	a := &accounts{
		kinds: kinds, given: given, separated: map[linkKey]bool{}, numbers: map[member]caller{},
		several: map[int32]bool{}, differ: map[int32]bool{}, resized: map[int32]bool{},
	}
	a.first.limit, a.shown.limit = maxEntities/20, maxEntities/maxShown
	return a
}

// number returns the number of a member.
func (a *accounts) number(m member) caller {
	n, known := a.numbers[m]
	if !known {
		n = caller(len(a.callers))
		a.numbers[m], a.callers = n, append(a.callers, callerFacts{member: m, isGuest: true})
	}
	return n
}

// add learns from an exchange whom its caller may be of one account with.
func (a *accounts) add(e *facts.Exchange, at *instance, x *entry) error {
	n := a.number(x.member())
	if at.isMock { // its callers are of one account anyway
		return nil
	}
	facts := &a.callers[n]
	facts.isGuest = facts.isGuest && e.IsSameInAllAccounts()
	named := hashOf(e.Account)
	if name, isGiven := a.given[facts.member.caller]; isGiven {
		named = hashOf("given " + name)
	}
	facts.account = cmp.Or(facts.account, named)
	if named != 0 && facts.account != named {
		a.contradict(facts.member)
	}
	if !e.Refused() {
		a.noteStirs(facts.member, e)
		a.noteLimits(facts.member, e)
	}
	if !e.OK() {
		return a.addClues(e, x)
	}
	a.noteUse(facts.member, e)
	return a.sight(facts.member, e, x)
}

// noteUse notes that a caller makes something, or writes to what another one made.
func (a *accounts) noteUse(m member, e *facts.Exchange) {
	if m.caller == 0 || !e.Verb.Writes() {
		return
	}
	for _, t := range writtenTo(e) {
		if x, known := a.traces.Get(sightKey{m.at, t}); known {
			a.pair(m, x.maker)
		}
	}
	if e.Verb == facts.Creates {
		a.make(m, e, e.Target)
		for i := range e.Shows {
			if f := &e.Shows[i]; a.isGiven(f) && judge.IsDistinct(f.Entity.ID) {
				a.make(m, e, f.Entity)
			}
		}
	}
	if e.Verb == facts.Deletes {
		x := a.trace(m.at, e.Target)
		x.maker = 0          // it may be made anew by another one
		if e.Kind.IsOnce() { // or else each of them removed its own
			a.several[m.at] = a.several[m.at] || x.remover != 0 && x.remover != m.caller
			x.remover = m.caller
		}
	}
}

// noteLimits notes whether callers are shown one pool with two limits. Only requests that write to pools change any.
func (a *accounts) noteLimits(m member, e *facts.Exchange) {
	a.resized[m.at] = a.resized[m.at] || e.Kind == facts.Pools && e.Verb.Writes()
	for _, f := range e.Pools {
		x := a.trace(m.at, facts.Entity{Kind: facts.Pools, ID: f.ID})
		a.differ[m.at] = a.differ[m.at] || x.hasLimit && x.limitOf != m.caller && x.limit != f.Limit
		x.hasLimit, x.limitOf, x.limit = true, m.caller, f.Limit
	}
}

// isGiven reports whether something was made and given an id of its own. A project may be put again.
func (a *accounts) isGiven(f *facts.Shown) bool {
	return f.Does == facts.Creates && f.Entity.Kind != facts.Projects && !a.kinds.Of(f.Entity.Kind).IsNamed()
}

// writtenTo lists the entities that an exchange changes, deletes or refers to, so that its caller has them.
func writtenTo(e *facts.Exchange) (list []facts.Entity) {
	if !e.Verb.Writes() {
		return nil
	}
	if e.Verb != facts.Creates {
		list = append(list, e.Target)
	}
	for _, to := range e.Refers {
		list = append(list, to.Entity)
	}
	return list
}

func (a *accounts) pair(m member, other uint64) {
	pair := [2]member{m, {m.at, other}}
	if other != 0 && other != m.caller && len(a.uses) < maxUses && !slices.Contains(a.uses, pair) {
		a.uses = append(a.uses, pair)
	}
}

// userKey is the name of a user at an address, as a hash.
type userKey struct {
	at   int32
	name uint64
}

// noteName notes that a caller goes by the name of a user, or has a sub user of that name.
func (a *accounts) noteName(m member, name string, isSubUser bool) {
	if name == "" || m.caller == 0 {
		return
	}
	key := userKey{m.at, hashOf(name)}
	known, _ := a.users.Get(key)
	mine, others := &known[0], known[1]
	if isSubUser {
		mine, others = &known[1], known[0]
	}
	*mine = m.caller
	a.users.put(key, known)
	a.pair(m, others)
}

// make notes who made an entity. An address at which two callers made the same one has several accounts.
func (a *accounts) make(m member, e *facts.Exchange, t facts.Entity) {
	if t.IsNone() {
		return
	}
	x := a.trace(m.at, t)
	a.several[m.at] = a.several[m.at] || x.maker != 0 && x.maker != m.caller && !e.Kind.IsOnce()
	x.maker = m.caller
}

// contradict notes that answers to a caller contradict each other. Those who have a key are one caller all the same.
func (a *accounts) contradict(m member) { a.callers[a.number(m)].isMixed = m.caller == 0 }

// linesOf lists the exchanges that show the callers of some exchanges to be of one account.
func (a *accounts) linesOf(in *reader, events []*facts.Exchange) (lines []report.ExchangeLine) {
	judged := events[len(events)-1]
	for _, e := range events {
		l := a.links[linkKeyOf(member{int32(e.At), e.Caller}, member{int32(judged.At), judged.Caller})]
		for _, x := range l.exchanges() {
			if shows, err := in.at(x.frame); err == nil {
				lines = append(lines, shows.Line)
			}
		}
	}
	return lines
}

// group makes the accounts, when the whole recording is known. When more of it is, they are made anew.
func (a *accounts) group(instances *instances) error {
	if err := a.follow(); err != nil {
		return err
	}
	mocks := map[caller]caller{}
	for n := range a.callers {
		if m := a.callers[n].member; instances.of(int(m.at)).isMock {
			mocks[caller(n)] = a.number(member{int32(instances.root(int(m.at))), 0})
		}
	}
	a.groups, a.different = make([]group, len(a.callers)), map[caller][]caller{}
	for n := range a.groups {
		a.groups[n].above = caller(n)
	}
	for n, world := range mocks {
		a.groups[n].above = world
	}
	pairs := a.links.pairs()
	for _, pair := range pairs {
		if isGiven := a.given[pair.a] != "" && a.given[pair.a] == a.given[pair.b]; a.links[pair].isAgainst && !isGiven {
			a.part(a.of(a.number(pair.first())), a.of(a.number(pair.second())))
		}
	}
	for _, pair := range pairs {
		if !a.links[pair].isAgainst {
			a.join(a.number(pair.first()), a.number(pair.second()))
		}
	}
	a.joinWhoAreNamedAlike()
	a.joinNeighbours()
	return nil
}

// part notes that two accounts are different.
func (a *accounts) part(x, y caller) {
	a.different[x] = append(a.different[x], y)
	a.different[y] = append(a.different[y], x)
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

// instanceOf returns the instance of a caller.
func (a *accounts) instanceOf(n caller) int { return int(a.callers[n].at) }

// join makes the accounts of two callers one, unless they are known to be different.
func (a *accounts) join(x, y caller) {
	x, y = a.of(x), a.of(y)
	if x == y || a.areApart(x, y) {
		return
	}
	if a.nameOf(x) == 0 {
		a.groups[x].named = a.nameOf(y)
	}
	a.groups[y].above = x
	more, fewer := a.different[x], a.different[y]
	if len(more) < len(fewer) {
		more, fewer = fewer, more
	}
	if len(more) > 0 {
		a.different[x] = append(more, fewer...)
		delete(a.different, y)
	}
}

// nameOf returns the name that answers give an account, if they do.
func (a *accounts) nameOf(account caller) uint64 {
	return cmp.Or(a.callers[account].account, a.groups[account].named)
}

// joinWhoAreNamedAlike joins those whose accounts answers name alike.
func (a *accounts) joinWhoAreNamedAlike() {
	type nameKey struct {
		at   int32
		name uint64
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

// joinNeighbours makes one account of the callers at an address, unless something shows that it has several, whose
// entities may have the same ids.
func (a *accounts) joinNeighbours() {
	isSeveral := maps.Clone(a.several)
	for account := range a.different {
		isSeveral[a.callers[account].at] = true
	}
	for v, list := range a.lists.entries {
		isSeveral[v.at] = isSeveral[v.at] || a.missesSome(v, list)
	}
	for at := range a.differ {
		isSeveral[at] = isSeveral[at] || a.differ[at] && !a.resized[at]
	}
	names := map[int32]uint64{}
	for i := range a.callers {
		at, name := a.callers[i].at, a.nameOf(a.of(caller(i)))
		if other := names[at]; name != 0 && other != 0 && other != name {
			isSeveral[at] = true
		}
		names[at] = cmp.Or(name, names[at])
	}
	for _, pair := range a.uses {
		if !isSeveral[pair[0].at] {
			a.join(a.number(pair[0]), a.number(pair[1]))
		}
	}
	a.firm = make([]caller, len(a.callers))
	for i := range a.firm {
		a.firm[i] = a.of(caller(i))
	}
	first := map[int32]caller{}
	for i := range a.callers {
		at := a.callers[i].at
		if other, known := first[at]; known && !isSeveral[at] {
			a.join(other, caller(i))
		} else {
			first[at] = caller(i)
		}
	}
}

// areFirm reports whether more shows that the callers of some exchanges are of one account than a common address.
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

// isHost reports whether a caller is known to act for some account.
func (a *accounts) isHost(n caller) bool { return a.callers[n].caller != 0 && !a.callers[n].isGuest }

// areApart reports whether two accounts are known to be different: answers call them by different names, or show them
// what cannot be one.
func (a *accounts) areApart(x, y caller) bool {
	if nx, ny := a.nameOf(x), a.nameOf(y); nx != 0 && ny != 0 && nx != ny {
		return true
	}
	if len(a.different[y]) < len(a.different[x]) {
		x, y = y, x
	}
	return slices.ContainsFunc(a.different[x], func(other caller) bool { return a.of(other) == y })
}

// count returns the number of accounts at each instance.
func (a *accounts) count() map[int]int {
	isCounted, count := make([]bool, len(a.callers)), map[int]int{}
	for i := range a.callers {
		if root := a.of(caller(i)); !isCounted[root] && a.isHost(caller(i)) {
			isCounted[root] = true
			count[a.instanceOf(caller(i))]++
		}
	}
	return count
}
