package access_test

import (
	"net/http"
	"strings"
	"testing"
)

const (
	analystsView  = `{"id":21,"account_id":7,"name":"analysts","description":"Query the shop","user_count":2}`
	marketingView = `{"id":22,"account_id":7,"name":"marketing","description":"","user_count":0}`
)

func TestPolicies(t *testing.T) {
	t.Parallel()
	t.Run("policies are listed as a bare array", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Get("/access_control/policies").Exactly("[" + analystsView + "," + marketingView + "]")
	})
	t.Run("a list can be cut to the policies whose column permissions name a tag", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Get("/access_control/policies?column_permission_tag=pii").Exactly("[" + analystsView + "]")
		c.Get("/access_control/policies?column_permission_tag=internal").Exactly("[]")
	})
	t.Run("a delegated admin reads all policies", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t).as("1/delegate")
		c.Get("/access_control/policies").Want(http.StatusOK)
		c.Get("/access_control/policies/21").Exactly(analystsView)
	})
	t.Run("a policy is created for nobody and changed member by member", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Post("/access_control/policies", `{"policy":{"name":"support","description":"Help"}}`).
			Exactly(`{"id":23,"account_id":7,"name":"support","description":"Help","user_count":0}`)
		c.Patch("/access_control/policies/23", `{"policy":{"name":"helpers"}}`).
			Exactly(`{"id":23,"account_id":7,"name":"helpers","description":"Help","user_count":0}`)
		c.Patch("/access_control/policies/23", `{"policy":{"description":""}}`).Want(http.StatusOK)
		c.Get("/access_control/policies/23").
			Exactly(`{"id":23,"account_id":7,"name":"helpers","description":"","user_count":0}`)
	})
	t.Run("a policy is created by a form, too", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Post("/access_control/policies", "policy[name]=support&policy[description]=Help").
			Exactly(`{"id":23,"account_id":7,"name":"support","description":"Help","user_count":0}`)
	})
	t.Run("a policy may keep its own name", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Patch("/access_control/policies/22", `{"policy":{"name":"marketing"}}`).Exactly(marketingView)
	})
	t.Run("a deleted policy is taken from users and groups, and its name is free", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch("/access_control/policy_groups/31/policies", `{"policy_ids":[21,22]}`).Want(http.StatusOK)
		c.Delete("/access_control/policies/21").Exactly(analystsView)
		c.Get("/access_control/policies/21").Refused(http.StatusNotFound, "21")
		c.Get("/access_control/users/3/policies").Exactly("[]")
		c.Get("/access_control/policy_groups/31/policies").Exactly(`{"policy_ids":[22]}`)
		c.Delete("/access_control/policies/21").Refused(http.StatusNotFound, "21")
		c.Post("/access_control/policies", `{"policy":{"name":"analysts"}}`).Want(http.StatusOK)
	})
	accessRefuses(t, map[string]accessRefusal{
		"policies are no business of others": {"analyst", "GET", "/access_control/policies", "", 403, "delegated"},
		"others do not create": {
			"delegate", "POST", "/access_control/policies", `{"policy":{"name":"x"}}`, 403,
			"administrators",
		},
		"a policy of others": {"analyst", "GET", "/access_control/policies/21", "", 403, "delegated"},
		"others do not update": {
			"delegate", "PATCH", "/access_control/policies/21", `{"policy":{}}`, 403,
			"administrators",
		},
		"others do not delete": {"delegate", "DELETE", "/access_control/policies/21", "", 403, "administrators"},
		"a tag twice": {
			"admin", "GET",
			"/access_control/policies?column_permission_tag=a&column_permission_tag=b", "", 400, "once",
		},
		"a used name": {
			"admin", "POST", "/access_control/policies", `{"policy":{"name":"analysts"}}`,
			409, "policy 21",
		},
		"no wrapper": {"admin", "POST", "/access_control/policies", `{"name":"x"}`, 422, "policy"},
		"no name":    {"admin", "POST", "/access_control/policies", `{"policy":{}}`, 422, "name"},
		"an empty name": {
			"admin", "POST", "/access_control/policies", `{"policy":{"name":""}}`, 422,
			"name",
		},
		"a long name": {
			"admin", "POST", "/access_control/policies",
			`{"policy":{"name":"` + strings.Repeat("x", 256) + `"}}`, 422, "255",
		},
		"a form without a wrapper":        {"admin", "POST", "/access_control/policies", "name=x", 422, "policy"},
		"an unknown policy":               {"admin", "GET", "/access_control/policies/9", "", 404, "9"},
		"a policy's id that is no number": {"admin", "GET", "/access_control/policies/x", "", 404, "x"},
		"an update of an unknown policy":  {"admin", "PATCH", "/access_control/policies/9", `{"policy":{}}`, 404, "9"},
		"an update without wrapper":       {"admin", "PATCH", "/access_control/policies/21", `{"name":"x"}`, 422, "policy"},
		"an update to a used name": {
			"admin", "PATCH", "/access_control/policies/21",
			`{"policy":{"name":"marketing"}}`, 422, "policy 22",
		},
		"an update to no name": {
			"admin", "PATCH", "/access_control/policies/21", `{"policy":{"name":""}}`, 422,
			"name",
		},
		"a deletion of an unknown policy": {"admin", "DELETE", "/access_control/policies/9", "", 404, "9"},
		"an export by a restricted user": {
			"analyst", "GET", "/access_control/policies/export?policy_ids=21", "", 403,
			"delegated",
		},
		"an export of an unknown policy": {"admin", "GET", "/access_control/policies/export?policy_ids=21,9", "", 404, "9"},
		"an export of nothing":           {"admin", "GET", "/access_control/policies/export", "", 400, "policy_ids"},
		"an export of what is no id": {
			"admin", "GET", "/access_control/policies/export?policy_ids=21,x", "", 400,
			"21,x",
		},
		"an export of an empty list": {"admin", "GET", "/access_control/policies/export?policy_ids=", "", 400, "policy_ids"},
	})
	t.Run("bodies are JSON or forms", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{
			"POST /access_control/policies", "PATCH /access_control/policies/21",
			"PATCH /access_control/users/3/policies", "PATCH /access_control/policies/21/column_permissions",
			"PATCH /access_control/policies/21/permissions", "PATCH /access_control/users/3/permissions",
			"PUT /access_control/users/3/profile_options/time_zone", "PATCH /access_control/policies/21/users",
			"POST /access_control/policy_groups", "PATCH /access_control/policy_groups/31",
			"PATCH /access_control/policy_groups/31/policies", "PATCH /policy_group_tags/store_team/delegated_admins",
			"PATCH /policy_group_tags/store_team/users", "POST /result/create/warehouse",
			"POST /connector_configs/validate_with_connection",
		} {
			method, path, _ := strings.Cut(path, " ")
			newAccess(t).Call(method, path, "<a/>", "Content-Type", "text/xml").
				Refused(http.StatusUnsupportedMediaType, "text/xml")
		}
	})
}

func TestPolicyExport(t *testing.T) {
	t.Parallel()
	const exported = `{"exported_at":"2026-01-15T09:30:00Z","account_id":7,"policies":[` +
		`{"id":22,"name":"marketing","description":"","permissions":{},"column_permissions":[]},` +
		`{"id":21,"name":"analysts","description":"Query the shop",` +
		`"permissions":{"Databases":[{"ids":"11","operation":"query"}],` +
		`"WorkflowProject":[{"operation":"run"},{"operation":"view"}]},` +
		`"column_permissions":[{"tags":["pii"],"except":null,"masking":"hash"}]}]}`
	t.Run("administrators and delegated admins export the policies that they choose", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		for _, key := range []string{"1/admin", "1/owner", "1/delegate"} {
			c.as(key).Get("/access_control/policies/export?policy_ids=22,21,22").Exactly(exported)
		}
	})
	t.Run("without the feature flag nobody exports", func(t *testing.T) {
		t.Parallel()
		newClient(t).Get("/access_control/policies/export?policy_ids=1").
			Refused(http.StatusForbidden, "eng-lc-sub-users")
	})
}
