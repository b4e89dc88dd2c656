package access

import (
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// AttachPolicy attaches the policy of the path to the user of the path, at either address of this relation: what one of
// them attaches, the other one detaches (documented).
var AttachPolicy = op.On(userFromPath, changePolicies(with))

// DetachPolicy detaches the policy of the path from the user of the path.
var DetachPolicy = op.On(userFromPath, changePolicies(without))

// changePolicies changes whether a user has the policy of the path. A repetition changes nothing.
func changePolicies(change func([]int64, int64) []int64) func(*op.Call, world.User) (op.Reply, error) {
	return func(c *op.Call, u world.User) (op.Reply, error) {
		id, p, err := resource.Find[world.Policy](Policies, c)
		if err != nil {
			return op.Reply{}, err
		}
		if err := setPolicies(c, u, change(u.Policies, id)); err != nil {
			return op.Reply{}, err
		}
		return op.OK(policyView(c.World, p))
	}
}

// setPolicies sets the policies of a user to exactly those with the given ids. The caller must be allowed to make each
// difference.
func setPolicies(c *op.Call, u world.User, ids []int64) error {
	changed := slices.Concat(minus(ids, u.Policies), minus(u.Policies, ids))
	for _, id := range changed {
		if err := requireMayApply(c, u, id); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		u.Policies = ids
		putUser(c, u)
	}
	return nil
}

// requireMayApply refuses a caller who may not apply a policy to a user. Administrators apply any policy to any user. A
// delegated admin applies only policies of a group that it manages, and only to users who carry the tag of that group,
// itself included (public).
func requireMayApply(c *op.Call, u world.User, policy int64) error {
	if c.Caller.Administers() {
		return nil
	}
	for _, id := range c.Caller.User.Manages {
		g, _ := c.World.Account.PolicyGroups.Get(id)
		if slices.Contains(u.Groups, id) && slices.Contains(g.Policies, policy) {
			return nil
		}
	}
	return op.Forbidden("user %d carries the tag of no policy group that you manage and that has policy %d", u.ID,
		policy)
}

// ListUserPolicies lists the policies of a user.
var ListUserPolicies = op.On(readableUser, func(c *op.Call, u world.User) (op.Reply, error) {
	return op.OK(policyViews(c.World, u.Policies))
})

// UpdateUserPolicies replaces the policies of a user.
var UpdateUserPolicies = op.OnSent(userFromPath, func(
	c *op.Call, u world.User, body struct {
		PolicyIDs *[]string `json:"policy_ids"`
	},
) (op.Reply, error) {
	ids, err := textIDs("policy_ids", body.PolicyIDs, "policy", c.World.Account.Policies.Get)
	if err != nil {
		return op.Reply{}, err
	}
	if err := setPolicies(c, u, ids); err != nil {
		return op.Reply{}, err
	}
	return op.OK(policyViews(c.World, ids))
})

type userReferenceForm struct {
	UserID    int64   `json:"user_id"`
	AccountID int64   `json:"account_id"`
	Email     *string `json:"email"`
	Name      string  `json:"name"`
}

// ListPolicyUsers lists the users who have a policy.
var ListPolicyUsers = resource.On(Policies, func(c *op.Call, p world.Policy) (op.Reply, error) {
	references := []userReferenceForm{}
	for _, u := range policyUsers(c.World, p.ID) {
		references = append(references, userReferenceForm{u.ID, c.World.Account.ID, email(u), u.Name})
	}
	return op.OK(references)
})

// UpdatePolicyUsers replaces the users who have a policy. It answers with users in full, unlike ListPolicyUsers
// (public).
var UpdatePolicyUsers = op.OnSent(resource.Named[world.Policy](Policies), func(
	c *op.Call, p world.Policy, body struct {
		UserIDs *[]int64 `json:"user_ids"`
	},
) (op.Reply, error) {
	ids, err := integerIDs("user_ids", body.UserIDs, "user", c.World.Account.LiveUser)
	if err != nil {
		return op.Reply{}, err
	}
	for u := range c.World.Account.LiveUsers() {
		change := without
		if slices.Contains(ids, u.ID) {
			change = with
		}
		if err := setPolicies(c, u, change(u.Policies, p.ID)); err != nil {
			return op.Reply{}, err
		}
	}
	views := []userForm{}
	for _, u := range policyUsers(c.World, p.ID) {
		views = append(views, userView(c.World, u))
	}
	return op.OK(views)
})

// policyUsers returns the users that a policy is attached to.
func policyUsers(w *world.State, policy int64) []world.User {
	var users []world.User
	for u := range w.Account.LiveUsers() {
		if slices.Contains(u.Policies, policy) {
			users = append(users, u)
		}
	}
	return users
}
