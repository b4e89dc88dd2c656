package core

import "svc.example/understudy/mockserver/internal/op"

func getDataConnectorRestrictions(c *op.Call) (op.Reply, error) {
	return op.OK(c.World.Core.Restrictions)
}
