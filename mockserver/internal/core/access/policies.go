package access

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

var policies = resource.New(resource.Of[world.Policy]{
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
		UserCount: len(policyUsers(w, p.ID)),
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

// ListPolicies lists the policies of the account.
func ListPolicies(c *op.Call) (op.Reply, error) { return policies.List(c) }

// CreatePolicy creates a policy that grants nothing.
func CreatePolicy(c *op.Call) (op.Reply, error) { return policies.Create(c) }

// GetPolicy returns a policy.
func GetPolicy(c *op.Call) (op.Reply, error) { return policies.Get(c) }

// UpdatePolicy changes the name and the description of a policy.
func UpdatePolicy(c *op.Call) (op.Reply, error) { return policies.Update(c) }

// DeletePolicy deletes a policy, and takes it from the users and policy groups that have it. The answer still counts
// them.
func DeletePolicy(c *op.Call) (op.Reply, error) {
	id, _, err := policies.Find(c)
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := policies.Delete(c)
	for _, u := range table.All(&c.World.Account.Users) {
		if slices.Contains(u.Policies, id) {
			u.Policies = without(u.Policies, id)
			putUser(c, u)
		}
	}
	for _, g := range table.All(&c.World.Account.PolicyGroups) {
		if slices.Contains(g.Policies, id) {
			g.Policies = without(g.Policies, id)
			putGroup(c, g)
		}
	}
	return reply, err
}

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
	if name := body.Policy.Name; name != nil {
		p.Name = *name
	}
	if description := body.Policy.Description; description != nil {
		p.Description = *description
	}
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
	for _, p := range table.All(&w.Account.Policies) {
		if p.Name == name {
			return p, true
		}
	}
	return world.Policy{}, false
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

type policyExportForm struct {
	ExportedAt string               `json:"exported_at"`
	AccountID  int64                `json:"account_id"`
	Policies   []exportedPolicyForm `json:"policies"`
}

type exportedPolicyForm struct {
	ID                int64                  `json:"id"`
	Name              string                 `json:"name"`
	Description       string                 `json:"description"`
	Permissions       world.Permissions      `json:"permissions"`
	ColumnPermissions []columnPermissionForm `json:"column_permissions"`
}

// ExportPolicies returns policies with all that they grant. Only administrators and delegated admins may call it, on
// accounts with a feature flag (documented).
func ExportPolicies(c *op.Call) (op.Reply, error) {
	switch {
	case !c.Caller.Delegates():
		return op.Reply{}, op.Forbidden("only administrators and delegated admins may export policies")
	case !c.World.Account.Has(world.FeatureSubUsers):
		return op.Reply{}, op.Forbidden("the feature flag %s is off", world.FeatureSubUsers)
	}
	ids, err := exportedIDs(c)
	if err != nil {
		return op.Reply{}, err
	}
	form := policyExportForm{ExportedAt: op.Instant(c.Now), AccountID: c.World.Account.ID}
	for _, id := range ids {
		p, ok := c.World.Account.Policies.Get(id)
		if !ok {
			return op.Reply{}, op.NotFound("policy", "id", id)
		}
		form.Policies = append(form.Policies, exportedPolicyForm{
			ID: id, Name: p.Name, Description: p.Description, Permissions: p.Permissions,
			ColumnPermissions: columnPermissionViews(p),
		})
	}
	return op.OK(form)
}

func exportedIDs(c *op.Call) ([]int64, error) {
	var ids []int64
	for text := range strings.SplitSeq(c.Text("policy_ids"), ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, op.Invalid("policy_ids", "want ids of policies separated by commas, not %q",
				c.Text("policy_ids"))
		}
		ids = with(ids, id)
	}
	return ids, nil
}

// textIDs returns the ids of a set that a body holds as texts. It refuses a missing set, and an id that does not exist
// (assumed).
func textIDs[R any](field string, set *[]string, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return integerIDs(field, nil, noun, get)
	}
	ids := make([]int64, len(*set))
	for i, text := range *set {
		var err error
		if ids[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, op.Unprocessable(field, "%s %q not found", noun, text)
		}
	}
	return integerIDs(field, &ids, noun, get)
}

// integerIDs returns the ids of a set that a body holds as integers, with the same refusals as textIDs. A repeated id
// counts once.
func integerIDs[R any](field string, set *[]int64, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return nil, op.Unprocessable(field, "is missing: want the whole set, which may be empty")
	}
	var ids []int64
	for _, id := range *set {
		if _, ok := get(id); !ok {
			return nil, op.Unprocessable(field, "%s %d not found", noun, id)
		}
		ids = with(ids, id)
	}
	return ids, nil
}

// with returns a set of ids with one more.
func with(ids []int64, id int64) []int64 {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(slices.Clip(ids), id)
}

// without returns a set of ids without one of them.
func without(ids []int64, id int64) []int64 { return minus(ids, []int64{id}) }

// minus returns a set of ids without those of another.
func minus(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
