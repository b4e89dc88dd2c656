package llm

import (
	"svc.example/understudy/mockserver/internal/op"
)

// related returns what the relations of this interface may lead to.
func related() relations {
	return relations{
		Kinds: storedKinds(),
		Others: map[string]func(*op.Call, string) *item{
			userType:     func(c *op.Call, uuid string) *item { return userItem(c.World, uuid) },
			overviewType: overviewItem,
		},
	}
}
