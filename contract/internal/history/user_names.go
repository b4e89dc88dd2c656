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
	at   int
	name uint64
}

// namesakes are the callers who have a sub user of a name, and those who go by it.
type namesakes struct{ have, goBy []member }

// of returns the callers of a name, or nil of none, and of too many.
func (n *names) of(at int, name uint64) *namesakes {
	key := userKey{at, name}
	known := n.callers[key]
	if known == nil && name != 0 && len(n.callers) < maxCallers {
		known = &namesakes{}
		n.callers[key], n.order = known, append(n.order, key)
	}
	return known
}

// hasSubUser notes that a caller was shown a sub user of a name.
func (n *names) hasSubUser(m member, name uint64) {
	if known := n.of(m.at, name); known != nil {
		known.have = withMember(known.have, m)
	}
}

// goesBy notes that answers show what a caller did under a name.
func (n *names) goesBy(m member, name uint64) {
	if known := n.of(m.at, name); known != nil {
		known.goBy = withMember(known.goBy, m)
	}
}

func withMember(list []member, m member) []member {
	if slices.Contains(list, m) || len(list) >= maxViewers {
		return list
	}
	return append(list, m)
}

// joinSubUsers joins the callers who go by the name of a sub user with those whose sub user that is, if these are of
// one account. A name does not outweigh what else is known of a caller, nor where other accounts may have one of that
// name.
func (a *accounts) joinSubUsers() {
	several := map[int][]member{} // accounts that several callers act for, by site
	for _, m := range a.order {
		if root := a.of(m); root == m && a.joined[m] {
			several[m.at] = append(several[m.at], m)
		}
	}
	for _, key := range a.names.order {
		n := a.names.callers[key]
		if len(n.have) == 0 {
			continue
		}
		parent := a.of(n.have[0])
		if slices.ContainsFunc(n.have, func(m member) bool { return a.of(m) != parent }) {
			continue
		}
		for _, m := range n.goBy {
			isOfAnother := func(root member) bool { return a.of(root) != parent && !a.areApart(a.of(root), m) }
			if !a.joined[a.of(m)] && !slices.ContainsFunc(several[m.at], isOfAnother) {
				a.join(parent, m)
			}
		}
	}
}
