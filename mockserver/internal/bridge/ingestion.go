package bridge

import (
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ImportTarget returns the table that the path of an event names, if the caller may import into it.
func ImportTarget(c *op.Call) (world.Table, error) { return data.ImportTarget(c) }

// WithColumnsOf returns a table to which a record is about to be added, with the record's columns in its schema if it
// detects schemas.
func WithColumnsOf(t world.Table, r world.Record) world.Table { return data.WithColumnsOf(t, r) }
