// Package access decides who may do what on an account: it holds users and their keys, passwords and OAuth tokens,
// policies and policy groups, and derives the rights on databases from them.
package access

import (
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
)

type accountForm struct {
	ID              int64  `json:"id"`
	Plan            int    `json:"plan"`
	PrestoPlan      int    `json:"presto_plan"` // none, as far as is known
	StorageSize     int64  `json:"storage_size"`
	GuaranteedCores int    `json:"guaranteed_cores"`
	MaximumCores    int    `json:"maximum_cores"`
	CreatedAt       string `json:"created_at"`
}

// GetAccount returns the account, which is as old as its oldest user, and has no plan and no cores of its own, unless a
// fixture says otherwise: jobs of the mock run on whatever the machine has.
func GetAccount(c *op.Call) (op.Reply, error) {
	a := &c.World.Account
	form := accountForm{
		ID: a.ID, Plan: a.Plan, GuaranteedCores: a.GuaranteedCores, MaximumCores: a.MaximumCores,
	}
	for _, t := range table.All(&c.World.Core.Tables) {
		if t.DeletedAt.IsZero() {
			form.StorageSize += t.Bytes
		}
	}
	oldest := c.Now
	for _, u := range table.All(&c.World.Account.Users) {
		if u.CreatedAt.Before(oldest) {
			oldest = u.CreatedAt
		}
	}
	if !a.CreatedAt.IsZero() {
		oldest = a.CreatedAt
	}
	form.CreatedAt = wire.DateTime(oldest)
	return op.OK(map[string]any{"account": form})
}
