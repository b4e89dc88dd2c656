package llm

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// userType is the type of users where a relation leads to them. They have ids of their own there (public).
const userType = "users"

func userUUID(w *world.World, id int64) string { return w.UUID("llm.user", id) }

func userIdentifier(w *world.World, id int64) identifier {
	return identifier{userType, userUUID(w, id)}
}

// userItem is a user as it is included: without a link (public).
func userItem(w *world.World, uuid string) *item {
	for id, user := range table.All(&w.Account.Users) {
		if userUUID(w, id) == uuid {
			return &item{ID: uuid, Type: userType, Attributes: map[string]string{"name": user.Name, "email": user.Email}}
		}
	}
	return nil
}
