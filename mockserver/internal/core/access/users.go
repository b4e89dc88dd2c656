package access

import (
	"maps"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

type userForm struct {
	UserID      int64             `json:"user_id"`
	AccountID   int64             `json:"account_id"`
	Permissions world.Permissions `json:"permissions"`
	Policies    []policyForm      `json:"policies"`
}

func userView(w *world.State, u world.User) userForm {
	return userForm{
		UserID: u.ID, AccountID: w.Account.ID, Permissions: granted(w, u), Policies: policyViews(w, u.Policies),
	}
}

// granted returns all permissions of a user, from its policies and its own, without duplicates.
func granted(w *world.State, u world.User) world.Permissions {
	all := world.Permissions{}
	for more := range grantsOf(w, u) {
		for kind, entries := range more {
			for _, entry := range entries {
				same := func(other map[string]string) bool { return maps.Equal(entry, other) }
				if !slices.ContainsFunc(all[kind], same) {
					all[kind] = append(all[kind], entry)
				}
			}
		}
	}
	return all
}

// email returns the user's address, or nil for a sub user without one.
func email(u world.User) *string {
	if u.Email == "" {
		return nil
	}
	return &u.Email
}

// userFromPath returns the user that the path names by id.
func userFromPath(c *op.Call) (world.User, error) {
	return op.ByID(c, "user", "user_id", c.World.Account.LiveUser)
}

// readableUser returns the user of the path if the caller may read about it: administrators and delegated admins read
// about all users, others about themselves (assumed).
func readableUser(c *op.Call) (world.User, error) {
	if !c.Caller.Delegates() && c.Param("user_id") != op.IDText(c.Caller.User.ID) {
		return world.User{}, op.Forbidden("only administrators and delegated admins may see other users")
	}
	return userFromPath(c)
}

// putUser stores a user that has been changed.
func putUser(c *op.Call, u world.User) {
	u.UpdatedAt = c.Now
	c.World.Account.PutUser(u)
}

// ListAccessControlUsers lists all users with their permissions and policies.
func ListAccessControlUsers(c *op.Call) (op.Reply, error) {
	views := []userForm{}
	for u := range c.World.Account.LiveUsers() {
		views = append(views, userView(c.World, u))
	}
	return op.OK(views)
}

// GetAccessControlUser returns a user with its permissions and policies.
var GetAccessControlUser = op.On(readableUser, func(c *op.Call, u world.User) (op.Reply, error) {
	return op.OK(userView(c.World, u))
})

// UpdateUserPermissions replaces the permissions granted to the user itself. The answer leaves out those of its
// policies.
var UpdateUserPermissions = op.On(userFromPath, func(c *op.Call, u world.User) (op.Reply, error) {
	after, err := changedPermissions(c, u.Permissions)
	if err != nil {
		return op.Reply{}, err
	}
	u.Permissions = after
	putUser(c, u)
	return op.OK(map[string]any{"user_id": u.ID, "permissions": u.Permissions})
})

// AddDelegatedAdmin makes a user a delegated admin. It accepts restricted users only: the owner and administrators may
// do more anyway (assumed).
var AddDelegatedAdmin = op.On(userWithEmail, func(c *op.Call, u world.User) (op.Reply, error) {
	if u.Role != world.Restricted {
		return op.Reply{}, op.Unprocessable("user_email", "%s is not a restricted user, but %s", u.Email, u.Role)
	}
	return setDelegated(c, u, true)
})

// RemoveDelegatedAdmin makes a delegated admin a plain user again, who manages no policy groups.
var RemoveDelegatedAdmin = op.On(userWithEmail, func(c *op.Call, u world.User) (op.Reply, error) {
	u.Manages = nil
	return setDelegated(c, u, false)
})

func setDelegated(c *op.Call, u world.User, delegated bool) (op.Reply, error) {
	u.Delegated = delegated
	putUser(c, u)
	return op.OK(map[string]any{"user_email": u.Email, "delegated_admin": delegated})
}

func userWithEmail(c *op.Call) (world.User, error) {
	address := c.Param("user_email")
	u, ok := userWith(c.World, func(u world.User) bool { return u.Email == address && address != "" })
	if !ok {
		return u, op.NotFound("user", "email", address)
	}
	return u, nil
}
