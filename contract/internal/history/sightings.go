package history

import (
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
)

// sightings hold what callers were shown. Two who were shown the same under one id are of one account; two who were
// shown things of one id that were made at different times are not, nor are those whose whole lists each lack what the
// other has.
type sightings struct {
	seen   *bounded[sightKey, []sight]
	lists  *bounded[listKey, []wholeList]
	stirs  *bounded[sightKey, bool]      // the things that were made or removed, so that lists may differ in them
	issues *bounded[nameKey, issue]      // by job
	early  *bounded[nameKey, []shownJob] // jobs shown before their issue: a recording need not be in order
}

const (
	maxSights  = 20_000
	maxViewers = 16 // of one thing
)

func newSightings() sightings {
	return sightings{
		seen: newBounded[sightKey, []sight](maxSights, nil), lists: newBounded[listKey, []wholeList](maxSights/20, nil),
		stirs: newBounded[sightKey, bool](maxSights, nil), issues: newBounded[nameKey, issue](maxSights, nil),
		early: newBounded[nameKey, []shownJob](maxSights, nil),
	}
}

type sightKey struct {
	at    int
	thing facts.Thing
}

// sight is the last way in which a thing was shown to a caller.
type sight struct {
	caller uint64
	mark   uint64 // the same where the same is shown
	origin uint64 // differs where two things have one id; 0 where that is not shown
	line   report.Line
}

type listKey struct {
	at   int
	kind facts.Kind
}

// wholeList is the last whole list of a kind that a caller was given.
type wholeList struct {
	caller uint64
	ids    map[string]bool
}

// issue is a request that issued a job.
type issue struct {
	caller   uint64
	database string
	at       time.Time
	line     report.Line
}

// shownJob is a job as an answer shows it to a caller.
type shownJob struct {
	to   member
	job  facts.Job
	line report.Line
}

// sight takes what an exchange shows to its caller.
func (a *accounts) sight(m member, e *facts.Exchange) {
	for i := range e.Shows {
		if f := &e.Shows[i]; f.IsDistinct(e) {
			a.addSight(m, f.Thing, sight{m.caller, f.Mark, f.Origin(), e.Line})
		}
	}
	for _, f := range e.Attempts {
		if f.SessionMark != 0 {
			a.addSight(m, facts.Thing{Kind: facts.Sessions, ID: f.SessionID},
				sight{m.caller, f.SessionMark, f.SessionMark, e.Line})
		}
	}
	if e.Page != nil {
		for _, f := range e.Page.Tables {
			a.addSight(m, facts.Thing{Kind: facts.Tables, ID: "deleted " + f.ID},
				sight{caller: m.caller, mark: f.Mark, line: e.Line})
		}
	}
	if t := e.Target; e.Verb.Writes() && a.isLong(t) && len(e.Shows) == 0 {
		a.addSight(m, t, sight{caller: m.caller, mark: 1, line: e.Line})
	}
	if e.Dropped != 0 {
		a.link(m, member{e.At, e.Dropped}, e.Line)
	}
	a.sightUsers(m, e)
	a.sightList(m, e)
	if e.Verb == facts.Creates || e.Verb == facts.Deletes {
		for _, t := range e.Touched() {
			a.stirs.put(sightKey{e.At, t}, true)
		}
	}
}

// isLong reports whether the platform gave a thing an id that it gives no second time.
func (a *accounts) isLong(t facts.Thing) bool {
	const long = 5
	r := a.kinds.Of(t.Kind)
	return !r.IsNamed() && len(r.Path) == 1 && len(t.ID) >= long
}

