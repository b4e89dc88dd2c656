// Package fault keeps the plan of what fails in a world, and chooses what happens to a call. The plan is a part of the
// world, so forks, checkpoints and dumps have it.
package fault

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// maxPlanned is the greatest number of faults and stubs of a world.
const maxPlanned = 10_000

// The kinds of ids, which are also their prefixes.
const (
	faultIDs = "fault"
	stubIDs  = "stub"
)

// Plan adds a fault to the end of a world's plan and returns it with its id. What is wrong with it is an *op.Error that
// names the field, or several joined.
func Plan(w *world.State, f fixtures.Fault, documents match.Documents) (world.Fault, error) {
	return plan(w, f, false, documents)
}

// PlanStub adds a stub, which is a fault whose First counts the answers that it gives, not the calls.
func PlanStub(w *world.State, f fixtures.Fault, documents match.Documents) (world.Fault, error) {
	return plan(w, f, true, documents)
}

func plan(w *world.State, f fixtures.Fault, stub bool, documents match.Documents) (world.Fault, error) {
	_, err := match.Compile(f.Calls, documents)
	if err := errors.Join(Check(&f), err); err != nil {
		return world.Fault{}, err
	}
	if len(w.Faults.Plan) >= maxPlanned {
		return world.Fault{}, op.Conflict("the world has %d faults and stubs: delete some first", maxPlanned)
	}
	kind := faultIDs
	if stub {
		kind = stubIDs
	}
	if f.ID != "" && find(w, f.ID) >= 0 {
		return world.Fault{}, op.Conflict(
			"a fault with id %s is planned already: delete it first, or choose another id", f.ID)
	}
	for f.ID == "" || find(w, f.ID) >= 0 {
		f.ID = fmt.Sprintf("%s-%d", kind, w.NewID(kind))
	}
	spec, err := json.Marshal(f)
	if err != nil {
		return world.Fault{}, fmt.Errorf("plan a fault: %w", err)
	}
	planned := world.Fault{Serial: w.NewID("planned"), ID: f.ID, Stub: stub, Since: w.Now(), Spec: spec}
	w.Faults.Add(planned)
	return planned, nil
}

// CheckPlan returns what is wrong with the faults of a world that was loaded, which may have been planned for other
// documents.
func CheckPlan(w *world.State, documents match.Documents) error {
	switch n := len(w.Faults.Plan); {
	case n == 0:
		return nil
	case n > maxPlanned:
		return fmt.Errorf("the world has %d faults and stubs: want at most %d", n, maxPlanned)
	}
	_, err := NewIndex(w.Faults.Plan, nil, documents)
	return err
}

// Check returns what is wrong with a fault in itself, as errors of a request.
func Check(f *fixtures.Fault) error { return inRequest(f.Check()) }

// Injection reads the fault of one call.
func Injection(text string) (fixtures.Fault, error) {
	f, err := fixtures.ParseInjection(text)
	return f, inRequest(err)
}

// inRequest makes what is wrong with a fault an error of the request that has it.
func inRequest(err error) error {
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for i, err := range list {
		if wrong, ok := errors.AsType[*fixtures.FaultError](err); ok {
			list[i] = op.Invalid(wrong.Field(), "%s", wrong.Reason)
		} else {
			list[i] = op.Invalid("", "%v", err)
		}
	}
	return errors.Join(list...)
}

func find(w *world.State, id string) int {
	return slices.IndexFunc(w.Faults.Plan, func(f world.Fault) bool { return f.ID == id })
}

// Remove takes a fault, or a stub, out of the plan of a world.
func Remove(w *world.State, id string, stub bool) error {
	i := find(w, id)
	switch {
	case i >= 0 && w.Faults.Plan[i].Stub == stub:
	case stub:
		return op.NotFound("stub", "id", id)
	default:
		return op.NotFound("fault", "id", id)
	}
	w.Faults.Delete(func(f world.Fault) bool { return f.ID == id })
	return nil
}

// Clear takes all faults, or all stubs, out of the plan of a world.
func Clear(w *world.State, stubs bool) {
	w.Faults.Delete(func(f world.Fault) bool { return f.Stub == stubs })
}

// Planned is a fault with what is known of it.
type Planned struct {
	fixtures.Fault

	Stub  bool  `json:"-"`
	Calls int64 `json:"calls"` // that it is for
	Hits  int64 `json:"hits"`  // to which it was applied
}

// List returns the faults, or the stubs, of a world, in the order in which they are tried.
func List(w *world.State, stubs bool) []Planned {
	list := []Planned{}
	for _, planned := range w.Faults.Plan {
		if planned.Stub == stubs {
			list = append(list, View(w, planned))
		}
	}
	return list
}

// View returns a fault with its counts.
func View(w *world.State, planned world.Fault) Planned {
	p := Planned{Stub: planned.Stub}
	_ = json.Unmarshal(planned.Spec, &p.Fault) // it was written by plan
	p.ID = planned.ID
	counts, _ := w.Faults.Counts.Get(planned.Serial)
	p.Calls, p.Hits = counts.Calls, counts.Hits
	return p
}

// Choose counts a call for all the rules that it is meant by, and returns the first one that applies, with the number
// of the call among those of the rule; nil if none does.
func Choose(w *world.State, rules []*Rule) (chosen *Rule, call int64) {
	for _, rule := range rules {
		counts, _ := w.Faults.Counts.Get(rule.planned.Serial)
		if !rule.counts(w, counts) {
			continue
		}
		counts.Calls++
		if chosen == nil && rule.applies(w, counts.Calls) {
			chosen, call = rule, counts.Calls
			counts.Hits++
		}
		w.Faults.Counts.Put(rule.planned.Serial, counts)
	}
	return chosen, call
}

// counts reports whether calls count: after the time from which they do, and as long as a stub has answers.
func (r *Rule) counts(w *world.State, before world.FaultCounts) bool {
	if r.planned.Stub && r.Fault.First > 0 && before.Hits >= int64(r.Fault.First) {
		return false
	}
	return r.Fault.After == 0 || !w.Now().Before(r.planned.Since.Add(time.Duration(r.Fault.After)))
}

// applies reports whether the rule is for a call, by its number.
func (r *Rule) applies(w *world.State, call int64) bool {
	f := &r.Fault
	switch {
	case f.Nth > 0 && call != int64(f.Nth),
		f.First > 0 && !r.planned.Stub && call > int64(f.First),
		f.Every > 0 && call%int64(f.Every) != 0:
		return false
	}
	return f.Probability == 0 || Random(w, f.ID, "probability", call)() < f.Probability
}

// Random returns random numbers, uniform between 0 and 1, that depend only on the seed of a world, the id of a fault,
// what they are for, and the number of the call. There are four of them.
func Random(w *world.State, id, use string, call int64) func() float64 {
	sum := w.Random("fault:"+id+":"+use, call)
	rest := sum[:]
	return func() float64 {
		n := binary.BigEndian.Uint64(rest) >> 11 // as many bits as a float64 holds
		rest = rest[8:]
		return float64(n) / (1 << 53)
	}
}

// DelayOf returns the delay of a call to which a fault is applied.
func DelayOf(w *world.State, f *fixtures.Fault, call int64) time.Duration {
	return f.Delay.Draw(Random(w, f.ID, "delay", call))
}

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
