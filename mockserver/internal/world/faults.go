package world

import (
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// Faults is the plan of what fails, and how often it was to.
type Faults struct {
	Plan   []Fault                  // in the order in which they are tried; replaced, never changed in place
	Bytes  int64                    // that the plan takes in memory
	Counts table.Table[FaultCounts] // by the serial number of the fault
}

// Fault is one planned fault, or a stub.
type Fault struct {
	Serial int64           `json:"serial"`
	ID     string          `json:"id"`
	Stub   bool            `json:"stub,omitempty"` // First counts the answers, not the calls
	Since  time.Time       `json:"since"`          // when it was planned
	Spec   json.RawMessage `json:"spec"`           // a fixtures.Fault
}

// FaultCounts says how many calls there were of those that a fault is for, and to how many of them it was applied.
type FaultCounts struct {
	Calls int64 `json:"calls"`
	Hits  int64 `json:"hits,omitempty"`
}

// SetPlan replaces the plan. Faults that are in it no longer are not counted any more.
func (f *Faults) SetPlan(plan []Fault) {
	kept := map[int64]bool{}
	for _, fault := range plan {
		kept[fault.Serial] = true
	}
	for _, fault := range f.Plan {
		if !kept[fault.Serial] {
			table.Delete(&f.Counts, fault.Serial)
		}
	}
	if f.Plan, f.Bytes = plan, 0; len(plan) == 0 {
		f.Plan = nil
		return
	}
	f.Bytes = table.Size(&f.Plan)
}
