package kinds

import (
	"strconv"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
)

// GetCurrentUser returns the caller. Its ids are those of the core data interface, in digits (public).
func GetCurrentUser(c *op.Call) (op.Reply, error) {
	user := c.Caller.User
	return jsonapi.PlainReply(map[string]any{
		"user":    map[string]string{"id": strconv.FormatInt(user.ID, 10), "name": user.Name},
		"account": map[string]string{"id": strconv.FormatInt(c.World.Account.ID, 10)},
	})
}
