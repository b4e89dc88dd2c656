package rule

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// accounts finds out which callers act for one account of the platform. Callers are apart unless the recording shows that
// they see the same: what one of them made or was shown, another one is shown alike, under the same id. Two lists each of
// which lacks what the other one has keep them apart, and so do answers that name their accounts.
//
// A world of a mock is one account.
type accounts struct {
	sights  *bounded[sightKey, []sight]
	lists   *bounded[listKey, []fullList]
	written *bounded[sightKey, *Event] // the last exchange that made or removed a thing
	issued  *bounded[jobKey, *Event]   // by job
	votes   map[pair]vote
	names   map[nameKey]*named

	nameOrder []nameKey
	callers   map[member]*callerFacts
	mixed     map[member]bool // those whose answers contradict each other, as if several callers were hidden alike
	order     []member
	against   map[pair]bool     // accounts that are known to be different
	joined    map[member]bool   // those whose group has several
	groups    map[member]member // to the first of the group; nil before they are made
}

// member is a caller at a place.
type member struct {
	at     int
	caller uint64
}

type pair struct{ a, b member }

type jobKey struct {
	at int
	id string
}

type nameKey struct {
	at   int
	name string
}

// named are the callers who have a sub user of a name, and those who go by it.
type named struct{ have, goBy []member }

// vote says what speaks for and against two callers being of one account.
type vote struct {
	links     []report.Line // of the exchanges that show it first
	isAgainst bool
}

type sightKey struct {
	at    int
	thing thing
}

// sight is how a thing was shown to a caller last.
type sight struct {
	caller uint64
	mark   uint64
	born   int64 // in seconds, 0 where that is not shown
	line   report.Line
}

type listKey struct {
	at   int
	kind *kind
}

// fullList is the last whole list that a caller was given of a kind.
type fullList struct {
	event *Event
	ids   map[string]bool
}

// callerFacts are what is known of a caller before it is known whose they are.
type callerFacts struct {
	account string
	isGuest bool // nothing that they were answered depends on their account
}

const (
	maxSights  = 100_000
	maxCallers = 100_000
	maxViewers = 16 // of one thing
)

func newAccounts() *accounts {
	return &accounts{
		sights: newBounded[sightKey, []sight](maxSights, nil), lists: newBounded[listKey, []fullList](maxSights/100, nil),
		written: newBounded[sightKey, *Event](maxSights, nil), issued: newBounded[jobKey, *Event](maxSights, nil),
		votes: map[pair]vote{}, names: map[nameKey]*named{}, callers: map[member]*callerFacts{},
		mixed: map[member]bool{},
	}
}

// take learns from an event whom its caller may be of one account with.
func (a *accounts) take(e *Event) {
	m := member{e.At, e.Caller}
	facts := a.callers[m]
	if facts == nil {
		if len(a.callers) >= maxCallers {
			return
		}
		facts = &callerFacts{isGuest: true}
		a.callers[m], a.order = facts, append(a.order, m)
	}
	facts.isGuest = facts.isGuest && e.tellsNoAccount()
	facts.account = cmp.Or(facts.account, e.Account)
	if !e.OK() {
		return
	}
	if e.Account != "" && facts.account != e.Account {
		a.mixed[m] = true
	}
	for i := range e.Shows {
		if f := &e.Shows[i]; f.tells(e) {
			a.see(m, f.Thing, sight{m.caller, f.Mark, f.Since, e.Line})
		}
	}
	for _, f := range e.Attempts {
		a.see(m, thing{attempts, f.ID}, sight{caller: m.caller, mark: f.Mark, line: e.Line})
		if f.SessionUUID != "" {
			uuid := maphash.String(callerSeed, f.SessionUUID)
			a.see(m, thing{sessions, f.SessionID}, sight{caller: m.caller, mark: uuid, born: int64(uuid >> 1), line: e.Line})
		}
	}
	if e.Page != nil {
		for _, f := range e.Page.Tables {
			a.see(m, thing{tables, "deleted " + f.ID}, sight{caller: m.caller, mark: f.Mark, line: e.Line})
		}
	}
	if t := e.Named; e.does.writes() && isLong(t) && len(e.Shows) == 0 {
		a.see(m, t, sight{caller: m.caller, mark: 1, line: e.Line})
	}
	if e.Dropped != 0 {
		a.vote(m, member{e.At, e.Dropped}, vote{links: []report.Line{e.Line}})
	}
	a.seeNames(m, e)
	a.compare(m, e)
	if e.does == makes || e.does == removes {
		a.noteWritten(e)
	}
}

// tellsNoAccount reports whether an exchange is the same in all accounts: an event was taken, or a key was not.
func (e *Event) tellsNoAccount() bool {
	return e.Status == 0 || e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		strings.HasPrefix(e.Operation, specs.Ingestion+".")
}

