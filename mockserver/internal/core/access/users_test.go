package access_test

import (
	"net/http"
	"testing"
)

const (
	anaDetail = `{"user_id":3,"account_id":7,"permissions":{"Databases":[{"ids":"11","operation":"query"}],` +
		`"WorkflowProject":[{"operation":"run"},{"operation":"view"}]},"policies":[` + analystsView + `]}`
	kioskDetail = `{"user_id":5,"account_id":7,"permissions":{"Databases":[{"ids":"11","operation":"query"}],` +
		`"WorkflowProject":[{"operation":"run"},{"operation":"view"}]},"policies":[` + analystsView + `]}`
)

func TestUsers(t *testing.T) {
	t.Parallel()
	t.Run("users are listed with all that they may do", func(t *testing.T) {
		t.Parallel()
		plain := func(id string) string { return `{"user_id":` + id + `,"account_id":7,"permissions":{},"policies":[]}` }
		newAccess(t).as("1/delegate").Get("/access_control/users").Exactly(
			"[" + plain("1") + "," + plain("2") + "," + anaDetail + "," + plain("4") + "," + kioskDetail + "," +
				plain("6") + "," + plain("8") + "]")
	})
	t.Run("users read about themselves", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.as("1/analyst").Get("/access_control/users/3").Exactly(anaDetail)
		c.as("1/kiosk").Get("/access_control/users/5").Exactly(kioskDetail)
		c.as("1/delegate").Get("/access_control/users/3").Exactly(anaDetail)
		c.Get("/access_control/users/3").Exactly(anaDetail)
	})
	t.Run("permissions are granted to a user itself, kind by kind", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch("/access_control/users/3/permissions", `{"Segmentation":[{"operation":"full"}]}`).
			Exactly(`{"permissions":{"Segmentation":[{"operation":"full"}],"WorkflowProject":[{"operation":"run"}]},"user_id":3}`)
		c.Patch("/access_control/users/3/permissions",
			`{"WorkflowProject":[{"operation":"edit"}],"Databases":[{"operation":"manage"}]}`).
			Exactly(`{"permissions":{"Segmentation":[{"operation":"full"}],"WorkflowProject":[{"operation":"edit"}]},"user_id":3}`)
		c.Get("/access_control/users/3").Exactly(`{"user_id":3,"account_id":7,"permissions":{` +
			`"Databases":[{"ids":"11","operation":"query"}],"Segmentation":[{"operation":"full"}],` +
			`"WorkflowProject":[{"operation":"run"},{"operation":"view"},{"operation":"edit"}]},"policies":[` + analystsView +
			`]}`)
	})
	t.Run("a tag adds nothing to the permissions", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch("/access_control/policy_groups/31/policies", `{"policy_ids":[21]}`).Want(http.StatusOK)
		c.Get("/access_control/users/8").Exactly(`{"user_id":8,"account_id":7,"permissions":{},"policies":[]}`)
	})
	accessRefuses(t, map[string]accessRefusal{
		"a list for others":       {"analyst", "GET", "/access_control/users", "", 403, "delegated"},
		"another user":            {"analyst", "GET", "/access_control/users/1", "", 403, "other users"},
		"whether there is a user": {"analyst", "GET", "/access_control/users/9", "", 403, "other users"},
		"an unknown user":         {"admin", "GET", "/access_control/users/9", "", 404, "9"},
		"a change by others": {
			"delegate", "PATCH", "/access_control/users/3/permissions", `{}`, 403,
			"administrators",
		},
		"a change of nobody": {"admin", "PATCH", "/access_control/users/9/permissions", `{}`, 404, "9"},
		"an operation that is none": {
			"admin", "PATCH", "/access_control/users/3/permissions",
			`{"Segmentation":[{"operation":"half"}]}`, 422, "Segmentation",
		},
	})
}

func TestDelegatedAdmins(t *testing.T) {
	t.Parallel()
	t.Run("a restricted user is promoted and may read policies, then demoted and may not", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		for range 2 {
			c.Post("/user/delegated_admin/add/analyst@shop.example", "").
				Exactly(`{"delegated_admin":true,"user_email":"analyst@shop.example"}`)
		}
		c.as("1/analyst").Get("/access_control/policies").Want(http.StatusOK)
		for range 2 {
			c.Post("/user/delegated_admin/remove/analyst%40shop.example", "").
				Exactly(`{"delegated_admin":false,"user_email":"analyst@shop.example"}`)
		}
		c.as("1/analyst").Get("/access_control/policies").Refused(http.StatusForbidden)
	})
	t.Run("who is demoted manages no group any more", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Get("/policy_group_tags/store_team/delegated_admins").Exactly(`{"user_ids":["4"]}`)
		c.Post("/user/delegated_admin/remove/delegate@shop.example", "").Want(http.StatusOK)
		c.Get("/policy_group_tags/store_team/delegated_admins").Exactly(`{"user_ids":[]}`)
	})
	accessRefuses(t, map[string]accessRefusal{
		"a promotion by others": {
			"delegate", "POST", "/user/delegated_admin/add/analyst@shop.example", "", 403,
			"administrators",
		},
		"a promotion of nobody":   {"admin", "POST", "/user/delegated_admin/add/nobody@shop.example", "", 404, "nobody@"},
		"a promotion of an owner": {"admin", "POST", "/user/delegated_admin/add/owner@shop.example", "", 422, "owner"},
		"a promotion of an admin": {
			"admin", "POST", "/user/delegated_admin/add/admin@shop.example", "", 422,
			"administrator",
		},
		"a promotion of a sub user": {"admin", "POST", "/user/delegated_admin/add/till@shop.example", "", 422, "sub_user"},
		"a demotion by others": {
			"delegate", "POST", "/user/delegated_admin/remove/delegate@shop.example", "", 403,
			"administrators",
		},
		"a demotion of nobody": {"admin", "POST", "/user/delegated_admin/remove/nobody@shop.example", "", 404, "nobody@"},
	})
}
