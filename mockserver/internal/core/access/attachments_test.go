package access_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestAttachments(t *testing.T) {
	t.Parallel()
	t.Run("both path orders attach and detach one relation", func(t *testing.T) {
		t.Parallel()
		const one = `{"id":22,"account_id":7,"name":"marketing","description":"","user_count":1}`
		for _, order := range [][2]string{
			{"/access_control/users/3/policies/22", "/access_control/policies/22/users/3"},
			{"/access_control/policies/22/users/3", "/access_control/users/3/policies/22"},
		} {
			c := newAccess(t)
			c.Post(order[0], "").Exactly(one)
			c.Post(order[0], "").Exactly(one)
			c.Post(order[1], "").Exactly(one)
			c.Get("/access_control/users/3/policies").Exactly("[" + analystsView + "," + one + "]")
			c.Get("/access_control/policies/22/users").
				Exactly(`[{"user_id":3,"account_id":7,"email":"analyst@shop.example","name":"Ana Analyst"}]`)
			c.Delete(order[1]).Exactly(marketingView)
			c.Delete(order[0]).Exactly(marketingView)
			c.Get("/access_control/policies/22/users").Exactly("[]")
		}
	})
	t.Run("a sub user may have policies without an address", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Get("/access_control/policies/21/users").
			Exactly(`[{"user_id":3,"account_id":7,"email":"analyst@shop.example","name":"Ana Analyst"},` +
				`{"user_id":5,"account_id":7,"email":null,"name":"kiosk"}]`)
	})
	t.Run("the policies of a user are replaced as a whole, by ids as texts", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch("/access_control/users/3/policies", `{"policy_ids":["22","22"]}`).
			Exactly(`[{"id":22,"account_id":7,"name":"marketing","description":"","user_count":1}]`)
		c.Patch("/access_control/users/3/policies", `{"policy_ids":[]}`).Exactly("[]")
		c.Patch("/access_control/users/3/policies", "policy_ids[]=21").Exactly("[" + analystsView + "]")
		c.Patch("/access_control/users/3/policies?policy_ids=21,22", "").Want(http.StatusOK)
		c.Get("/access_control/policies/22").
			Exactly(`{"id":22,"account_id":7,"name":"marketing","description":"","user_count":1}`)
	})
	t.Run("the users of a policy are replaced as a whole, and answered in full", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch("/access_control/policies/22/users", `{"user_ids":[4,3]}`).Exactly(
			`[{"user_id":3,"account_id":7,"permissions":{"Databases":[{"ids":"11","operation":"query"}],` +
				`"WorkflowProject":[{"operation":"run"},{"operation":"view"}]},"policies":[` + analystsView + `,` +
				`{"id":22,"account_id":7,"name":"marketing","description":"","user_count":2}]},` +
				`{"user_id":4,"account_id":7,"permissions":{},"policies":[` +
				`{"id":22,"account_id":7,"name":"marketing","description":"","user_count":2}]}]`)
		c.Patch("/access_control/policies/22/users", `{"user_ids":[]}`).Exactly("[]")
		c.Get("/access_control/users/4/policies").Exactly("[]")
	})
	t.Run("users read their own policies", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.as("1/analyst").Get("/access_control/users/3/policies").Exactly("[" + analystsView + "]")
		c.as("1/kiosk").Get("/access_control/users/5/policies").Exactly("[" + analystsView + "]")
		c.as("1/delegate").Get("/access_control/users/3/policies").Exactly("[" + analystsView + "]")
	})
	tests := map[string]accessRefusal{
		"policies of another user": {"analyst", "GET", "/access_control/users/4/policies", "", 403, "other users"},
		"policies of nobody":       {"admin", "GET", "/access_control/users/9/policies", "", 404, "9"},
		"a replacement by others": {
			"analyst", "PATCH", "/access_control/users/3/policies", `{"policy_ids":[]}`, 403,
			"delegated",
		},
		"a replacement for nobody":    {"admin", "PATCH", "/access_control/users/9/policies", `{"policy_ids":[]}`, 404, "9"},
		"a replacement without a set": {"admin", "PATCH", "/access_control/users/3/policies", `{}`, 422, "policy_ids"},
		"a replacement by integers": {
			"admin", "PATCH", "/access_control/users/3/policies", `{"policy_ids":[21]}`, 422,
			"policy_ids",
		},
		"a replacement by unknown": {
			"admin", "PATCH", "/access_control/users/3/policies", `{"policy_ids":["9"]}`, 422,
			"policy 9 not found",
		},
		"a replacement by words": {
			"admin", "PATCH", "/access_control/users/3/policies", `{"policy_ids":["x"]}`, 422,
			`"x"`,
		},
		"users of a policy for others": {"analyst", "GET", "/access_control/policies/21/users", "", 403, "delegated"},
		"users of no policy":           {"admin", "GET", "/access_control/policies/9/users", "", 404, "9"},
		"new users by others": {
			"analyst", "PATCH", "/access_control/policies/21/users", `{"user_ids":[]}`, 403,
			"delegated",
		},
		"new users of no policy": {"admin", "PATCH", "/access_control/policies/9/users", `{"user_ids":[]}`, 404, "9"},
		"no new users":           {"admin", "PATCH", "/access_control/policies/21/users", `{}`, 422, "user_ids"},
		"new users that are unknown": {
			"admin", "PATCH", "/access_control/policies/21/users", `{"user_ids":[9]}`, 422,
			"user 9 not found",
		},
		"new users by names": {"admin", "PATCH", "/access_control/policies/21/users", `{"user_ids":["x"]}`, 422, "user_ids"},
	}
	for _, method := range []string{"POST", "DELETE"} {
		for _, path := range []string{"/access_control/users/U/policies/P", "/access_control/policies/P/users/U"} {
			at := func(user, policy string) string { return strings.NewReplacer("U", user, "P", policy).Replace(path) }
			tests[method+" "+path+" by others"] = accessRefusal{"analyst", method, at("3", "21"), "", 403, "delegated"}
			tests[method+" "+path+" of no user"] = accessRefusal{"admin", method, at("9", "21"), "", 404, "user with id 9"}
			tests[method+" "+path+" of no policy"] = accessRefusal{"admin", method, at("3", "9"), "", 404, "policy with id 9"}
			tests[method+" "+path+" with words"] = accessRefusal{"admin", method, at("x", "21"), "", 404, "x"}
		}
	}
	accessRefuses(t, tests)
}

