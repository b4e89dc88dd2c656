package access_test

import (
	"net/http"
	"testing"
	"time"
)

const storeTeam = `{"id":31,"account_id":7,"name":"Store team","taggable_name":"store_team","description":null,` +
	`"policy_count":1,"created_at":"2026-01-14T09:30:00Z","updated_at":"2026-01-14T09:30:00Z"}`

func TestPolicyGroups(t *testing.T) {
	t.Parallel()
	t.Run("groups are listed as a bare array and found by id or tag", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t).as("1/delegate")
		c.Get("/access_control/policy_groups").Exactly("[" + storeTeam + "]")
		c.Get("/access_control/policy_groups/31").Exactly(storeTeam)
		c.Get("/access_control/policy_groups/store_team").Exactly(storeTeam)
	})
	t.Run("a tag is the name in lower case, with _ for all but letters and digits", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Post("/access_control/policy_groups", `{"name":"Käse & Co. 2"}`).Exactly(
			`{"id":32,"account_id":7,"name":"Käse & Co. 2","taggable_name":"käse___co__2","description":null,` +
				`"policy_count":0,"created_at":"2026-01-15T09:30:00Z","updated_at":"2026-01-15T09:30:00Z"}`)
		c.Get("/access_control/policy_groups/k%C3%A4se___co__2").Want(http.StatusOK)
	})
	t.Run("digits are an id first, and a tag when no group has that id", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Post("/access_control/policy_groups", "name=31").Want(http.StatusOK)
		c.Post("/access_control/policy_groups", "name=2026").Want(http.StatusOK)
		c.Get("/access_control/policy_groups/31").Exactly(storeTeam)
		if got := c.Get("/access_control/policy_groups/2026").Object()["id"]; got != 33.0 {
			t.Errorf("id %v, want 33", got)
		}
	})
	t.Run("a group is renamed and described, and keeps its tag", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Advance(time.Minute)
		c.Patch("/access_control/policy_groups/store_team", `{"name":"Shop","description":"All of us"}`).Exactly(
			`{"id":31,"account_id":7,"name":"Shop","taggable_name":"store_team","description":"All of us",` +
				`"policy_count":1,"created_at":"2026-01-14T09:30:00Z","updated_at":"2026-01-15T09:31:00Z"}`)
		if got := c.Patch("/access_control/policy_groups/31", `{"name":"Shop"}`).Object()["description"]; got != "All of us" {
			t.Errorf("description %v, want it as it was", got)
		}
		got, there := c.Patch("/access_control/policy_groups/31",
			`{"name":"Shop","description":null}`).Object()["description"]
		if got != nil || !there {
			t.Errorf("description %v, want null", got)
		}
	})
	t.Run("the policies of a group are replaced as a whole, by integers", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.as("1/delegate").Get("/access_control/policy_groups/31/policies").Exactly(`{"policy_ids":[22]}`)
		c.Patch("/access_control/policy_groups/store_team/policies", `{"policy_ids":[22,21,22]}`).
			Exactly(`{"policy_ids":[22,21]}`)
		if got := c.Get("/access_control/policy_groups/31").Object()["policy_count"]; got != 2.0 {
			t.Errorf("policy_count %v, want 2", got)
		}
		c.Patch("/access_control/policy_groups/31/policies", `{"policy_ids":[]}`).Exactly(`{"policy_ids":[]}`)
		c.Get("/access_control/policy_groups/31/policies").Exactly(`{"policy_ids":[]}`)
	})
	t.Run("a deletion has no body, takes the tag away and leaves the policies", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		if got := c.Delete("/access_control/policy_groups/store_team").Want(http.StatusOK); len(got.Body) > 0 {
			t.Errorf("body %s, want none", got.Body)
		}
		c.Get("/access_control/policy_groups").Exactly("[]")
		c.Get("/policy_group_tags/store_team/users").Refused(http.StatusNotFound, "store_team")
		c.Get("/access_control/policies/22").Want(http.StatusOK)
		c.Post("/access_control/policy_groups", `{"name":"Store team"}`).Want(http.StatusOK)
		c.Get("/policy_group_tags/store_team/users").Exactly(`{"user_ids":[]}`)
		c.Get("/policy_group_tags/store_team/delegated_admins").Exactly(`{"user_ids":[]}`)
	})
	const groups = "/access_control/policy_groups"
	accessRefuses(t, map[string]accessRefusal{
		"groups for others":          {"analyst", "GET", groups, "", 403, "delegated"},
		"a creation by others":       {"delegate", "POST", groups, `{"name":"x"}`, 403, "administrators"},
		"a name with a used tag":     {"admin", "POST", groups, `{"name":"STORE-TEAM"}`, 409, "policy group 31"},
		"no name":                    {"admin", "POST", groups, `{}`, 422, "name"},
		"an empty name":              {"admin", "POST", groups, `{"name":" "}`, 422, "name"},
		"a wrapper":                  {"admin", "POST", groups, `{"policy_group":{"name":"x"}}`, 422, "name"},
		"a group for others":         {"analyst", "GET", groups + "/31", "", 403, "delegated"},
		"an unknown id":              {"admin", "GET", groups + "/9", "", 404, "9"},
		"an unknown tag":             {"admin", "GET", groups + "/stock", "", 404, "stock"},
		"an update by others":        {"delegate", "PATCH", groups + "/31", `{"name":"x"}`, 403, "administrators"},
		"an update of none":          {"admin", "PATCH", groups + "/9", `{"name":"x"}`, 404, "9"},
		"an update without name":     {"admin", "PATCH", groups + "/31", `{"description":"x"}`, 422, "name"},
		"an update to an empty name": {"admin", "PATCH", groups + "/31", `{"name":""}`, 422, "name"},
		"a deletion by others":       {"delegate", "DELETE", groups + "/31", "", 403, "administrators"},
		"a deletion of none":         {"admin", "DELETE", groups + "/stock", "", 404, "stock"},
		"policies for others":        {"analyst", "GET", groups + "/31/policies", "", 403, "delegated"},
		"policies of no group":       {"admin", "GET", groups + "/9/policies", "", 404, "9"},
		"new policies by others": {
			"delegate", "PATCH", groups + "/31/policies", `{"policy_ids":[]}`, 403,
			"administrators",
		},
		"new policies of no group": {"admin", "PATCH", groups + "/9/policies", `{"policy_ids":[]}`, 404, "9"},
		"no new policies":          {"admin", "PATCH", groups + "/31/policies", `{}`, 422, "policy_ids"},
		"unknown new policies": {
			"admin", "PATCH", groups + "/31/policies", `{"policy_ids":[9]}`, 422,
			"policy 9 not found",
		},
		"new policies by names": {"admin", "PATCH", groups + "/31/policies", `{"policy_ids":["x"]}`, 422, "policy_ids"},
	})
}

