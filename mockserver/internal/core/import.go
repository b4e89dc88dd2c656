package core

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ImportTarget is the table that the path names, by database_name and table_name, if the caller may import into it.
func ImportTarget(c *op.Call) (world.Table, error) {
	_, t, err := tableFor(c, mayImport)
	return t, err
}
