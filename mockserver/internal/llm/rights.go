package llm

import (
	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// rightsKind is the kind of permissions for this interface (public).
const rightsKind = "LlmProject"

// requireEntitlement returns a handler that refuses callers without a right to the service (public): sub users with no
// permission for it. All others have the right, and whoever has it may call every operation (assumed).
func requireEntitlement(rule op.Handler) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		if user := c.Caller.User; user.Role == world.SubUser && !bridge.Granted(c.World, user, rightsKind) {
			return op.Reply{}, op.Forbidden("user %s may not use this service; want a permission %s", user.Name,
				rightsKind)
		}
		return rule(c)
	}
}
