package data

import "svc.example/understudy/mockserver/internal/op"

// GetDataConnectorRestrictions returns the restrictions that the fixture of the world has set.
func GetDataConnectorRestrictions(c *op.Call) (op.Reply, error) {
	return op.OK(c.World.Core.Restrictions)
}
