// Package fault keeps the plan of what fails in a world, and chooses what happens to a call. The plan is a part of the
// world, so forks, checkpoints and dumps have it.
package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
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
