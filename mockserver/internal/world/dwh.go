package world

import (
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// DWH is the state of the data warehouse integration interface.
type DWH struct {
	Integrations table.Table[Warehouse]
	Sessions     table.Table[[]BulkloadSession] // by integration, at least one of each; replaced, never changed in place
}

// Warehouse is a data warehouse integration. Its workflow is the one of its project.
type Warehouse struct {
	ID        int64             `json:"id"`
	Name      string            `json:"name"`
	User      int64             `json:"user"`    // who made it
	Project   int64             `json:"project"` // of the workflow interface, where it may be deleted
	Schedule  WarehouseSchedule `json:"schedule"`
	Config    WarehouseConfig   `json:"config"`
	CreatedAt time.Time         `json:"createdAt"`
	UpdatedAt time.Time         `json:"updatedAt"`
}

// WarehouseSchedule describes when an integration runs by itself, as on the wire.
type WarehouseSchedule struct {
	Type     string `json:"type"` // none: never
	Option   string `json:"option,omitempty"`
	Timezone string `json:"timezone"`
}

// WarehouseConfig is an integration's configuration, its parts as on the wire, without white space.
type WarehouseConfig struct {
	ID        int64           `json:"id"`
	Digest    string          `json:"digest"`
	Basic     json.RawMessage `json:"basic"`
	Advanced  json.RawMessage `json:"advanced"`
	Output    json.RawMessage `json:"output"`
	Filter    json.RawMessage `json:"filter,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
}

// BulkloadSession loads one target table.
type BulkloadSession struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Table  string `json:"table"`
	Digest string `json:"digest"`
}
