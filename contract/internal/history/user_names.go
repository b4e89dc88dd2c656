package history

import "slices"

// names are those under which answers show callers: jobs and schedules show who issued them, lists of sub users who
// they are.
type names struct {
	callers map[userKey]*namesakes
	order   []userKey
}

// userKey is the name of a user at a site, as a hash.
type userKey struct {
	at   int32
	name uint64
}

// namesakes are the callers who have a sub user of a name, and those who go by it.
type namesakes struct{ have, goBy []caller }

// of returns the callers of a name, or nil of none.
func (n *names) of(at int32, name uint64) *namesakes {
	key := userKey{at, name}
	known := n.callers[key]
	if known == nil && name != 0 {
		known = &namesakes{}
		n.callers[key], n.order = known, append(n.order, key)
	}
	return known
}

// hasSubUser notes that a caller was shown a sub user of a name.
func (n *names) hasSubUser(at int32, who caller, name uint64) {
	if known := n.of(at, name); known != nil {
		known.have = withCaller(known.have, who)
	}
}

// goesBy notes that answers show what a caller did under a name.
func (n *names) goesBy(at int32, who caller, name uint64) {
	if known := n.of(at, name); known != nil {
		known.goBy = withCaller(known.goBy, who)
	}
}

func withCaller(list []caller, one caller) []caller {
	if slices.Contains(list, one) || len(list) >= maxViewers {
		return list
	}
	return append(list, one)
}

// joinSubUsers joins the callers who go by the name of a sub user with those whose sub user that is, if these are of
// one account. A name does not outweigh what else is known of a caller, nor where other accounts may have one of that
// name.
func (a *accounts) joinSubUsers() {
	several := map[int32][]caller{} // accounts that several callers act for, by site
	for i := range a.callers {
		if root := a.of(caller(i)); root == caller(i) && a.groups[root].isSeveral {
			several[a.callers[i].at] = append(several[a.callers[i].at], root)
		}
	}
	for _, key := range a.names.order {
		n := a.names.callers[key]
		if len(n.have) == 0 {
			continue
		}
		parent := a.of(n.have[0])
		if slices.ContainsFunc(n.have, func(who caller) bool { return a.of(who) != parent }) {
			continue
		}
		for _, who := range n.goBy {
			account := a.of(who)
			isOfAnother := func(root caller) bool { return a.of(root) != parent && !a.areApart(a.of(root), account) }
			if !a.groups[account].isSeveral && !slices.ContainsFunc(several[key.at], isOfAnother) {
				a.join(parent, who)
			}
		}
	}
}
