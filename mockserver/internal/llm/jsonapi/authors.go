package jsonapi

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// UserType is the type of users in relations. They have ids of their own there (public).
const UserType = "users"

// UserUUID returns the id of a user in relations.
func UserUUID(w *world.State, id int64) string {
	if user, _ := w.Account.Users.Get(id); user.LLMID != "" {
		return user.LLMID
	}
	return w.UUID("llm.user", id)
}

func userIdentifier(w *world.State, id int64) Identifier {
	return Identifier{UserType, UserUUID(w, id)}
}

// UserItem returns a user in the form in which it is included, without a link (public), or nil if there is no such
// user.
func UserItem(w *world.State, uuid string) *Item {
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
