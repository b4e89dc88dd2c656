package history

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/spill"
)

// A clue is something that an exchange shows of an entity or a job, by which its caller may turn out to be of one
// account with others who were shown the same.
type clue struct {
	key    uint64 // of the entity or the job, at an instance
	number int64  // of the exchange
	at     int32
	kind   clueKind
	caller uint64

	// Of an entity that is shown: the same where the same is shown, and what differs where two entities have one id; 0
	// where that is not shown. Of a job: its database, as a hash, and its time.
	mark, origin uint64
	until        uint64 // of a database: until when what is shown had been made

	frame
}

// clueKind distinguishes clues.
type clueKind uint8

const (
	wroteEntity  clueKind = iota // to, or referred to it, before the answer shows it
	missedEntity                 // which was not found
	shownEntity
	madeEntity // and shown, with an id of its own
	issuedJob
	shownJob
	ownCaller // whose key the caller removed
)

// Compare is the order of entities, and then that of the recording.
func (c *clue) Compare(other *clue) int {
	return cmp.Or(cmp.Compare(c.key, other.key), cmp.Compare(c.number, other.number), cmp.Compare(c.kind, other.kind))
}

// Append writes the clue as a row.
func (c *clue) Append(b []byte) []byte {
	le := binary.LittleEndian
	for _, n := range []uint64{c.key, uint64(c.number), c.caller, c.mark, c.origin, c.until, uint64(c.Offset)} {
		b = le.AppendUint64(b, n)
	}
	b = le.AppendUint32(le.AppendUint32(b, uint32(c.at)), uint32(c.Length))
	return append(b, byte(c.kind))
}

// Read reads what Append writes.
func (c *clue) Read(b []byte) {
	le := binary.LittleEndian
	long := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	*c = clue{
		key: long(0), number: int64(long(1)), caller: long(2), mark: long(3), origin: long(4), until: long(5),
		frame: frame{Offset: int64(long(6)), Length: int32(le.Uint32(b[60:]))}, at: int32(le.Uint32(b[56:])),
		kind: clueKind(b[64]),
	}
}

// clues holds the clues of a recording, but for those that say no more than one that came shortly before.
type clues struct {
	spill.Sorter[clue, *clue]
	recent map[[2]uint64][2]uint64
}

// maxRecent bounds how many of them are known to have come.
const maxRecent = 100_000

func (s *clues) put(c clue) error {
	key, says, misses := [2]uint64{c.key, c.caller}, [2]uint64{c.mark, c.origin}, [2]uint64{c.key, math.MaxUint64}
	switch c.kind {
	case missedEntity: // to be shown it again says more than before
		key, says = misses, [2]uint64{uint64(c.number)}
	case shownEntity, ownCaller:
		says[0] += s.recent[misses][0]
		if known, isKnown := s.recent[key]; isKnown && known == says {
			return nil
		}
	default:
		return s.Sorter.Put(c)
	}
	if s.recent == nil || len(s.recent) >= maxRecent {
		s.recent = map[[2]uint64][2]uint64{}
	}
	s.recent[key] = says
	return s.Sorter.Put(c)
}

// keyOf is the same for what is named alike at an instance. It is never 0.
func keyOf(at int, kind, id string) uint64 {
	return facts.Hash(strconv.Itoa(at)+" "+kind+"\x00"+id) | 1
}

// hashOf is the same for equal texts; 0 for the empty one.
func hashOf(text string) uint64 {
	if text == "" {
		return 0
	}
	return facts.Hash(text) | 1
}

// millisecond returns a time as a number; 0 if it is not known.
func millisecond(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixMilli())
}

// isOf reports whether a job that is shown was issued by a request, going by its database, and the time at which it
// was.
func (c *clue) isOf(issued *clue) bool {
	const skew = 2000 // milliseconds
	isSame := c.mark == issued.mark || c.mark == 0 || issued.mark == 0
	gap := int64(issued.origin) - int64(c.origin)
	return isSame && (c.origin == 0 || issued.origin == 0 || max(gap, -gap) <= skew)
}