func TestPolicyGroupTags(t *testing.T) {
	t.Parallel()
	const users, admins = "/policy_group_tags/store_team/users", "/policy_group_tags/store_team/delegated_admins"
	t.Run("who carries a tag and who manages it are two sets, replaced as a whole", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.as("1/delegate").Get(users).Exactly(`{"user_ids":["8"]}`)
		c.as("1/delegate").Get(admins).Exactly(`{"user_ids":["4"]}`)
		c.Patch(users, `{"user_ids":["5","3","3"]}`).Want(http.StatusNoContent)
		c.Get(users).Exactly(`{"user_ids":["3","5"]}`)
		c.Get(admins).Exactly(`{"user_ids":["4"]}`)
		c.Post("/user/delegated_admin/add/analyst@shop.example", "").Want(http.StatusOK)
		c.Patch(admins, "user_ids=3").Want(http.StatusNoContent)
		c.Get(admins).Exactly(`{"user_ids":["3"]}`)
		c.Patch(admins, `{"user_ids":[]}`).Want(http.StatusNoContent)
		c.Get(admins).Exactly(`{"user_ids":[]}`)
		c.Get(users).Exactly(`{"user_ids":["3","5"]}`)
	})
	t.Run("a delegated admin tags users of the group that it manages, but not itself", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		dora := c.as("1/delegate")
		dora.Patch(users, `{"user_ids":["3"]}`).Want(http.StatusNoContent)
		dora.Patch(users, `{"user_ids":["3","4"]}`).Refused(http.StatusForbidden, "yourself")
		c.Patch(users, `{"user_ids":["4"]}`).Want(http.StatusNoContent)
		dora.Patch(users, `{"user_ids":["3"]}`).Refused(http.StatusForbidden, "yourself")
		dora.Patch(users, `{"user_ids":["4","8"]}`).Want(http.StatusNoContent)
		c.Patch(admins, `{"user_ids":[]}`).Want(http.StatusNoContent)
		dora.Patch(users, `{"user_ids":["4"]}`).Refused(http.StatusForbidden, "Store team")
	})
	accessRefuses(t, map[string]accessRefusal{
		"users for others":           {"analyst", "GET", users, "", 403, "delegated"},
		"users of no tag":            {"admin", "GET", "/policy_group_tags/stock/users", "", 404, "stock"},
		"a tag is no id":             {"admin", "GET", "/policy_group_tags/31/users", "", 404, "31"},
		"new users by others":        {"tagged", "PATCH", users, `{"user_ids":[]}`, 403, "delegated"},
		"new users of no tag":        {"admin", "PATCH", "/policy_group_tags/stock/users", `{"user_ids":[]}`, 404, "stock"},
		"no new users":               {"admin", "PATCH", users, `{}`, 422, "user_ids"},
		"new users that are unknown": {"admin", "PATCH", users, `{"user_ids":["9"]}`, 422, "user 9 not found"},
		"new users by integers":      {"admin", "PATCH", users, `{"user_ids":[3]}`, 422, "user_ids"},
		"admins for others":          {"analyst", "GET", admins, "", 403, "delegated"},
		"admins of no tag":           {"admin", "GET", "/policy_group_tags/stock/delegated_admins", "", 404, "stock"},
		"new admins by others":       {"delegate", "PATCH", admins, `{"user_ids":[]}`, 403, "administrators"},
		"new admins of no tag": {
			"admin", "PATCH", "/policy_group_tags/stock/delegated_admins", `{"user_ids":[]}`, 404,
			"stock",
		},
		"no new admins":               {"admin", "PATCH", admins, `{}`, 422, "user_ids"},
		"an admin who is no delegate": {"admin", "PATCH", admins, `{"user_ids":["3"]}`, 422, "not a delegated admin"},
		"an admin who is unknown":     {"admin", "PATCH", admins, `{"user_ids":["x"]}`, 422, `"x"`},
	})
}
