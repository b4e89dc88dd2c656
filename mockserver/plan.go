package mockserver

import (
	"cmp"
	"fmt"
	"net/http"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
)

// WithFaults plans faults in every world that the server makes of a scenario, behind those of the scenario.
func WithFaults(faults ...fixtures.Fault) Option {
	return func(c *config) error {
		for _, f := range faults {
			if err := f.Check(); err != nil {
				return fmt.Errorf("fault: %w", err)
			}
		}
		c.faults = append(c.faults, faults...)
		return nil
	}
}

// PlannedFault is a fault, or a stub, that is planned in a world.
type PlannedFault struct {
	world *World
	id    string
	stub  bool
}

// Fault plans a fault for calls that come from now on, behind those that are planned already: of several that fit a
// call, the first one that applies is used. It fails if the fault contradicts itself, or if there can be no such calls.
func (w *World) Fault(f fixtures.Fault) (*PlannedFault, error) { return w.plan(f, fault.Plan) }

// Stub plans an answer for matching calls in the place of the operations': its status (default: 200), headers and body,
// which the documents need not allow. The operation has no effect. First is the number of answers; 0 stands for any.
// Calls beyond that, and those that fit no stub, are answered as usual, or by the next stub.
func (w *World) Stub(f fixtures.Fault) (*PlannedFault, error) {
	f.Status = cmp.Or(f.Status, http.StatusOK)
	return w.plan(f, fault.PlanStub)
}

type planner func(*world.State, fixtures.Fault, match.Documents) (world.Fault, error)

func (w *World) plan(f fixtures.Fault, plan planner) (p *PlannedFault, err error) {
	err = w.live.Write(0, func(tx *world.State) error {
		planned, err := plan(tx, f, w.server.served())
		p = &PlannedFault{w, planned.ID, planned.Stub}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("plan a fault: %w", err)
	}
	return p, nil
}

// Faults returns the faults that are planned in the world, in the order in which they are tried, without stubs.
func (w *World) Faults() (list []*PlannedFault) {
	for _, f := range w.live.Read().Faults.Plan {
		if !f.Stub {
			list = append(list, &PlannedFault{w, f.ID, false})
		}
	}
	return list
}

// ID is the id of the fault, which answers to which it was applied have in the header X-Understudy-Fault.
func (p *PlannedFault) ID() string { return p.id }

// Calls returns how many calls came that the fault is for, whether it was applied to them or not. It is 0 once the
// fault is removed.
func (p *PlannedFault) Calls() int { return int(p.counted().Calls) }

// Hits returns to how many calls the fault was applied, whose exchanges have its ID in Fault. It is 0 once the fault is
// removed.
func (p *PlannedFault) Hits() int { return int(p.counted().Hits) }

func (p *PlannedFault) counted() (planned fault.Planned) {
	for _, f := range fault.List(p.world.live.Read(), p.stub) {
		if f.ID == p.id {
			planned = f
		}
	}
	return planned
}

// Remove takes the fault out of the plan. One that is removed already is an error.
func (p *PlannedFault) Remove() error {
	return p.world.live.Write(0, func(tx *world.State) error { return fault.Remove(tx, p.id, p.stub) })
}