// clockSkew bounds how far the clocks of recorders may be from that of the platform.
const clockSkew = 10 * time.Minute

// cluesIn returns the clues that an exchange gives, but for where it is.
func (a *accounts) cluesIn(e *facts.Exchange) (list []clue) {
	add := func(kind clueKind, key, mark, origin, until uint64) {
		list = append(list, clue{
			key: key, number: int64(e.Number), at: int32(e.At), kind: kind, caller: e.Caller,
			mark: mark, origin: origin, until: until,
		})
	}
	entity := func(kind clueKind, t facts.Entity, mark, origin uint64) {
		var until uint64
		switch {
		case t.Kind == facts.Databases:
			until = uint64(max(e.Start.Add(-clockSkew).Unix(), 1))
		case a.kinds.Of(t.Kind).IsNamed(): // it may have been made anew, or may have taken another one's name
			origin = 0
		}
		add(kind, keyOf(e.At, string(t.Kind), t.ID), mark, origin, until)
	}
	if !e.OK() {
		if e.Status == http.StatusNotFound && isSeenByAll(e.Target.Kind) {
			entity(missedEntity, e.Target, 0, 0)
		}
		return list
	}
	for i := range e.Shows {
		if f := &e.Shows[i]; f.IsDistinct(e) {
			kind := shownEntity
			if a.isGiven(f) {
				kind = madeEntity
			}
			entity(kind, f.Entity, f.Mark, f.Origin())
			if f.Ident != "" && (f.Entity.Kind == facts.Databases || f.Entity.Kind == facts.Tables) {
				add(shownEntity, keyOf(e.At, string(f.Entity.Kind)+" id", f.Ident), 0, f.Origin(), 0)
			}
		}
	}
	for _, f := range e.Attempts {
		if f.SessionMark != 0 {
			entity(shownEntity, facts.Entity{Kind: facts.Sessions, ID: f.SessionID}, f.SessionMark, f.SessionMark)
		}
	}
	if e.Page != nil {
		for _, f := range e.Page.Tables {
			entity(shownEntity, facts.Entity{Kind: facts.Tables, ID: "deleted " + f.ID}, f.Mark, 0)
		}
	}
	for _, t := range writtenTo(e) {
		if !t.IsNone() && !a.kinds.Of(t.Kind).IsNamed() { // several accounts may have entities of one name
			add(wroteEntity, keyOf(e.At, string(t.Kind), t.ID), 0, 0, 0)
		}
	}
	if e.Issued != nil && e.Issued.ID != "" {
		add(issuedJob, keyOf(e.At, "job", e.Issued.ID), hashOf(e.Issued.Database), millisecond(e.EndedAt()), 0)
	}
	if e.Dropped != 0 {
		add(ownCaller, keyOf(e.At, "dropped", strconv.FormatUint(e.Dropped, 16)), e.Dropped, 0, 0)
	}
	for i := range e.Jobs {
		if job := &e.Jobs[i]; job.User != "" {
			add(shownJob, keyOf(e.At, "job", job.ID), hashOf(job.Database), millisecond(job.At), 0)
		}
	}
	return list
}