// A delegated admin applies only policies of its groups, and only to users with their tags.
func TestDelegatedAttachments(t *testing.T) {
	t.Parallel()
	t.Run("it attaches and detaches a policy of its group to a user with the tag", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t).as("1/delegate")
		for _, path := range []string{"/access_control/users/8/policies/22", "/access_control/policies/22/users/8"} {
			c.Post(path, "").Want(http.StatusOK)
			c.Get("/access_control/users/8/policies").
				Exactly(`[{"id":22,"account_id":7,"name":"marketing","description":"","user_count":1}]`)
			c.Delete(path).Exactly(marketingView)
		}
		c.Patch("/access_control/users/8/policies", `{"policy_ids":["22"]}`).Want(http.StatusOK)
		c.Patch("/access_control/policies/22/users", `{"user_ids":[]}`).Exactly("[]")
		c.Patch("/access_control/policies/22/users", `{"user_ids":[8]}`).Want(http.StatusOK)
		c.Patch("/access_control/users/8/policies", `{"policy_ids":[]}`).Exactly("[]")
	})
	t.Run("it applies policies to itself once it carries the tag", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		dora := c.as("1/delegate")
		dora.Post("/access_control/users/4/policies/22", "").Refused(http.StatusForbidden, "user 4")
		c.Patch("/policy_group_tags/store_team/users", `{"user_ids":["4","8"]}`).Want(http.StatusNoContent)
		dora.Post("/access_control/users/4/policies/22", "").Want(http.StatusOK)
	})
	t.Run("what stays as it is needs no right", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Post("/access_control/users/8/policies/21", "").Want(http.StatusOK)
		c.as("1/delegate").Patch("/access_control/users/8/policies", `{"policy_ids":["21","22"]}`).Want(http.StatusOK)
		c.as("1/delegate").Patch("/access_control/users/8/policies", `{"policy_ids":["22"]}`).
			Refused(http.StatusForbidden, "policy 21")
	})
	accessRefuses(t, map[string]accessRefusal{
		"a policy of no group of it": {
			"delegate", "POST", "/access_control/users/8/policies/21", "", 403,
			"policy 21",
		},
		"a user without the tag": {
			"delegate", "POST", "/access_control/policies/22/users/3", "", 403,
			"user 3",
		},
		"a detachment from one without": {
			"delegate", "DELETE", "/access_control/users/3/policies/21", "", 403,
			"user 3",
		},
		"a detachment in the other order": {
			"delegate", "DELETE", "/access_control/policies/21/users/3", "", 403,
			"user 3",
		},
		"a set with a policy of no group": {
			"delegate", "PATCH", "/access_control/users/8/policies",
			`{"policy_ids":["21"]}`, 403, "policy 21",
		},
		"a set that detaches a foreign policy": {
			"delegate", "PATCH", "/access_control/users/3/policies", `{"policy_ids":[]}`,
			403, "user 3",
		},
		"a set of users without the tag": {
			"delegate", "PATCH", "/access_control/policies/22/users", `{"user_ids":[3]}`, 403,
			"user 3",
		},
		"a set that leaves out others": {
			"delegate", "PATCH", "/access_control/policies/21/users", `{"user_ids":[]}`, 403,
			"user 3",
		},
	})
}
