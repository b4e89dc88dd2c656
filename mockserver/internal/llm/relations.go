package llm

import (
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
)

// related returns the possible targets of the relations of this interface.
func related() jsonapi.Relations {
	return jsonapi.Relations{
		Kinds: storedKinds(),
		Others: map[string]func(*op.Call, string) *jsonapi.Item{
			jsonapi.UserType:   func(c *op.Call, uuid string) *jsonapi.Item { return jsonapi.UserItem(c.World, uuid) },
			kinds.OverviewType: kinds.OverviewItem,
		},
	}
}