// follow takes the clues that there are, in their order, and makes links of them.
func (a *accounts) follow() error {
	a.links = links{}
	for pair := range a.separated {
		a.links.put(pair.first(), pair.second())
	}
	var key uint64
	var seen, missed, issued, early []clue
	for c, err := range a.clues.All() {
		if err != nil {
			return err
		}
		if c.key != key {
			key, seen, missed, issued, early = c.key, seen[:0], missed[:0], issued[:0], early[:0]
		}
		switch c.kind {
		case shownEntity, madeEntity:
			a.compareMisses(seen, missed, c)
			seen = a.compareSights(seen, c)
		case issuedJob:
			issued = append(issued[:0], *c)
			for i := range early {
				a.linkJob(c, &early[i])
			}
		case shownJob:
			if len(issued) > 0 {
				a.linkJob(&issued[0], c)
			} else if len(early) < maxViewers {
				early = append(early, *c)
			}
		case ownCaller:
			other := member{c.at, c.mark}
			a.number(other)
			a.links.put(c.member(), other, c.shower())
		case missedEntity:
			missed = keepLast(missed, c)
		case wroteEntity:
			own := slices.IndexFunc(seen, func(s clue) bool { return s.caller == c.caller })
			for i := range seen {
				if own < 0 || seen[own].mark == seen[i].mark { // and not another one of the same id
					a.pair(c.member(), seen[i].caller)
				}
			}
		}
	}
	return nil
}

// compareSights holds what a caller is shown of an entity against what others were shown of it last, and returns that
// with it.
func (a *accounts) compareSights(seen []clue, now *clue) []clue {
	m, own := now.member(), -1
	for i := range seen {
		other := &seen[i]
		areTwo := other.kind == madeEntity && now.kind == madeEntity // that were given one id
		isOther := areTwo || now.isAnother(other)
		switch {
		case other.caller == now.caller:
			if own = i; isOther {
				a.contradict(m)
			}
		case now.mark != 0 && other.mark == now.mark && !areTwo:
			a.links.put(m, other.member(), now.shower(), other.shower())
		case isOther && now.until != 0: // by a clock, which may be wrong: it does not say whose are apart
			a.several[m.at] = true
		case isOther:
			a.links.put(m, other.member())
		}
	}
	switch {
	case own >= 0:
		kind := max(seen[own].kind, now.kind)
		seen[own] = *now
		seen[own].kind = kind
	case len(seen) < maxViewers:
		seen = append(seen, *now)
	}
	return seen
}

// keepLast keeps the last clue of each caller, of so many as of those who are shown an entity.
func keepLast(list []clue, now *clue) []clue {
	own := slices.IndexFunc(list, func(c clue) bool { return c.caller == now.caller })
	switch {
	case own >= 0:
		list[own] = *now
	case len(list) < maxViewers:
		list = append(list, *now)
	}
	return list
}

// compareMisses finds an entity to be of another account than that of a caller for whom it was not there, if it was
// there for another one before, and still is.
func (a *accounts) compareMisses(seen, missed []clue, now *clue) {
	for i := range seen {
		was := &seen[i]
		isBetween := func(m clue) bool { return m.caller != now.caller && m.number > was.number }
		if was.caller == now.caller && !now.isAnother(was) && slices.ContainsFunc(missed, isBetween) {
			a.several[now.at] = true
		}
	}
}

// isAnother reports whether what is shown is not what was shown before under the same id. A database may have been
// remade in between, and is younger then.
func (c *clue) isAnother(before *clue) bool {
	isRemade := c.until != 0 && c.origin > before.origin && c.origin >= before.until
	return c.origin != before.origin && c.origin != 0 && before.origin != 0 && !isRemade
}

func (c *clue) member() member { return member{c.at, c.caller} }

func (c *clue) shower() shower { return shower{c.number, c.frame} }

// linkJob notes that the caller who is shown a job belongs to the account of the one who issued it.
func (a *accounts) linkJob(issued, shown *clue) {
	if issued.caller == shown.caller || shown.isOf(issued) {
		a.links.put(shown.member(), issued.member(), shown.shower(), issued.shower())
	}
}

// links holds which callers at an instance are of one account, or are not.
type links map[linkKey]link

// linkKey is two callers at an instance, the lesser one first.
type linkKey struct {
	at   int32
	a, b uint64
}

// link holds the exchanges that show two callers to be of one account, or that they are not.
type link struct {
	isAgainst bool
	shownBy   [2]shower // the first exchanges that show that they are of one account
	count     int8      // of these
}

// shower is an exchange that shows something.
type shower struct {
	number int64
	frame
}