// tells reports whether a thing that is shown to two callers in the same way is one thing: it was not there from the
// beginning, as the default pool is.
func (f *shown) tells(e *Event) bool {
	isDefault := slices.ContainsFunc(e.Pools, func(p poolFact) bool { return p.IsDefault && p.ID == f.Thing.id })
	return f.Mark != 0 && !isDefault
}

// isLong reports whether the platform gave a thing an id that it gives no second time.
func isLong(t thing) bool {
	const long = 5
	return t.kind != nil && !t.kind.name && len(t.kind.path) == 1 && len(t.id) >= long
}

// see notes that a thing was shown to a caller, and votes for those to whom it was shown alike.
func (a *accounts) see(m member, t thing, now sight) {
	key := sightKey{m.at, t}
	list, _ := a.sights.get(key)
	own := -1
	for i, other := range list {
		switch {
		case other.caller == m.caller:
			own = i
			a.mixed[m] = a.mixed[m] || other.born != now.born && other.born != 0 && now.born != 0 && !t.kind.name
		case other.mark == now.mark:
			a.vote(m, member{m.at, other.caller}, vote{links: []report.Line{other.line, now.line}})
		case other.born != now.born && other.born != 0 && now.born != 0 && !t.kind.name:
			a.vote(m, member{m.at, other.caller}, vote{isAgainst: true})
		}
	}
	switch {
	case own >= 0:
		list[own] = now
	case len(list) < maxViewers:
		a.sights.put(key, append(list, now))
	}
}

// seeNames notes under which names a caller goes, and whose sub users have them.
func (a *accounts) seeNames(m member, e *Event) {
	for _, user := range e.Users {
		a.name(m.at, user.Name, m, true)
	}
	a.name(m.at, e.AsUser, m, false)
	if e.Issued != nil && e.Issued.ID != "" {
		a.issued.put(jobKey{m.at, e.Issued.ID}, e)
	}
	for _, job := range e.Jobs {
		a.see(m, thing{subUsers, "job " + job.ID}, sight{caller: m.caller, mark: job.Mark, line: e.Line})
		issue, known := a.issued.get(jobKey{m.at, job.ID})
		if known && (issue.Caller == m.caller || job.isOf(issue)) {
			issuer := member{m.at, issue.Caller}
			a.vote(m, issuer, vote{links: []report.Line{issue.Line, e.Line}})
			a.name(m.at, job.User, issuer, false)
		}
	}
}

// isOf reports whether a job was issued by a request, going by the second in which it was.
func (f *jobFact) isOf(issue *Event) bool {
	const skew = 2 * time.Second
	return f.At.IsZero() || issue.Start.IsZero() || issue.over().Sub(f.At).Abs() <= skew
}

// name notes that a caller goes by a name, or has a sub user with that name.
func (a *accounts) name(at int, name string, m member, has bool) {
	key := nameKey{at, name}
	n := a.names[key]
	if n == nil {
		if name == "" || len(a.names) >= maxCallers {
			return
		}
		n = &named{}
		a.names[key], a.nameOrder = n, append(a.nameOrder, key)
	}
	list := &n.goBy
	if has {
		list = &n.have
	}
	if !slices.Contains(*list, m) && len(*list) < maxViewers {
		*list = append(*list, m)
	}
}

// joinSubUsers joins the callers who go by the name of a sub user with those whose sub user that is, if all of them are of
// one account.
func (a *accounts) joinSubUsers() {
	for _, key := range a.nameOrder {
		n := a.names[key]
		if len(n.have) == 0 {
			continue
		}
		first := a.of(n.have[0])
		if slices.ContainsFunc(n.have, func(m member) bool { return a.of(m) != first }) {
			continue
		}
		for _, m := range n.goBy {
			if !a.joined[a.of(m)] { // a name is no proof against what else is known of a caller
				a.join(first, m)
			}
		}
	}
}

// compare holds a whole list against those that others were given.
func (a *accounts) compare(m member, e *Event) {
	if e.does != lists || !e.Listed || e.Partial || e.Opaque || !slices.Contains([]*kind{pools, poolRules, subUsers, policies}, e.of) {
		return
	}
	list := fullList{e, map[string]bool{}}
	for _, f := range e.Shows {
		list.ids[f.Thing.id] = true
	}
	key := listKey{m.at, e.of}
	others, _ := a.lists.get(key)
	own := -1
	for i, other := range others {
		switch {
		case other.event.Caller == m.caller:
			own = i
			a.mixed[m] = a.mixed[m] || m.caller == 0 && a.lack(key, other, list) && a.lack(key, list, other)
		case a.lack(key, other, list) && a.lack(key, list, other):
			a.vote(m, member{m.at, other.event.Caller}, vote{isAgainst: true})
		}
	}
	switch {
	case own >= 0:
		others[own] = list
	case len(others) < maxViewers:
		a.lists.put(key, append(others, list))
	}
}

