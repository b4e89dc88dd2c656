package across

import (
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ImportTarget is the table that the path of an event names, if the caller may import into it.
func ImportTarget(c *op.Call) (world.Table, error) { return core.ImportTarget(c) }
