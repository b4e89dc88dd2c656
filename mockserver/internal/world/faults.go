package world

import (
	"encoding/json"
	"slices"
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

// Add adds a fault to the end of the plan.
func (f *Faults) Add(fault Fault) {
	f.Plan = append(slices.Clip(f.Plan), fault)
	f.Bytes += table.Size(&fault)
}

// Delete takes faults out of the plan, with their counts.
func (f *Faults) Delete(which func(Fault) bool) {
	plan := f.Plan
	f.Plan, f.Bytes = nil, 0
	for _, fault := range plan {
		if which(fault) {
			table.Delete(&f.Counts, fault.Serial)
			continue
		}
		f.Plan = append(f.Plan, fault)
		f.Bytes += table.Size(&fault)
	}
}
