package access

import (
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