// maxLinks bounds how many pairs of callers are known, some hundred megabytes.
const maxLinks = 1 << 20

func linkKeyOf(x, y member) linkKey {
	return linkKey{at: x.at, a: min(x.caller, y.caller), b: max(x.caller, y.caller)}
}

func (k *linkKey) first() member  { return member{k.at, k.a} }
func (k *linkKey) second() member { return member{k.at, k.b} }

// exchanges returns those that show two callers to be of one account.
func (l *link) exchanges() []shower { return l.shownBy[:l.count] }

// put takes that exchanges, the last one first, show two callers to be of one account, or, without any, that they are
// not.
func (s links) put(x, y member, shownBy ...shower) {
	if x == y || x.caller == 0 || y.caller == 0 {
		return
	}
	key := linkKeyOf(x, y)
	l, isKnown := s[key]
	if !isKnown && len(s) >= maxLinks {
		return
	}
	now := link{isAgainst: l.isAgainst || len(shownBy) == 0}
	now.count = int8(copy(now.shownBy[:], shownBy))
	if now.count == 0 || l.count > 0 && l.shownBy[0].number <= now.shownBy[0].number {
		now.shownBy, now.count = l.shownBy, l.count
	}
	s[key] = now
}

// pairs returns the pairs of callers in an order that does not depend on that in which they were put.
func (s links) pairs() []linkKey {
	return slices.SortedFunc(maps.Keys(s), func(x, y linkKey) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
}

// sightings hold the lists that callers were shown. Those whose whole lists each lack what the other has are not of one
// account.
type sightings struct {
	lists  bounded[viewer, wholeList]
	first  bounded[listKey, []uint64] // callers who were given such a list first
	traces bounded[sightKey, *trace]
	shown  bounded[listKey, []string] // what was shown to be there, of which every caller of an account is shown all
}

// trace holds what requests did to an entity at an instance, and who was shown it.
type trace struct {
	maker, remover       uint64 // the last callers who did that; no maker since it was deleted
	isStirred, isRemoved bool   // it was made or removed, or may have been, so that lists may differ in it

	viewer uint64    // who was shown it first, if all callers of an account are,
	seen   time.Time // and when

	limit    int64 // of a pool
	limitOf  uint64
	hasLimit bool
}

// trace returns what is known of an entity, which may be nothing yet.
func (s *sightings) trace(at int32, t facts.Entity) *trace {
	return s.traces.of(sightKey{at, t}, func() *trace { return &trace{} })
}

// listedKinds are those whose whole lists show what an account has.
func listedKinds() []facts.Kind {
	return []facts.Kind{facts.Pools, facts.PoolRules, facts.Projects, facts.SubUsers, facts.Policies, facts.Tokens}
}

// isSeenByAll reports whether whoever is shown any entities of a kind is shown all that the account has.
func isSeenByAll(k facts.Kind) bool { return k == facts.Pools || k == facts.PoolRules }

// showsWholeList reports whether an answer is the whole list of one of these kinds.
func showsWholeList(e *facts.Exchange) bool {
	isWhole := e.Verb == facts.Lists && e.Listed && !e.Partial && !e.Opaque
	return isWhole && slices.Contains(listedKinds(), e.Kind)
}

// wholeList is the last whole list of a kind that a caller was given.
type wholeList struct {
	asked time.Time            // when it was asked for; zero if the recording does not show it
	at    time.Time            // when its answer was there; likewise
	born  map[string]time.Time // when what has an id was made; zero where the answer does not show it
}

func wholeListOf(e *facts.Exchange) wholeList {
	list := wholeList{e.Start, e.EndedAt(), map[string]time.Time{}}
	for _, f := range e.Shows {
		if f.Entity.Kind == e.Kind {
			list.born[f.Entity.ID] = f.Born
		}
	}
	return list
}

type sightKey struct {
	at     int32
	entity facts.Entity
}

type listKey struct {
	at   int32
	kind facts.Kind
}

// viewer is a caller who was given a list.
type viewer struct {
	listKey
	caller uint64
}

// addClues takes the clues of an exchange, and where it is kept.
func (a *accounts) addClues(e *facts.Exchange, x *entry) error {
	for _, c := range a.cluesIn(e) {
		c.frame = x.frame
		if err := a.clues.put(c); err != nil {
			return err
		}
	}
	return nil
}

// sight takes what an exchange shows to its caller.
func (a *accounts) sight(m member, e *facts.Exchange, x *entry) error {
	if err := a.addClues(e, x); err != nil {
		return err
	}
	a.sightList(m, e)
	a.noteShown(m, e)
	for _, user := range e.Users {
		a.noteName(m, user.Name, true)
	}
	a.noteName(m, e.AsUser, false)
	return nil
}

// noteStirs notes what an exchange made or removed, or may have.
func (a *accounts) noteStirs(m member, e *facts.Exchange) {
	if isRemoval := e.Verb == facts.Deletes; isRemoval || e.Verb == facts.Creates {
		for t := range e.Touched {
			x := a.trace(m.at, t)
			x.isStirred, x.isRemoved = true, x.isRemoved || isRemoval
		}
	}
}

// maxShown bounds for how many entities of a kind it is known.
const maxShown = 100

// noteShown notes what is there of which every caller of the account is shown all.
func (a *accounts) noteShown(m member, e *facts.Exchange) {
	at := e.EndedAt()
	if at.IsZero() {
		return
	}
	add := func(t facts.Entity) {
		x, key := a.trace(m.at, t), listKey{m.at, t.Kind}
		if known, _ := a.shown.Get(key); x.seen.IsZero() && len(known) < maxShown {
			a.shown.put(key, append(known, t.ID))
			x.viewer, x.seen = m.caller, at
		} else if at.Before(x.seen) {
			x.viewer, x.seen = m.caller, at
		}
	}
	for _, f := range e.Shows {
		if isSeenByAll(f.Entity.Kind) && f.Does != facts.Deletes {
			add(f.Entity)
		}
	}
	for _, f := range e.Attempts { // which keep their pools until they end
		if f.PoolID != "" && !f.Done {
			add(facts.Entity{Kind: facts.Pools, ID: f.PoolID})
		}
	}
	for _, f := range e.Rules {
		if e.Verb != facts.Deletes {
			add(facts.Entity{Kind: facts.Pools, ID: f.PoolID})
		}
	}
}

// missesSome reports whether a list that a caller was given lacks what another one was shown before, and that no
// recorded request removed.
func (a *accounts) missesSome(v viewer, list wholeList) bool {
	shown, _ := a.shown.Get(v.listKey)
	return slices.ContainsFunc(shown, func(id string) bool {
		_, has := list.born[id]
		x, known := a.traces.Get(sightKey{v.at, facts.Entity{Kind: v.kind, ID: id}})
		return known && !has && !x.isRemoved && x.viewer != v.caller && x.seen.Before(list.asked)
	})
}

// sightList holds a whole list against those that others were given.
func (a *accounts) sightList(m member, e *facts.Exchange) {
	if !showsWholeList(e) {
		return
	}
	now, key := wholeListOf(e), listKey{m.at, e.Kind}
	own := viewer{key, m.caller}
	if was, isKnown := a.lists.Get(own); isKnown && was.isApart(now, a.stirredIn(key)) {
		a.contradict(m)
	}
	first, _ := a.first.Get(key)
	for _, caller := range first {
		other, isKnown := a.lists.Get(viewer{key, caller})
		if caller != m.caller && isKnown && len(a.separated) < maxLinks && other.isApart(now, a.stirredIn(key)) {
			a.separated[linkKeyOf(m, member{m.at, caller})] = true
		}
	}
	if len(first) < maxViewers && !slices.Contains(first, m.caller) {
		a.first.put(key, append(first, m.caller))
	}
	a.lists.put(own, now)
}
