package access

import (
	"encoding/hex"
	"fmt"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// ListAPIKeys lists the keys of the user that the path names, master keys first.
var ListAPIKeys = op.On(ownUser("see the keys"), func(c *op.Call, u world.User) (op.Reply, error) {
	texts := []string{}
	for _, key := range keysOf(&c.World.Account, u.ID) {
		texts = append(texts, c.World.Account.PlatformKey(key))
	}
	return op.OK(map[string]any{"apikeys": texts})
})

// keysOf returns the keys of a user, master keys first. Answers write them in the platform's own form, since some
// clients accept no other (client).
func keysOf(a *world.Account, user int64) []world.Key {
	keys := slices.DeleteFunc(a.AllKeys(), func(k world.Key) bool { return k.User != user })
	slices.SortStableFunc(keys, func(a, b world.Key) int {
		switch {
		case a.WriteOnly == b.WriteOnly:
			return 0
		case b.WriteOnly:
			return -1
		}
		return 1
	})
	return keys
}

// AddAPIKey creates another master key for the user that the path names.
var AddAPIKey = op.On(ownUser("make keys"), func(c *op.Call, u world.User) (op.Reply, error) {
	return op.OK(map[string]string{"apikey": newKey(c, u.ID, false)})
})

// newKey creates a key for a user. The caller's key seeds its randomness, so that worlds of different keys create
// different ones.
func newKey(c *op.Call, user int64, writeOnly bool) string {
	a := &c.World.Account
	for {
		random := c.World.Random("core.api_key "+specs.PlatformKey(a.ID, c.Key), c.World.NewID("core.api_key"))
		key := fmt.Sprintf("%d/%s", a.ID, hex.EncodeToString(random[:20]))
		if _, taken := a.Keys.Get(key); !taken {
			a.PutKey(world.Key{Key: key, User: user, WriteOnly: writeOnly})
			return key
		}
	}
}

// RemoveAPIKey removes a key of the user that the path names.
var RemoveAPIKey = op.OnSent(ownUser("remove keys"), func(
	c *op.Call, u world.User, body struct {
		Key string `json:"apikey"`
	},
) (op.Reply, error) {
	if body.Key == "" {
		return op.Reply{}, op.Invalid("apikey", "is missing")
	}
	key, ok := c.World.Account.Keys.Get(body.Key)
	if !ok || key.User != u.ID {
		return op.Reply{}, &op.Error{Code: op.CodeNotFound, Message: "user " + u.Name + " has no such key"}
	}
	c.World.Account.DeleteKey(body.Key)
	return referToUser(u)
})
