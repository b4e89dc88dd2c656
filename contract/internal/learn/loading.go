package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/source"
)

// Build makes a server that begins with a scenario, or returns why it cannot: a source.Problem for each thing that is
// wrong with the scenario, as far as that is known.
type Build func(*Scenario) (compare.Subject, error)

// place is a member of a mapping or an item of a list, which can be taken out of the scenario.
type place struct {
	parent, value *yaml.Node
	path          string
}

// errHopeless reports that a scenario need not be loaded, since another one is better whatever it answers.
var errHopeless = errors.New("another scenario is better")

// load builds a server of the scenario. It takes out of it whatever keeps a server from beginning with it, and notes
// that. What has been taken out of an earlier scenario, and stands in this one as it stood there, goes at once. It ends
// as soon as isHopeless returns true for a number of things that are left out at least.
func (l *learner) load(ctx context.Context, root *mapping, isHopeless func(int) bool) (compare.Subject, error) {
	var left []refusal
	var rounds [][]refusal
	remove := func(refused []refusal) {
		rounds = append(rounds, slices.Clone(refused))
		for _, r := range refused {
			r.remove()
			r.reason = firstReason(&left, r)
			left = append(left, r)
		}
	}
	for _, round := range l.refusals {
		if again := againRefused(root, round); len(again) > 0 {
			remove(again)
		}
	}
	for {
		if isHopeless(min(len(left), 1)) { // of what is left out, one thing may later hold all others
			return compare.Subject{}, errHopeless
		}
		subject, err := l.build(root)
		if err == nil || ctx.Err() != nil {
			for _, r := range left {
				l.notes = append(l.notes, fmt.Sprintf("left out: %s: %s", r.path, r.reason))
			}
		}
		switch {
		case err == nil:
			l.refusals = rounds
			return subject, nil
		case ctx.Err() != nil:
			l.notes = append(l.notes, "interrupted before a mock began with the scenario: it may not load")
			return subject, ctx.Err()
		}
		refused := l.refused(root, err)
		if len(refused) == 0 {
			return subject, fmt.Errorf("the scenario cannot be loaded: %w", err)
		}
		if more := len(rounds) - maxRounds; more > 0 {
			refused = withFollowing(refused, 1<<min(more, maxRounds))
		}
		remove(refused)
	}
}

// maxRounds is the number of times that a scenario is loaded without what was refused alone: what is refused then goes
// with items behind it, each time with twice as many.
const maxRounds = 30

// withFollowing adds to places that are refused up to some number of items behind them in their lists.
func withFollowing(refused []refusal, most int) (all []refusal) {
	seen := map[*yaml.Node]bool{}
	for _, r := range refused {
		items := []*yaml.Node{r.value}
		if r.parent.Kind == yaml.SequenceNode {
			items = r.parent.Content[slices.Index(r.parent.Content, r.value):]
			items = items[:min(len(items), 1+most)]
		}
		for _, item := range items {
			if !seen[item] {
				seen[item] = true
				all = append(all, refusal{place{r.parent, item, r.path}, r.reason})
			}
		}
	}
	return all
}

// againRefused returns the places in a scenario that were refused in an earlier one, as far as they stand there as they
// did, and are not about users: those differ from scenario to scenario.
func againRefused(root *mapping, earlier []refusal) (again []refusal) {
	for _, r := range earlier {
		now := placeAt(root.node, r.path)
		if now.value != nil && !isOfUser(&now) && isSame(now.value, r.value) {
			again = append(again, refusal{now, r.reason})
		}
	}
	return again
}

// isOfUser reports whether it may depend on users whether a place is refused.
func isOfUser(p *place) bool {
	m := &mapping{p.value}
	return strings.HasPrefix(p.path, "account.users") || strings.HasPrefix(p.path, "account.keys") ||
		strings.HasSuffix(p.path, ".user") || m.has("user") || strings.HasSuffix(p.path, ".updatedBy") || m.has("updatedBy")
}

// isSame reports whether two nodes have the same text. Those that were written have no tags where these are plain.
func isSame(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && (a.Tag == b.Tag || a.Tag == "" || b.Tag == "") &&
		slices.EqualFunc(a.Content, b.Content, isSame)
}

// firstReason returns why a place is refused: what is left without something in it may be refused for that alone, and
// is then refused for the reason of the first.
func firstReason(left *[]refusal, r refusal) string {
	*left = slices.DeleteFunc(*left, func(earlier refusal) bool {
		isInside := contains(r.value, earlier.parent)
		if isInside {
			r.reason = earlier.reason
		}
		return isInside
	})
	return r.reason
}

// contains reports whether a node is another one, or has it in it.
func contains(n, other *yaml.Node) bool {
	isIn := func(child *yaml.Node) bool { return contains(child, other) }
	return n == other || slices.ContainsFunc(n.Content, isIn)
}

// build builds a server of the scenario as it is.
func (l *learner) build(root *mapping) (subject compare.Subject, err error) {
	text, err := l.write(root)
	if err != nil {
		return subject, err
	}
	return l.Build(&Scenario{Scenario: text, Files: l.files})
}

