package access

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

type subUserForm struct {
	ID           int64        `json:"id"`
	Name         string       `json:"name"`
	Email        *string      `json:"email"`
	ParentUserID int64        `json:"parent_user_id"`
	AccountID    int64        `json:"account_id"`
	Policies     []policyForm `json:"policies"`
	CreatedAt    string       `json:"created_at"`
	UpdatedAt    string       `json:"updated_at"`
}

// ListSubUsers lists every sub user of the account for administrators, and the caller's own for others. It refuses a
// sub user (documented).
func ListSubUsers(c *op.Call) (op.Reply, error) {
	if c.Caller.User.Role == world.SubUser {
		return op.Reply{}, op.Forbidden("a sub user may not list sub users")
	}
	subUsers := []subUserForm{}
	for _, u := range table.All(&c.World.Account.Users) {
		if u.Role == world.SubUser && u.DeletedAt.IsZero() && mayManageSubUser(c.Caller, u) {
			subUsers = append(subUsers, subUserForm{
				ID: u.ID, Name: u.Name, Email: email(u), ParentUserID: u.Parent, AccountID: c.World.Account.ID,
				Policies: policyViews(c.World, u.Policies), CreatedAt: op.Instant(u.CreatedAt),
				UpdatedAt: op.Instant(u.UpdatedAt),
			})
		}
	}
	return op.OK(map[string]any{"sub_users": subUsers})
}

// mayManageSubUser reports whether a caller may see and remove a sub user.
func mayManageSubUser(caller world.Caller, u world.User) bool {
	return caller.Administers() || u.Parent == caller.User.ID
}

// RemoveSubUser soft-destroys a sub user and its credentials: its API keys are deleted, its OAuth tokens and the codes
// that were not exchanged yet are revoked (documented).
func RemoveSubUser(c *op.Call) (op.Reply, error) {
	id, err := c.ID("sub user", "sub_user_id")
	if err != nil {
		return op.Reply{}, err
	}
	u, ok := c.World.Account.LiveUser(id)
	switch {
	case !ok || u.Role != world.SubUser:
		return op.Reply{}, op.NotFound("sub user", "id", id)
	case !mayManageSubUser(c.Caller, u):
		return op.Reply{}, op.Forbidden("sub user %d belongs to another user: only administrators may remove it", id)
	}
	destroyUser(c, u)
	return op.OK(map[string]int64{"sub_user_id": id})
}

func deleteKeys(a *world.Account, user int64) {
	for _, k := range a.AllKeys() {
		if k.User == user {
			a.DeleteKey(k.Key)
		}
	}
}
