package jsonapi

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// UserType is the type of users where a relation leads to them. They have ids of their own there (public).
const UserType = "users"

// UserUUID returns the id that a user has where a relation leads to it.
func UserUUID(w *world.World, id int64) string { return w.UUID("llm.user", id) }

func userIdentifier(w *world.World, id int64) Identifier {
	return Identifier{UserType, UserUUID(w, id)}
}

// UserItem returns a user as it is included: without a link (public).
func UserItem(w *world.World, uuid string) *Item {
	for id, user := range table.All(&w.Account.Users) {
		if UserUUID(w, id) == uuid {
			return &Item{
				ID: uuid, Type: UserType,
				Attributes: map[string]string{"name": user.Name, "email": user.Email},
			}
		}
	}
	return nil
}
