package history

import (
	"iter"
	"strconv"

	"svc.example/understudy/contract/internal/facts"
)

// isApart reports whether two lists are of different accounts: each lacks what the other one has.
func (l wholeList) isApart(other wholeList, isStirred func(id string) bool) bool {
	return l.lacks(other, isStirred) && other.lacks(l, isStirred)
}

// lacks reports whether a list lacks something that another one has, and that no recorded request made or removed.
func (l wholeList) lacks(other wholeList, isStirred func(id string) bool) bool {
	for id := range l.lacking(other) {
		if !isStirred(id) {
			return true
		}
	}
	return false
}

// lacking yields what a list lacks that another one has, and that was there when the list was given.
func (l wholeList) lacking(other wholeList) iter.Seq[string] {
	return func(yield func(string) bool) {
		for id, born := range other.born {
			if _, has := l.born[id]; !has && (l.at.IsZero() || born.Before(l.at)) && !yield(id) {
				return
			}
		}
	}
}

// lostSince yields what another list had that was complete before this one was asked for, and this one lacks, or what
// this one had if it came first.
func (l wholeList) lostSince(other wholeList) iter.Seq[string] {
	if l.at.Before(other.asked) {
		l, other = other, l
	}
	if other.at.IsZero() || !other.at.Before(l.asked) {
		return func(func(string) bool) {}
	}
	return l.lacking(other)
}

// listLog holds the whole lists that callers were given, by caller and kind.
type listLog struct{ entries }

func listKeyOf(m member, kind facts.Kind) uint64 {
	return keyOf(int(m.at), "list of "+string(kind), strconv.FormatUint(m.caller, 16))
}

func (l *listLog) note(e *facts.Exchange, x entry) error {
	if !e.OK() || e.Caller == 0 || !showsWholeList(e) {
		return nil
	}
	x.key = listKeyOf(x.member(), e.Kind)
	return l.put(x)
}

// listComparison parts accounts whose whole lists each lack what the other has. With many accounts at a site that takes
// too long for all of them, so that it is done for those on which a verdict depends.
type listComparison struct {
	w       *Watcher
	in      *reader
	pairs   [][2]caller           // of accounts
	callers map[caller][]member   // of the accounts among them
	lists   map[uint64]*wholeList // by caller and kind
	stirred map[uint64]bool       // things that someone made, changed or deleted, so that lists may differ in them
}

// partByLists parts the accounts of pairs that are known to be different by their lists.
func (w *Watcher) partByLists(in *reader, pairs [][2]caller) error {
	if len(pairs) == 0 {
		return nil
	}
	c := &listComparison{
		w: w, in: in, pairs: pairs, callers: map[caller][]member{}, lists: map[uint64]*wholeList{},
		stirred: map[uint64]bool{},
	}
	c.findCallers()
	if err := c.readLists(); err != nil {
		return err
	}
	if err := c.readStirs(); err != nil {
		return err
	}
	for _, pair := range pairs {
		if c.areApart(pair[0], pair[1]) {
			w.accounts.part(pair[0], pair[1])
		}
	}
	return nil
}

func (c *listComparison) findCallers() {
	for _, pair := range c.pairs {
		c.callers[pair[0]], c.callers[pair[1]] = nil, nil
	}
	for i := range c.w.accounts.callers {
		account := c.w.accounts.of(caller(i))
		if list, isAsked := c.callers[account]; isAsked {
			c.callers[account] = append(list, c.w.accounts.callers[i].member)
		}
	}
}

// readLists reads the last list of each caller.
func (c *listComparison) readLists() error {
	for _, callers := range c.callers {
		for _, m := range callers {
			for _, kind := range listedKinds() {
				c.lists[listKeyOf(m, kind)] = nil
			}
		}
	}
	last := map[uint64]entry{}
	for x, err := range c.w.lists.all() {
		if err != nil {
			return err
		}
		if _, isAsked := c.lists[x.key]; isAsked {
			last[x.key] = *x
		}
	}
	for key, x := range last {
		e, err := c.in.get(&x)
		if err != nil {
			return err
		}
		list := wholeListOf(e)
		c.lists[key] = &list
		for id := range list.born {
			c.stirred[writeKey(e.At, facts.Thing{Kind: e.Kind, ID: id})] = false
		}
	}
	return nil
}

func (c *listComparison) readStirs() error {
	for x, err := range c.w.writes.all() {
		if err != nil {
			return err
		}
		if _, isAsked := c.stirred[x.key]; isAsked {
			c.stirred[x.key] = true
		}
	}
	return nil
}

// areApart reports whether lists of the same kind, of a caller of each account, each lack what the other has.
func (c *listComparison) areApart(a, b caller) bool {
	for _, kind := range listedKinds() {
		for _, x := range c.callers[a] {
			for _, y := range c.callers[b] {
				mine, others := c.lists[listKeyOf(x, kind)], c.lists[listKeyOf(y, kind)]
				if mine != nil && others != nil && mine.isApart(*others, func(id string) bool {
					return c.stirred[writeKey(int(x.at), facts.Thing{Kind: kind, ID: id})]
				}) {
					return true
				}
			}
		}
	}
	return false
}
