package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Rule is a fault of a plan, ready to be held against calls.
type Rule struct {
	Fault   fixtures.Fault
	planned *world.Fault
	matcher *match.Matcher
	place   int // in the plan
}

// Index finds the rules that a call may be meant by: those for its operation, and among them those for its path. What
// is planned for other operations costs nothing. It is immutable.
type Index struct {
	plan       *world.Fault // the first of the plan, which identifies it
	length     int
	rules      map[*byte]*Rule // by the place of their specification in memory
	operations map[match.Key]*bucket
	all        []*Rule // for all operations
}

type bucket struct {
	paths map[string][]*Rule
	rest  []*Rule
}

// IsOf reports whether the index is that of a plan. A nil index is of none.
func (x *Index) IsOf(plan []world.Fault) bool {
	return x != nil && len(plan) == x.length && len(plan) > 0 && &plan[0] == x.plan
}

// NewIndex makes the index of a plan. It takes over what another index has that was made before; nil for none. A fault
// that does not fit the documents, as it may be in the dump of another server, is left out and is in the error.
func NewIndex(plan []world.Fault, before *Index, documents match.Documents) (*Index, error) {
	x := &Index{
		plan: &plan[0], length: len(plan), rules: make(map[*byte]*Rule, len(plan)), operations: map[match.Key]*bucket{},
	}
	var errs []error
	for i := range plan {
		rule, err := x.rule(&plan[i], before, documents)
		if err != nil {
			errs = append(errs, fmt.Errorf("fault %s: %w", plan[i].ID, err))
			continue
		}
		rule.place = i
		x.add(rule)
	}
	return x, errors.Join(errs...)
}

func (x *Index) rule(planned *world.Fault, before *Index, documents match.Documents) (*Rule, error) {
	rule := &Rule{planned: planned}
	if len(planned.Spec) == 0 {
		return nil, errors.New("it is empty")
	}
	place := &planned.Spec[0]
	if before != nil && before.rules[place] != nil {
		*rule = *before.rules[place]
		rule.planned = planned
		x.rules[place] = rule
		return rule, nil
	}
	if err := json.Unmarshal(planned.Spec, &rule.Fault); err != nil {
		return nil, err
	}
	rule.Fault.ID = planned.ID
	err := Check(&rule.Fault)
	if err == nil {
		rule.matcher, err = match.Compile(rule.Fault.Calls, documents)
	}
	if err == nil {
		x.rules[place] = rule
	}
	return rule, err
}

func (x *Index) add(rule *Rule) {
	operations := rule.matcher.Operations()
	if operations == nil {
		x.all = append(x.all, rule)
		return
	}
	for _, key := range operations {
		b := x.operations[key]
		if b == nil {
			b = &bucket{paths: map[string][]*Rule{}}
			x.operations[key] = b
		}
		if path := rule.matcher.Address(key.Interface); path != "" {
			b.paths[path] = append(b.paths[path], rule)
		} else {
			b.rest = append(b.rest, rule)
		}
	}
}

// Find returns the rules that a call is meant by, in the order of the plan.
func (x *Index) Find(operation *specs.Operation, r *match.Request) (found []*Rule) {
	keep := func(rules []*Rule) {
		for _, rule := range rules {
			if rule.matcher.Matches(operation, r) {
				found = append(found, rule)
			}
		}
	}
	keep(x.all)
	if b := x.operations[match.KeyOf(operation)]; b != nil {
		keep(b.rest)
		if len(b.paths) > 0 {
			keep(b.paths[r.Unescaped()])
		}
	}
	slices.SortFunc(found, func(a, b *Rule) int { return a.place - b.place })
	return found
}