// lack reports whether a list lacks something that another one has, and that nobody made or removed.
func (a *accounts) lack(key listKey, list, other fullList) bool {
	for id := range other.ids {
		_, isExplained := a.written.get(sightKey{key.at, thing{key.kind, id}})
		if !list.ids[id] && !isExplained {
			return true
		}
	}
	return false
}

func (a *accounts) noteWritten(e *Event) {
	if !e.Named.isNone() {
		a.written.put(sightKey{e.At, e.Named}, e)
	}
	for _, f := range e.Shows {
		a.written.put(sightKey{e.At, f.Thing}, e)
	}
}

func (a *accounts) vote(x, y member, v vote) {
	if x == y || x.caller == 0 || y.caller == 0 || len(a.votes) > maxCallers {
		return
	}
	sum := a.votes[pairOf(x, y)]
	if sum.links == nil {
		sum.links = v.links
	}
	sum.isAgainst = sum.isAgainst || v.isAgainst
	a.votes[pairOf(x, y)] = sum
}

func pairOf(x, y member) pair {
	if y.caller < x.caller {
		return pair{y, x}
	}
	return pair{x, y}
}

// links returns the exchanges that show the callers of some exchanges to be of one account.
func (a *accounts) links(events []*Event) (lines []report.Line) {
	judged := events[len(events)-1]
	for _, e := range events {
		if e.Caller != judged.Caller {
			p := pairOf(member{e.At, e.Caller}, member{judged.At, judged.Caller})
			lines = append(lines, a.votes[p].links...)
		}
	}
	return lines
}

// settle makes the groups, when the whole recording is known.
func (a *accounts) settle(list []place) {
	a.groups, a.joined = map[member]member{}, map[member]bool{}
	for _, m := range a.order {
		if list[m.at].isMock {
			a.groups[m] = member{m.at, 0}
		}
	}
	pairs := make([]pair, 0, len(a.votes))
	for p, v := range a.votes {
		if v.links != nil && !v.isAgainst {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(x, y pair) int {
		return cmp.Or(x.a.compare(y.a), x.b.compare(y.b))
	})
	for _, p := range pairs {
		a.join(p.a, p.b)
	}
	a.joinNamed()
	a.joinSubUsers()
	a.joinGuests()
	a.against = map[pair]bool{}
	for p, v := range a.votes {
		if v.isAgainst {
			a.against[pairOf(a.of(p.a), a.of(p.b))] = true
		}
	}
}

func (m member) compare(other member) int {
	return cmp.Or(cmp.Compare(m.at, other.at), cmp.Compare(m.caller, other.caller))
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

// join makes two accounts one, unless answers call them by different names.
func (a *accounts) join(x, y member) {
	x, y = a.of(x), a.of(y)
	nx, ny := a.nameOf(x), a.nameOf(y)
	if x == y || nx != "" && ny != "" && nx != ny {
		return
	}
	a.groups[y], a.joined[x] = x, true
	if f := a.callers[x]; f != nil {
		f.account = cmp.Or(nx, ny)
		f.isGuest = f.isGuest && (a.callers[y] == nil || a.callers[y].isGuest)
	}
}

func (a *accounts) nameOf(m member) string {
	if f := a.callers[m]; f != nil {
		return f.account
	}
	return ""
}

// joinNamed joins those whom answers name alike.
func (a *accounts) joinNamed() {
	first := map[string]member{}
	for _, m := range a.order {
		if name := a.nameOf(a.of(m)); name != "" {
			key := fmt.Sprint(m.at, " ", name)
			if other, known := first[key]; known {
				a.join(other, m)
			} else {
				first[key] = m
			}
		}
	}
}

// joinGuests joins those of whom nothing is known with the only account that there is at their place, if it is the only
// one: callers who only send events, and requests whose caller the recording hides.
func (a *accounts) joinGuests() {
	hosts := map[int][]member{}
	for _, m := range a.order {
		if root := a.of(m); m.caller != 0 && !a.callers[m].isGuest && !slices.Contains(hosts[m.at], root) {
			hosts[m.at] = append(hosts[m.at], root)
		}
	}
	for _, m := range a.order {
		if host := hosts[m.at]; len(host) == 1 && (m.caller == 0 || a.callers[m].isGuest) {
			a.join(host[0], m)
		}
	}
}

// areApart reports whether two accounts are known to be different.
func (a *accounts) areApart(x, y member) bool {
	if nx, ny := a.nameOf(x), a.nameOf(y); nx != "" && ny != "" && nx != ny {
		return true
	}
	return a.against[pairOf(x, y)]
}

// apart counts the accounts at each place where there are several.
func (a *accounts) apart() map[int]int {
	roots := map[member]bool{}
	count := map[int]int{}
	for _, m := range a.order {
		if root := a.of(m); !roots[root] && m.caller != 0 && !a.callers[m].isGuest {
			roots[root] = true
			count[m.at]++
		}
	}
	return count
}