// replay sends the recorded requests to a server with the scenario, but for those whose answers are known, until stop
// returns true for one.
func (l *learner) replay(
	ctx context.Context, subject compare.Subject, known func(*judge.Result) *compare.Answer,
	stop func(*compare.Exchange) bool,
) error {
	subject.Keys = map[string]string{}
	for _, key := range l.people.keys {
		for _, digest := range key.Recorded {
			subject.Keys[digest] = key.Key
		}
	}
	keys, list := &compare.Keys{}, make([]*judge.Result, 0, len(l.exchanges))
	for _, e := range l.exchanges {
		if l.unsent[e.Result] == "" {
			list = append(list, e.Result)
		}
		keys.See(e.Result)
	}
	slices.SortStableFunc(list, func(a, b *judge.Result) int { return a.Item.Start.Compare(b.Item.Start) })
	all := func(yield func(*judge.Result, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
	config := *l.Comparison
	config.Known, config.Stop, config.Memory, config.IsBrief = known, stop, l.memory, true
	l.replayed = map[*judge.Result]*compare.Exchange{}
	_, err := compare.Run(ctx, &config, subject, keys, all, func(e *compare.Exchange) { l.replayed[e.Result] = e })
	if err != nil && ctx.Err() == nil {
		l.notes = append(l.notes, fmt.Sprintf("the recording could not be replayed to its end: %v", err))
	}
	return ctx.Err()
}

// refusal is a place in the scenario that is refused.
type refusal struct {
	place
	reason string
}

// refused returns what an error says is wrong: the smallest places that there are. Where it names none, the first thing
// is searched for with which the scenario is refused.
func (l *learner) refused(root *mapping, err error) (list []refusal) {
	problems, _ := source.Problems(err)
	for _, p := range problems {
		at := placeAt(root.node, p.Path)
		if file := filepath.Base(p.File); l.files[file] != nil {
			at = cmp.Or(fileAt(root.node, file), at)
		}
		isSame := func(r refusal) bool { return at.value == r.value }
		if at.value != nil && !slices.ContainsFunc(list, isSame) {
			list = append(list, refusal{at, p.Reason})
		}
	}
	if len(list) > 0 {
		return list
	}
	return l.search(root, err)
}

// search returns the first item of a section with which the scenario, without what comes after it, does not load.
func (l *learner) search(root *mapping, err error) []refusal {
	var items []place
	for title, section := range children(root.node) {
		for name, list := range children(section) {
			path := source.Path(title, name)
			if list.Kind != yaml.SequenceNode {
				items = append(items, place{section, list, path})
				continue
			}
			for n, item := range list.Content {
				items = append(items, place{list, item, fmt.Sprintf("%s[%d]", path, n)})
			}
		}
	}
	isRefused := func(from int) bool { // without the items from one on
		left := map[*yaml.Node]bool{}
		for _, item := range items[from:] {
			left[item.value] = true
		}
		subject, err := l.build(&mapping{without(root.node, left)})
		if err == nil && subject.Close != nil {
			subject.Close()
		}
		return err != nil
	}
	if isRefused(0) {
		return nil // for another reason
	}
	first := sort.Search(len(items), func(i int) bool { return isRefused(i + 1) })
	if first == len(items) {
		return nil
	}
	return []refusal{{items[first], err.Error()}}
}

// without returns a copy of a node without some of those in it.
func without(n *yaml.Node, left map[*yaml.Node]bool) *yaml.Node {
	if len(n.Content) == 0 {
		return n
	}
	c := *n
	c.Content = nil
	for i, child := range n.Content {
		isMember := n.Kind == yaml.MappingNode
		if left[child] || isMember && i%2 == 0 {
			continue
		}
		if isMember {
			c.Content = append(c.Content, n.Content[i-1])
		}
		c.Content = append(c.Content, without(child, left))
	}
	return &c
}

// remove takes a place out of the scenario. Items of the list that wait for it, or for a later one, follow.
func (p *place) remove() {
	i := slices.Index(p.parent.Content, p.value)
	if i < 0 { // it went with another one
		return
	}
	if p.parent.Kind == yaml.MappingNode {
		p.parent.Content = slices.Delete(p.parent.Content, i-1, i+1)
		return
	}
	p.parent.Content = slices.Delete(p.parent.Content, i, i+1)
	for _, item := range p.parent.Content {
		m := &mapping{item}
		after := m.get("after")
		if after == nil {
			continue
		}
		switch n := int(number(after.Value)); {
		case n == i+1:
			m.drop("after")
		case n > i+1:
			after.Value = strconv.Itoa(n - 1)
		}
	}
}

// placeAt returns the smallest place that there is on a path, such as workflow.pools[2].name.
func placeAt(n *yaml.Node, path string) (at place) {
	for left := path; left != ""; n = at.value {
		isFound := false
		for step, child := range children(n) {
			rest, isOn := strings.CutPrefix(strings.TrimPrefix(left, "."), source.Path(step))
			if isFound = isOn && (rest == "" || rest[0] == '.' || rest[0] == '['); isFound {
				at, left = place{n, child, path[:len(path)-len(rest)]}, rest
				break
			}
		}
		if !isFound {
			break
		}
	}
	return at
}

// fileAt returns the place at which a file is named.
func fileAt(n *yaml.Node, file string, path ...any) place {
	for step, child := range children(n) {
		at := append(slices.Clip(path), step)
		if child.Value == file {
			return place{n, child, source.Path(at...)}
		}
		if inside := fileAt(child, file, at...); inside.value != nil {
			return inside
		}
	}
	return place{}
}

// children yields what stands in a node, with the key or the number of each.
func children(n *yaml.Node) iter.Seq2[any, *yaml.Node] {
	return func(yield func(any, *yaml.Node) bool) {
		for i, child := range n.Content {
			var step any = i
			if n.Kind == yaml.MappingNode {
				if i%2 == 0 {
					continue
				}
				step = n.Content[i-1].Value
			}
			if !yield(step, child) {
				return
			}
		}
	}
}
