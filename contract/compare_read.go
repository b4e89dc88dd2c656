package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
)

// read reads the exchanges of a recording, by world and installation, and returns them with the judge that knows whose
// they are.
func (x *comparing) read(ctx context.Context, source Source) (list [][]*judge.Result, j *judge.Judge, err error) {
	c := x.g.checker
	j = c.judge
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(guessed *judge.Judge, notes []string) {
			j = guessed
			x.g.notes = append(x.g.notes, notes...)
		})
	}
	type key struct{ world, site string }
	var order []key
	sessions := map[key][]*judge.Result{}
	for raw, err := range source {
		if ctx.Err() != nil {
			return nil, j, ctx.Err()
		}
		r := x.match(j, raw, err)
		if r == nil || r.Owner.State != ownership.Matched {
			continue
		}
		at := key{r.Owner.World, r.Owner.Site}
		if sessions[at] == nil {
			order = append(order, at)
		}
		sessions[at] = append(sessions[at], r)
	}
	for _, at := range order {
		list = append(list, sessions[at])
	}
	return list, j, ctx.Err()
}

// match gives an exchange to its operation, and counts it as check does. It returns nil if there is nothing to match.
func (x *comparing) match(j *judge.Judge, raw record.Raw, err error) *judge.Result {
	var item record.Item
	if err == nil {
		item, err = raw.Decode()
	}
	if err != nil {
		if x.g.Problems.take(err, x.g.last) {
			x.g.Exchanges.Broken++
		}
		return nil
	}
	x.g.last = item.Number
	x.g.Exchanges.Read++
	if ignored := x.g.checker.config.ignores(&item); ignored != "" {
		x.g.Exchanges.Ignored++
		x.g.Ignored[ignored]++
		return nil
	}
	x.g.Sequences.take(&item)
	r := j.Match(item)
	if r.Owner.Base != nil {
		x.g.Bases[keyOfBase(r.Owner.Base)]++
	}
	switch r.Owner.State {
	case ownership.Matched:
		x.g.Exchanges.Matched++
		if r.IsInjected {
			x.g.Exchanges.Injected++
		}
	case ownership.Ignored:
		x.g.Exchanges.Ignored++
	case ownership.Unmatched, ownership.Several:
		x.g.Exchanges.Unmatched++
		x.g.Unmatched.take(r)
	}
	return r
}

// noteSharedKey notes that several recorded keys stand for one of the subject by default.
func (x *comparing) noteSharedKey(subject *Subject, sessions [][]*judge.Result) {
	var others []string
	for _, r := range slices.Concat(sessions...) {
		identity := r.Credential().Identity
		digest := KeyDigest(identity)
		isKnown := identity == "" || r.Status() == http.StatusUnauthorized || subject.Keys[digest] != ""
		if !isKnown && !slices.Contains(others, digest) {
			others = append(others, digest)
		}
	}
	const most = 5
	if len(others) < 2 {
		return
	}
	shown := strings.Join(others[:min(most, len(others))], ", ")
	if more := len(others) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	x.g.notes = append(x.g.notes, fmt.Sprintf("%d recorded keys are replayed as the same one, since it is not known "+
		"whose they are: those with the digests %s", len(others), shown))
}

// Begin returns the time of the server at the first exchange of a recording that has a time, or zero if none has one.
func (c *Checker) Begin(ctx context.Context, source Source) (time.Time, error) {
	clock := &compare.ServerClock{}
	for raw, err := range source {
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if err != nil {
			continue // whoever reads all of the recording reports it
		}
		item, err := raw.Decode()
		if err != nil {
			continue
		}
		item, _ = item.Genuine()
		if times := clock.Times(&judge.Result{Item: item}); len(times) > 0 && !times[0].IsZero() {
			return times[0], nil
		}
	}
	return time.Time{}, nil
}
