package fault

import (
	"cmp"
	"encoding/json"
	"errors"
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

// Index finds the rules that a call is meant by, among those that may mean it by their operation and one more trait.
// What is planned for other calls costs nothing. It is immutable.
type Index struct {
	plan       *world.Fault // the first of the plan, which identifies it
	length     int
	rules      map[*byte]*Rule // by the place of their specification in memory
	operations map[match.Key]*bucket
	all        *bucket // for all operations
}

// bucket holds rules of the same operation, each by one of its traits.
type bucket struct {
	parts  []match.Part // that have the traits
	traits map[match.Trait][]*Rule
	rest   []*Rule // without a trait
}

// IsOf reports whether the index is that of a plan. A nil index is of none.
func (x *Index) IsOf(plan []world.Fault) bool {
	return x != nil && len(plan) == x.length && len(plan) > 0 && &plan[0] == x.plan
}

// NewIndex makes the index of a plan. It takes over what another index has that was made before; nil for none. A fault
// that does not fit the documents, since they were read again, is left out and is in the error.
func NewIndex(plan []world.Fault, before *Index, documents match.Documents) (*Index, error) {
	x := &Index{plan: &plan[0], length: len(plan), rules: make(map[*byte]*Rule, len(plan))}
	var all []*Rule
	operations := map[match.Key][]*Rule{}
	var errs []error
	for i := range plan {
		rule, err := x.rule(&plan[i], before, documents)
		if err != nil {
			errs = append(errs, fixtures.At(err, nameOf(&plan[i]), "faults", "Plan", i, "spec"))
			continue
		}
		rule.place = i
		keys := rule.matcher.Operations()
		if keys == nil {
			all = append(all, rule)
		}
		for _, key := range keys {
			operations[key] = append(operations[key], rule)
		}
	}
	x.all, x.operations = newBucket(all, ""), make(map[match.Key]*bucket, len(operations))
	for key, rules := range operations {
		x.operations[key] = newBucket(rules, key.Interface)
	}
	return x, errors.Join(errs...)
}

// newBucket files each rule by the trait that the fewest others have.
func newBucket(rules []*Rule, iface specs.Interface) *bucket {
	traits := make([][]match.Trait, len(rules))
	sharing := map[match.Trait]int{}
	for i, rule := range rules {
		traits[i] = rule.matcher.Traits(iface)
		for _, trait := range traits[i] {
			sharing[trait]++
		}
	}
	b := &bucket{traits: map[match.Trait][]*Rule{}}
	for i, rule := range rules {
		if len(traits[i]) == 0 {
			b.rest = append(b.rest, rule)
			continue
		}
		rarest := slices.MinFunc(traits[i], func(a, b match.Trait) int { return cmp.Compare(sharing[a], sharing[b]) })
		b.traits[rarest] = append(b.traits[rarest], rule)
		if !slices.Contains(b.parts, rarest.Part) {
			b.parts = append(b.parts, rarest.Part)
		}
	}
	return b
}

func nameOf(f *world.Fault) string {
	if f.Stub {
		return "stub " + f.ID
	}
	return "fault " + f.ID
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

// Find returns the rules that a call is meant by, in the order of the plan.
func (x *Index) Find(operation *specs.Operation, r *match.Request) []*Rule {
	found := x.all.find(nil, operation, r)
	if b := x.operations[match.KeyOf(operation)]; b != nil {
		found = b.find(found, operation, r)
	}
	slices.SortFunc(found, func(a, b *Rule) int { return a.place - b.place })
	return slices.Compact(found) // a parameter may be there twice, with the same value
}

// find appends the rules of the bucket that a call is meant by.
func (b *bucket) find(found []*Rule, operation *specs.Operation, r *match.Request) []*Rule {
	found = appendMatching(found, b.rest, operation, r)
	for _, part := range b.parts {
		for _, value := range r.Values(part) {
			found = appendMatching(found, b.traits[match.Trait{Part: part, Value: value}], operation, r)
		}
	}
	return found
}

func appendMatching(found, rules []*Rule, operation *specs.Operation, r *match.Request) []*Rule {
	for _, rule := range rules {
		if rule.matcher.Matches(operation, r) {
			found = append(found, rule)
		}
	}
	return found
}