// addSight holds what a caller is shown of a thing against what others were shown of it.
func (a *accounts) addSight(m member, t facts.Thing, now sight) {
	key := sightKey{m.at, t}
	list, _ := a.seen.Get(key)
	own := -1
	for i, other := range list {
		isOther := other.origin != now.origin && other.origin != 0 && now.origin != 0 && !a.kinds.Of(t.Kind).IsNamed()
		switch {
		case other.caller == m.caller:
			if own = i; isOther {
				a.contradict(m)
			}
		case other.mark == now.mark:
			a.link(m, member{m.at, other.caller}, other.line, now.line)
		case isOther:
			a.link(m, member{m.at, other.caller})
		}
	}
	keep(a.seen, key, own, now)
}

// keep puts what a caller was shown at the place in the list of what they were shown before, or at its end.
func keep[K comparable, V any](in *bounded[K, []V], key K, own int, now V) {
	list, _ := in.Get(key)
	switch {
	case own >= 0:
		list[own] = now
	case len(list) < maxViewers:
		in.put(key, append(list, now))
	}
}

// sightUsers notes under which names a caller goes, and which sub users they have.
func (a *accounts) sightUsers(m member, e *facts.Exchange) {
	for _, user := range e.Users {
		a.names.hasSubUser(m, user.Name)
	}
	a.names.goesBy(m, e.AsUser)
	if e.Issued != nil && e.Issued.ID != "" {
		key, issued := nameKey{m.at, e.Issued.ID}, issue{e.Caller, e.Issued.Database, e.EndedAt(), e.Line}
		a.issues.put(key, issued)
		list, _ := a.early.Get(key)
		for _, shown := range list {
			a.linkJob(issued, shown)
		}
	}
	for _, job := range e.Jobs {
		key, shown := nameKey{m.at, job.ID}, shownJob{m, job, e.Line}
		if issued, known := a.issues.Get(key); known {
			a.linkJob(issued, shown)
		} else if list, _ := a.early.Get(key); len(list) < maxViewers {
			a.early.put(key, append(list, shown))
		}
	}
}

// linkJob notes that the caller who is shown a job belongs to the account of the one who issued it, and the name of
// that one.
func (a *accounts) linkJob(issued issue, shown shownJob) {
	if issued.caller == shown.to.caller || issued.isOf(&shown.job) {
		issuer := member{shown.to.at, issued.caller}
		a.link(shown.to, issuer, issued.line, shown.line)
		a.names.goesBy(issuer, shown.job.User)
	}
}

// sightList holds a whole list against those that others were given.
func (a *accounts) sightList(m member, e *facts.Exchange) {
	isWhole := e.Verb == facts.Lists && e.Listed && !e.Partial && !e.Opaque
	if !isWhole || !slices.Contains([]facts.Kind{facts.Pools, facts.PoolRules, facts.SubUsers, facts.Policies}, e.Kind) {
		return
	}
	now := wholeList{m.caller, map[string]bool{}}
	for _, f := range e.Shows {
		if f.Thing.Kind == e.Kind {
			now.ids[f.Thing.ID] = true
		}
	}
	key := listKey{m.at, e.Kind}
	list, _ := a.lists.Get(key)
	own := -1
	for i, other := range list {
		isOther := a.lacks(key, other, now) && a.lacks(key, now, other)
		switch {
		case other.caller == m.caller:
			if own = i; isOther {
				a.contradict(m)
			}
		case isOther:
			a.link(m, member{m.at, other.caller})
		}
	}
	keep(a.lists, key, own, now)
}

// lacks reports whether a list lacks something that another one has, and that no recorded request made or removed.
func (s *sightings) lacks(key listKey, list, other wholeList) bool {
	for id := range other.ids {
		if isStirred, _ := s.stirs.Get(sightKey{key.at, facts.Thing{Kind: key.kind, ID: id}}); !list.ids[id] && !isStirred {
			return true
		}
	}
	return false
}

// isOf reports whether a job was issued by a request, going by its database, and the second in which it was.
func (i issue) isOf(f *facts.Job) bool {
	const skew = 2 * time.Second
	isSame := f.Database == i.database || f.Database == "" || i.database == ""
	return isSame && (f.At.IsZero() || i.at.IsZero() || i.at.Sub(f.At).Abs() <= skew)
}
