package access

import (
	"slices"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Policies are the policies of the account. A new one grants nothing.
var Policies = resource.New(resource.Of[world.Policy]{
	Noun: "policy", IDs: "core.policy", Key: "policy_id", Dialect: wire.Dialect(),
	Rows:  func(w *world.State) *table.Table[world.Policy] { return &w.Account.Policies },
	Bind:  bindPolicy,
	Guard: guardPolicy,
	Match: matchPolicy,
	View:  func(c *op.Call, p world.Policy) any { return policyView(c.World, p) },
})

const maxPolicyName = 255

type policyForm struct {
	ID          int64  `json:"id"`
	AccountID   int64  `json:"account_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	UserCount   int    `json:"user_count"`
}

func policyView(w *world.State, p world.Policy) policyForm {
	return policyForm{
		ID: p.ID, AccountID: w.Account.ID, Name: p.Name, Description: p.Description,
		UserCount: w.Account.PolicyUsers(p.ID),
	}
}

// policyViews returns the policies with the given ids, in their order.
func policyViews(w *world.State, ids []int64) []policyForm {
	views := make([]policyForm, len(ids))
	for i, id := range ids {
		p, _ := w.Account.Policies.Get(id)
		views[i] = policyView(w, p)
	}
	return views
}

// DeletePolicy deletes a policy, and takes it from the users and policy groups that have it. The answer still counts
// them.
var DeletePolicy = resource.On(Policies, func(c *op.Call, p world.Policy) (op.Reply, error) {
	reply, err := Policies.Delete(c)
	for _, u := range table.All(&c.World.Account.Users) {
		if slices.Contains(u.Policies, p.ID) {
			u.Policies = without(u.Policies, p.ID)
			putUser(c, u)
		}
	}
	for _, g := range table.All(&c.World.Account.PolicyGroups) {
		if slices.Contains(g.Policies, p.ID) {
			g.Policies = without(g.Policies, p.ID)
			putGroup(c, g)
		}
	}
	return reply, err
})

func bindPolicy(c *op.Call, id int64, p *world.Policy) error {
	var body struct {
		Policy struct {
			Name        *string `json:"name"`
			Description *string `json:"description"`
		} `json:"policy"`
	}
	if err := c.Decode(&body); err != nil {
		return err
	}
	p.ID = id
	wire.Set(&p.Name, body.Policy.Name)
	wire.Set(&p.Description, body.Policy.Description)
	return nil
}

// guardPolicy refuses a name of a wrong length, and a name in use: with 409 on creation and with 422 on update, where
// the document has no 409.
func guardPolicy(c *op.Call, before, after *world.Policy) error {
	if after == nil {
		return nil
	}
	if n := utf8.RuneCountInString(after.Name); n < 1 || n > maxPolicyName {
		return op.Unprocessable("policy.name", "want 1 to %d characters, not %d", maxPolicyName, n)
	}
	other, taken := policyNamed(c.World, after.Name)
	switch {
	case !taken || other.ID == after.ID:
		return nil
	case before == nil:
		return op.Conflict("policy %d already has the name %q", other.ID, other.Name)
	}
	return op.Unprocessable("policy.name", "policy %d already has the name %q", other.ID, other.Name)
}

func policyNamed(w *world.State, name string) (world.Policy, bool) {
	return table.First(&w.Account.Policies, func(p world.Policy) bool { return p.Name == name })
}

// matchPolicy returns a filter that keeps only the policies whose column permissions name a tag, if the request asks
// for one.
func matchPolicy(c *op.Call) (func(world.Policy) bool, error) {
	tag, wanted := c.Text("column_permission_tag"), c.Has("column_permission_tag")
	return func(p world.Policy) bool {
		return !wanted || slices.ContainsFunc(p.ColumnPermissions, func(entry world.ColumnPermission) bool {
			return slices.Contains(entry.Tags, tag)
		})
	}, nil
}
